package main

import (
	"errors"
	"log/slog"
	"strings"

	"fichario/adapters/oidc"
	"fichario/app/team"
	"fichario/cmd/fichario/command"
	"fichario/ports"
)

// providerOf sets up the sign-in by the configured provider; nil where there is none. It does not call the provider
// yet: one
// that is away must not keep the service from starting.
func providerOf(e *command.Environment, s *service, publicURL string, log *slog.Logger) (*team.OIDC, error) {
	c := e.Settings.OIDC
	rules, there, err := c.Rules()
	if err != nil || !there {
		return nil, err
	}
	if c.Org != "" {
		switch _, err := s.store.Repos().Orgs.Find(e.Ctx, c.Org); {
		case errors.Is(err, ports.ErrNotFound):
			return nil, errors.New("FICHARIO_OIDC_ORG: there is no organisation with this id")
		case err != nil:
			return nil, err
		}
	}
	return team.NewOIDC(team.OIDCConfig{
		Store: s.store, Clock: command.Now, Sessions: s.sessions, Name: strings.TrimSpace(c.Name), Rules: rules, Log: log,
		Provider: oidc.New(oidc.Config{
			Issuer: c.Issuer, ClientID: c.ClientID, ClientSecret: c.ClientSecret, Claim: rules.Claim,
			RedirectURL: publicURL + "/entrar/oidc/retorno", Scopes: strings.Fields(c.Scopes),
		}),
	}), nil
}

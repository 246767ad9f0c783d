package main

import (
	"errors"
	"strings"

	"fichario/adapters/oidc"
	"fichario/app/team"
	"fichario/cmd/fichario/command"
	"fichario/ports"
)

// providerOf sets up the sign-in by the configured provider; nil where there is none. It does not call the provider
// yet: one
// that is away must not keep the service from starting.
func providerOf(g ground, sessions *team.Sessions) (*team.OIDC, error) {
	c := g.Settings.OIDC
	rules, there, err := c.Rules()
	if err != nil || !there {
		return nil, err
	}
	if c.Org != "" {
		switch _, err := g.store.Repos().Orgs.Find(g.Ctx, c.Org); {
		case errors.Is(err, ports.ErrNotFound):
			return nil, errors.New("FICHARIO_OIDC_ORG: there is no organisation with this id")
		case err != nil:
			return nil, err
		}
	}
	return team.NewOIDC(team.OIDCConfig{
		Store: g.store, Clock: command.Now, Sessions: sessions, Name: strings.TrimSpace(c.Name), Rules: rules, Log: g.log,
		Provider: oidc.New(oidc.Config{
			Issuer: c.Issuer, ClientID: c.ClientID, ClientSecret: c.ClientSecret, Claim: rules.Claim,
			RedirectURL: g.publicURL + "/entrar/oidc/retorno", Scopes: strings.Fields(c.Scopes),
		}),
	}), nil
}

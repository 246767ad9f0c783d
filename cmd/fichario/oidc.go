package main

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"slices"
	"strings"

	"fichario/adapters/oidc"
	"fichario/app/team"
	"fichario/domain/crm"
	"fichario/ports"
)

// OIDC configures an identity provider for signing in, beside passwords.
type OIDC struct {
	Issuer       string `env:"FICHARIO_OIDC_ISSUER" validate:"omitempty,address" help:"Issuer of the OpenID Connect provider for sign-in, exactly as its discovery document gives it. Default: none."`
	ClientID     string `env:"FICHARIO_OIDC_CLIENT_ID" name:"client-id" help:"Client id of this service at the provider, where its redirect address is FICHARIO_PUBLIC_URL + /entrar/oidc/retorno."`
	ClientSecret string `env:"FICHARIO_OIDC_CLIENT_SECRET" help:"Client secret that the provider issued."`
	Name         string `env:"FICHARIO_OIDC_NAME" default:"a conta da empresa" validate:"max=60" help:"Text of the sign-in button after Entrar com."`
	Domains      string `env:"FICHARIO_OIDC_DOMAINS" help:"Domains of the e-mail addresses that may sign in there, separated by commas; required with a provider."`
	Org          string `env:"FICHARIO_OIDC_ORG" validate:"omitempty,uuid" help:"Id of the organisation that people sign in to; it gets unknown people as members. Default: members sign in to their own, unknown people are refused."`
	Roles        string `env:"FICHARIO_OIDC_ROLES" help:"Roles by the values of a claim, set at each sign-in, such as groups:fichario-owner=owner,fichario-admin=admin,*=member; people without a match are refused. Default: the provider changes no roles, and new people are members."`
	Scopes       string `env:"FICHARIO_OIDC_SCOPES" default:"openid email profile" help:"Scopes requested from the provider; some send the groups claim only if groups is among them."`
}

// rules validates the settings of a provider; false where there is none.
func (c OIDC) rules() (rules crm.ProviderRules, there bool, err error) {
	if c.Issuer == "" {
		if c.ClientID+c.ClientSecret+c.Domains+c.Org+c.Roles != "" {
			err = errors.New("FICHARIO_OIDC_ISSUER is missing: without it the other FICHARIO_OIDC_ settings have no effect")
		}
		return rules, false, err
	}
	at, err := url.Parse(c.Issuer)
	if err != nil {
		return rules, false, errors.New("FICHARIO_OIDC_ISSUER is not an address") // its shape has been checked
	}
	loopback := at.Hostname() == "localhost" || net.ParseIP(at.Hostname()).IsLoopback()
	rules.OrgID = c.Org
	rules.Domains, err = crm.ParseDomains(c.Domains)
	if err != nil {
		return rules, false, fmt.Errorf("FICHARIO_OIDC_DOMAINS: %w", err)
	}
	rules.Claim, rules.Roles, err = crm.ParseRoles(c.Roles)
	switch {
	case err != nil:
		err = fmt.Errorf("FICHARIO_OIDC_ROLES: %w", err)
	case at.Scheme != "https" && !loopback:
		err = errors.New("FICHARIO_OIDC_ISSUER must use https://, or http:// on this machine")
	case at.RawQuery != "" || at.Fragment != "":
		err = errors.New("FICHARIO_OIDC_ISSUER must have no query and no fragment")
	case c.ClientID == "" || c.ClientSecret == "":
		err = errors.New("FICHARIO_OIDC_ISSUER needs FICHARIO_OIDC_CLIENT_ID and FICHARIO_OIDC_CLIENT_SECRET")
	case len(rules.Domains) == 0:
		err = errors.New("FICHARIO_OIDC_ISSUER needs FICHARIO_OIDC_DOMAINS: the e-mail addresses that may sign in")
	case len(rules.Roles) > 0 && c.Org == "":
		err = errors.New("FICHARIO_OIDC_ROLES needs FICHARIO_OIDC_ORG: the organisation of the roles")
	case !slices.Contains(strings.Fields(c.Scopes), "openid"):
		err = errors.New("FICHARIO_OIDC_SCOPES needs openid")
	case strings.TrimSpace(c.Name) == "":
		err = errors.New("FICHARIO_OIDC_NAME is empty")
	}
	return rules, err == nil, err
}

// oidc sets up the sign-in by the configured provider; nil where there is none. It does not call the provider yet: one
// that is away must not keep the service from starting.
func (e *environment) oidc(s *service, publicURL string, log *slog.Logger) (*team.OIDC, error) {
	c := e.settings.OIDC
	rules, there, err := c.rules()
	if err != nil || !there {
		return nil, err
	}
	if c.Org != "" {
		switch _, err := s.store.Repos().Orgs.Find(e.ctx, c.Org); {
		case errors.Is(err, ports.ErrNotFound):
			return nil, errors.New("FICHARIO_OIDC_ORG: there is no organisation with this id")
		case err != nil:
			return nil, err
		}
	}
	return team.NewOIDC(team.OIDCConfig{
		Store: s.store, Clock: now, Sessions: s.sessions, Name: strings.TrimSpace(c.Name), Rules: rules, Log: log,
		Provider: oidc.New(oidc.Config{
			Issuer: c.Issuer, ClientID: c.ClientID, ClientSecret: c.ClientSecret, Claim: rules.Claim,
			RedirectURL: publicURL + "/entrar/oidc/retorno", Scopes: strings.Fields(c.Scopes),
		}),
	}), nil
}

package web

import (
	"net/http"
	"net/url"
	"time"

	"fichario/app"
	"fichario/app/team"
	"fichario/domain/access"
	"fichario/domain/fault"
)

// providerRoutes are the sign-in by an OpenID Connect provider; nil where none is configured.
func (s *server) providerRoutes() map[string]handler {
	if s.OIDC == nil {
		return nil
	}
	return map[string]handler{
		"GET /entrar/oidc":         decoded(s.toProvider),
		"GET /entrar/oidc/retorno": decoded(s.fromProvider),
	}
}

// providerName is the label of the button; empty where there is no provider.
func (s *server) providerName() string {
	if s.OIDC == nil {
		return ""
	}
	return s.OIDC.Name
}

// providerCookie is the name of the cookie with the secret of a sign-in that is at the provider.
func (c *call) providerCookie() string {
	if c.secure() {
		return "__Host-provedor"
	}
	return "provedor"
}

// toProvider redirects to the provider.
func (s *server) toProvider(c *call, f signInFields) error {
	address, secret, err := s.OIDC.Begin(c.ctx(), c.from(), local(f.After))
	if err != nil {
		return s.providerFailed(c, err, f.After)
	}
	c.setCookie(c.providerCookie(), secret.Reveal(), access.FactorFor)
	return c.redirect(address)
}

// backFields are the parameters of the provider's redirect. error and its description are ignored: without a code,
// nobody signed in there.
type backFields struct {
	State  asTyped `form:"state"`
	Code   asTyped `form:"code"`
	Issuer asTyped `form:"iss"`
}

// fromProvider completes a sign-in at the provider.
func (s *server) fromProvider(c *call, f backFields) error {
	b := team.Back{State: string(f.State), Code: string(f.Code), Issuer: string(f.Issuer)}
	if cookie, err := c.Cookie(c.providerCookie()); err == nil {
		b.Secret = cookie.Value
	}
	token, after, err := s.OIDC.End(c.ctx(), c.from(), b)
	if after != "" { // the state was this sign-in's, which is over
		c.setCookie(c.providerCookie(), "", -time.Second)
	}
	if need := factorNeeded(err); need != nil {
		return c.toFactor(need, after)
	}
	if err != nil {
		return s.providerFailed(c, err, after)
	}
	return c.entered(token, after)
}

// providerFailed shows beside the password form why the provider's sign-in failed.
func (s *server) providerFailed(c *call, err error, after string) error {
	why := app.FaultOf(err)
	if why == nil || why.Field != "oidc" && why.Code != fault.Unauthenticated {
		return err
	}
	c.retryAfter(why)
	status, wait := http.StatusUnauthorized, why.RetryAfter
	if why.Code == fault.ServiceUnavailable {
		status, wait = http.StatusServiceUnavailable, 0
	}
	return c.renderStatus(status, "entrar", page{Title: "Entrar", Data: signInPage{
		After: after, Problem: why.Message, Wait: int(wait / time.Second),
		What: "Não deu para entrar com " + s.OIDC.Name + ".",
	}})
}

// providerLink is the address of the button.
func providerLink(after string) string {
	if after == "" {
		return "/entrar/oidc"
	}
	return "/entrar/oidc?" + url.Values{"depois": {after}}.Encode()
}

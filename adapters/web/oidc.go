package web

import (
	"net/http"
	"time"

	"fichario/app"
	"fichario/app/team"
	"fichario/domain/access"
	"fichario/domain/fault"
)

// providerCookie is the name of the cookie with the secret of a sign-in that is at the provider.
func providerCookie(c *call) string {
	if c.secure() {
		return "__Host-provedor"
	}
	return "provedor"
}

// toProvider redirects to the provider.
func (s *server) toProvider(c *call, f signInFields) error {
	address, secret, err := s.OIDC.Begin(c.ctx(), cameBy(c), local(f.After))
	if err != nil {
		return s.providerFailed(c, err, f.After)
	}
	c.setCookie(providerCookie(c), secret.Reveal(), access.FactorFor)
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
	if cookie, err := c.Cookie(providerCookie(c)); err == nil {
		b.Secret = cookie.Value
	}
	token, after, err := s.OIDC.End(c.ctx(), cameBy(c), b)
	if after != "" { // the state was this sign-in's, which is over
		c.setCookie(providerCookie(c), "", -time.Second)
	}
	if need := factorNeeded(err); need != nil {
		return toFactor(c, need, after)
	}
	if err != nil {
		return s.providerFailed(c, err, after)
	}
	return entered(c, token, after)
}

// providerFailed shows beside the password form why the provider's sign-in failed.
func (s *server) providerFailed(c *call, err error, after string) error {
	why := app.FaultOf(err)
	if why == nil || why.Field != "oidc" && why.Code != fault.Unauthenticated {
		return err
	}
	retryAfter(c, why)
	status, wait := http.StatusUnauthorized, why.RetryAfter
	if why.Code == fault.ServiceUnavailable {
		status, wait = http.StatusServiceUnavailable, 0
	}
	return c.renderStatus(status, "entrar", page{Title: "Entrar", Data: signInPage{
		After: after, Problem: why.Message, Wait: int(wait / time.Second),
		What: "Não deu para entrar com " + s.OIDC.Name + ".",
	}})
}

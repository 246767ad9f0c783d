package team

import (
	"net/http"
	"time"

	"fichario/adapters/web"
	"fichario/app"
	"fichario/app/team"
	"fichario/domain/access"
	"fichario/domain/fault"
)

// providerCookie is the name of the cookie with the secret of a sign-in that is at the provider.
func providerCookie(c *web.Call) string {
	if c.Secure() {
		return "__Host-provedor"
	}
	return "provedor"
}

// toProvider redirects to the provider.
func (s pages) toProvider(c *web.Call, f signInFields) error {
	address, secret, err := s.OIDC.Begin(c.Ctx(), cameBy(c), web.Local(f.After))
	if err != nil {
		return s.providerFailed(c, err, f.After)
	}
	c.SetCookie(providerCookie(c), secret.Reveal(), access.FactorFor)
	return c.Redirect(address)
}

// backFields are the parameters of the provider's redirect. error and its description are ignored: without a code,
// nobody signed in there.
type backFields struct {
	State  web.AsTyped `form:"state"`
	Code   web.AsTyped `form:"code"`
	Issuer web.AsTyped `form:"iss"`
}

// fromProvider completes a sign-in at the provider.
func (s pages) fromProvider(c *web.Call, f backFields) error {
	b := team.Back{State: string(f.State), Code: string(f.Code), Issuer: string(f.Issuer)}
	if cookie, err := c.Cookie(providerCookie(c)); err == nil {
		b.Secret = cookie.Value
	}
	token, after, err := s.OIDC.End(c.Ctx(), cameBy(c), b)
	if after != "" { // the state was this sign-in's, which is over
		c.SetCookie(providerCookie(c), "", -time.Second)
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
func (s pages) providerFailed(c *web.Call, err error, after string) error {
	why := app.FaultOf(err)
	if why == nil || why.Field != "oidc" && why.Code != fault.Unauthenticated {
		return err
	}
	retryAfter(c, why)
	status, wait := http.StatusUnauthorized, why.RetryAfter
	if why.Code == fault.ServiceUnavailable {
		status, wait = http.StatusServiceUnavailable, 0
	}
	return c.RenderStatus(status, "entrar", web.Page{Title: "Entrar", Data: web.SignInPage{
		After: after, Problem: why.Message, Wait: int(wait / time.Second),
		What: "Não deu para entrar com " + s.OIDC.Name + ".",
	}})
}

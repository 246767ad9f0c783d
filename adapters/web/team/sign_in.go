package team

import (
	"net/http"
	"time"

	"fichario/adapters/web"
	"fichario/app"
	"fichario/domain/fault"
)

// tooMany reports whether a password was not compared because too many comparisons were waiting.
func tooMany(err error) bool {
	why := app.FaultOf(err)
	return why != nil && why.Field == "turn"
}

// bellPath is what every page polls, and unattendedHeader what script sends with all other requests it makes by itself.

// signInFields are the fields of the sign-in form; from an address only After is read.
type signInFields struct {
	Email    string      `form:"email"`
	Password web.AsTyped `form:"senha"`
	// After is the address to go to after signing in.
	After string `form:"depois"`
}

func (s pages) signInPage(c *web.Call, f signInFields) error {
	return c.Render("entrar", web.Page{Title: "Entrar", Data: web.SignInPage{After: f.After}})
}

func (s pages) signIn(c *web.Call, f signInFields) error {
	token, err := s.Sessions.SignIn(c.Ctx(), cameBy(c), f.Email, string(f.Password))
	if need := factorNeeded(err); need != nil {
		return toFactor(c, need, f.After)
	}
	if why := app.FaultOf(err); why != nil && (why.Code == fault.Unauthenticated || tooMany(err)) {
		retryAfter(c, why)
		status, what := http.StatusUnauthorized, ""
		if why.RetryAfter > 0 {
			what = "A senha não foi conferida."
		}
		if tooMany(err) {
			status = http.StatusServiceUnavailable
		}
		return c.RenderStatus(status, "entrar", web.Page{Title: "Entrar", Data: web.SignInPage{
			Email: f.Email, After: f.After, Problem: why.Message, What: what, Wait: int(why.RetryAfter / time.Second),
		}})
	}
	if err != nil {
		return err
	}
	return entered(c, token, f.After)
}

// endPresent ends the session of the cookie that came with the request, if any.
func endPresent(c *web.Call) error {
	cookie, err := c.Cookie(c.SessionCookie())
	if err != nil {
		return nil //nolint:nilerr // there is none
	}
	return c.Server.Sessions.SignOut(c.Ctx(), cookie.Value)
}

func (s pages) signOut(c *web.Call) error {
	if err := endPresent(c); err != nil {
		return err
	}
	return leave(c, "")
}

// leave redirects to the sign-in page, and clears what the browser keeps of a session: its cookie, and cached pages
// that going back would show. The sign-in page shows the notice, if any.
func leave(c *web.Call, notice string) error {
	c.SetCookie(c.SessionCookie(), "", -time.Second)
	c.Writer.Header().Set("Clear-Site-Data", `"cache", "storage"`)
	if notice == "" {
		return c.Redirect("/entrar")
	}
	return c.Done("/entrar", notice)
}

func (s pages) signOutEverywhere(c *web.Call) error {
	if err := s.Sessions.SignOutEverywhere(c.Ctx(), c.By); err != nil {
		return err
	}
	return leave(c, "Você saiu de todos os aparelhos.")
}

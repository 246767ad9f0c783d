package web

import (
	"net/http"
	"time"

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
	Email    string  `form:"email"`
	Password asTyped `form:"senha"`
	// After is the address to go to after signing in.
	After string `form:"depois"`
}

func (s *server) signInPage(c *call, f signInFields) error {
	return c.render("entrar", page{Title: "Entrar", Data: signInPage{After: f.After}})
}

func (s *server) signIn(c *call, f signInFields) error {
	token, err := s.Sessions.SignIn(c.ctx(), cameBy(c), f.Email, string(f.Password))
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
		return c.renderStatus(status, "entrar", page{Title: "Entrar", Data: signInPage{
			Email: f.Email, After: f.After, Problem: why.Message, What: what, Wait: int(why.RetryAfter / time.Second),
		}})
	}
	if err != nil {
		return err
	}
	return entered(c, token, f.After)
}

// endPresent ends the session of the cookie that came with the request, if any.
func endPresent(c *call) error {
	cookie, err := c.Cookie(c.sessionCookie())
	if err != nil {
		return nil //nolint:nilerr // there is none
	}
	return c.s.Sessions.SignOut(c.ctx(), cookie.Value)
}

func (s *server) signOut(c *call) error {
	if err := endPresent(c); err != nil {
		return err
	}
	return leave(c, "")
}

// leave redirects to the sign-in page, and clears what the browser keeps of a session: its cookie, and cached pages
// that going back would show. The sign-in page shows the notice, if any.
func leave(c *call, notice string) error {
	c.setCookie(c.sessionCookie(), "", -time.Second)
	c.w.Header().Set("Clear-Site-Data", `"cache", "storage"`)
	if notice == "" {
		return c.redirect("/entrar")
	}
	return c.done("/entrar", notice)
}

func (s *server) signOutEverywhere(c *call) error {
	if err := s.Sessions.SignOutEverywhere(c.ctx(), c.by); err != nil {
		return err
	}
	return leave(c, "Você saiu de todos os aparelhos.")
}

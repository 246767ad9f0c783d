package web

import (
	"net/http"
	"net/url"
	"strings"
	"time"

	"fichario/app"
	"fichario/domain/fault"
)

// sessionCookie is the cookie's name: under https it has the prefix that binds it to
// this host.
func (c *call) sessionCookie() string {
	if c.secure() {
		return "__Host-sessao"
	}
	return "sessao"
}

func (c *call) secure() bool { return proxies(c.s.TrustedProxies).secure(c.Request) }

func isUnauthenticated(err error) bool { return fault.CodeOf(err) == fault.Unauthenticated }

// tooMany reports whether a password was not compared, because too many were.
func tooMany(err error) bool {
	why := app.FaultOf(err)
	return why != nil && why.Field == "turn"
}

// bellPath is what every page asks for again and again, and unattendedHeader what script says of whatever else it does.
const (
	bellPath         = "/notificacoes/sino"
	unattendedHeader = "X-Unattended"
)

// unattended reports whether a page asks by itself. A stream of events cannot have a header of ours.
func unattended(r *http.Request) bool {
	return r.URL.Path == bellPath || r.URL.Path == "/eventos" || r.Header.Get(unattendedHeader) != ""
}

// toSignIn leads to the sign-in page, which leads back.
func (c *call) toSignIn() error {
	after, target := c.URL.RequestURI(), "/entrar"
	if c.Method != http.MethodGet {
		after = c.cameFrom("/")
	}
	if after != "/" {
		target += "?" + url.Values{"depois": {after}}.Encode()
	}
	if c.script() {
		if c.URL.Path != bellPath { // what asks by itself does not take a page away that somebody writes in
			c.w.Header().Set("HX-Redirect", target)
		}
		c.w.WriteHeader(http.StatusNoContent)
		return nil
	}
	_, err := c.Cookie(c.sessionCookie())
	if err == nil && c.Method == http.MethodPost && c.read(openFormMax) == nil { // somebody typed into it
		return c.renderStatus(http.StatusUnauthorized, "entrar", page{Title: "Entrar", Data: signInPage{
			After: after, Over: true, Typed: c.typed(),
		}})
	}
	if err == nil {
		return c.done(target, "A sua sessão terminou. Entre de novo.")
	}
	return c.redirect(target)
}

// signInPage is what the sign-in page shows.
type signInPage struct {
	Email, After string
	// Problem is why somebody is not let in, behind What in short; empty for a wrong password.
	Problem, What string
	Wait          int // seconds
	// Over is whether a form came after its session had ended; Typed is what it held.
	Over  bool
	Typed []string
}

// signInFields are the form of the sign-in page, of whose address only After is read.
type signInFields struct {
	Email    string  `form:"email"`
	Password asTyped `form:"senha"`
	// After is the address that one is led to.
	After string `form:"depois"`
}

func (s *server) signInPage(c *call, f signInFields) error {
	return c.render("entrar", page{Title: "Entrar", Data: signInPage{After: f.After}})
}

func (s *server) signIn(c *call, f signInFields) error {
	token, err := s.Sessions.SignIn(c.ctx(), c.from(), f.Email, string(f.Password))
	if need := factorNeeded(err); need != nil {
		return c.toFactor(need, f.After)
	}
	if why := app.FaultOf(err); why != nil && (why.Code == fault.Unauthenticated || tooMany(err)) {
		c.retryAfter(why)
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
	return c.entered(token, f.After)
}

// endPresent ends the session of the cookie that came with the request, if any.
func (c *call) endPresent() error {
	cookie, err := c.Cookie(c.sessionCookie())
	if err != nil {
		return nil //nolint:nilerr // there is none
	}
	return c.s.Sessions.SignOut(c.ctx(), cookie.Value)
}

func (s *server) signOut(c *call) error {
	if err := c.endPresent(); err != nil {
		return err
	}
	return c.leave("")
}

// leave leads to the door, and ends what the browser keeps of a session: its cookie, and the pages that it would show
// again to whoever goes back. The door says the notice, where there is one.
func (c *call) leave(notice string) error {
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
	return c.leave("Você saiu de todos os aparelhos.")
}

// setCookie sets a cookie that scripts cannot read; a negative age removes it.
func (c *call) setCookie(name, value string, age time.Duration) {
	http.SetCookie(c.w, &http.Cookie{ //nolint:gosec // Secure wherever the browser came by https
		Name: name, Value: value, Path: "/", MaxAge: int(age / time.Second), HttpOnly: true, Secure: c.secure(),
		SameSite: http.SameSiteLaxMode,
	})
}

// local keeps an address within this site: of anything else it makes the first page.
func local(target string) string {
	u, err := url.Parse(target)
	if err != nil || u.IsAbs() || u.Host != "" || !strings.HasPrefix(target, "/") || strings.HasPrefix(target, "//") ||
		strings.ContainsAny(target, "\\\r\n") {
		return "/"
	}
	// What it escapes anew may begin otherwise than what was sent: %2f is a slash then.
	if at := u.RequestURI(); !strings.HasPrefix(at, "//") {
		return at
	}
	return "/"
}

// redirect leads the browser to another page of this site.
func (c *call) redirect(target string) error {
	if c.Method == http.MethodPost && c.by.MemberID() != "" {
		c.setCookie(sentCookie, c.URL.Path, time.Minute)
	}
	http.Redirect(c.w, c.Request, target, http.StatusSeeOther)
	return nil
}

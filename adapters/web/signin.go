package web

import (
	"net/http"
	"net/url"
	"strings"
	"time"

	"fichario/app"
	"fichario/domain/fault"
)

// sessionCookie is the cookie's name: under https with the prefix that binds it to this host.
func (c *call) sessionCookie() string {
	if c.secure() {
		return "__Host-sessao"
	}
	return "sessao"
}

func (c *call) secure() bool { return proxies(c.s.TrustedProxies).secure(c.Request) }

func isUnauthenticated(err error) bool { return fault.CodeOf(err) == fault.Unauthenticated }

// tooMany reports whether a password was not compared because too many comparisons were waiting.
func tooMany(err error) bool {
	why := app.FaultOf(err)
	return why != nil && why.Field == "turn"
}

// bellPath is what every page polls, and unattendedHeader what script sends with all other requests it makes by itself.
const (
	bellPath         = "/notificacoes/sino"
	unattendedHeader = "X-Unattended"
)

// unattended reports whether a page made the request by itself. A stream of events cannot have a header of ours.
func unattended(r *http.Request) bool {
	return r.URL.Path == bellPath || r.URL.Path == "/eventos" || r.Header.Get(unattendedHeader) != ""
}

// toSignIn redirects to the sign-in page, which leads back here.
func (c *call) toSignIn() error {
	after, target := c.URL.RequestURI(), "/entrar"
	if c.Method != http.MethodGet {
		after = c.cameFrom("/")
	}
	if after != "/" {
		target += "?" + url.Values{"depois": {after}}.Encode()
	}
	if c.script() {
		if c.URL.Path != bellPath { // polling must not replace a page that somebody is typing in
			c.w.Header().Set("HX-Redirect", target)
		}
		c.w.WriteHeader(http.StatusNoContent)
		return nil
	}
	_, err := c.Cookie(c.sessionCookie())
	if err == nil && c.Method == http.MethodPost && c.read(openFormMax) == nil { // save what was typed
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
	// Problem says why the sign-in was refused, What is its short title; empty for a wrong password.
	Problem, What string
	Wait          int // seconds
	// Over says that a form arrived after its session had ended; Typed is what it held.
	Over  bool
	Typed []string
}

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

// leave redirects to the sign-in page, and clears what the browser keeps of a session: its cookie, and cached pages
// that going back would show. The sign-in page shows the notice, if any.
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

// local keeps an address within this site: anything else becomes the first page.
func local(target string) string {
	u, err := url.Parse(target)
	if err != nil || u.IsAbs() || u.Host != "" || !strings.HasPrefix(target, "/") || strings.HasPrefix(target, "//") ||
		strings.ContainsAny(target, "\\\r\n") {
		return "/"
	}
	// Re-encoding may change the beginning of what was sent: %2f becomes a slash.
	if at := u.RequestURI(); !strings.HasPrefix(at, "//") {
		return at
	}
	return "/"
}

// redirect sends the browser to another page of this site.
func (c *call) redirect(target string) error {
	if c.Method == http.MethodPost && c.by.MemberID() != "" {
		c.setCookie(sentCookie, c.URL.Path, time.Minute)
	}
	http.Redirect(c.w, c.Request, target, http.StatusSeeOther)
	return nil
}

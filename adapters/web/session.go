package web

import (
	"net/http"
	"net/url"
	"strings"
	"time"

	"fichario/domain/fault"
)

// SessionCookie is the cookie's name: under https with the prefix that binds it to this host.
func (c *Call) SessionCookie() string {
	if c.Secure() {
		return "__Host-sessao"
	}
	return "sessao"
}

// Secure reports whether the browser came by https.
func (c *Call) Secure() bool { return proxies(c.Server.TrustedProxies).secure(c.Request) }

// IsUnauthenticated reports whether an error says that there is no session.
func IsUnauthenticated(err error) bool { return fault.CodeOf(err) == fault.Unauthenticated }

// unattended reports whether a page made the request by itself. A stream of events cannot have a header of ours.
func unattended(r *http.Request) bool {
	return r.URL.Path == bellPath || r.URL.Path == "/eventos" || r.Header.Get(unattendedHeader) != ""
}

// toSignIn redirects to the sign-in page, which leads back here.
func (c *Call) toSignIn() error {
	after, target := c.URL.RequestURI(), "/entrar"
	if c.Method != http.MethodGet {
		after = c.CameFrom("/")
	}
	if after != "/" {
		target += "?" + url.Values{"depois": {after}}.Encode()
	}
	// A stream of events shows no page, and leaves no notice for another.
	if c.Script() || c.Header.Get("Accept") == eventStream {
		if c.URL.Path != bellPath { // polling must not replace a page that somebody is typing in
			c.Writer.Header().Set("HX-Redirect", target)
		}
		c.Writer.WriteHeader(http.StatusNoContent)
		return nil
	}
	_, err := c.Cookie(c.SessionCookie())
	if err == nil && c.Method == http.MethodPost && c.read(openFormMax) == nil { // save what was typed
		return c.RenderStatus(http.StatusUnauthorized, "entrar", Page{Title: "Entrar", Data: SignInPage{
			After: after, Over: true, Typed: c.typed(),
		}})
	}
	if err == nil {
		return c.Done(target, "A sua sessão terminou. Entre de novo.")
	}
	return c.Redirect(target)
}

// SetCookie sets a cookie that scripts cannot read; a negative age removes it.
func (c *Call) SetCookie(name, value string, age time.Duration) {
	http.SetCookie(c.Writer, &http.Cookie{ //nolint:gosec // Secure wherever the browser came by https
		Name: name, Value: value, Path: "/", MaxAge: int(age / time.Second), HttpOnly: true, Secure: c.Secure(),
		SameSite: http.SameSiteLaxMode,
	})
}

// Local keeps an address within this site: anything else becomes the first page.
func Local(target string) string {
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

// Redirect sends the browser to another page of this site.
func (c *Call) Redirect(target string) error {
	if c.Method == http.MethodPost && c.By.MemberID() != "" {
		c.SetCookie(sentCookie, c.URL.Path, time.Minute)
	}
	http.Redirect(c.Writer, c.Request, target, http.StatusSeeOther)
	return nil
}

// resume finds who is signed in. Faults: those of Sessions.Resume.
func (c *Call) resume() error {
	text := "" // of no session
	if cookie, err := c.Cookie(c.SessionCookie()); err == nil {
		text = cookie.Value
	}
	var err error
	c.By, c.Member, err = c.Server.Sessions.Resume(c.Ctx(), text)
	return err
}

// needsFactor reports whether the member must go to the page of the second factor instead of this one.
func (c *Call) needsFactor() bool {
	return c.Member.NeedsFactor && !strings.HasPrefix(c.URL.Path, FactorPath) && c.URL.Path != "/sair-todas"
}

// toFactorPage redirects there.
func (c *Call) toFactorPage() {
	if c.Script() {
		c.Writer.Header().Set("HX-Redirect", FactorPath)
		c.Writer.WriteHeader(http.StatusNoContent)
		return
	}
	http.Redirect(c.Writer, c.Request, FactorPath, http.StatusSeeOther)
}

// CameFrom is the page of this site that a form was sent from, or other.
func (c *Call) CameFrom(other string) string {
	from, err := url.Parse(c.Header.Get("Referer"))
	if err != nil || from.Host != c.Host || from.Path == "" {
		return other
	}
	query := from.Query()
	query.Del(askParameter)
	from.RawQuery = query.Encode()
	return Local(from.RequestURI())
}

const (
	bellPath         = "/notificacoes/sino"
	unattendedHeader = "X-Unattended"
)

// FactorPath is where a member is sent who lacks the second factor that the organisation requires.
const FactorPath = "/conta/segundo-fator"

// SignInPage is what the sign-in page shows.
type SignInPage struct {
	Email, After string
	// Problem says why the sign-in was refused, What is its short title; empty for a wrong password.
	Problem, What string
	Wait          int // seconds
	// Over says that a form arrived after its session had ended; Typed is what it held.
	Over  bool
	Typed []string
}

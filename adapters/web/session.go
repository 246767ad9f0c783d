package web

import (
	"fichario/domain/fault"
	"net/http"
	"net/url"
	"strings"
	"time"
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

// needsFactor reports whether the member must go to the page of the second factor instead of this one.
func (c *call) needsFactor() bool {
	return c.member.NeedsFactor && !strings.HasPrefix(c.URL.Path, factorPath) && c.URL.Path != "/sair-todas"
}

// toFactorPage redirects there.
func (c *call) toFactorPage() error {
	if c.script() {
		c.w.Header().Set("HX-Redirect", factorPath)
		c.w.WriteHeader(http.StatusNoContent)
		return nil
	}
	http.Redirect(c.w, c.Request, factorPath, http.StatusSeeOther)
	return nil
}

// cameFrom is the page of this site that a form was sent from, or other.
func (c *call) cameFrom(other string) string {
	from, err := url.Parse(c.Header.Get("Referer"))
	if err != nil || from.Host != c.Host || from.Path == "" {
		return other
	}
	query := from.Query()
	query.Del(askParameter)
	from.RawQuery = query.Encode()
	return local(from.RequestURI())
}

const (
	bellPath         = "/notificacoes/sino"
	unattendedHeader = "X-Unattended"
)

// factorPath is where a member is sent who lacks the second factor that the organisation requires.
const factorPath = "/conta/segundo-fator"

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

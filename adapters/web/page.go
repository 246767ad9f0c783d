package web

import (
	"bytes"
	"cmp"
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"fichario/adapters/stored"
	"fichario/domain/crm"
)

// Page is the data of a template.
type Page struct {
	// Title is the title in the browser tab; Nav is the navigation entry that the page belongs to.
	Title, Nav string
	// Setting is the entry of the settings that the page is; empty for others.
	Setting string
	// Data is the page's own.
	Data any
	// Wide lets the page use the whole width, as lists do; Read keeps it narrow.
	Wide, Read bool
	// Refresh is after how many seconds a browser without script reloads the page.
	Refresh int

	// The fields below are filled in by render.

	// Ask names the question shown instead of the page, and Asked is its content; both empty for the page itself.
	Ask     string
	Asked   template.HTML
	Member  crm.Member
	Manager bool
	Unread  int
	// Views are those of contacts that the menu shows; see InView.
	Views  []View
	Notice string
	// NotDone is whether Notice says why something was not done.
	NotDone bool
	// Undo reverts what Notice reports; nil where it cannot be reverted.
	Undo *Undo
	// Sent is the address of a form just accepted, whose draft the browser can drop.
	Sent      string
	Now       time.Time
	RequestID string
	Path      string
	Lookups   bool
	// Theme is claro or escuro; empty to follow the device.
	Theme string
	// Keys says that keys without Control work on this device.
	Keys bool
}

// InView is whether the page shows one of Views, which then is where the member is, instead of the list of all.
func (p Page) InView() bool {
	return slices.ContainsFunc(p.Views, func(v View) bool { return v.Current })
}

// Render answers with a whole page.
func (c *Call) Render(name string, p Page) error { return c.RenderStatus(http.StatusOK, name, p) }

// RenderStatus is render with another status than 200. It writes nothing before the whole page is rendered, so that a
// failure gets its own page.
func (c *Call) RenderStatus(status int, name string, p Page) error {
	if c.By.MemberID() != "" {
		p.Member, p.Manager = c.Member, c.By.MayManage()
		var err error
		if p.Unread, err = c.Server.Notifications.Unread(c.Ctx(), c.By); err != nil {
			return err
		}
		p.Views = sideOf(c)
	}
	p.Now, p.RequestID, p.Path, p.Notice, p.Lookups = c.Server.Clock(), c.ID, c.URL.Path, c.takeNotice(),
		c.Server.LookupEnabled
	p.Notice, p.NotDone = strings.CutPrefix(p.Notice, notDone)
	p.Undo = c.takeUndo()
	p.Theme, p.Keys = c.theme(), c.By.MemberID() != "" && c.keys()
	p.Sent = c.takeSent(status)
	if p.Ask = cmp.Or(p.Ask, c.URL.Query().Get(askParameter)); p.Ask != "" {
		var asked strings.Builder
		if err := c.Server.Execute(&asked, name, "dialogs", p); err != nil {
			return err
		}
		if asked.Len() > 0 {
			p.Refresh = 0
		}
		p.Asked = template.HTML(asked.String()) //nolint:gosec // it comes from a template, which escapes
	}
	return c.Write(status, name, "layout", p)
}

// askParameter, in an address, asks for confirmation before something is spent or destroyed. The page has the question
// among its dialogs: a browser without script shows it alone, script shows it above the page.
const askParameter = "perguntar"

// themeCookie keeps the theme chosen on this device, for themeAge.
const (
	themeCookie = "tema"
	themeAge    = 365 * 24 * time.Hour
)

func (c *Call) theme() string { return Theme(c.Request) }

// Theme is the theme chosen on this device, "claro" or "escuro", for pages outside the interface; empty to follow the
// device.
func Theme(r *http.Request) string {
	cookie, err := r.Cookie(themeCookie)
	if err != nil || cookie.Value != "claro" && cookie.Value != "escuro" {
		return ""
	}
	return cookie.Value
}

// chooseTheme stores a theme on this device; any other word lets the device decide.
func (s *Server) chooseTheme(c *Call, f struct {
	Theme string `form:"tema"`
}) error {
	age := themeAge
	if f.Theme != "claro" && f.Theme != "escuro" {
		age = -time.Second
	}
	c.SetCookie(themeCookie, f.Theme, age)
	return c.Done("/conta", "Tema guardado neste aparelho.")
}

// keysCookie is keysOff on devices where keys without Control do nothing: who dictates, or rests a hand on the
// keyboard, would press them unawares (WCAG 2.1.4). It lives as long as the theme's.
const keysCookie, keysOff = "atalhos", "nao"

func (c *Call) keys() bool {
	cookie, err := c.Cookie(keysCookie)
	return err != nil || cookie.Value != keysOff
}

// chooseKeys switches keys without Control on or off on this device.
func (s *Server) chooseKeys(c *Call, f struct {
	Keys string `form:"atalhos"`
}) error {
	if f.Keys != keysOff {
		c.SetCookie(keysCookie, "", -time.Second)
		return c.Done("/conta", "Teclas sozinhas ligadas neste aparelho.")
	}
	c.SetCookie(keysCookie, keysOff, themeAge)
	return c.Done("/conta", "Teclas sozinhas desligadas neste aparelho.")
}

// settings leads to the first of the settings, which has the list of all.
func settings(c *Call) error {
	if err := c.Manager(); err != nil {
		return err
	}
	return c.Redirect("/equipe")
}

// keyList shows what keys do.
func (s *Server) keyList(c *Call) error {
	return c.Render("atalhos", Page{Title: "Atalhos do teclado", Nav: "conta"})
}

// RenderPart answers htmx with one block of a page's template.
func (c *Call) RenderPart(name, block string, data any) error {
	return c.Write(http.StatusOK, name, block, data)
}

func (c *Call) Write(status int, name, block string, data any) error {
	var out bytes.Buffer
	if err := c.Server.Execute(&out, name, block, data); err != nil {
		return err
	}
	h := c.Writer.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Add("Vary", "Accept-Encoding")
	body := out.Bytes()
	if c.compresses(name) && stored.TakesGzip(c.Header.Get("Accept-Encoding")) {
		h.Set("Content-Encoding", "gzip")
		body = stored.Pack(body)
	}
	c.Writer.WriteHeader(status)
	_, _ = c.Writer.Write(body) // on error the client is gone
	return nil
}

// withSecrets are pages that show a secret: a webhook's address, a key, the signing secret of an automation.
var withSecrets = map[string]bool{"webhook": true, "chave-nova": true, "automacao": true, "automacao-form": true,
	"segundo-fator": true, "codigos": true, "link": true}

// compresses reports whether a page may be compressed. To a network observer who can have the page rendered with chosen
// text, its compressed length leaks the rest of it (BREACH): pages with secrets are not compressed, nor any requested
// from another site.
func (c *Call) compresses(name string) bool {
	from := c.Header.Get("Sec-Fetch-Site")
	return !withSecrets[name] && (from == "" || from == "none" || from == "same-origin")
}

// noticeCookie carries a sentence over a redirect, to be shown once.
const noticeCookie = "aviso"

// Done redirects to another page, which shows once what was done.
func (c *Call) Done(target, notice string) error {
	c.SetCookie(noticeCookie, url.QueryEscape(notice), time.Minute)
	return c.Redirect(target)
}

// NotDone redirects to another page, which shows once why something was not done.
func (c *Call) NotDone(target, why string) error { return c.Done(target, notDone+why) }

// DoneExcept is Done with what was not done, if anything, after the notice; either may be empty.
func (c *Call) DoneExcept(target, notice, refused string) error {
	if refused == "" {
		return c.Done(target, notice)
	}
	return c.NotDone(target, strings.TrimSpace(notice+" "+refused))
}

// notDone begins a notice that is a refusal; no name that a notice may begin with has such a character.
const notDone = "\x00"

// sentCookie carries the address of an accepted form over the redirect that follows.
const sentCookie = "enviado"

// takeSent is the address of the form accepted just before this page, or by it.
func (c *Call) takeSent(status int) string {
	cookie, err := c.Cookie(sentCookie)
	if err == nil && cookie.Value != "" {
		c.SetCookie(sentCookie, "", -time.Second)
	}
	switch {
	case c.Method == http.MethodPost && status < http.StatusBadRequest:
		return c.URL.Path
	case err == nil && strings.HasPrefix(cookie.Value, "/"):
		return cookie.Value
	}
	return ""
}

func (c *Call) takeNotice() string {
	cookie, err := c.Cookie(noticeCookie)
	if err != nil || cookie.Value == "" {
		return ""
	}
	c.SetCookie(noticeCookie, "", -time.Second)
	notice, _ := url.QueryUnescape(cookie.Value)
	return notice
}

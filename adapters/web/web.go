// Package web is the interface: pages in Brazilian Portuguese, made on the server,
// over the same use cases as the API. Every asset is in the binary, and every task
// can be done without script; htmx adds comfort.
package web

import (
	"errors"
	"html/template"
	"log/slog"
	"maps"
	"net/http"
	"net/netip"
	"path"
	"slices"
	"strings"
	"time"

	"fichario/adapters/shape"
	spreadsheet "fichario/adapters/sheet"
	"fichario/adapters/stored"
	"fichario/app"
	"fichario/domain/access"
	"fichario/domain/audit"
	"fichario/domain/fault"
)

// Config is what the interface needs.
type Config struct {
	Sessions      *app.Sessions
	Organisations *app.Organisations
	Lookups       *app.Lookups
	Statement     *app.Statement
	Keys          *app.Keys
	Intake        *app.Intake
	Webhooks      *app.Webhooks
	Members       *app.Members
	Funnels       *app.Funnels
	Origins       *app.Origins
	Notifications *app.Notifications
	Contacts      *app.Contacts
	Bulks         *app.Bulks
	Rotations     *app.Rotations
	Automations   *app.Automations
	Dashboard     *app.Dashboard
	Batches       *app.Batches
	Bundles       *app.Bundles
	Purposes      *app.Purposes
	Record        *app.Record
	Changes       *app.Changes
	Audit         *app.Audit
	Subjects      *app.Subjects
	Links         *app.Links
	Factors       *app.Factors
	// Tables bounds what files that are sent take, together with other doors.
	Tables *spreadsheet.Tables
	// OIDC is nil where no provider is configured.
	OIDC *app.OIDC
	// CodePicture draws what an authenticator app is given for an account, as the address of an image.
	CodePicture func(secret, account string) (string, error)
	// Stopping ends streams of events when the service stops.
	Stopping <-chan struct{}
	// Calendar gives the time zone that times are shown in.
	Calendar access.Calendar
	Clock    app.Clock
	// PublicURL is the address of the service, without a slash at its end.
	PublicURL string
	// LookupEnabled is false on instances without the lookup feature.
	LookupEnabled bool
	// ReadLag is how old lists may be that are read from a replica; zero where there is none.
	ReadLag time.Duration
	// TrustedProxies are the networks whose X-Forwarded-For and X-Forwarded-Proto count.
	TrustedProxies []netip.Prefix
	Log            *slog.Logger
	// Observe counts requests by method, route and status; nil counts none.
	Observe func(method, route string, status int)
}

type server struct {
	Config
	pages  map[string]func() (*template.Template, error)
	assets stored.Files
}

// New returns the handler of the interface.
func New(c Config) (http.Handler, error) {
	s := &server{Config: c, assets: readAssets()}
	if err := s.parseTemplates(); err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	for pattern, h := range s.all() {
		mux.Handle(pattern, h)
	}
	mux.HandleFunc("/", s.serve(func(c *call) error { return s.nowhere(c, mux) }))
	protection := http.NewCrossOriginProtection()
	protection.SetDenyHandler(http.HandlerFunc(s.serve(func(*call) error { return errForeign })))
	return s.observed(headers(protection.Handler(mux))), nil
}

// Routes are the method and path of all that the interface answers, with lookups and a provider of OpenID Connect.
func Routes() []string {
	s := &server{Config: Config{OIDC: &app.OIDC{}}}
	return slices.Sorted(maps.Keys(s.all()))
}

// all is what answers each route.
func (s *server) all() map[string]http.Handler {
	all := map[string]http.Handler{"GET /static/": s.assets}
	door := s.doorRoutes()
	maps.Copy(door, s.providerRoutes())
	for pattern, h := range door {
		all[pattern] = s.open(h)
	}
	for pattern, h := range s.routes() {
		limit := int64(formMax)
		if pattern == "POST /lotes" || pattern == "POST /importacoes" {
			limit += spreadsheet.MaxBytes
		}
		all[pattern] = s.inside(limit, h)
	}
	return all
}

// observed logs every request by its route, never by its address, which may hold what
// somebody searched for.
func (s *server) observed(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start, seen := time.Now(), &statusWriter{ResponseWriter: w, status: http.StatusOK}
		ctx, span := app.TraceRequest(r.Context())
		if span.Traced() {
			r = r.WithContext(ctx)
		}
		next.ServeHTTP(seen, r)
		method, route, ok := strings.Cut(r.Pattern, " ")
		if !ok { // a sender may make up as many methods as addresses
			method, route = "_OTHER", "unmatched"
		}
		if s.Observe != nil {
			s.Observe(r.Method, route, seen.status)
		}
		span.Answered(method, route, seen.status, w.Header().Get("X-Request-Id"))
		if r.Pattern != "GET /static/" {
			s.Log.LogAttrs(r.Context(), slog.LevelInfo, "page", slog.String("route", r.Pattern), slog.Int("status", seen.status),
				slog.Float64("ms", float64(time.Since(start).Microseconds())/1000),
				slog.String("request_id", w.Header().Get("X-Request-Id")))
		}
	})
}

// statusWriter remembers the status of an answer.
type statusWriter struct {
	http.ResponseWriter
	status int
}

func (w *statusWriter) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}

// Unwrap lets http.ResponseController reach what is below.
func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

type handler func(*call) error

// formMax bounds a posted form, and openFormMax one that anybody may post.
const (
	formMax     = 2 << 20
	openFormMax = 64 << 10
)

// errNowhere is an address that nothing stands behind for this member.
var errNowhere = fault.New(fault.NotFound, "Não há nada neste endereço.")

// errMethod is an address that has a page, for another method.
var errMethod = errors.New("the page has no such method")

// open serves a page that needs no session.
func (s *server) open(h handler) http.HandlerFunc {
	return s.serve(func(c *call) error {
		if err := c.read(openFormMax); err != nil {
			return err
		}
		return h(c)
	})
}

func (s *server) serve(h handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet || r.Method == http.MethodHead {
			r = r.WithContext(app.ForPage(r.Context()))
		}
		c := &call{w: w, s: s, id: requestID(w)}
		c.Request = r.WithContext(app.Through(r.Context(), app.Via{
			Door: audit.Interface, Address: shape.ClientNetwork(r, s.TrustedProxies), RequestID: c.id,
			Device: access.Device(r.UserAgent()), Unattended: unattended(r),
		}))
		if err := c.guard(h); err != nil {
			s.fail(c, err)
		}
	}
}

// inside serves a page of a member who has signed in; others are led to the sign-in page, and come back from there. A
// limit beyond that of a form is of one with a file.
func (s *server) inside(limit int64, h handler) http.HandlerFunc {
	return s.serve(func(c *call) error {
		cookie, err := c.Cookie(c.sessionCookie())
		if err != nil {
			return c.toSignIn()
		}
		if c.by, c.member, err = s.Sessions.Resume(c.ctx(), cookie.Value); err != nil {
			if isUnauthenticated(err) {
				return c.toSignIn()
			}
			_ = c.read(openFormMax) // for the page of the error, which shows what was typed
			return err
		}
		if c.needsFactor() {
			return c.toFactorPage()
		}
		if c.Method == http.MethodPost {
			c.sawNewest()
		}
		if limit > formMax {
			sent := s.Tables.Receive(c.Body, c.by.OrgID())
			defer sent.Done()
			c.Body = sent
		}
		if err := c.read(limit); err != nil {
			return err
		}
		return h(c)
	})
}

// newestCookie is there for as long as a replica may not have what its browser changed or saw.
const newestCookie = "recente"

// sawNewest keeps what is shown from being older than what has just been changed or seen.
func (c *call) sawNewest() {
	if lag := c.s.ReadLag; lag > 0 {
		c.setCookie(newestCookie, "1", lag+2*time.Second) // it has whole seconds, and lives from when it arrives
	}
}

// list serves a page of lists and figures, which may be as old as a replica lags.
func list(h handler) handler {
	return func(c *call) error {
		if _, err := c.Cookie(newestCookie); err != nil {
			c.Request = c.WithContext(app.ForList(c.ctx()))
		}
		return h(c)
	}
}

// nowhere answers addresses that no page has, or not for this method, inside for those who are.
func (s *server) nowhere(c *call, mux *http.ServeMux) error {
	var allowed []string
	for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodPost} {
		other := c.Clone(c.ctx())
		other.Method = method
		if _, pattern := mux.Handler(other); pattern != "/" {
			allowed = append(allowed, method)
		}
	}
	if cookie, err := c.Cookie(c.sessionCookie()); err == nil {
		c.by, c.member, _ = s.Sessions.Resume(c.ctx(), cookie.Value) // whoever is not inside sees it outside
	}
	if c.Method == http.MethodGet && len(allowed) > 0 {
		return c.redirect(nearest(c, mux))
	}
	if len(allowed) > 0 {
		c.w.Header().Set("Allow", strings.Join(allowed, ", "))
		return errMethod
	}
	return errNowhere
}

// nearest is the page above an address that only takes a form: one that was refused stands at the address it was sent
// to, which a browser may load again, or come back to.
func nearest(c *call, mux *http.ServeMux) string {
	page := c.Clone(c.ctx())
	for page.URL.Path != "/" {
		page.URL.Path = path.Dir(page.URL.Path)
		if _, pattern := mux.Handler(page); strings.HasPrefix(pattern, http.MethodGet) {
			break
		}
	}
	return page.URL.Path
}

// headers sets what every answer carries. Pages hold personal data, so none is
// stored on the way; scripts and styles come from here only.
func headers(next http.Handler) http.Handler {
	const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; " +
		"font-src 'self'; connect-src 'self'; " +
		"manifest-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		// With no-referrer the browser would say "Origin: null" of its own forms. Secrets in addresses stay here with this.
		h.Set("Referrer-Policy", "same-origin")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		next.ServeHTTP(w, r)
	})
}

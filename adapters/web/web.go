// Package web is the interface: pages in Brazilian Portuguese, rendered on the server, over the same use cases as the
// API. Every asset is embedded in the binary, and every task works without script; htmx adds comfort.
package web

import (
	"errors"
	"html/template"
	"io/fs"
	"log/slog"
	"maps"
	"net/http"
	"net/netip"
	"path"
	"slices"
	"strings"
	"time"

	"fichario/adapters/shape"
	"fichario/adapters/spreadsheet"
	"fichario/adapters/stored"
	"fichario/app"
	"fichario/app/contacts"
	"fichario/app/privacy"
	"fichario/app/team"
	"fichario/domain/access"
	"fichario/domain/audit"
	"fichario/domain/catalog"
	"fichario/domain/fault"
)

// Config is what the pages of all rooms need; a room has use cases of its own beside it.
type Config struct {
	Sessions      *team.Sessions
	Organisations *team.Organisations
	Notifications *team.Notifications
	Preferences   *team.Preferences
	Purposes      *privacy.Purposes
	Changes       *contacts.Changes
	Links         *team.Links
	Factors       *team.Factors
	// Tables bounds the resources that uploaded tables take, shared with other doors.
	Tables *spreadsheet.Tables
	// OIDC is nil where no provider is configured.
	OIDC *team.OIDC
	// Catalog holds what the bureau offers.
	Catalog catalog.Catalog
	// Stopping ends streams of events when the service stops.
	Stopping <-chan struct{}
	// Calendar has the time zone in which times are shown.
	Calendar access.Calendar
	Clock    app.Clock
	// PublicURL is the address of the service, without a trailing slash.
	PublicURL string
	// LookupEnabled is false on instances without the lookup feature.
	LookupEnabled bool
	// TestKeys says that members can have a key to try calls with, because every bureau invents its answers.
	TestKeys bool
	// ReadLag is how stale lists read from a replica may be; zero where there is none.
	ReadLag time.Duration
	// TrustedProxies are the networks whose X-Forwarded-For and X-Forwarded-Proto are trusted.
	TrustedProxies []netip.Prefix
	Log            *slog.Logger
	// Observe counts requests by method, route and status; nil counts none.
	Observe func(method, route string, status int)
}

// Server is what the pages of all rooms share.
type Server struct {
	Config
	rooms  []Pages
	pages  map[string]func() (*template.Template, error)
	assets stored.Files
}

// Pages is what a room of the interface adds to it.
type Pages struct {
	// Templates holds its pages, each in a file named after it; nil where the room has none of its own.
	Templates fs.FS
	// Inside maps method and path to a page for members, Open to one that needs no session, and Lookups to one that only
	// instances with lookups have. A page that changes something answers a POST and redirects to a GET.
	Inside, Open, Lookups map[string]Handler
}

// NewServer returns what the pages of all rooms share.
func NewServer(c Config, rooms ...func(*Server) Pages) (*Server, error) {
	s := &Server{Config: c, assets: readAssets()}
	s.rooms = s.all(rooms)
	return s, s.parseTemplates(s.rooms)
}

// New returns the handler of the interface, with the pages of its rooms.
func New(c Config, rooms ...func(*Server) Pages) (http.Handler, error) {
	s, err := NewServer(c, rooms...)
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	for pattern, h := range s.handlers(s.rooms) {
		mux.Handle(pattern, h)
	}
	mux.Handle("/", route{server: s, open: true, page: func(c *Call) error { return s.nowhere(c, mux) }})
	protection := http.NewCrossOriginProtection()
	protection.SetDenyHandler(route{server: s, open: true, page: func(*Call) error { return errForeign }})
	return s.observed(headers(protection.Handler(mux))), nil
}

// Routes lists the method and path of every route of the interface, including those for lookups and OpenID Connect.
func Routes(rooms ...func(*Server) Pages) []string {
	s := &Server{Config: Config{OIDC: &team.OIDC{}}}
	return slices.Sorted(maps.Keys(s.handlers(s.all(rooms))))
}

// all returns the pages of all rooms, and the frame's own.
func (s *Server) all(rooms []func(*Server) Pages) []Pages {
	all := []Pages{{Templates: frameTemplates(), Inside: map[string]Handler{
		"POST /conta/tema":    Decoded(s.chooseTheme),
		"POST /conta/atalhos": Decoded(s.chooseKeys),
		"GET /atalhos":        s.keyList,
		"GET /eventos":        Decoded(s.live),
		"GET /configuracoes":  settings,
	}}}
	for _, room := range rooms {
		all = append(all, room(s))
	}
	return all
}

// handlers maps each route to its handler.
func (s *Server) handlers(pages []Pages) map[string]http.Handler {
	all := map[string]http.Handler{"GET /static/": s.assets}
	for _, p := range pages {
		for pattern, h := range p.Open {
			all[pattern] = route{server: s, page: h, open: true, limit: openFormMax}
		}
		for pattern, h := range p.Inside {
			all[pattern] = route{server: s, page: h, limit: limitOf(pattern)}
		}
		for pattern, h := range p.Lookups {
			all[pattern] = route{server: s, page: h, limit: limitOf(pattern), lookups: true}
		}
	}
	return all
}

// limitOf is the largest form that a page for members takes, in bytes: more where it comes with a file.
func limitOf(pattern string) int64 {
	if pattern == "POST /lotes" || pattern == "POST /importacoes" {
		return formMax + spreadsheet.MaxBytes
	}
	return formMax
}

// observed logs every request by its route, never by its address, which may hold what somebody searched for.
func (s *Server) observed(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start, seen := time.Now(), &statusWriter{ResponseWriter: w, status: http.StatusOK}
		ctx, span := app.TraceRequest(r.Context())
		if span.Traced() {
			r = r.WithContext(ctx)
		}
		next.ServeHTTP(seen, r)
		method, route, ok := strings.Cut(r.Pattern, " ")
		if !ok { // clients can make up any number of methods and addresses
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

// statusWriter remembers the status of a response.
type statusWriter struct {
	http.ResponseWriter
	status int
}

func (w *statusWriter) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}

// Unwrap lets http.ResponseController reach the writer below.
func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// Handler answers a request; its error becomes a page.
type Handler func(*Call) error

// formMax bounds a posted form, and openFormMax one that needs no session; both in bytes.
const (
	formMax     = 2 << 20
	openFormMax = 64 << 10
)

// ErrNowhere is for an address without a page for this member.
var ErrNowhere = fault.New(fault.NotFound, "Não há nada neste endereço.")

// errMethod is for an address that has a page, but not for this method.
var errMethod = errors.New("the page has no such method")

// route serves the page of an address to signed-in members; others are redirected to the sign-in page, which leads back
// here.
type route struct {
	server *Server
	page   Handler
	// open is whether it needs no session, lookups whether only instances with lookups have it.
	open, lookups bool
	// limit bounds the form that it reads, in bytes; zero for none.
	limit int64
}

// ServeHTTP answers a request.
func (p route) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		r = r.WithContext(app.ForPage(r.Context()))
	}
	c := &Call{Writer: w, Server: p.server, ID: requestID(w)}
	c.Request = r.WithContext(app.Through(r.Context(), app.Via{
		Door: audit.Interface, Address: shape.ClientNetwork(r, p.server.TrustedProxies), RequestID: c.ID,
		Device: access.Device(r.UserAgent()), Unattended: unattended(r),
	}))
	var err error
	defer c.ended(&err)
	var in bool
	if in, err = p.admit(c); in {
		err = p.page(c)
	}
}

// admit reads a request, and reports whether its page may be served; otherwise there is an error, or it was answered.
func (p route) admit(c *Call) (in bool, err error) {
	if p.open {
		if p.limit > 0 {
			err = c.read(p.limit)
		}
		return err == nil, err
	}
	if err := c.resume(); err != nil {
		if IsUnauthenticated(err) {
			return false, c.toSignIn()
		}
		_ = c.read(openFormMax) // the error page shows what was typed
		return false, err
	}
	if c.needsFactor() {
		c.toFactorPage()
		return false, nil
	}
	if c.Method == http.MethodPost {
		c.SawNewest()
	}
	if p.limit > formMax {
		c.sent = p.server.Tables.Receive(c.Body, c.By.OrgID())
		c.Body = c.sent
	}
	err = c.read(p.limit)
	if err == nil && p.lookups && !p.server.LookupEnabled {
		err = ErrNowhere
	}
	return err == nil, err
}

// newestCookie lives for as long as a replica may lack what its browser has changed or seen.
const newestCookie = "recente"

// SawNewest keeps later pages from being older than what has just been changed or seen.
func (c *Call) SawNewest() {
	if lag := c.Server.ReadLag; lag > 0 {
		c.SetCookie(newestCookie, "1", lag+2*time.Second) // cookies live whole seconds, from their arrival
	}
}

// List serves a page of lists and figures, which may be as stale as a replica.
func List(h Handler) Handler {
	return func(c *Call) error {
		if _, err := c.Cookie(newestCookie); err != nil {
			c.Request = c.WithContext(app.ForList(c.Ctx()))
		}
		return h(c)
	}
}

// nowhere answers addresses that have no page, or none for this method; members see the error inside the interface.
func (s *Server) nowhere(c *Call, mux *http.ServeMux) error {
	var allowed []string
	for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodPost} {
		other := c.Clone(c.Ctx())
		other.Method = method
		if _, pattern := mux.Handler(other); pattern != "/" {
			allowed = append(allowed, method)
		}
	}
	if cookie, err := c.Cookie(c.SessionCookie()); err == nil {
		c.By, c.Member, _ = s.Sessions.Resume(c.Ctx(), cookie.Value) // without a session, the error is shown outside
	}
	if c.Method == http.MethodGet && len(allowed) > 0 {
		return c.Redirect(nearest(c, mux))
	}
	if len(allowed) > 0 {
		c.Writer.Header().Set("Allow", strings.Join(allowed, ", "))
		return errMethod
	}
	return ErrNowhere
}

// nearest is the closest page above an address that only accepts a form: the page of a refused form is at the address
// it was posted to, which a browser may reload or return to.
func nearest(c *Call, mux *http.ServeMux) string {
	page := c.Clone(c.Ctx())
	for page.URL.Path != "/" {
		page.URL.Path = path.Dir(page.URL.Path)
		if _, pattern := mux.Handler(page); strings.HasPrefix(pattern, http.MethodGet) {
			break
		}
	}
	return page.URL.Path
}

// headers sets the headers of every response. Pages hold personal data, so nothing may cache them; scripts and styles
// come only from here.
func headers(next http.Handler) http.Handler {
	const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; " +
		"font-src 'self'; connect-src 'self'; " +
		"manifest-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		// With no-referrer, browsers send "Origin: null" with our own forms. same-origin still keeps secrets in addresses
		// here.
		h.Set("Referrer-Policy", "same-origin")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		next.ServeHTTP(w, r)
	})
}

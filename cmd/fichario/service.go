package main

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"os"
	pathpkg "path"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"fichario/adapters/agents"
	"fichario/adapters/automation"
	"fichario/adapters/docsite"
	"fichario/adapters/gormstore/engine"
	"fichario/adapters/httpapi"
	"fichario/adapters/sandbox"
	"fichario/adapters/spreadsheet"
	"fichario/adapters/tracing"
	"fichario/adapters/web"
	automationpages "fichario/adapters/web/automations"
	batchpages "fichario/adapters/web/batches"
	contactpages "fichario/adapters/web/contacts"
	intakepages "fichario/adapters/web/intake"
	lookuppages "fichario/adapters/web/lookups"
	privacypages "fichario/adapters/web/privacy"
	"fichario/adapters/web/site"
	teampages "fichario/adapters/web/team"
	"fichario/app"
	"fichario/cmd/fichario/command"
	"fichario/cmd/fichario/demo"
	privacycommands "fichario/cmd/fichario/privacy"
	"fichario/domain/access"
)

// service is what serve runs: the use cases, the doors to them in one server, and what they stand on.
type service struct {
	ground
	rooms
	alone         func() // releases the SQLite file
	stopBureau    func()
	listener      net.Listener
	serving       sync.WaitGroup // the accept loop
	served        chan error     // receives why that ended
	arrivals      arrivals
	server        *http.Server
	answering     atomic.Pointer[http.Handler] // the server's current handler
	handler       http.Handler                 // serves everything, once it is wired
	draining      atomic.Bool
	stopping      chan struct{}   // closed when draining begins, to end streams
	preparing     atomic.Bool     // while the demonstration is made
	follow        []app.Chore     // for the replica, where there is one
	tracer        *tracing.Tracer // nil without traces
	meta          *demo.Meta      // nil outside a demonstration
	metricsServer *http.Server    // nil where /metrics is served with everything else
}

// startTries is how often a service starts whose connection to the database is lost meanwhile.
const startTries = 5

// startedService is newService that begins again where a connection to the database is lost meanwhile, as one is that a
// pooler or a failover closes: until it answers at all, newService waits by itself.
func startedService(e *command.Environment, log *slog.Logger, shown bool) (*service, error) {
	for try := 1; ; try++ {
		s, err := newService(e, log, shown)
		if err == nil || try == startTries || e.Ctx.Err() != nil || !engine.Severed(err) {
			return s, err
		}
		log.Warn("the database was lost while the service started; starting again", "why", engine.Reason(err))
		select {
		case <-time.After(time.Second):
		case <-e.Ctx.Done():
		}
	}
}

// newService opens and wires everything; with shown, for a demonstration. If it fails, it closes what it opened.
func newService(e *command.Environment, log *slog.Logger, shown bool) (_ *service, err error) {
	calendar, err := e.Calendar()
	if err == nil {
		err = e.Keeping().Check(e.Settings.HistoryFresh)
	}
	if err != nil {
		return nil, err
	}
	s := &service{stopping: make(chan struct{}), ground: ground{Environment: e, log: log, calendar: calendar}}
	defer func() {
		if err != nil {
			s.close()
		}
	}()
	if s.tracer, err = tracerOf(log); err != nil {
		return nil, err
	}
	if s.mailer, err = e.Mailer(); err != nil {
		return nil, err
	}
	if s.bureau, s.stopBureau, err = e.OpenBureaus(log); err != nil {
		return nil, err
	}
	if unknown := unknownSettings(e.Commands, e.Asked, os.Environ()); len(unknown) > 0 {
		log.Warn("no settings have these names", "names", strings.Join(unknown, ", "))
	}
	if s.alone, err = engine.Alone(e.Settings.DatabaseURL); err != nil {
		return nil, err
	}
	if err := listen(e, s); err != nil {
		return nil, err
	}
	tell := func(why string) { log.Warn("the database is away; trying again", "why", why) }
	if s.store, err = e.OpenStore(command.Forever, tell); err != nil {
		return nil, err
	}
	s.store.LogTo(log)
	if err := checkJournal(e, log); err != nil {
		return nil, err
	}
	if err := s.tellOfDatabase(e.Ctx, log); err != nil {
		return nil, err
	}
	if shown {
		s.meta, err = demo.StartMeta(e.Ctx, e, s.store)
	}
	if err != nil {
		return nil, err
	}
	return s, s.wire(e)
}

// wire makes the use cases and the doors to them.
func (s *service) wire(e *command.Environment) (err error) {
	s.metrics = httpapi.NewMetrics(s.bureau.Catalog(), s.bureau.Chains().All)
	if err := readElsewhere(s); err != nil {
		return err
	}
	s.publicURL = e.PublicURL(s.listener.Addr().String())
	s.dispatcher = automation.New(e.Settings.AllowPrivate).WithMeta(e.Settings.MetaURL)
	if s.rooms, err = roomsOn(s.ground); err != nil {
		return err
	}
	if err := s.lookups.bureaus.Refresh(e.Ctx); err != nil { // before the first request is served
		return err
	}
	if _, sqlite := engine.SQLitePath(e.Settings.DatabaseURL); sqlite {
		err := s.lookups.ledger.SettleAll(e.Ctx)
		if err == nil {
			err = s.store.EndLeases(e.Ctx, command.Now())
		}
		if err != nil {
			return err
		}
	}
	if err := listenForMetrics(s); err != nil {
		return err
	}
	trusted, err := access.ParseNetworks(strings.Split(e.Settings.Proxies, ","))
	if err != nil {
		return err // its shape has been checked
	}
	tables := spreadsheet.NewTables()
	pages, err := s.pages(tables, trusted)
	if err != nil {
		return err
	}
	s.handler = s.parting(punctual(transportSecurity(e, s.traced(apiOrPages(s.api(tables, trusted), pages)))))
	return nil
}

// api is the door of programs.
func (s *service) api(tables *spreadsheet.Tables, trusted []netip.Prefix) http.Handler {
	l := s.lookups
	return httpapi.New(httpapi.Config{
		Asker: l.asker, Ledger: l.ledger, Terms: l.terms, Bureaus: l.bureaus, Statement: l.statement, Keys: l.keys,
		Intake: s.intake.intake, Batches: s.batches, Tables: tables, LookupEnabled: s.Settings.Lookup,
		TrustedProxies: trusted, Ready: s.ready, Metrics: s.metrics,
		MetricsElsewhere: s.Settings.MetricsListen != "", Log: s.log, PublicURL: s.publicURL,
		Agents: agents.New(agents.Config{
			Terms: l.terms, Sessions: s.agents, Statement: l.statement, Purposes: s.privacy.purposes,
			Contacts: s.contacts.contacts, Keys: l.keys, Log: s.log, Version: command.Version(),
		}),
		Docs: docsite.New(docsite.Config{
			PublicURL: s.publicURL, Light: web.Asset("fichario.css"), Dark: web.Asset("dark.css"), Icon: web.Asset("icon.svg"),
			Theme: web.Theme, Problems: httpapi.Problems(), Sandbox: sandboxDocuments(), TestKeys: s.inventing(),
		}),
	})
}

// pages is the door of people.
func (s *service) pages(tables *spreadsheet.Tables, trusted []netip.Prefix) (http.Handler, error) {
	l, c, t, p := s.lookups, s.contacts, s.team, s.privacy
	asking := lookuppages.Use{
		Asker: l.asker, Batches: s.batches, Bundles: l.bundles, Bureaus: l.bureaus, Contacts: c.contacts,
		Dashboard: l.dashboard, Keys: l.keys, Sheet: l.sheet, Statement: l.statement, Terms: l.terms,
	}
	use := site.Use{
		Lookups: asking,
		Batches: batchpages.Use{Batches: s.batches},
		Contacts: contactpages.Use{
			Bulks: c.bulks, Contacts: c.contacts, Members: t.members, Rotations: c.rotations, Lookups: asking,
		},
		Intake: intakepages.Use{
			Intake: s.intake.intake, Leads: s.intake.leads, Webhooks: s.intake.webhooks,
			Origins: c.origins, Rotations: c.rotations,
		},
		Automations: automationpages.Use{
			Automations: s.automations.automations, Contacts: c.contacts, Funnels: c.funnels, Members: t.members,
			Origins: c.origins, Rotations: c.rotations, Statement: l.statement, Terms: l.terms, Webhooks: s.intake.webhooks,
		},
		Team: teampages.Use{
			Contacts: c.contacts, Funnels: c.funnels, Members: t.members, Origins: c.origins, Statement: l.statement,
			CodePicture: command.CodePicture,
		},
		Privacy: privacypages.Use{
			Audit: p.audit, Automations: s.automations.automations, Record: p.record, Subjects: p.subjects,
		},
	}
	return web.New(web.Config{
		OIDC: t.provider, Links: t.links, Factors: t.factors, Sessions: t.sessions, Organisations: t.organisations,
		Notifications: t.notifications, Preferences: t.preferences, Purposes: p.purposes, Changes: c.changes, Tables: tables,
		Catalog: s.bureau.Catalog(), Stopping: s.stopping, Calendar: s.calendar, Clock: command.Now, PublicURL: s.publicURL,
		LookupEnabled: s.Settings.Lookup, TestKeys: s.inventing(), Log: s.log, TrustedProxies: trusted,
		ReadLag: readLag(s.Environment),
		Observe: s.metrics.Page,
	}, use.Rooms()...)
}

// inventing reports whether every bureau invents its answers, so that no call costs anything.
func (s *service) inventing() bool {
	for name := range strings.SplitSeq(s.Settings.Bureau, ",") {
		if !sandbox.Is(strings.TrimSpace(name)) {
			return false
		}
	}
	return s.Settings.Lookup
}

// listenForMetrics serves /metrics separately, where it has its own address.
func listenForMetrics(s *service) error {
	if s.Settings.MetricsListen == "" {
		return nil
	}
	listener, err := new(net.ListenConfig).Listen(s.Ctx, "tcp", s.Settings.MetricsListen)
	if err != nil {
		return fmt.Errorf("FICHARIO_METRICS_LISTEN: %w", err)
	}
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", s.metrics.Handler())
	s.metricsServer = &http.Server{
		Handler: mux, ReadHeaderTimeout: 5 * time.Second, WriteTimeout: time.Minute, IdleTimeout: 2 * time.Minute,
	}
	go func() { _ = s.metricsServer.Serve(listener) }() // ends when it is closed
	return nil
}

// transportSecurity tells browsers to use only https for a year, where the public address is https.
func transportSecurity(e *command.Environment, next http.Handler) http.Handler {
	if !strings.HasPrefix(e.Settings.PublicURL, "https://") {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Strict-Transport-Security", "max-age=31536000")
		next.ServeHTTP(w, r)
	})
}

// ready reports whether requests can be served: the service is not stopping, and the database answers and accepts
// writes.
func (s *service) ready(ctx context.Context) error {
	if s.draining.Load() {
		return httpapi.Stopping
	}
	if s.preparing.Load() {
		return httpapi.Preparing
	}
	if err := s.store.Ready(ctx); err != nil {
		return err
	}
	return s.lookups.ledger.Ready()
}

// parting closes each connection with its next response once the service stops, so that no client runs into a closed
// one.
func (s *service) parting(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.draining.Load() {
			w.Header().Set("Connection", "close")
		}
		next.ServeHTTP(w, r)
	})
}

// tasks are the periodic background tasks.
func (s *service) tasks() []app.Chore {
	return slices.Concat(s.rooms.chores(), s.follow, []app.Chore{
		{Name: "index contacts for the search", Every: 5 * time.Second, Do: s.store.IndexContacts},
		{Name: "index persons", Every: 10 * time.Second, Do: s.store.IndexSubjects},
		{Name: "keep partitions", Every: time.Hour, Do: s.store.KeepPartitions},
		{Name: "fold figures", Every: time.Hour, Do: func(ctx context.Context) error {
			return s.store.FoldFigures(ctx, s.calendar)
		}},
		{Name: "prove the data keys", Every: time.Minute, AtEnd: true, Do: s.store.ProveDataKeys},
		{Name: "release memory", Every: time.Minute, Do: releaser()},
	})
}

// chores are the tasks, with their failures counted.
func (s *service) chores() []app.Chore {
	chores := s.tasks()
	for i, c := range chores {
		failed := s.metrics.Background(c.Name)
		chores[i].Do = func(ctx context.Context) error {
			err := c.Do(ctx)
			if err != nil && ctx.Err() == nil {
				failed()
			}
			return err
		}
	}
	return chores
}

// checkJournal refuses an erasure journal that cannot be written, and warns where there is none.
func checkJournal(e *command.Environment, log *slog.Logger) error {
	journal := privacycommands.JournalOf(e)
	if _, sqlite := engine.SQLitePath(e.Settings.DatabaseURL); !sqlite && journal.Path == "" {
		log.Warn("erasures are recorded in no journal: a restore brings erased persons back; set FICHARIO_ERASURE_JOURNAL")
	}
	return journal.Check()
}

// tellOfDatabase logs what the database lacks, and how it is reached through a pooler. No session setting works there,
// so the server ends the statements of a vanished instance only if the role has a time limit.
func (s *service) tellOfDatabase(ctx context.Context, log *slog.Logger) error {
	if why := s.store.NoTrigrams(); why != "" {
		log.Warn(why)
	}
	mode := s.store.Pooler()
	if mode == "" {
		return nil
	}
	limit, err := s.store.StatementTimeout(ctx)
	if err != nil {
		return err
	}
	log.Info("the database is reached through a pooler", "statements", mode, "statement_timeout", limit)
	if limit == "0" {
		log.Warn("PostgreSQL has no time limits for statements through the pooler; set them on the role: " +
			"ALTER ROLE … SET statement_timeout = '5s'; ALTER ROLE … SET idle_in_transaction_session_timeout = '10s'")
	}
	return nil
}

// close closes what was opened.
func (s *service) close() {
	if s.server != nil {
		_ = s.server.Close()
	}
	if s.metricsServer != nil {
		_ = s.metricsServer.Close()
	}
	s.meta.Close()
	if s.dispatcher != nil {
		s.dispatcher.Close()
	}
	if s.store != nil {
		_ = s.store.Close()
	}
	if s.alone != nil {
		s.alone()
	}
	if s.stopBureau != nil {
		s.stopBureau()
	}
	if s.tracer != nil {
		s.tracer.Close()
	}
}

// apiOrPages routes the API's addresses to it, and all others to the interface.
func apiOrPages(api, pages http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch path := r.URL.Path; {
		case strings.HasPrefix(path, "/api/"), strings.HasPrefix(path, "/docs/"),
			strings.HasPrefix(pathpkg.Clean("/"+path), "/api/"): // a client of the API reads no page, and follows no redirect
			api.ServeHTTP(w, r)
		case path == "/docs", strings.HasPrefix(path, "/openapi"),
			path == "/mcp", path == "/healthz", path == "/readyz", path == "/metrics":
			api.ServeHTTP(w, r)
		default:
			pages.ServeHTTP(w, r)
		}
	})
}

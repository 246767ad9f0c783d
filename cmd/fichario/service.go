package main

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	pathpkg "path"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"fichario/adapters/agents"
	"fichario/adapters/automation"
	"fichario/adapters/docsite"
	"fichario/adapters/factors"
	"fichario/adapters/gormstore"
	"fichario/adapters/httpapi"
	"fichario/adapters/shape"
	"fichario/adapters/sheet"
	"fichario/adapters/tracing"
	"fichario/adapters/web"
	"fichario/adapters/web/site"
	"fichario/app"
	agentsapp "fichario/app/agents"
	"fichario/app/automations"
	"fichario/app/batches"
	"fichario/app/contacts"
	"fichario/app/intake"
	"fichario/app/lookups"
	"fichario/app/privacy"
	"fichario/app/team"
	automationcommands "fichario/cmd/fichario/automations"
	batchcommands "fichario/cmd/fichario/batches"
	"fichario/cmd/fichario/command"
	privacycommands "fichario/cmd/fichario/privacy"
	"fichario/domain/access"
	"fichario/domain/fault"
	"fichario/ports"
)

// service is what serve runs: the stateful use cases, the two driving adapters in one server, and what they depend on.
type service struct {
	alone         func() // releases the SQLite file
	store         *gormstore.Store
	bureau        command.Bureau
	stopBureau    func()
	dispatcher    *automation.Dispatcher
	mailer        ports.Mailer // nil where e-mail is not configured
	ledger        *lookups.Ledger
	asker         *lookups.Asker
	terms         *lookups.Terms
	agentSessions *agentsapp.Sessions
	ledgerConfig  lookups.LedgerConfig
	keys          *lookups.Keys
	intake        *intake.Intake
	jobs          *automations.Jobs
	batches       *batches.Batches
	sessions      *team.Sessions
	links         *team.Links
	subjects      *privacy.Subjects
	retention     *privacy.Retention
	witness       *privacy.Witness // nil for none
	listener      net.Listener
	serving       sync.WaitGroup // the accept loop
	served        chan error     // receives why that ended
	arrivals      arrivals
	server        *http.Server
	answering     atomic.Pointer[http.Handler] // the server's current handler
	handler       http.Handler                 // serves everything, once it is wired
	draining      atomic.Bool
	stopping      chan struct{} // closed when draining begins, to end streams
	// preparing is set while the demonstration is made.
	preparing     atomic.Bool
	follow        []app.Chore                       // for the replica, where there is one
	tracer        *tracing.Tracer                   // nil without traces
	failures      func(work string) (failed func()) // counts failures of chores
	metricsServer *http.Server                      // nil where /metrics is served with everything else
}

// newService opens and wires everything. If it fails, it closes what it opened.
func newService(e *command.Environment, log *slog.Logger) (_ *service, err error) {
	calendar, err := e.Calendar()
	if err == nil {
		err = e.Keeping().Check(e.Settings.HistoryFresh)
	}
	if err != nil {
		return nil, err
	}
	s := &service{stopping: make(chan struct{})}
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
	if s.bureau, s.stopBureau, err = e.OpenBureau(log); err != nil {
		return nil, err
	}
	if unknown := unknownSettings(e.Commands, e.Asked, os.Environ()); len(unknown) > 0 {
		log.Warn("no settings have these names", "names", strings.Join(unknown, ", "))
	}
	if s.alone, err = gormstore.Alone(e.Settings.DatabaseURL); err != nil {
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
	metrics := httpapi.NewMetrics(s.bureau.Catalog())
	if err := readElsewhere(e, s, log, metrics); err != nil {
		return nil, err
	}
	if err := wireUseCases(e, s, log, calendar, metrics); err != nil {
		return nil, err
	}
	if _, sqlite := gormstore.SQLitePath(e.Settings.DatabaseURL); sqlite {
		if err := s.ledger.SettleAll(e.Ctx); err != nil {
			return nil, err
		}
	}
	if err := listenForMetrics(e, s, metrics); err != nil {
		return nil, err
	}
	return s, wireServer(e, s, log, calendar, metrics)
}

func wireUseCases(
	e *command.Environment,
	s *service, log *slog.Logger, calendar access.Calendar, metrics *httpapi.Metrics,
) (err error) {
	s.terms = lookups.NewTerms(s.bureau.Catalog(), s.bureau.Timeout(), e.Settings.HistoryFresh, calendar)
	s.ledgerConfig = lookups.LedgerConfig{
		Store: s.store, Bureau: s.bureau, Terms: s.terms, Clock: command.Now, Log: log, Observe: metrics.Lookup,
	}
	s.ledger = lookups.NewLedger(s.ledgerConfig)
	pace := batches.NewPace()
	s.asker = lookups.NewAsker(s.ledger, pace.Single)
	s.agentSessions = agentsapp.NewSessions(s.asker, s.store, command.Now, log)
	metrics.Unwritten(s.ledger.Unwritten)
	s.failures = metrics.Background
	s.batches = batchcommands.UseCase(e, s.store, s.bureau, calendar, log, s.asker, pace)
	s.keys = lookups.NewKeys(s.store, command.Now)
	s.dispatcher = automation.New(e.Settings.AllowPrivate)
	s.jobs = automations.NewJobs(automations.JobsConfig{
		Store: s.store, Clock: command.Now, Dispatcher: s.dispatcher, Conditions: automation.NewConditions(),
		Asker: s.asker, Terms: s.terms, LookupsOff: !e.Settings.Lookup, Mailer: s.mailer,
		PublicURL: e.PublicURL(s.listener.Addr().String()), Log: log, Observe: metrics.Job,
	})
	s.store.OnJobs(s.jobs.Wake)
	s.intake = intake.New(s.store, command.Now)
	s.subjects = privacycommands.SubjectsOf(e, s.store)
	s.retention = privacy.NewRetention(s.store, e.Keeping(), command.Now)
	s.sessions = team.NewSessions(s.store, command.Now, command.Passwords)
	s.witness, err = privacycommands.WitnessOf(e, s.store, s.dispatcher, log)
	return err
}

func wireServer(
	e *command.Environment,
	s *service, log *slog.Logger, calendar access.Calendar, metrics *httpapi.Metrics,
) error {
	trusted, err := shape.Networks(e.Settings.Proxies)
	if err != nil {
		return err // its shape has been checked
	}
	statement := lookups.NewStatement(s.store, calendar, command.Now)
	publicURL := e.PublicURL(s.listener.Addr().String())
	tables := sheet.NewTables()
	api := httpapi.New(httpapi.Config{
		Asker: s.asker, Terms: s.terms, Statement: statement, Keys: s.keys, Intake: s.intake, Batches: s.batches, Tables: tables,
		LookupEnabled: e.Settings.Lookup, TrustedProxies: trusted,
		Ready: s.ready, Metrics: metrics, MetricsElsewhere: e.Settings.MetricsListen != "", Log: log,
		PublicURL: publicURL, Agents: s.agents(statement, log),
		Docs: docsite.New(docsite.Config{
			PublicURL: publicURL, Light: web.Asset("fichario.css"), Dark: web.Asset("dark.css"), Icon: web.Asset("icon.svg"),
			Theme: web.Theme, Problems: httpapi.Problems(), Sandbox: sandboxDocuments(),
		}),
	})
	passkeys, err := factors.NewPasskeys(publicURL)
	if err != nil {
		return fmt.Errorf("FICHARIO_PUBLIC_URL: %w", err)
	}
	provider, err := providerOf(e, s, publicURL, log)
	if err != nil {
		return err
	}
	s.links = command.Links(s.store, s.sessions, s.mailer, publicURL, log)
	pages, err := web.New(web.Config{
		OIDC: provider, Links: s.links,
		Factors:     team.NewFactors(s.store, command.Now, s.sessions, command.OneTimeCodes, passkeys),
		CodePicture: command.CodePicture,
		Sessions:    s.sessions, Members: command.Members(s.store),
		Organisations: team.NewOrganisations(s.store, command.Now),
		Funnels:       contacts.NewFunnels(s.store, command.Now), Origins: contacts.NewOrigins(s.store),
		Notifications: team.NewNotifications(s.store),
		Asker:         s.asker, Sheet: lookups.NewSheet(s.store, s.terms, command.Now), Terms: s.terms,
		Statement: statement, Keys: s.keys,
		Intake: s.intake, Batches: s.batches, Tables: tables, Webhooks: intake.NewWebhooks(s.store, command.Now),
		Bundles:  lookups.NewBundles(s.store, s.bureau.Catalog()),
		Purposes: privacy.NewPurposes(s.store, command.Now), Record: privacycommands.RecordOf(e, s.store, s.bureau),
		Changes:  contacts.NewChanges(s.store, command.Now, log),
		Subjects: s.subjects,
		Stopping: s.stopping,
		Audit:    privacy.NewAudit(s.store, command.Now),
		Contacts: contacts.New(s.store, command.Now), Bulks: contacts.NewBulks(s.store, command.Now),
		Rotations:   contacts.NewRotations(s.store, command.Now),
		Automations: automationcommands.UseCase(e, s.store, s.bureau.Catalog()),
		Dashboard:   lookups.NewDashboard(s.store, s.bureau.Catalog(), calendar, command.Now),
		Calendar:    calendar, Clock: command.Now, PublicURL: publicURL,
		LookupEnabled: e.Settings.Lookup, Log: log, TrustedProxies: trusted, ReadLag: readLag(e), Observe: metrics.Page,
	}, site.Rooms()...)
	if err != nil {
		return err
	}
	s.handler = s.parting(punctual(transportSecurity(e, s.traced(apiOrPages(api, pages)))))
	return nil
}

func (s *service) agents(statement *lookups.Statement, log *slog.Logger) *agents.Handler {
	return agents.New(agents.Config{
		Terms: s.terms, Sessions: s.agentSessions, Statement: statement,
		Purposes: privacy.NewPurposes(s.store, command.Now),
		Contacts: contacts.New(s.store, command.Now), Log: log, Version: command.Version(),
	})
}

// listenForMetrics serves /metrics separately, where it has its own address.
func listenForMetrics(e *command.Environment, s *service, metrics *httpapi.Metrics) error {
	if e.Settings.MetricsListen == "" {
		return nil
	}
	listener, err := new(net.ListenConfig).Listen(e.Ctx, "tcp", e.Settings.MetricsListen)
	if err != nil {
		return fmt.Errorf("FICHARIO_METRICS_LISTEN: %w", err)
	}
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", metrics.Handler())
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
		return httpapi.ErrStopping
	}
	if s.preparing.Load() {
		return fault.New(fault.ServiceUnavailable, "A demonstração está sendo feita. Tente em instantes.").After(time.Second)
	}
	if err := s.store.Ready(ctx); err != nil {
		return err
	}
	return s.ledger.Ready()
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
	tasks := append([]app.Chore{
		{Name: "settle lookups", Every: 3 * time.Second, Do: s.ledger.Settle},
		{Name: "save use of keys", Every: 3 * time.Second, Do: s.keys.SaveUse, AtEnd: true},
		{Name: "index contacts for the search", Every: 5 * time.Second, Do: s.store.IndexContacts},
		{Name: "index persons", Every: 10 * time.Second, Do: s.store.IndexSubjects},
		{Name: "erase persons", Every: time.Second, Do: s.subjects.Work},
		{Name: "keep partitions", Every: time.Hour, Do: s.store.KeepPartitions},
		{Name: "fold figures", Every: time.Hour, Do: s.store.FoldFigures},
		{Name: "forget sessions", Every: time.Hour, Do: s.sessions.Forget},
		{Name: "forget answers", Every: time.Hour, Do: s.retention.ForgetAnswers},
		{Name: "forget deliveries", Every: time.Hour, Do: s.retention.ForgetDeliveries},
		{Name: "forget audit", Every: time.Hour, Do: s.retention.ForgetAudit},
		{Name: "forget contacts", Every: time.Hour, Do: s.retention.ForgetContacts},
		{Name: "forget idempotency keys of lookups", Every: time.Hour, Do: s.asker.ForgetRequests},
		{Name: "forget sessions of agents", Every: time.Hour, Do: s.agentSessions.Forget},
		{Name: "forget quotes", Every: time.Minute, Do: s.batches.Forget},
		{Name: "change many contacts", Every: time.Second, Do: contacts.NewBulks(s.store, command.Now).Work},
		{Name: "forget changes of many contacts", Every: time.Hour, Do: contacts.NewBulks(s.store, command.Now).Forget},
		{Name: "forget removed contacts", Every: time.Minute, Do: contacts.New(s.store, command.Now).ForgetRemoved},
		{Name: "forget jobs", Every: time.Hour, Do: s.jobs.Forget},
	}, s.follow...)
	if s.witness != nil {
		tasks = append(tasks, app.Chore{Name: "witness the audit", Every: time.Minute, Do: s.witness.Work, AtEnd: true})
	}
	return tasks
}

// chores are the tasks, with their failures counted.
func (s *service) chores() []app.Chore {
	chores := s.tasks()
	for i, c := range chores {
		failed := s.failures(c.Name)
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
	if _, sqlite := gormstore.SQLitePath(e.Settings.DatabaseURL); !sqlite && journal.Path == "" {
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

package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"runtime/pprof"
	"strings"
	"sync"
	"time"

	"fichario/adapters/automation"
	"fichario/adapters/gormstore"
	"fichario/adapters/httpapi"
	"fichario/adapters/web"
	"fichario/app"
	"fichario/domain/fault"
)

// drainFor bounds how long a stopping service waits for requests in flight.
const drainFor = 30 * time.Second

type serveCmd struct {
	Demo       bool   `help:"On an empty database, make an organisation with people, a key and lookups; print lines to paste."`
	CPUProfile string `name:"cpu-profile" placeholder:"FILE" help:"Write a CPU profile of the whole run."`
}

// Run serves until the context ends, then finishes what is in flight.
func (s *serveCmd) Run(e *environment) error {
	if s.CPUProfile != "" {
		file, err := os.Create(s.CPUProfile)
		if err != nil {
			return err
		}
		defer func() { _ = file.Close() }()
		if err := pprof.StartCPUProfile(file); err != nil {
			return err
		}
		defer pprof.StopCPUProfile()
	}
	calendar, err := e.calendar()
	if err != nil {
		return err
	}
	if e.settings.HistoryFresh < 0 {
		return errors.New("FICHARIO_HISTORY_FRESH: a duration is not negative")
	}
	log, flush := newLogger(e.settings, e.errOut)
	defer flush()
	mailer, err := e.mailer()
	if err != nil {
		return err
	}
	client, stopBureau, err := e.openBureau(log)
	if err != nil {
		return err
	}
	defer stopBureau()
	store, err := e.waitForStore()
	if err != nil {
		return err
	}
	defer func() { _ = store.Close() }()

	metrics := httpapi.NewMetrics()
	keys := app.NewKeys(store, now)
	lookupsConfig := app.LookupsConfig{
		Store: store, Bureau: client, Catalog: client.Catalog(), Timeout: client.Timeout(), Fresh: e.settings.HistoryFresh,
		Calendar: calendar, Clock: now, Log: log, Observe: metrics.Lookup,
	}
	lookups := app.NewLookups(lookupsConfig)
	listener, err := new(net.ListenConfig).Listen(e.ctx, "tcp", e.settings.Listen)
	if err != nil {
		return fmt.Errorf("FICHARIO_LISTEN: %w", err)
	}
	dispatcher := automation.New(e.settings.AllowPrivate)
	defer dispatcher.Close()
	jobs := app.NewJobs(app.JobsConfig{
		Store: store, Clock: now, Dispatcher: dispatcher, Mailer: mailer, PublicURL: e.publicURL(listener.Addr().String()), Log: log, Observe: metrics.Job,
	})
	inbox := app.NewIntake(store, now, jobs.Wake)
	sessions := app.NewSessions(store, now, checkPassword, decoyHash)
	handler, err := httpapi.New(httpapi.Config{
		Lookups: lookups, Statement: app.NewStatement(store, calendar, now), Keys: keys, Intake: inbox, LookupEnabled: e.settings.Lookup,
		Ready: store.Ping, Metrics: metrics, Log: log, Sandbox: sandboxDocuments(),
	})
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	pages, err := web.New(web.Config{
		Sessions: sessions, Organisations: app.NewOrganisations(store, now), Members: members(store), Funnels: app.NewFunnels(store, now),
		Origins: app.NewOrigins(store), Notifications: app.NewNotifications(store), Lookups: lookups, Statement: app.NewStatement(store, calendar, now), Keys: keys,
		Intake: inbox, Webhooks: app.NewWebhooks(store, now), Contacts: app.NewContacts(store, now), Automations: app.NewAutomations(store, now),
		Dashboard: app.NewDashboard(store, client.Catalog(), calendar, now),
		Calendar:  calendar, Clock: now, PublicURL: e.publicURL(listener.Addr().String()), LookupEnabled: e.settings.Lookup, Log: log,
	})
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	server := &http.Server{
		Handler:           punctual(doors(handler, pages)),
		ReadHeaderTimeout: 5 * time.Second,
		WriteTimeout:      client.Timeout() + time.Minute,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    16 << 10,
	}

	background, stopBackground := context.WithCancel(context.WithoutCancel(e.ctx))
	var work sync.WaitGroup
	work.Go(func() {
		app.RunChores(background, log,
			app.Chore{Name: "settle lookups", Every: 3 * time.Second, Do: lookups.Settle},
			app.Chore{Name: "save use of keys", Every: 3 * time.Second, Do: keys.SaveUse, AtEnd: true},
			app.Chore{Name: "forget sessions", Every: time.Hour, Do: sessions.Forget},
			app.Chore{Name: "forget deliveries", Every: time.Hour, Do: inbox.Forget},
			app.Chore{Name: "forget jobs", Every: time.Hour, Do: jobs.Forget})
	})
	work.Go(func() { jobs.Run(background) })
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	log.Info("listening", "addr", listener.Addr().String(), "bureau", e.settings.Bureau)

	if s.Demo {
		if err := e.demo(e.ctx, store, keys, lookupsConfig, listener.Addr().String()); err != nil {
			log.Error("demo data not made", "error", err)
		}
	}
	select {
	case err = <-served:
	case <-e.ctx.Done():
		log.Info("stopping: finishing what is in flight")
		drain, cancel := context.WithTimeout(context.WithoutCancel(e.ctx), drainFor)
		defer cancel()
		if err = server.Shutdown(drain); err != nil {
			err = fmt.Errorf("requests still in flight after %s: %w", drainFor, err)
		}
	}
	lookups.Close() // calls whose client is gone are finished and stored too
	stopBackground()
	work.Wait()
	log.Info("stopped")
	return err
}

// doors lets each request in by its door: the API's addresses, and the interface for
// all others.
func doors(api, pages http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch path := r.URL.Path; {
		case strings.HasPrefix(path, "/api/"), strings.HasPrefix(path, "/docs/"):
			api.ServeHTTP(w, r)
		case path == "/docs", path == "/openapi.yaml", path == "/openapi.json", path == "/healthz", path == "/readyz", path == "/metrics":
			api.ServeHTTP(w, r)
		default:
			pages.ServeHTTP(w, r)
		}
	})
}

// waitForStore opens the database, waiting for a PostgreSQL that is just starting.
func (e *environment) waitForStore() (*gormstore.Store, error) {
	const patience = 30 * time.Second
	for start := time.Now(); ; {
		store, err := e.openStore()
		if err == nil || fault.CodeOf(err) != fault.ServiceUnavailable || time.Since(start) > patience {
			return store, err
		}
		select {
		case <-time.After(500 * time.Millisecond):
		case <-e.ctx.Done():
			return nil, e.ctx.Err()
		}
	}
}

// publicURL is how people reach the service that listens on addr.
func (e *environment) publicURL(addr string) string {
	if e.settings.PublicURL != "" {
		return strings.TrimRight(e.settings.PublicURL, "/")
	}
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return "http://" + addr
	}
	if ip := net.ParseIP(host); ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	return "http://" + net.JoinHostPort(host, port)
}

func newDataKey() []byte {
	key := make([]byte, gormstore.DataKeySize)
	_, _ = rand.Read(key) // never fails: crypto/rand ends the program instead
	return key
}

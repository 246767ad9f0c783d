package web_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	outbound "fichario/adapters/automation"
	"fichario/adapters/factors"
	"fichario/adapters/gormstore"
	"fichario/adapters/gormstore/engine"
	"fichario/adapters/spreadsheet"
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
	"fichario/app/automations"
	"fichario/app/batches"
	"fichario/app/contacts"
	intakeapp "fichario/app/intake"
	"fichario/app/lookups"
	privacyapp "fichario/app/privacy"
	"fichario/app/team"
	"fichario/domain/access"
	"fichario/domain/catalog"
	"fichario/domain/crm"
	"fichario/domain/intake"
	"fichario/domain/privacy"
	"fichario/ports"
	"fichario/tests/testkit/noon"
	"fichario/tests/testkit/patience"
	"fichario/tests/testkit/sqlite"
)

// testSite is the interface on its own store, with a scripted bureau.
type testSite struct {
	t         *testing.T
	store     *gormstore.Store
	path      string // of the database
	server    *httptest.Server
	contacts  *contacts.Contacts
	asker     *lookups.Asker
	ledger    *lookups.Ledger
	sheet     *lookups.Sheet
	statement *lookups.Statement
	subjects  *privacyapp.Subjects
	keys      *lookups.Keys
	bureau    *fakeBureau
	second    fakeBureau        // for deaths, where the first one does not charge
	compare   *ports.Comparison // of persons with the second one, of no questions unless a test says so
	tables    *spreadsheet.Tables
	log       *bytes.Buffer
	// mailed receives the e-mails sent.
	mailed chan ports.Mail
	// mailAway makes the mail server refuse e-mails.
	mailAway atomic.Bool
	// ahead is added to the clock.
	ahead atomic.Int64
}

var dataKey = bytes.Repeat([]byte{7}, engine.DataKeySize)

// template is what the sites' databases are copied from.
var template = sqlite.Template{Migrate: func(ctx context.Context, url string) error {
	store, err := gormstore.Open(url, [][]byte{dataKey})
	if err != nil {
		return err
	}
	return errors.Join(store.Migrate(ctx), store.Close())
}}

func openSite(t *testing.T) *testSite { t.Helper(); return newSite(t, true) }

// newSite opens a site with or without lookups and a mail server.
func newSite(t *testing.T, all bool) *testSite {
	t.Helper()
	path := filepath.Join(t.TempDir(), "test.db")
	engine.SetTimeout(patience.Scaled(4 * engine.DefaultTimeout))
	template.Copy(t, path)
	store, err := gormstore.Open("sqlite://"+path, [][]byte{dataKey})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	if err := store.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	fixture := &testSite{
		t: t, store: store, path: path, log: &bytes.Buffer{}, tables: spreadsheet.NewTables(),
		mailed: make(chan ports.Mail, 100),
		bureau: &fakeBureau{answers: map[string]func(context.Context, catalog.Product) (ports.Answer, error){}},
	}
	now := func() time.Time { return time.Now().Add(time.Duration(fixture.ahead.Load())) }
	calendar := access.Calendar{Location: noon.Zone()}
	log := slog.New(slog.NewTextHandler(fixture.log, nil))
	fixture.contacts, fixture.keys = contacts.New(store, now), lookups.NewKeys(store, now)
	terms, pace := lookups.NewTerms(testCatalog(), 3*time.Second, testFresh, calendar), batches.NewPace()
	chains := ports.Single("test", fixture.bureau, testCatalog(), 3*time.Second)
	both := chains["obito"]
	both.Links = append(both.Links, ports.Link{
		Name: "segundo", Product: both.Links[0].Product, Timeout: 3 * time.Second, Bureau: &fixture.second,
	})
	both.OnNoRecord = true
	chains["obito"] = both
	fixture.compare = &ports.Comparison{Monthly: 100_000, Link: ports.Link{
		Name: "segundo", Product: chains["cpf"].Links[0].Product, Timeout: 3 * time.Second, Bureau: &fixture.second,
	}}
	person := chains["cpf"]
	person.Compare = fixture.compare
	chains["cpf"] = person
	bureaus := lookups.NewBureaus(chains, store, calendar, now, log)
	fixture.ledger = lookups.NewLedger(lookups.LedgerConfig{
		Store: store, Terms: terms, Clock: now, Log: log, Observe: func(lookups.Event) {}, Bureaus: bureaus,
	})
	fixture.asker, fixture.sheet = lookups.NewAsker(fixture.ledger, pace.Single), lookups.NewSheet(store, terms, now)
	fixture.statement = lookups.NewStatement(store, calendar, now)
	t.Cleanup(fixture.ledger.Close)
	batches := batches.New(batches.Config{
		Store: store, Asker: fixture.asker, Pace: pace, Catalog: testCatalog(), Fresh: testFresh, Calendar: calendar,
		Clock: now, Log: log, Concurrency: 8, Bureau: "test",
	})
	fixture.subjects = privacyapp.NewSubjects(store, store, noJournal{}, now, fixture.contacts.PartToErase)
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	running := make(chan struct{})
	go func() { defer close(running); batches.Run(ctx) }()
	t.Cleanup(func() { stop(); <-running })
	sessions := team.NewSessions(store, now, team.Passwords{
		Fits:  func(hash, password string) bool { return hash == password },
		Stale: func(string) bool { return false },
		Decoy: "x",
	})
	links := team.LinksConfig{
		Store: store, Clock: now, Sessions: sessions, Hash: func(p string) (string, error) { return p, nil },
		PublicURL: "https://fichario.example", Log: log,
	}
	if all {
		links.Mailer = fixture
	}
	codes := team.Codes{New: factors.NewSecret, Step: factors.Step}
	people, origins, rotations := fixture.people(), contacts.NewOrigins(store), contacts.NewRotations(store, now)
	funnels, hooks, in := contacts.NewFunnels(store, now), intakeapp.NewWebhooks(store, now), intakeapp.New(store, now)
	asking := lookuppages.Use{
		Asker: fixture.asker, Batches: batches, Bundles: lookups.NewBundles(store, testCatalog()), Bureaus: bureaus,
		Contacts:  fixture.contacts,
		Dashboard: lookups.NewDashboard(store, testCatalog(), calendar, now), Keys: fixture.keys, Sheet: fixture.sheet,
		Statement: fixture.statement, Terms: terms,
	}
	rules := automations.New(store, now, automations.Means{
		Mails: all, Conditions: noConditions{}, Catalog: testCatalog(), Destinations: outbound.Destinations{},
	})
	use := site.Use{
		Lookups: asking, Batches: batchpages.Use{Batches: batches},
		Contacts: contactpages.Use{
			Bulks: contacts.NewBulks(store, now), Contacts: fixture.contacts, Members: people, Rotations: rotations,
			Lookups: asking,
		},
		Intake: intakepages.Use{
			Intake: in, Origins: origins, Rotations: rotations, Webhooks: hooks,
			Leads: intakeapp.NewLeads(intakeapp.LeadsConfig{Store: store, Clock: now}, in),
		},
		Automations: automationpages.Use{
			Automations: rules, Contacts: fixture.contacts, Funnels: funnels, Members: people, Origins: origins,
			Rotations: rotations, Terms: terms, Statement: fixture.statement, Webhooks: hooks,
		},
		Team: teampages.Use{
			Contacts: fixture.contacts, Funnels: funnels, Members: people, Origins: origins, Statement: fixture.statement,
			CodePicture: func(secret, account string) (string, error) {
				return factors.Picture(factors.Address(secret, account))
			},
		},
		Privacy: privacypages.Use{
			Audit: privacyapp.NewAudit(store, now), Automations: rules, Subjects: fixture.subjects,
			Record: privacyapp.NewRecord(privacyapp.RecordConfig{
				Store: store, Clock: now, Bureau: "teste", Catalog: testCatalog(),
			}),
		},
	}
	handler, err := web.New(web.Config{
		Sessions: sessions, Links: team.NewLinks(links), Factors: team.NewFactors(store, now, sessions, codes, nil),
		Organisations: team.NewOrganisations(store, now), Notifications: team.NewNotifications(store),
		Preferences: team.NewPreferences(store),
		Changes:     contacts.NewChanges(store, now, log), Purposes: privacyapp.NewPurposes(store, now),
		Tables: fixture.tables, Catalog: testCatalog(), Calendar: calendar, Clock: now,
		PublicURL: "https://fichario.example", LookupEnabled: all, Log: log,
	}, use.Rooms()...)
	if err != nil {
		t.Fatal(err)
	}
	fixture.server = httptest.NewServer(handler)
	t.Cleanup(fixture.server.Close)
	return fixture
}

type noJournal struct{}

func (noJournal) Append(privacy.Entry) (bool, error) { return false, nil }

// Send records an e-mail.
func (s *testSite) Send(_ context.Context, m ports.Mail) error {
	if s.mailAway.Load() {
		return errors.New("o servidor de e-mail não respondeu")
	}
	s.mailed <- m
	return nil
}

// people makes members whose passwords are their own hashes.
func (s *testSite) people() *team.Members {
	return team.NewMembers(s.store, time.Now, func(p string) (string, error) { return p, nil })
}

// visitor makes an organisation with a webhook, and signs in as its owner.
func (s *testSite) visitor(name string) *visitor {
	s.t.Helper()
	org, err := team.NewOrganisations(s.store, time.Now).Create(s.t.Context(), "Org "+name)
	if err != nil {
		s.t.Fatal(err)
	}
	v := s.member(org.ID, name, crm.Owner)
	hook, token,
		err := intakeapp.NewWebhooks(s.store, time.Now).Create(s.t.Context(), app.Operator(), intakeapp.NewWebhook{
		OrgID: org.ID, Name: "Site de " + name, Options: intake.Options{Kind: intake.Generic},
	})
	if err != nil {
		s.t.Fatal(err)
	}
	v.hook, v.token = hook, token
	return v
}

func (s *testSite) member(orgID, name string, role crm.Role) *visitor {
	s.t.Helper()
	m, err := s.people().Add(s.t.Context(), app.Operator(), team.NewMember{
		OrgID: orgID, Name: name, Email: strings.ToLower(name) + "@example.com", Role: role, Password: "senha-de-teste",
	})
	if err != nil {
		s.t.Fatal(err)
	}
	jar, _ := cookiejar.New(nil)
	v := &visitor{testSite: s, member: m, by: app.ByMember(m), client: &http.Client{
		Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
	signIn := url.Values{"email": {m.Email}, "senha": {"senha-de-teste"}}
	if status, _ := v.post("/entrar", signIn); status != http.StatusSeeOther {
		s.t.Fatalf("sign in: %d", status)
	}
	return v
}

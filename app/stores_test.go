package app_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	outbound "fichario/adapters/automation"
	"fichario/adapters/factors"
	"fichario/adapters/gormstore"
	"fichario/adapters/gormstore/engine"
	"fichario/app"
	"fichario/app/agents"
	"fichario/app/automations"
	"fichario/app/batches"
	"fichario/app/contacts"
	intakeapp "fichario/app/intake"
	"fichario/app/lookups"
	privacyapp "fichario/app/privacy"
	"fichario/app/team"
	"fichario/domain/access"
	"fichario/domain/automation"
	"fichario/domain/catalog"
	"fichario/domain/crm"
	"fichario/domain/intake"
	"fichario/domain/privacy"
	"fichario/domain/webhook"
	"fichario/ports"
	"fichario/tests/testkit/noon"
	"fichario/tests/testkit/patience"
	"fichario/tests/testkit/postgres"
	"fichario/tests/testkit/sqlite"
)

// setting is an organisation on a store, with every use case on it. All ports but the store are fakes that a test
// scripts.
type setting struct {
	t     *testing.T
	store ports.Store
	now   app.Clock
	orgID string
	fakes

	orgs          *team.Organisations
	members       *team.Members
	sessions      *team.Sessions
	links         *team.Links
	factors       *team.Factors
	keys          *lookups.Keys
	funnels       *contacts.Funnels
	origins       *contacts.Origins
	bundles       *lookups.Bundles
	purposes      *privacyapp.Purposes
	record        *privacyapp.Record
	contacts      *contacts.Contacts
	bulks         *contacts.Bulks
	rotations     *contacts.Rotations
	notifications *team.Notifications
	preferences   *team.Preferences
	webhooks      *intakeapp.Webhooks
	automations   *automations.Automations
	intake        *intakeapp.Intake
	lookups       *desk
	statement     *lookups.Statement
	dashboard     *lookups.Dashboard
	batches       *batches.Batches
	audit         *privacyapp.Audit
	subjects      *privacyapp.Subjects
}

const (
	price   = 4500 // of each product, in ten-thousandths of a real
	timeout = 10 * time.Second
	fresh   = 30 * 24 * time.Hour
)

// calendar has days that begin at no time at which tests run.
var calendar = access.Calendar{Location: noon.Zone()}

func products() catalog.Catalog {
	all := catalog.Standard()
	for i := range all {
		all[i].Price = price
	}
	return all
}

func newSetting(t *testing.T, store ports.Store, now app.Clock) *setting {
	t.Helper()
	s := &setting{t: t, store: store, now: now, fakes: newFakes()}
	s.orgs, s.members = team.NewOrganisations(store, now), team.NewMembers(store, now, hashed)
	s.sessions = team.NewSessions(store, now, passwords(fits))
	s.links = team.NewLinks(team.LinksConfig{
		Store: store, Clock: now, Sessions: s.sessions, Hash: hashed, Mailer: s.mailer, PublicURL: "https://f.example",
		Log: s.log.logger(),
	})
	s.factors = team.NewFactors(store, now, s.sessions, team.Codes{New: factors.NewSecret, Step: factors.Step}, passkeys{})
	s.keys, s.funnels, s.origins = lookups.NewKeys(store, now), contacts.NewFunnels(store, now), contacts.NewOrigins(store)
	s.bundles, s.purposes = lookups.NewBundles(store, products()), privacyapp.NewPurposes(store, now)
	s.record = privacyapp.NewRecord(privacyapp.RecordConfig{
		Store: store, Clock: now, Bureau: "teste", Catalog: products(), Fresh: fresh,
	})
	s.contacts, s.notifications = contacts.New(store, now), team.NewNotifications(store)
	s.preferences = team.NewPreferences(store)
	s.bulks, s.rotations = contacts.NewBulks(store, now), contacts.NewRotations(store, now)
	s.webhooks, s.automations = intakeapp.NewWebhooks(store, now), automations.New(store, now, means(true))
	s.intake = intakeapp.New(store, now).Mailing(true)
	if announces, ok := store.(interface {
		OnJobs(func(automation.JobKind))
	}); ok {
		announces.OnJobs(func(automation.JobKind) { s.woken.Add(1) })
	}
	s.lookups = s.otherLookups(store)
	s.statement = lookups.NewStatement(store, calendar, now)
	s.audit = privacyapp.NewAudit(store, now)
	s.dashboard = lookups.NewDashboard(store, products(), calendar, now)
	s.batches = s.otherBatches(s.lookups)
	index, _ := store.(ports.SubjectIndex)
	s.subjects = privacyapp.NewSubjects(store, index, journal{}, now, s.contacts.PartToErase)
	s.orgID = must(s.orgs.Create(t.Context(), "Org")).ID
	return s
}

// otherLookups makes the desk of another instance, or on a store that fails.
func (s *setting) otherLookups(store ports.Store) *desk {
	return s.desk(store, s.bureau, products(), s.now)
}

// desk is where lookups are asked for, accounted for and shown, on one instance.
type desk struct {
	*lookups.Asker
	*lookups.Ledger
	*lookups.Sheet
	terms *lookups.Terms
	pace  *batches.Pace
	// bureaus are set by through.
	bureaus *lookups.Bureaus
}

// later asks for a lookup without waiting for it.
func (d *desk) later(ctx context.Context, by app.Caller, req lookups.Request) (lookups.Result, error) {
	req.Later = true
	return d.Do(ctx, by, req)
}

func (s *setting) desk(store ports.Store, bureau ports.Bureau, offered catalog.Catalog, clock app.Clock) *desk {
	return s.patientDesk(store, bureau, offered, clock, timeout)
}

// patientDesk is a desk whose calls may take as long as that.
func (s *setting) patientDesk(
	store ports.Store, bureau ports.Bureau, offered catalog.Catalog, clock app.Clock, timeout time.Duration,
) *desk {
	terms := lookups.NewTerms(offered, timeout, fresh, calendar)
	ledger := lookups.NewLedger(lookups.LedgerConfig{
		Store: store, Terms: terms, Clock: clock, Log: s.log.logger(), Observe: s.observed.add,
		Bureaus: lookups.NewBureaus(ports.Single("agencia", bureau, offered, timeout), store, calendar, clock,
			s.log.logger()),
	})
	s.t.Cleanup(ledger.Close)
	pace := batches.NewPace()
	return &desk{
		Asker: lookups.NewAsker(ledger, pace.Single), Ledger: ledger, Sheet: lookups.NewSheet(store, terms, clock),
		terms: terms, pace: pace,
	}
}

// agentsOf makes the sessions of agents whose lookups those are.
func (s *setting) agentsOf(l *desk) *agents.Sessions {
	return agents.NewSessions(l.Asker, s.store, s.now, s.log.logger())
}

func (s *setting) agents() *agents.Sessions { return s.agentsOf(s.lookups) }

// means returns everything that automations can have.
func means(mails bool) automations.Means {
	return automations.Means{
		Mails: mails, Conditions: outbound.NewConditions(), Catalog: products(), Destinations: outbound.Destinations{},
	}
}

// journal keeps nothing.
type journal struct{}

func (journal) Append(privacy.Entry) (bool, error) { return false, nil }

// passwords stands in for slow hashes; fits compares. A stale hash begins with "old:".
func passwords(fits func(hash, password string) bool) team.Passwords {
	return team.Passwords{
		Hash: hashed, Fits: fits, Stale: func(hash string) bool { return strings.HasPrefix(hash, "old:") }, Decoy: "nobody's",
	}
}

func hashed(password string) (string, error) { return "h:" + password, nil }
func fits(hash, password string) bool        { return hash == "h:"+password || hash == "old:"+password }

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func done(err error) {
	if err != nil {
		panic(err)
	}
}

// said returns what a caller sees of an error: the code, and the field at fault.
func said(err error) string {
	f := app.FaultOf(err)
	switch {
	case err == nil:
		return ""
	case f == nil:
		return "no fault: " + err.Error()
	}
	return strings.TrimSpace(string(f.Code) + " " + f.Field)
}

func equal[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s:\n got %+v\nwant %+v", what, got, want)
	}
}

// line joins values, so that several are compared at once.
func line(values ...any) string { return strings.TrimSuffix(fmt.Sprintln(values...), "\n") }

func at[T any](v T) *T { return &v }

// now returns the time with the precision of the store.
func now() time.Time { return time.Now().UTC().Truncate(time.Microsecond) }

// dataKey is the key of all databases of these tests.
var dataKey = bytes.Repeat([]byte{7}, engine.DataKeySize)

// template is what the SQLite databases are copied from.
var template = sqlite.Template{Migrate: migrate}

// migrate prepares the templates of the databases.
func migrate(ctx context.Context, url string) error {
	engine.SetTimeout(patience.Scaled(4 * engine.DefaultTimeout))
	store, err := gormstore.Open(url, [][]byte{dataKey})
	if err != nil {
		return err
	}
	return errors.Join(postgres.Migrated(ctx, store), store.Close())
}

func open(t *testing.T, url string) *gormstore.Store {
	t.Helper()
	engine.SetTimeout(patience.Scaled(4 * engine.DefaultTimeout))
	store := must(gormstore.Open(url, [][]byte{dataKey}))
	t.Cleanup(func() { _ = store.Close() })
	if url == inMemoryURL {
		template.Fill(t, must(store.Writer.DB()))
	}
	done(store.Migrate(t.Context()))
	return store
}

// inMemoryURL is that of a database without a file.
const inMemoryURL = "sqlite://" + engine.InMemory

// inMemory makes a setting where time stands still.
func inMemory(t *testing.T) *setting {
	t.Helper()
	start := now()
	return newSetting(t, open(t, inMemoryURL), func() time.Time { return start })
}

// inBubble is inMemory where time passes only while everybody waits, and then at once.
func inBubble(t *testing.T, test func(t *testing.T, s *setting)) {
	t.Helper()
	template.Ready(t)
	_ = lookups.NewKeyID() // ids continue from now, not from the year in which bubbles begin
	start := now()
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		store := open(t, inMemoryURL)
		test(t, newSetting(t, store, func() time.Time { return start.Add(time.Since(began)) }))
	})
}

// atOnce runs a test on stores with several connections: SQLite in a file, and PostgreSQL.
func atOnce(t *testing.T, test func(t *testing.T, s *setting)) {
	t.Helper()
	for name, url := range map[string]func(*testing.T) string{
		"sqlite": func(t *testing.T) string { t.Helper(); return template.New(t) },
		"postgres": func(t *testing.T) string {
			t.Helper()
			return postgres.New(t, migrate)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, newSetting(t, open(t, url(t)), now))
		})
	}
}

// another makes a setting on the same store with an organisation of its own.
func (s *setting) another() *setting {
	s.t.Helper()
	return newSetting(s.t, s.store, s.now)
}

// add makes a member, whose password is "senha-de-" and the name.
func (s *setting) add(name string, role crm.Role) app.Caller {
	s.t.Helper()
	return app.ByMember(must(s.members.Add(s.t.Context(), app.Operator(), team.NewMember{
		OrgID: s.orgID, Name: name, Email: s.email(name), Role: role, Password: "senha-de-" + name,
	})))
}

func (s *setting) email(name string) string { return name + "@org-" + s.orgID + ".example" }

// hook makes a webhook and returns it in the form that handling a post needs.
func (s *setting) hook(signature webhook.Signature) webhook.Hook {
	s.t.Helper()
	_, token, err := s.webhooks.Create(s.t.Context(), app.Operator(), intakeapp.NewWebhook{
		OrgID: s.orgID, Name: "Site", Options: intake.Options{Kind: intake.Generic}, Signature: signature,
	})
	done(err)
	return must(s.intake.Open(s.t.Context(), token.Reveal()))
}

// post makes a JSON post; headers are alternating names and values.
func post(body string, headers ...string) intakeapp.Post {
	p := intakeapp.Post{
		Body: []byte(body), Signed: []byte(body), Headers: []intake.Pair{{Key: "content-type", Value: "application/json"}},
	}
	for i := 0; i < len(headers); i += 2 {
		p.Headers = append(p.Headers, intake.Pair{Key: headers[i], Value: headers[i+1]})
	}
	return p
}

// arrive makes a contact by a post to a webhook.
func (s *setting) arrive(hook webhook.Hook, name string) crm.Contact {
	s.t.Helper()
	accepted := must(s.intake.Receive(s.t.Context(), hook, post(`{"nome":"`+name+`","email":"`+name+`@x.example"}`)))
	return s.contact(accepted.ContactID)
}

func (s *setting) contact(id string) crm.Contact {
	s.t.Helper()
	return must(s.store.Repos().Contacts.Find(s.t.Context(), ports.AnyOrg, id))
}

// kinds returns the kinds of a contact's history entries, oldest first.
func (s *setting) kinds(contactID string) (kinds string) {
	s.t.Helper()
	for _, e := range must(s.store.Repos().ContactHistory.Events(s.t.Context(), ports.AnyOrg, contactID)) {
		kinds += " " + string(e.Kind)
	}
	return strings.TrimSpace(kinds)
}

// meetings is how often two try to collide; both runs them together.
const meetings = 15

func both(f func(i int)) {
	var wg sync.WaitGroup
	for i := range 2 {
		wg.Go(func() { f(i) })
	}
	wg.Wait()
}

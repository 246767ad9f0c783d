package app_test

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"log/slog"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"fichario/adapters/gormstore"
	"fichario/app"
	"fichario/domain/access"
	"fichario/domain/automation"
	"fichario/domain/catalog"
	"fichario/domain/crm"
	"fichario/domain/document"
	"fichario/domain/fault"
	"fichario/domain/intake"
	"fichario/ports"
	"fichario/tests/testkit/postgres"
)

// onStores runs use cases on a store of each kind, without the program around them: for what needs two things to happen
// at the same moment.
func onStores(t *testing.T, f func(t *testing.T, s *gormstore.Store)) {
	t.Helper()
	t.Parallel()
	for name, url := range map[string]string{
		"sqlite":   "sqlite://" + filepath.Join(t.TempDir(), "test.db"),
		"postgres": postgres.New(t, func(context.Context, string) error { return nil }),
	} {
		t.Run(name, func(t *testing.T) {
			s := must(gormstore.Open(url, [][]byte{bytes.Repeat([]byte{7}, gormstore.DataKeySize)}))
			t.Cleanup(func() { _ = s.Close() })
			if err := s.Migrate(t.Context()); err != nil {
				t.Fatal(err)
			}
			f(t, s)
		})
	}
}

var clock app.Clock = func() time.Time { return time.Now().UTC() }

func plain(password string) (string, error) { return "h:" + password, nil }

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// staff is an organisation whose people are made by name.
type staff struct {
	*app.Members
	t     *testing.T
	store *gormstore.Store
	org   string
}

func newStaff(t *testing.T, s *gormstore.Store) staff {
	t.Helper()
	org := must(app.NewOrganisations(s, clock).Create(t.Context(), "Org"))
	return staff{app.NewMembers(s, clock, plain), t, s, org.ID}
}

func (s staff) add(name string, role crm.Role) app.Caller {
	s.t.Helper()
	m := must(s.Add(s.t.Context(), app.Operator(), app.NewMember{
		OrgID: s.org, Name: name, Email: name + "@org-" + s.org + ".example", Role: role, Password: "senha-de-" + name,
	}))
	return app.ByMember(m)
}

// TestAdministratorsAndOwners: an administrator makes no owner, changes none, and does not become one.
func TestAdministratorsAndOwners(t *testing.T) {
	onStores(t, func(t *testing.T, s *gormstore.Store) {
		people := newStaff(t, s)
		owner, admin, member := people.add("dona", crm.Owner), people.add("adm", crm.Admin), people.add("ana", crm.Common)
		role, asAdmin, off := crm.Owner, crm.Admin, false
		for what, err := range map[string]error{
			"makes an owner": func() error {
				_, err := people.Add(t.Context(), admin, app.NewMember{
					OrgID: people.org, Name: "eu", Email: "eu@x.example", Role: crm.Owner, Password: "12345678",
				})
				return err
			}(),
			"becomes one":                people.Update(t.Context(), admin, admin.MemberID(), app.MemberChange{Role: &role}),
			"makes another one":          people.Update(t.Context(), admin, member.MemberID(), app.MemberChange{Role: &role}),
			"ends an owner's access":     people.Update(t.Context(), admin, owner.MemberID(), app.MemberChange{Active: &off}),
			"sets an owner's password":   people.SetPassword(t.Context(), admin, owner.MemberID(), "sequestrada"),
			"ends the last owner's role": people.Update(t.Context(), owner, owner.MemberID(), app.MemberChange{Role: &asAdmin}),
		} {
			if err == nil {
				t.Errorf("%s", what)
			}
		}
		if err := people.SetPassword(t.Context(), admin, member.MemberID(), "outra-senha"); err != nil {
			t.Errorf("a member's password: %v", err)
		}
	})
}

// TestSessionsEndWithTheirReason: with a new password and with the end of an access.
func TestSessionsEndWithTheirReason(t *testing.T) {
	onStores(t, func(t *testing.T, s *gormstore.Store) {
		people := newStaff(t, s)
		owner, ana := people.add("dona", crm.Owner), people.add("ana", crm.Common)
		m := must(s.Repos().Members.Find(t.Context(), ana.MemberID()))
		door := app.NewSessions(s, clock, func(hash, password string) bool { return hash == "h:"+password }, "x")
		inside := func(password string) string {
			token := must(door.SignIn(t.Context(), m.Email, password))
			if _, _, err := door.Resume(t.Context(), token.Reveal()); err != nil {
				t.Fatal(err)
			}
			return token.Reveal()
		}
		out := func(what, token string) {
			if _, _, err := door.Resume(t.Context(), token); fault.CodeOf(err) != fault.Unauthenticated {
				t.Errorf("%s: %v", what, err)
			}
		}
		before := inside("senha-de-ana")
		if err := people.SetPassword(t.Context(), owner, ana.MemberID(), "nova-senha"); err != nil {
			t.Fatal(err)
		}
		out("after a new password", before)
		before = inside("nova-senha")
		off := false
		if err := people.Update(t.Context(), owner, ana.MemberID(), app.MemberChange{Active: &off}); err != nil {
			t.Fatal(err)
		}
		out("after the end of the access", before)
		on := true
		if err := people.Update(t.Context(), owner, ana.MemberID(), app.MemberChange{Active: &on}); err != nil {
			t.Fatal(err)
		}
		out("and it does not come back", before)
	})
}

// TestAPasswordIsAllThatItChanges: what happens to a member while a password is hashed stays.
func TestAPasswordIsAllThatItChanges(t *testing.T) {
	onStores(t, func(t *testing.T, s *gormstore.Store) {
		people := newStaff(t, s)
		owner, adm := people.add("dona", crm.Owner), people.add("ze", crm.Admin)
		slow := app.NewMembers(s, clock, func(p string) (string, error) {
			off, role := false, crm.Common
			change := app.MemberChange{Active: &off, Role: &role}
			if err := people.Update(t.Context(), owner, adm.MemberID(), change); err != nil {
				t.Fatal(err)
			}
			return plain(p)
		})
		_ = slow.SetPassword(t.Context(), adm, adm.MemberID(), "nova-senha")
		if m := must(s.Repos().Members.Find(t.Context(), adm.MemberID())); m.Active || m.Role == crm.Admin {
			t.Errorf("active %t, %s", m.Active, m.Role)
		}
	})
}

// TestTwoAtOnce: two who change the same thing at one moment leave it whole.
func TestTwoAtOnce(t *testing.T) {
	onStores(t, func(t *testing.T, s *gormstore.Store) {
		both := func(f func(i int)) {
			var wg sync.WaitGroup
			for i := range 2 {
				wg.Go(func() { f(i) })
			}
			wg.Wait()
		}
		contacts, keys := app.NewContacts(s, clock), app.NewKeys(s, clock)
		for range 15 {
			people := newStaff(t, s)
			owners := []app.Caller{people.add("a", crm.Owner), people.add("b", crm.Owner)}
			owner, role := owners[0], crm.Common
			both(func(i int) {
				_ = people.Update(t.Context(), owners[i], owners[1-i].MemberID(), app.MemberChange{Role: &role})
			})
			left := 0
			for _, m := range must(s.Repos().Members.List(t.Context(), people.org)) {
				if m.Active && m.Role == crm.Owner {
					left++
				}
			}
			if left == 0 {
				t.Error("nobody owns the organisation any more")
			}

			funnels := app.NewFunnels(s, clock)
			funnel := must(funnels.List(t.Context(), owner, people.org))[0]
			var accepted atomic.Int32
			both(func(i int) {
				if funnels.AddStage(t.Context(), owner, funnel.ID, fmt.Sprint("nova ", i)) == nil {
					accepted.Add(1)
				}
			})
			if n := len(must(funnels.List(t.Context(), owner, people.org))[0].Stages); n != len(funnel.Stages)+int(accepted.Load()) {
				t.Errorf("%d stages after %d accepted changes of %d", n, accepted.Load(), len(funnel.Stages))
			}

			c := must(contacts.Create(t.Context(), owner, app.ContactForm{Name: "Ana", Email: "a@x.example"}))
			both(func(i int) {
				if i == 0 {
					_, _ = contacts.Move(t.Context(), owner, c.ID, funnel.Stages[3].ID)
					return
				}
				_ = funnels.RemoveStage(t.Context(), owner, funnel.ID, funnel.Stages[3].ID)
			})
			if must(contacts.View(t.Context(), owner, c.ID)).Stage == "" {
				t.Error("a contact is in a stage that was removed")
			}

			key, _, err := keys.Create(t.Context(), owner, app.NewKey{
				OrgID: people.org, Name: "k", Scopes: []document.Type{document.CPF},
				Limits: access.Limits{PerMinute: 1, PerDay: 1, PerMonth: 1},
			})
			if err != nil {
				t.Fatal(err)
			}
			var rotated atomic.Int32
			both(func(int) {
				if _, _, done, err := keys.RotateOnce(t.Context(), owner, key.ID, key.Prefix, 0); err != nil {
					t.Error(err)
				} else if done {
					rotated.Add(1)
				}
			})
			if n := rotated.Load(); n != 1 {
				t.Errorf("a form that was sent twice rotates the key %d times", n)
			}
		}
	})
}

// TestTheEntryStageStays: posts that are still coming in find it.
func TestTheEntryStageStays(t *testing.T) {
	onStores(t, func(t *testing.T, s *gormstore.Store) {
		people := newStaff(t, s)
		owner := people.add("dona", crm.Owner)
		funnels := app.NewFunnels(s, clock)
		funnel := must(funnels.List(t.Context(), owner, people.org))[0]
		entry, next := funnel.Stages[0].ID, funnel.Stages[1].ID
		err := funnels.RemoveStage(t.Context(), owner, funnel.ID, entry)
		if err == nil || !strings.Contains(app.FaultOf(err).Message, "entram os contatos novos") {
			t.Errorf("the entry stage is removed: %v", err)
		}
		if err := funnels.RaiseStage(t.Context(), owner, funnel.ID, next); err != nil {
			t.Fatal(err)
		}
		if err := funnels.RemoveStage(t.Context(), owner, funnel.ID, entry); err != nil {
			t.Errorf("the stage that was the entry: %v", err)
		}
	})
}

// TestABacklogIsWorkedOff: many contacts and rules make more jobs than one statement takes.
func TestABacklogIsWorkedOff(t *testing.T) {
	onStores(t, func(t *testing.T, s *gormstore.Store) {
		people := newStaff(t, s)
		people.add("dona", crm.Owner)
		rules := app.NewAutomations(s, clock)
		for i := range 10 {
			must(rules.Add(t.Context(), app.Operator(), app.NewAutomation{
				OrgID: people.org, Name: fmt.Sprint("nota ", i), Event: automation.ContactCreated, Action: automation.AddNote,
				Text: "oi",
			}))
		}
		_, token, err := app.NewWebhooks(s, clock).Create(t.Context(), app.Operator(), app.NewWebhook{
			OrgID: people.org, Name: "w", Options: intake.Options{Kind: intake.Generic},
		})
		if err != nil {
			t.Fatal(err)
		}
		in := app.NewIntake(s, clock, func() {})
		hook := must(in.Open(t.Context(), token.Reveal()))
		var wg sync.WaitGroup
		for i := range 500 {
			wg.Go(func() {
				body := fmt.Appendf(nil, `{"email":"a%d@x.example"}`, i)
				must(in.Receive(t.Context(), hook, app.Post{
					Headers: []intake.Pair{{Key: "content-type", Value: "application/json"}}, Body: body,
				}))
			})
		}
		wg.Wait()
		var log bytes.Buffer
		jobs := app.NewJobs(app.JobsConfig{Store: s, Clock: clock, Log: slog.New(slog.NewTextHandler(&log, nil))})
		ctx, stop := context.WithTimeout(t.Context(), 30*time.Second)
		defer stop()
		go func() {
			for ctx.Err() == nil {
				if runs, err := rules.Runs(ctx, app.Operator(), people.org, automation.JobFilter{}, "", 1); err == nil && len(runs) > 0 {
					stop()
				}
				time.Sleep(50 * time.Millisecond)
			}
		}()
		jobs.Run(ctx)
		if runs := must(rules.Runs(t.Context(), app.Operator(), people.org, automation.JobFilter{}, "", 500)); len(runs) == 0 {
			t.Errorf("nothing ran: %.300s", log.String())
		}
	})
}

type broken struct{}

func (broken) Post(context.Context, ports.Call) (int, error) { panic("quebrou") }

// TestAJobThatPanics fails alone.
func TestAJobThatPanics(t *testing.T) {
	onStores(t, func(t *testing.T, s *gormstore.Store) {
		people := newStaff(t, s)
		owner := people.add("dona", crm.Owner)
		c := must(app.NewContacts(s, clock).Create(t.Context(), owner, app.ContactForm{Name: "Ana", Email: "a@x.example"}))
		rule := must(app.NewAutomations(s, clock).Add(t.Context(), owner, app.NewAutomation{
			OrgID: people.org, Name: "a", Event: automation.ContactCreated, Action: automation.HTTP, URL: "https://x.example",
		}))
		job := automation.Job{
			ID: rule.ID, OrgID: people.org, Kind: automation.RunAutomation, ContactID: c.ID, AutomationID: rule.ID,
			State: automation.Ready,
			RunAt: clock().Add(-time.Second), CreatedAt: clock(),
		}
		if err := s.Repos().Jobs.Add(t.Context(), job); err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithTimeout(t.Context(), 20*time.Second)
		defer stop()
		go func() {
			for ctx.Err() == nil {
				if j, err := s.Repos().Jobs.Find(ctx, job.ID); err == nil && j.Result != "" {
					stop()
				}
				time.Sleep(50 * time.Millisecond)
			}
		}()
		app.NewJobs(app.JobsConfig{Store: s, Clock: clock, Dispatcher: broken{}, Log: slog.New(slog.DiscardHandler)}).Run(ctx)
		if j := must(s.Repos().Jobs.Find(t.Context(), job.ID)); j.Result == "" || strings.Contains(j.Result, "quebrou") {
			t.Errorf("the run ended with %q", j.Result)
		}
	})
}

// TestGuessesAreCounted: also those that come together.
func TestGuessesAreCounted(t *testing.T) {
	onStores(t, func(t *testing.T, s *gormstore.Store) {
		people := newStaff(t, s)
		m := must(s.Repos().Members.Find(t.Context(), people.add("dona", crm.Owner).MemberID()))
		var compared atomic.Int32
		door := app.NewSessions(s, clock, func(hash, password string) bool {
			compared.Add(1)
			return hash == "h:"+password
		}, "x")
		var wg sync.WaitGroup
		for i := range 60 {
			wg.Go(func() { _, _ = door.SignIn(t.Context(), m.Email, fmt.Sprint("palpite ", i)) })
		}
		wg.Wait()
		if n := compared.Load(); n < 1 || n > 5 {
			t.Errorf("%d passwords were compared", n)
		}
		if _, err := door.SignIn(t.Context(), m.Email, "senha-de-dona"); fault.CodeOf(err) != fault.Unauthenticated ||
			app.FaultOf(err).RetryAfter == 0 {
			t.Errorf("the right one right after: %v", err)
		}
		for _, odd := range []string{"a\x00b@x.example", "a\xff@x.example", "", "sem arroba"} {
			if _, err := door.SignIn(t.Context(), odd, "x"); fault.CodeOf(err) != fault.Unauthenticated {
				t.Errorf("%q: %v", odd, err)
			}
		}
	})
}

// TestPasswordsLeaveProcessorsFree: comparing them takes one at a time for each two processors, whoever asks.
func TestPasswordsLeaveProcessorsFree(t *testing.T) {
	onStores(t, func(t *testing.T, s *gormstore.Store) {
		var now, most atomic.Int32
		door := app.NewSessions(s, clock, func(string, string) bool {
			n := now.Add(1)
			defer now.Add(-1)
			for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
			}
			time.Sleep(5 * time.Millisecond) // as long as it takes
			return false
		}, "x")
		var wg sync.WaitGroup
		for i := range 40 {
			wg.Go(func() { _, _ = door.SignIn(t.Context(), fmt.Sprintf("p%d@x.example", i), "x") })
		}
		wg.Wait()
		if n, limit := most.Load(), int32(max(1, runtime.GOMAXPROCS(0)/2)); n < 1 || n > limit {
			t.Errorf("%d passwords were compared at once, of %d", n, limit)
		}
	})
}

// TestDaysOfTheDashboard: each is there once, also where a day has no midnight.
func TestDaysOfTheDashboard(t *testing.T) {
	onStores(t, func(t *testing.T, s *gormstore.Store) {
		people := newStaff(t, s)
		for zone, now := range map[string]time.Time{
			"America/Santiago":  time.Date(2026, 9, 10, 15, 0, 0, 0, time.UTC),
			"America/Sao_Paulo": time.Date(2018, 11, 8, 15, 0, 0, 0, time.UTC),
		} {
			d := app.NewDashboard(s, catalog.Standard(), access.Calendar{Location: must(time.LoadLocation(zone))},
				func() time.Time {
					return now
				})
			o := must(d.Look(t.Context(), app.ByMember(crm.Member{ID: "m", OrgID: people.org, Role: crm.Common}), 14))
			seen := map[string]bool{}
			for _, day := range o.Days {
				seen[day.Start.Format(time.DateOnly)] = true
			}
			if len(seen) != 14 {
				t.Errorf("%s: %d days, want 14", zone, len(seen))
			}
		}
	})
}

// TestReadingBesideAWriter: a command that only reads waits for nobody who writes.
func TestReadingBesideAWriter(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "test.db")
	key := [][]byte{bytes.Repeat([]byte{7}, gormstore.DataKeySize)}
	first := must(gormstore.Open("sqlite://"+path, key))
	if err := first.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	db := must(sql.Open("sqlite", path+"?_txlock=immediate"))
	defer func() { _ = db.Close() }()
	tx := must(db.BeginTx(t.Context(), nil))
	defer func() { _ = tx.Rollback() }()
	again := must(gormstore.Open("sqlite://"+path, key))
	defer func() { _ = again.Close() }()
	if err := again.Migrate(t.Context()); err != nil {
		t.Error(err)
	}
}

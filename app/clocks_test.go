package app_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"fichario/app"
	"fichario/app/automations"
	"fichario/app/contacts"
	intakeapp "fichario/app/intake"
	"fichario/app/lookups"
	privacyapp "fichario/app/privacy"
	"fichario/domain/access"
	"fichario/domain/automation"
	"fichario/domain/catalog"
	"fichario/domain/crm"
	"fichario/domain/intake"
	"fichario/domain/webhook"
	"fichario/ports"
	"fichario/ports/portstest"
	"fichario/tests/testkit/lookuptest"
	"fichario/tests/testkit/postgres"
)

// apart runs a test on one PostgreSQL with two instances; the clock of the second is a minute and a half ahead or
// behind.
func apart(t *testing.T, test func(t *testing.T, s, other *setting)) {
	t.Helper()
	for what, skew := range map[string]time.Duration{"ahead": 90 * time.Second, "behind": -90 * time.Second} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			store := open(t, postgres.New(t, migrate))
			s := newSetting(t, store, now)
			other := newSetting(t, store, func() time.Time { return now().Add(skew) })
			other.orgID, other.fakes = s.orgID, s.fakes
			other.lookups = other.otherLookups(store)
			test(t, s, other)
		})
	}
}

// TestClocksThatDifferAskOnce: no call that is alive by the database's clock is taken for dead.
func TestClocksThatDifferAskOnce(t *testing.T) {
	t.Parallel()
	apart(t, func(t *testing.T, s, other *setting) {
		for i, instances := range [][]*setting{{s, other}, {other, s}} {
			release, key := make(chan struct{}), s.byKey(wide)
			s.bureau.Script = portstest.Holds(release)
			ask := func(l *desk) (bool, error) {
				r, err := l.Do(t.Context(), key, lookups.Request{Product: catalog.CPF, Document: cpfs[i]})
				return r.Entry.Cache, err
			}
			var asking sync.WaitGroup
			asking.Go(func() { equal(t, "the first", must(ask(instances[0].lookups)), false) })
			for len(s.bureau.Asked()) == i {
				time.Sleep(time.Millisecond)
			}
			done(instances[1].lookups.Settle(t.Context()))
			equal(t, "settled", s.entries()[0], "em_andamento 0.45")
			asking.Go(func() { equal(t, "the second, from the first one's call", must(ask(instances[1].lookups)), true) })
			time.Sleep(300 * time.Millisecond) // time to ask, if it does
			close(release)
			asking.Wait()
			equal(t, "calls", len(s.bureau.Asked()), i+1)
			equal(t, "spent", s.spent(key), "1 1 1 0.45")
		}
	})
}

// TestSlowClocksThatDifferRunAJobOnce: a leased job is not claimed, a due job does not wait, and a job whose retry is
// later is not run at once.
func TestSlowClocksThatDifferRunAJobOnce(t *testing.T) {
	t.Parallel()
	apart(t, func(t *testing.T, s, other *setting) {
		rule := s.rule(automations.NewAutomation{Action: automation.HTTP, URL: "https://x.example/a"})
		release := make(chan struct{})
		s.dispatcher.script = func(ctx context.Context, _ ports.Call) (int, error) {
			select {
			case <-release:
				return 0, &ports.SendError{Reason: "status 500", RetryAfter: 10 * time.Second}
			case <-ctx.Done():
				return 0, ctx.Err()
			}
		}
		ctx, stop := context.WithCancel(t.Context())
		var working sync.WaitGroup
		for _, instance := range []*setting{s, other} {
			// Each may work on what the other's post triggers.
			instance.arrive(instance.hook(webhook.Signature{}), "bia")
			working.Go(func() { automations.NewJobs(instance.worker()).Run(ctx) })
		}
		for limit := time.Now().Add(20 * time.Second); len(s.dispatcher.list()) < 2 && time.Now().Before(limit); {
			time.Sleep(10 * time.Millisecond)
		}
		time.Sleep(1500 * time.Millisecond) // longer than the poll interval
		equal(t, "calls", len(s.dispatcher.list()), 2)
		close(release)
		time.Sleep(1500 * time.Millisecond)
		equal(t, "calls before the time of the next", len(s.dispatcher.list()), 2)
		stop()
		working.Wait()
		filter := automation.JobFilter{AutomationID: rule.ID}
		for _, j := range must(s.automations.Runs(t.Context(), app.Operator(), s.orgID, filter, "", 9)) {
			equal(t, "attempts", j.Attempts, 1)
		}
	})
}

// TestClocksThatDifferKeepTheCaps: when a month ends on one instance before the other, each charge is in one day and
// one month, and none exceeds its cap.
func TestClocksThatDifferKeepTheCaps(t *testing.T) {
	t.Parallel()
	at := now().In(calendar.Location)
	monthEnds := time.Date(at.Year(), at.Month()+1, 1, 0, 0, -45, 0, calendar.Location)
	const perDay, clients, each = 5, 4, 3
	for what, skew := range map[string]time.Duration{"ahead": 90 * time.Second, "behind": -90 * time.Second} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			store := open(t, postgres.New(t, migrate))
			s := newSetting(t, store, func() time.Time { return monthEnds })
			other := newSetting(t, store, func() time.Time { return monthEnds.Add(skew) })
			other.orgID, other.fakes = s.orgID, s.fakes
			key := s.byKey(access.Limits{PerMinute: 999, PerDay: perDay, PerMonth: 99})
			var (
				asking  sync.WaitGroup
				mu      sync.Mutex
				charged = map[string]int{}
			)
			for c := range 2 * clients {
				instance := []*setting{s, other}[c%2]
				asking.Go(func() {
					for i := range each {
						_, err := instance.ask(key, lookups.Request{Document: lookuptest.CPF(c*each + i)})
						mu.Lock()
						if err == nil {
							charged[calendar.Day(instance.now())]++
						} else {
							equal(t, "refused", app.FaultOf(err).Code, "limite_diario")
						}
						mu.Unlock()
					}
				})
			}
			asking.Wait()
			want := map[string]int{}
			for _, instance := range []*setting{s, other} {
				want[calendar.Day(instance.now())] = perDay
			}
			equal(t, "charged by day", line(charged), line(want))
			s.addsUp(key, charged)
		})
	}
}

// TestClocksThatDifferEndAtOnce: what is replaced, or must wait, on one instance is so on the other.
func TestClocksThatDifferEndAtOnce(t *testing.T) {
	t.Parallel()
	apart(t, func(t *testing.T, s, other *setting) {
		s.add("ana", crm.Common)
		for _, instances := range [][]*setting{{s, other}, {other, s}} {
			here, there := instances[0], instances[1]
			key, secret := here.key(wide)
			_, _, err := here.keys.Rotate(t.Context(), app.Operator(), key.ID, 0)
			done(err)
			equal(t, "the old secret, there", there.opens(there.keys, secret), out)
			view, token, err := here.webhooks.Create(t.Context(), app.Operator(), intakeapp.NewWebhook{
				OrgID: s.orgID, Name: "Site", Options: intake.Options{Kind: intake.Generic},
			})
			done(err)
			must(there.intake.Open(t.Context(), token.Reveal()))
			done(here.webhooks.Regenerate(t.Context(), app.Operator(), view.ID, 0))
			_, err = there.intake.Open(t.Context(), token.Reveal())
			equal(t, "the old address, there", said(err), "webhook_desconhecido")
		}
		for range 5 {
			_, _ = s.sessions.SignIn(t.Context(), "", s.email("ana"), "errada")
		}
		_, err := other.sessions.SignIn(t.Context(), "", s.email("ana"), "senha-de-ana")
		wait := app.FaultOf(err).RetryAfter
		equal(t, "whoever guessed there waits here", wait > 20*time.Second && wait <= 30*time.Second, true)
	})
}

// TestAClockThatIsAheadForgetsNothing: ages follow the database's clock.
func TestAClockThatIsAheadForgetsNothing(t *testing.T) {
	t.Parallel()
	store := open(t, postgres.New(t, migrate))
	s := newSetting(t, store, now)
	owner, hook := s.add("dona", crm.Owner), s.hook(webhook.Signature{})
	entry := must(s.ask(owner, lookups.Request{Document: cpfs[0]})).Entry
	rule := s.rule(automations.NewAutomation{Action: automation.AddNote, Text: "oi"})
	s.arrive(hook, "bia")
	ran := func() []automation.Job {
		return must(s.automations.Runs(t.Context(), owner, s.orgID, automation.JobFilter{AutomationID: rule.ID}, "", 9))
	}
	worker := s.worker()
	lookuptest.Eventually(t, "the automation ran", func() bool {
		s.work(worker, 50*time.Millisecond)
		all := ran()
		return len(all) == 1 && all[0].State == automation.Done
	})
	keep := privacyapp.Keeping{Answers: 30 * day, Deliveries: 30 * day, Contacts: 30 * day}
	later := func() time.Time { return now().Add(31 * day) }
	ahead := privacyapp.NewRetention(store, keep, later)
	worker.Clock = later
	done(automations.NewJobs(worker).Forget(t.Context()))
	equal(t, "runs", len(ran()), 1)
	done(ahead.ForgetAnswers(t.Context()))
	done(ahead.ForgetDeliveries(t.Context()))
	done(ahead.ForgetContacts(t.Context()))
	equal(t, "answers", len(must(store.Repos().History.Records(t.Context(), entry.OrgID, []string{entry.RecordID}))), 1)
	equal(t, "posts", len(s.deliveries(hook)), 1)
	equal(t, "contacts", len(must(s.contacts.List(t.Context(), owner, s.orgID, 9))), 1)
}

// TestClocksThatDifferTellOfChanges: who watches on one instance is told of what another one writes.
func TestClocksThatDifferTellOfChanges(t *testing.T) {
	t.Parallel()
	apart(t, func(t *testing.T, s, other *setting) {
		changes := contacts.NewChanges(other.store, other.now, other.log.logger())
		watching := must(changes.Watch(s.add("ana", crm.Common), ""))
		s.arrive(s.hook(webhook.Signature{}), "bia")
		lookuptest.Eventually(t, "told", func() bool { return len(watching.Changed()) == 1 })
		watching.Stop()
	})
}

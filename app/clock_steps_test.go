package app_test

import (
	"cmp"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"fichario/adapters/gormstore"
	"fichario/app"
	"fichario/app/batches"
	"fichario/app/lookups"
	"fichario/domain/access"
	"fichario/domain/catalog"
	"fichario/domain/webhook"
	"fichario/tests/testkit/lookuptest"
)

// TestAClockThatSteps back an hour and forward a day: each charge is in one day and one month, no day exceeds its cap,
// history answers for as long as it should, and a repeated post is recognised for a day.
func TestAClockThatSteps(t *testing.T) {
	t.Parallel()
	atOnce(t, func(t *testing.T, real *setting) {
		var step atomic.Int64
		start := now()
		clock := func() time.Time { return start.Add(time.Duration(step.Load())) }
		s := newSetting(t, real.store, clock)
		const perDay, back, forward = 4, -time.Hour, 24 * time.Hour
		by := s.byKey(access.Limits{PerMinute: 99, PerDay: perDay, PerMonth: 99})
		charged, asked := map[string]int{}, 0
		for _, at := range []time.Duration{0, 0, back, back, forward, forward, forward + back, forward, forward, 0, back} {
			step.Store(int64(at))
			day := calendar.Day(clock())
			_, err := s.ask(by, lookups.Request{Document: lookuptest.CPF(asked)})
			asked++
			if charged[day] < perDay {
				charged[day]++
				equal(t, fmt.Sprint("a lookup at ", at), said(err), "")
				continue
			}
			equal(t, fmt.Sprint("a lookup beyond the cap at ", at), said(err), "limite_diario")
			if wait := app.FaultOf(err).RetryAfter; wait <= 0 || wait > 25*time.Hour {
				t.Errorf("at %s it is to wait %s", at, wait)
			}
		}
		s.addsUp(by, charged)
		free := func(at time.Duration) bool {
			step.Store(int64(at))
			r, err := s.ask(s.byKey(wide), lookups.Request{Document: lookuptest.CPF(0)})
			done(err)
			return r.Entry.Cache
		}
		for _, at := range []time.Duration{back, forward, 0, fresh - time.Second} {
			equal(t, fmt.Sprint("history answers at ", at), free(at), true)
		}
		equal(t, "history answers beyond its time", free(fresh+time.Second), false)

		step.Store(0)
		hook, first := s.hook(webhook.Signature{}), ""
		for _, at := range []time.Duration{0, back, forward - time.Second, 0} {
			step.Store(int64(at))
			accepted := must(s.intake.Receive(t.Context(), hook, post(`{"email":"bia@x.example"}`, "idempotency-key", "a")))
			first = cmp.Or(first, accepted.ContactID)
			equal(t, fmt.Sprint("a repeated post at ", at), accepted.ContactID, first)
		}
		store, _ := s.store.(*gormstore.Store)
		for _, f := range must(store.Check(t.Context(), now())) {
			equal(t, f.Name, f.Violations, 0)
		}
	})
}

// TestABatchGoesOnAfterAClockThatStepsBack although the calls of its bureau are limited in time.
func TestABatchGoesOnAfterAClockThatStepsBack(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, real *setting) {
		var step atomic.Int64
		s := newSetting(t, real.store, func() time.Time { return now().Add(time.Duration(step.Load())) })
		s.batches.Bureau, s.batches.PerSecond = "b", 2
		n := quote(someCPFs(9700, 20)...)
		n.Ceiling, n.Confirm = at(catalog.Money(20*price)), true
		step.Store(int64(time.Hour))
		defer running(s)()
		q := must(s.batches.Quote(t.Context(), s.byKey(wide), n))
		s.until(q.ID, func(v batches.View) bool { return v.Charged > 4 })
		step.Store(0)
		begun := now()
		s.until(q.ID, ended)
		if took := now().Sub(begun); took < 5*time.Second || took > 15*time.Second {
			t.Errorf("the rest of it took %s, at two a second", took)
		}
	})
}

// addsUp compares a key's charges by month and in total with those by day.
func (s *setting) addsUp(by app.Caller, charged map[string]int) {
	s.t.Helper()
	total, months := 0, map[string]int{}
	spent := func(day, month string) (inDay, inMonth, ever int) {
		d, m, e, err := s.store.Repos().Usage.Spent(s.t.Context(), s.orgID, by.Key().ID, day, month)
		done(err)
		return d.Count, m.Count, e.Count
	}
	for day, n := range charged {
		inDay, _, _ := spent(day, day[:7])
		equal(s.t, "charged on a day", inDay, n)
		months[day[:7]] += n
		total += n
	}
	for month, n := range months {
		_, inMonth, ever := spent("", month)
		equal(s.t, "charged in a month, and ever", line(inMonth, ever), line(n, total))
	}
}

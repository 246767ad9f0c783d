package lookups

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"fichario/domain/access"
	"fichario/domain/catalog"
	"fichario/domain/lookup"
	"fichario/ports"
	"fichario/ports/portstest/batches"
	"fichario/ports/portstest/kit"
)

// changedCeilings apply to calls that were handed out with another one.
func changedCeilings(t *testing.T, s ports.Store) {
	ctx := t.Context()
	b, _ := batches.Quoted(t, s, kit.ID())
	key := b.KeyID
	for _, c := range []struct {
		ceiling, known catalog.Money
		want           int
	}{{2 * 4500, 10 * 4500, 2}, {0, 10 * 4500, 0}, {5*4500 - 1, 4500, 2}} {
		b.Ceiling, b.HasCeiling = c.ceiling, true
		kit.Must(t, s.InTx(ctx, func(ctx context.Context, r ports.Repos) error { return r.Batches.Update(ctx, b) }))
		begun := 0
		for range 5 {
			e := kit.Running(t, key)
			e.OrgID, e.BatchID = b.OrgID, b.ID
			batches.HandedOut(t, s, e)
			_, err := s.Repos().Calls.Begin(ctx, ports.Charge{
				Entry: e, Takes: time.Minute, Caps: access.Limits{PerDay: 1000, PerMonth: 1000}, Ceiling: c.known,
			})
			if err == nil {
				begun++
			} else {
				kit.WantErr(t, "at the ceiling", err, ports.ErrCeiling)
			}
		}
		kit.Same(t, fmt.Sprint("calls within ", c.ceiling), begun, c.want)
	}
}

// ceilings are exact under any concurrency, and a charge that is taken back may be spent again.
func ceilings(t *testing.T, s ports.Store) {
	ctx, org, key := t.Context(), kit.ID(), kit.ID()
	caps := access.Limits{PerDay: 1000, PerMonth: 1000}
	asks := map[string]func(*lookup.Entry, string){
		"a batch's":       func(e *lookup.Entry, asker string) { e.BatchID = asker },
		"a member's":      func(e *lookup.Entry, asker string) { e.MemberID, e.KeyID = asker, "" },
		"an automation's": func(e *lookup.Entry, asker string) { e.AutomationID, e.KeyID, e.MemberID = asker, "", kit.ID() },
	}
	for what, ask := range asks {
		asker, ceiling, full := kit.ID(), catalog.Money(10*4500+4499), ports.ErrCeiling
		if what == "a member's" {
			full = ports.ErrBudget
		}
		begin := func() (lookup.Entry, error) {
			e := kit.Running(t, key)
			e.OrgID = org
			ask(&e, asker)
			_, err := s.Repos().Calls.Begin(ctx, ports.Charge{Entry: e, Takes: time.Minute, Caps: caps, Ceiling: ceiling,
				Budget: budgetOf(e, ceiling)})
			return e, err
		}
		var wg sync.WaitGroup
		var mu sync.Mutex
		var begun []lookup.Entry
		for range 25 {
			wg.Go(func() {
				e, err := begin()
				mu.Lock()
				defer mu.Unlock()
				if err == nil {
					begun = append(begun, e)
				} else if !errors.Is(err, full) {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		kit.Same(t, what+" calls", len(begun), 10)
		spent := func() lookup.Spent {
			bucket := lookup.BatchBucket
			if begun[0].BatchID == "" {
				bucket = begun[0].Month
			}
			all, err := s.Repos().Usage.SpentByKeys(ctx, org, []string{asker}, bucket)
			kit.Must(t, err)
			return all[bucket][asker]
		}
		kit.Same(t, what+" account", spent(), lookup.Spent{Count: 10, Amount: 45000})
		_, err := s.Repos().Calls.End(ctx, kit.NotSent(begun[0]))
		kit.Must(t, err)
		kit.Same(t, what+" account after one that was not sent", spent(), lookup.Spent{Count: 9, Amount: 40500})
		_, err = begin()
		kit.Must(t, err)
		_, err = begin()
		kit.WantErr(t, what+" account that is full again", err, full)
		found, err := s.Repos().Statement.Find(ctx, ports.AnyOrg, begun[1].ID)
		kit.Must(t, err)
		kit.Same(t, what+" entry", [2]string{found.BatchID, found.AutomationID},
			[2]string{begun[1].BatchID, begun[1].AutomationID})
		ceiling = 0
		_, err = begin()
		kit.WantErr(t, what+" ceiling of nothing", err, full)
	}
}

// budgetOf returns a ceiling as the budget of an entry's member, unless its batch or automation has it.
func budgetOf(e lookup.Entry, ceiling catalog.Money) *catalog.Money {
	if e.BatchID != "" || e.AutomationID != "" {
		return nil
	}
	return &ceiling
}

// agentSessions have accounts of their own, exact under any concurrency.
func agentSessions(t *testing.T, s ports.Store) {
	ctx, org, session, usage := t.Context(), kit.ID(), kit.ID(), s.Repos().Usage
	var wg sync.WaitGroup
	var mu sync.Mutex
	reserved := 0
	for range 25 {
		wg.Go(func() {
			err := usage.Reserve(ctx, org, session, 4500, 10*4500+4499)
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				reserved++
			} else if !errors.Is(err, ports.ErrCeiling) {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	kit.Same(t, "reservations of a session", reserved, 10)
	kit.Must(t, usage.Correct(ctx, org, session, lookup.Spent{Count: -1, Amount: -4500}))
	spent := func() lookup.Spent {
		all, err := usage.SpentByKeys(ctx, org, []string{session}, lookup.AgentBucket)
		kit.Must(t, err)
		return all[lookup.AgentBucket][session]
	}
	kit.Same(t, "its account", spent(), lookup.Spent{Count: 9, Amount: 9 * 4500})
	kit.Must(t, usage.Reserve(ctx, org, session, 4500+4499, 10*4500+4499))
	kit.WantErr(t, "a ceiling that is reached", usage.Reserve(ctx, org, session, 1, 10*4500+4499), ports.ErrCeiling)
	kit.WantErr(t, "a ceiling below a price", usage.Reserve(ctx, org, kit.ID(), 2, 1), ports.ErrCeiling)
	kit.Must(t, usage.Correct(ctx, org, kit.ID(), lookup.Spent{Count: -1, Amount: -4500}))

	over := func() bool {
		all, err := usage.SpentByKeys(ctx, org, []string{session}, lookup.EndedBucket)
		kit.Must(t, err)
		_, is := all[lookup.EndedBucket][session]
		return is
	}
	kit.Same(t, "ended before it was", over(), false)
	kit.Must(t, usage.EndSession(ctx, org, session))
	kit.Must(t, usage.EndSession(ctx, org, session))
	kit.Same(t, "ended", over(), true)
	kit.Same(t, "its account then", spent().Count, 10)

	day := 24 * time.Hour
	forgotten, old := kit.IDOf(time.Now().Add(-20*day)), kit.IDOf(time.Now().Add(-25*day))
	_, err := usage.ForgetSessions(ctx, time.Now().Add(-30*day)) // and then the service is off for weeks
	kit.Must(t, err)
	kit.Must(t, usage.EndSession(ctx, org, forgotten))
	kit.Must(t, usage.EndSession(ctx, org, old))
	_, err = usage.ForgetSessions(ctx, time.Now().Add(-time.Hour))
	kit.Must(t, err)
	left, err := usage.SpentByKeys(ctx, org, []string{forgotten, old}, lookup.EndedBucket)
	kit.Must(t, err)
	kit.Same(t, "what ended while the service was off", len(left[lookup.EndedBucket]), 0)
	kit.Same(t, "a session of today", spent().Count, 10)
	kit.Same(t, "that it ended", over(), true)
	_, err = usage.ForgetSessions(ctx, time.Now().Add(time.Hour))
	kit.Must(t, err)
	kit.Same(t, "one of before", spent().Count, 0)
	kit.Same(t, "that one ended", over(), false)
}

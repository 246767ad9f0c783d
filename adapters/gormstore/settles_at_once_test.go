package gormstore_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"fichario/domain/access"
	"fichario/domain/lookup"
	"fichario/ports"
	"fichario/ports/portstest/kit"
	"fichario/tests/testkit/postgres"
)

// TestCallsAndSettlesAtOnce: what begins, ends and settles calls of several organisations on two instances, and changes
// a limit meanwhile, does not deadlock, also where comparisons of bureaus share an account; and the counts are right.
func TestCallsAndSettlesAtOnce(t *testing.T) {
	t.Parallel()
	url := postgres.New(t, migrate)
	first := open(t, url)
	stores := []ports.Store{first, open(t, url)}
	var orgs, keys []string
	for range 4 {
		orgs, keys = append(orgs, kit.Org(t, first).ID), append(keys, kit.ID())
	}
	var calls, settles sync.WaitGroup
	var over atomic.Bool
	for i := range 16 {
		calls.Go(func() {
			for n := range 25 {
				beginsAndEnds(t, stores[i%2], orgs[(i+n)%4], keys[(i+n)%4], i+n)
			}
		})
	}
	for _, s := range stores {
		settles.Go(func() {
			for !over.Load() {
				_, err := s.Repos().LookupEnds.Settle(t.Context(), time.Now())
				if err == nil {
					err = s.InTx(t.Context(), func(ctx context.Context, r ports.Repos) error {
						return errors.Join(r.Orgs.HoldCharges(ctx, orgs[0]), r.Usage.LimitChanged(ctx, orgs[0], keys[0]))
					})
				}
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	calls.Wait()
	over.Store(true)
	settles.Wait()
	findings, err := first.Check(t.Context(), time.Now())
	kit.Must(t, err)
	for _, f := range findings {
		if f.Violations > 0 && strings.Contains(f.Name, "charge") {
			t.Errorf("%s: %d", f.Name, f.Violations)
		}
	}
}

// beginsAndEnds makes the nth call of an organisation; some are left for others to settle.
func beginsAndEnds(t *testing.T, s ports.Store, org, key string, n int) {
	e := kit.Running(t, key)
	e.OrgID, e.At, e.Compared = org, time.Now(), n%2 == 0
	e.Product, e.Bureau = []string{"cpf", "cnpj", "obito"}[n%3], []string{"a", "b"}[n/2%2]
	begun, err := s.Repos().Calls.Begin(t.Context(), ports.Charge{
		Entry: e, Takes: time.Duration(1+n%5*50) * time.Millisecond, Shared: n%4 != 0, After: time.Now().Add(time.Hour),
		Caps: access.Limits{PerDay: 1000, PerMonth: 1000}, Ceiling: 1 << 40,
	})
	if err == nil && begun == (ports.Begun{}) && n%3 != 0 {
		ends := ports.Outcome{Entry: e, Price: e.Amount}
		ends.Entry.Status = lookup.Failed
		_, err = s.Repos().Calls.End(t.Context(), ends)
	}
	if err != nil {
		t.Error(err)
	}
}

package lookups

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"

	"fichario/domain/access"
	"fichario/domain/catalog"
	"fichario/domain/lookup"
	"fichario/ports"
	"fichario/ports/portstest/kit"
)

func usage(t *testing.T, s ports.Store) {
	ctx, key := t.Context(), kit.ID()
	caps := access.Limits{PerDay: 2, PerMonth: 3}
	charge := func(key, day, month string, amount catalog.Money, caps access.Limits) error {
		_, err := kit.Charged(t, s, key, day, month, amount, caps)
		return err
	}
	first, err := kit.Charged(t, s, key, "2026-11-20", "2026-11", 4500, caps)
	kit.Must(t, err)
	kit.Must(t, charge(key, "2026-11-20", "2026-11", 1, caps))
	kit.WantErr(t, "third of a day of two", charge(key, "2026-11-20", "2026-11", 1, caps), ports.ErrDayCap)
	kit.Must(t, charge(key, "2026-11-21", "2026-11", 20750, caps))
	kit.WantErr(t, "fourth of a month of three", charge(key, "2026-11-21", "2026-11", 1, caps), ports.ErrMonthCap)
	kit.WantErr(t, "the month comes first", charge(key, "2026-11-20", "2026-11", 1, caps), ports.ErrMonthCap)
	kit.Must(t, charge(key, "2026-12-01", "2026-12", 1, caps))
	kit.WantErr(t, "no charges at all",
		charge(kit.ID(), "2026-11-20", "2026-11", 1, access.Limits{PerDay: 0, PerMonth: 1}), ports.ErrDayCap)
	kit.WantErr(t, "no charges in the month", charge(kit.ID(), "2026-11-20", "2026-11", 1, access.Limits{PerDay: 1}),
		ports.ErrMonthCap)

	spent := func(day, month string) [3]lookup.Spent {
		today, inMonth, all, err := s.Repos().Usage.Spent(ctx, kit.OrgOf(key), key, day, month)
		kit.Must(t, err)
		return [3]lookup.Spent{today, inMonth, all}
	}
	kit.Same(t, "spent", spent("2026-11-20", "2026-11"), [3]lookup.Spent{
		{Count: 2, Amount: 4501}, {Count: 3, Amount: 25251}, {Count: 4, Amount: 25252},
	})
	_, err = s.Repos().Calls.End(ctx, kit.NotSent(first))
	kit.Must(t, err)
	kit.Same(t, "spent when one was not sent", spent("2026-11-20", "2026-11"), [3]lookup.Spent{
		{Count: 1, Amount: 1}, {Count: 2, Amount: 20751}, {Count: 3, Amount: 20752},
	})
	kit.Must(t, charge(key, "2026-11-20", "2026-11", 1, caps))
	kit.Same(t, "spent on a quiet day", spent("2026-11-25", "2027-01")[0], lookup.Spent{})

	byKey, err := s.Repos().Usage.SpentByKeys(ctx, kit.OrgOf(key), []string{key, kit.ID()}, "2026-12", "2027-01")
	kit.Must(t, err)
	kit.Same(t, "spent by keys", byKey, map[string]map[string]lookup.Spent{
		"2026-12": {key: {Count: 1, Amount: 1}}, "2027-01": {},
	})
}

func capsUnderConcurrency(t *testing.T, s ports.Store) {
	ctx, key := t.Context(), kit.ID()
	const attempts, limit = 60, 7
	var ok, refused atomic.Int32
	var wg sync.WaitGroup
	for range attempts {
		wg.Go(func() {
			switch _, err := kit.Charged(t, s, key, "2026-11-20", "2026-11", 4500,
				access.Limits{PerDay: limit, PerMonth: 1000}); {
			case err == nil:
				ok.Add(1)
			case errors.Is(err, ports.ErrDayCap):
				refused.Add(1)
			default:
				t.Error(err)
			}
		})
	}
	wg.Wait()
	kit.Same(t, "charged and refused", [2]int32{ok.Load(), refused.Load()}, [2]int32{limit, attempts - limit})
	today, inMonth, all, err := s.Repos().Usage.Spent(ctx, kit.OrgOf(key), key, "2026-11-20", "2026-11")
	kit.Must(t, err)
	want := lookup.Spent{Count: limit, Amount: limit * 4500}
	kit.Same(t, "spent", [3]lookup.Spent{today, inMonth, all}, [3]lookup.Spent{want, want, want})
}

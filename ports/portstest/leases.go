package portstest

import (
	"sync"
	"testing"
	"time"

	"fichario/domain/document"
	"fichario/domain/lookup"
	"fichario/ports"
)

func leases(t *testing.T, s ports.Store) {
	ctx := t.Context()
	first := lookup.Lease{
		OrgID: id(), Product: "cpf", Document: doc(t, document.CPF, "52998224725"), CallID: id(),
		ExpiresAt: at.Add(15 * time.Second),
	}
	second := first
	second.CallID, second.ExpiresAt = id(), at.Add(time.Hour)
	other := second
	other.Product = "obito"
	for _, step := range []struct {
		what  string
		lease lookup.Lease
		now   time.Time
		want  string
	}{
		{"free", first, at, ""},
		{"held", second, at.Add(14 * time.Second), first.CallID},
		{"another product", other, at, ""},
		{"expired", second, at.Add(15 * time.Second), ""},
		{"held by the second", first, at.Add(15 * time.Second), second.CallID},
	} {
		holder, err := acquire(ctx, s, step.lease, step.now)
		must(t, err)
		same(t, step.what, holder, step.want)
	}
	must(t, s.Repos().Leases.Free(ctx, first.CallID)) // no longer holds it
	holder, err := acquire(ctx, s, first, at)
	must(t, err)
	same(t, "a past holder frees nothing", holder, second.CallID)
	must(t, s.Repos().Leases.Free(ctx, second.CallID))
	holder, err = acquire(ctx, s, first, at)
	must(t, err)
	same(t, "freed", holder, "")
}

func leasesUnderConcurrency(t *testing.T, s ports.Store) {
	ctx := t.Context()
	const n = 24
	l := lookup.Lease{
		OrgID: id(), Product: "cpf", Document: doc(t, document.CPF, "52998224725"), ExpiresAt: at.Add(time.Minute),
	}
	holders := make([]string, n)
	calls := make([]string, n)
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			mine := l
			mine.CallID = id()
			calls[i] = mine.CallID
			var err error
			if holders[i], err = acquire(ctx, s, mine, at); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	winner := ""
	for i, h := range holders {
		if h == "" {
			if winner != "" {
				t.Fatal("two hold one lease")
			}
			winner = calls[i]
		}
	}
	for _, h := range holders {
		if h != "" && h != winner {
			t.Errorf("a loser was told of %s, not of the winner %s", h, winner)
		}
	}
}

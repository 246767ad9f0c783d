package portstest

import (
	"context"
	"testing"
	"time"

	"fichario/ports"
	"fichario/ports/portstest/kit"
)

// sharedClock is the same for every instance: the database's or, on a single machine, its own.
func sharedClock(t *testing.T, s ports.Store) {
	ctx := t.Context()
	now := func(r ports.Repos, local time.Time) time.Time {
		t.Helper()
		now, err := r.Clock.Now(ctx, local)
		kit.Must(t, err)
		return now
	}
	first, second := now(s.Repos(), kit.At), now(s.Repos(), kit.At.Add(time.Hour))
	if first.Equal(kit.At) {
		kit.Same(t, "the machine's own", second, kit.At.Add(time.Hour))
		return
	}
	if second.Before(first) || second.Sub(first) > time.Minute {
		t.Errorf("the clock of an instance moves the database's: %s, then %s", first, second)
	}
	kit.Must(t, s.InTx(ctx, func(_ context.Context, r ports.Repos) error {
		first := now(r, kit.At)
		time.Sleep(time.Millisecond)
		if second := now(r, kit.At); !second.After(first) {
			t.Error("it stands still in a transaction")
		}
		return nil
	}))
}

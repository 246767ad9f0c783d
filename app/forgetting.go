package app

import (
	"context"
	"time"

	"fichario/ports"
)

// Forget removes old data, a limited number per call, until nothing is left. It works a tenth of the time: in
// measurements, posts then take no longer than without it.
func Forget(ctx context.Context, next func(context.Context) (int, error)) error {
	return BitByBit(ctx, 9, next)
}

// ForgetOld is Forget of what is older than kept, by the database's clock: what an instance removes whose own clock is
// ahead is gone.
func ForgetOld(
	ctx context.Context, store ports.Store, clock Clock, kept time.Duration,
	next func(ctx context.Context, r ports.Repos, before time.Time) (int, error),
) error {
	return Forget(ctx, func(ctx context.Context) (int, error) {
		r := store.Repos()
		now, err := r.Clock.Now(ctx, clock())
		if err != nil {
			return 0, err
		}
		return next(ctx, r, now.Add(-kept))
	})
}

// BitByBit calls next until nothing is left, and rests after each call for rest times as long as it took.
func BitByBit(ctx context.Context, rest time.Duration, next func(context.Context) (int, error)) error {
	for {
		begun := ports.Now()
		if n, err := next(ctx); err != nil || n == 0 {
			return err
		}
		select {
		case <-ports.After(rest * ports.Since(begun)):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// OverlapMax is how long what was replaced, a secret or an address, may work beside the new one.
const OverlapMax = 30 * 24 * time.Hour

// EndAfter returns the end of an overlap that begins now; for none, a time that has passed by every instance's clock.
func EndAfter(now time.Time, while time.Duration) time.Time {
	if while == 0 {
		return time.Unix(0, 0)
	}
	return now.Add(while)
}

// OverFor is how long after its expiry the content of a quote is removed: clocks of instances differ.
const OverFor = time.Hour

package app

import (
	"context"
	"fichario/ports"
	"time"
)

// forget removes old data, a limited number per call, until nothing is left. It works a tenth of the time: in
// measurements, posts then take no longer than without it.
func forget(ctx context.Context, next func(context.Context) (int, error)) error {
	return bitByBit(ctx, 9, next)
}

// bitByBit calls next until nothing is left, and rests after each call for rest times as long as it took.
func bitByBit(ctx context.Context, rest time.Duration, next func(context.Context) (int, error)) error {
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

// endAfter returns the end of an overlap that begins now; for none, a time that has passed by every instance's clock.
func endAfter(now time.Time, while time.Duration) time.Time {
	if while == 0 {
		return time.Unix(0, 0)
	}
	return now.Add(while)
}

// overFor is how long after its expiry the content of a quote is removed: clocks of instances differ.
const overFor = time.Hour

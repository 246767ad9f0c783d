package app

import (
	"context"
	"errors"
	"testing"
)

// TestWhatIsReadAheadEndsWithTheErrorThatEndedIt: a truncated file must not look complete.
func TestWhatIsReadAheadEndsWithTheErrorThatEndedIt(t *testing.T) {
	t.Parallel()
	for range 100 {
		ctx, cancel := context.WithCancel(t.Context())
		rows, err := 0, error(nil)
		for _, err = range ReadAhead(ctx, 2, func(ctx context.Context, last *int) ([]int, error) {
			if last == nil {
				return []int{1, 2}, nil
			}
			cancel()
			return nil, ctx.Err()
		}) {
			if err == nil {
				rows++
			}
		}
		if cancel(); rows != 2 || !errors.Is(err, context.Canceled) {
			t.Fatalf("%d rows and then %v", rows, err)
		}
	}
}

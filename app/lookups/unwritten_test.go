package lookups

import (
	"context"
	"errors"
	"log/slog"
	"testing"

	"fichario/domain/lookup"
	"fichario/ports"
)

// TestWhatIsKeptOfACall that ends twice is its answer, whichever came first, and it is counted once.
func TestWhatIsKeptOfACall(t *testing.T) {
	t.Parallel()
	none := ports.Outcome{Entry: lookup.Entry{ID: "a", Status: lookup.NoAnswer, Charged: true}}
	answered := ports.Outcome{
		Entry:  lookup.Entry{ID: "a", Status: lookup.Done, Charged: true},
		Record: &lookup.Record{Raw: make([]byte, 9<<10)},
	}
	for what, all := range map[string][]ports.Outcome{
		"the answer first": {answered, none}, "the answer last": {none, answered}, "the answer twice": {answered, answered},
	} {
		away, refused := errors.New("the database is away"), true
		u := newUnwritten(slog.New(slog.DiscardHandler), func(context.Context, ports.Outcome) error {
			if refused {
				return away
			}
			return nil
		})
		u.stopped = true // nobody writes but this test
		for _, o := range all {
			u.keep(o, away)
		}
		kept, _ := u.of("a")
		if kept.Record == nil || u.bytes != sizeOf(answered) {
			t.Errorf("%s: kept %+v, %d bytes of %d", what, kept, u.bytes, sizeOf(answered))
		}
		refused = false
		if err := u.flush(t.Context(), none); err != nil || u.bytes != 0 {
			t.Errorf("%s: %v, %d bytes are left", what, err, u.bytes)
		}
	}
}

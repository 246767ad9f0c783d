package app

import (
	"context"
	"log/slog"
	"time"

	"fichario/ports"
)

// Wake tells a loop that there may be work.
type Wake chan struct{}

// NewWake is a wake that nobody has called.
func NewWake() Wake { return make(Wake, 1) }

// Call signals that there may be work. It never blocks.
func (w Wake) Call() {
	select {
	case w <- struct{}{}:
	default:
	}
}

// Loop calls step, which says whether there may be more, until nothing is left; then it waits for a call, after which
// it gathers for a while, or for the next poll. A failure is logged under the name of the work, and waits likewise.
// Loop returns when ctx ends.
func (w Wake) Loop(
	ctx context.Context, log *slog.Logger, work string, gather time.Duration, step func() (more bool, err error),
) {
	ticker := ports.NewTicker(PollEvery)
	defer ticker.Stop()
	for ctx.Err() == nil {
		more, err := step()
		if err != nil && ctx.Err() == nil {
			log.WarnContext(ctx, "background work failed; it will be tried again", "work", work, "error", err)
		}
		if more && err == nil {
			continue
		}
		woken := len(w) > 0 // what is due at the same time does not keep it from gathering
		select {
		case <-ticker.C:
		case <-w:
			woken = true
		case <-ctx.Done():
		}
		if woken && gather > 0 {
			select {
			case <-ports.After(gather):
			case <-ctx.Done():
			}
		}
	}
}

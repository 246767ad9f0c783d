package app

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"fichario/ports"
)

// Chore is background work that is repeated.
type Chore struct {
	// Name says in the log what it does.
	Name  string
	Every time.Duration
	Do    func(context.Context) error
	// AtEnd is whether it is done once more when the service stops.
	AtEnd bool
}

// choreRetry is when failed work is tried again, unless it is due sooner: hourly work is not put off by an hour, and
// the log shows that it keeps failing.
const choreRetry = time.Minute

// ErrTold is for a failure that is in the log already, and would be there again at each attempt.
var ErrTold = errors.New("the log says why")

// RunChores does chores at start and again at their intervals, until ctx ends.
func RunChores(ctx context.Context, log *slog.Logger, chores ...Chore) {
	var running sync.WaitGroup
	for _, c := range chores {
		running.Go(func() {
			ticker := ports.NewTicker(c.Every)
			defer ticker.Stop()
			for every := c.Every; ; {
				next := c.Every
				if err := c.Do(ctx); err != nil && ctx.Err() == nil {
					if !errors.Is(err, ErrTold) {
						log.WarnContext(ctx, "background work failed; it will be tried again", "work", c.Name, "error", err)
					}
					next = min(next, choreRetry)
				}
				if next != every {
					every = next
					ticker.Reset(every)
				}
				select {
				case <-ticker.C:
					continue
				case <-ctx.Done():
				}
				if c.AtEnd {
					_ = c.Do(context.WithoutCancel(ctx)) // nobody is left to be told
				}
				return
			}
		})
	}
	running.Wait()
}

// PollEvery is how soon work is found in the database that nobody in this process announced: due retries, and what
// other instances wrote.
const PollEvery = time.Second

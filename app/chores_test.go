package app_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"fichario/app"
)

// TestChores are done at start and at their intervals; a failed one is logged and soon retried, and those with AtEnd
// are done once more at the end.
func TestChores(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var log logbook
		var done seen[string]
		chore := func(name string, every time.Duration, atEnd bool, err error) app.Chore {
			return app.Chore{Name: name, Every: every, AtEnd: atEnd, Do: func(ctx context.Context) error {
				done.add(name)
				return errors.Join(err, ctx.Err())
			}}
		}
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			app.RunChores(ctx, log.logger(),
				chore("rare", time.Hour, false, nil), chore("often", time.Minute, true, nil),
				chore("fails", 20*time.Minute, false, errors.New("as told")))
		}()
		check := func(what string, want ...any) {
			t.Helper()
			synctest.Wait()
			times := map[string]int{}
			for _, name := range done.list() {
				times[name]++
			}
			equal(t, what, line(times["rare"], times["often"], times["fails"]), line(want...))
		}
		check("at start", 1, 1, 1)
		time.Sleep(30 * time.Minute)
		check("after half an hour", 1, 31, 31)
		stop()
		<-ended
		check("at the end", 1, 32, 31)
		equal(t, "failures in the log", strings.Count(log.String(), "as told"), 31)
	})
}

// TestAChoreThatFailsIsTriedAgainSoon, and then again at its interval.
func TestAChoreThatFailsIsTriedAgainSoon(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var log logbook
		began, failures := time.Now(), 2
		var at []time.Duration
		ctx, stop := context.WithTimeout(t.Context(), 4*time.Hour)
		defer stop()
		app.RunChores(ctx, log.logger(), app.Chore{Name: "hourly", Every: time.Hour, Do: func(context.Context) error {
			at = append(at, time.Since(began))
			if failures--; failures >= 0 {
				return errors.New("away")
			}
			return nil
		}})
		equal(t, "done at", line(at), line([]time.Duration{
			0, time.Minute, 2 * time.Minute, 62 * time.Minute, 122 * time.Minute, 182 * time.Minute,
		}))
	})
}

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

// TestChores are done at start and again after their time; one that fails is logged and done again, and those that are
// for the end are done once more then.
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
		check("after half an hour", 1, 31, 2)
		stop()
		<-ended
		check("at the end", 1, 32, 2)
		equal(t, "failures in the log", strings.Count(log.String(), "as told"), 2)
	})
}

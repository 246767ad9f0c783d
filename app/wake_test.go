package app_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"fichario/app"
)

// TestALoopOfWork: it goes on at once while there is more, waits for the next poll or a call after a failure or when
// nothing is left, gathers after a call, and ends with its context.
func TestALoopOfWork(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		var log bytes.Buffer
		var at []time.Duration
		w, begun := app.NewWake(), time.Now()
		go w.Loop(ctx, slog.New(slog.NewTextHandler(&log, nil)), "a test", 50*time.Millisecond, func() (bool, error) {
			at = append(at, time.Since(begun))
			switch len(at) {
			case 1:
				return true, nil
			case 2:
				return true, errors.New("away")
			}
			return false, nil
		})
		time.Sleep(1500 * time.Millisecond)
		w.Call()
		synctest.Wait()
		time.Sleep(100 * time.Millisecond)
		cancel()
		synctest.Wait()
		equal(t, "steps", line(at), line([]time.Duration{0, 0, time.Second, 1550 * time.Millisecond}))
		equal(t, "failures in the log", strings.Count(log.String(), "away"), 1)
	})
}

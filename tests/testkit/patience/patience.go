// Package patience has the one limit of time in the tests: how long a test waits for a condition before it fails. It is
// a net for what would otherwise hang, not a promise about speed, so it is minutes, and longer on a slow machine.
package patience

import (
	"context"
	"math"
	"os"
	"runtime"
	"strconv"
	"sync"
	"testing"
	"time"
)

const (
	// Env names the variable with how many times slower than an ordinary machine this one is; `make test` measures once
	// and sets it.
	Env = "FICHARIO_TEST_SLOWNESS"

	ordinary = 3 * time.Minute // the limit on an ordinary machine
	most     = 20              // times that
	work     = 40_000_000      // what a measure counts to, which takes an ordinary machine so long:
	takes    = 60 * time.Millisecond
)

// Limit is how long a test may wait for one condition.
func Limit() time.Duration { return Scaled(ordinary) }

// Scaled is a time that suffices on an ordinary machine, made longer for this one.
func Scaled(d time.Duration) time.Duration {
	return time.Duration(slowness() * float64(d)).Round(time.Millisecond)
}

// slowness is what Env says, or is measured once.
var slowness = sync.OnceValue(func() float64 {
	slowness, err := strconv.ParseFloat(os.Getenv(Env), 64)
	if err != nil || slowness < 1 {
		slowness = Measure()
	}
	return min(slowness, most)
})

// Measure counts to a fixed number and returns how many times longer than on an ordinary machine that took, at least 1.
// Other programs that compete for the processors count as slowness.
func Measure() float64 {
	began, n := time.Now(), uint64(1)
	for range work {
		n = n*6364136223846793005 + 1442695040888963407
	}
	took := time.Since(began)
	runtime.KeepAlive(n)
	return max(1, math.Round(10*float64(took)/float64(takes))/10)
}

// Context ends at the limit, for what takes a context.
func Context() (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.Background(), Limit())
}

// Until waits until f holds. The test fails if that takes longer than the limit.
func Until(tb testing.TB, what string, f func() bool) {
	tb.Helper()
	Every(tb, 20*time.Millisecond, what, f)
}

// Every is Until for a condition that is expensive to look at: it looks once per pause.
func Every(tb testing.TB, pause time.Duration, what string, f func() bool) {
	tb.Helper()
	for deadline := time.Now().Add(Limit()); !f(); time.Sleep(pause) {
		if time.Now().After(deadline) {
			tb.Fatalf("waited for %s in vain: %s", Limit(), what)
		}
	}
}

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
	"syscall"
	"testing"
	"time"
)

const (
	// Env names the variable with how many times slower than an ordinary machine this one is; `make test` measures once
	// and sets it.
	Env = "FICHARIO_TEST_SLOWNESS"

	ordinary = 3 * time.Minute // the limit on an ordinary machine
	most     = 20              // times that
	abreast  = 4               // tests side by side on an ordinary machine, which has two processors

	// What a measure does, and how long an ordinary machine takes.
	numbers, counting = 40_000_000, 60 * time.Millisecond // it counts
	pages, touching   = 16_384, 80 * time.Millisecond     // and asks the kernel for memory, which new processes do a lot
)

// Limit is how long a test may wait for one condition.
func Limit() time.Duration { return Scaled(ordinary) }

// Scaled is a time that suffices on an ordinary machine, made longer for this one.
func Scaled(d time.Duration) time.Duration {
	return time.Duration(slowness() * float64(d)).Round(time.Millisecond)
}

// Abreast is how many tests of a package, or of a list that one test runs at once, this machine runs side by side: on
// one that is too busy, programs answer with what they say after their own limits of time, and the test of something
// else fails.
func Abreast() int { return max(2, int(abreast/slowness())) }

// slowness is what Env says, or is measured once.
var slowness = sync.OnceValue(func() float64 {
	slowness, err := strconv.ParseFloat(os.Getenv(Env), 64)
	if err != nil || slowness < 1 {
		slowness = Measure()
	}
	return min(slowness, most)
})

// Measure counts to a fixed number and takes a fixed amount of memory, and returns how many times longer than on an
// ordinary machine the slower of the two took, at least 1. On some virtual machines programs calculate at full speed
// and start slowly. Other programs that compete for the processors count as slowness.
func Measure() float64 {
	began, n := time.Now(), uint64(1)
	for range numbers {
		n = n*6364136223846793005 + 1442695040888963407
	}
	counted := float64(time.Since(began)) / float64(counting)
	runtime.KeepAlive(n)
	return max(1, math.Round(10*max(counted, touch()))/10)
}

// touch is how many times longer than on an ordinary machine it takes to get pages from the kernel; 0 if it has none.
func touch() float64 {
	began := time.Now()
	memory, err := syscall.Mmap(-1, 0, pages*os.Getpagesize(), syscall.PROT_READ|syscall.PROT_WRITE,
		syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		return 0
	}
	for i := 0; i < len(memory); i += os.Getpagesize() {
		memory[i] = 1
	}
	took := time.Since(began)
	_ = syscall.Munmap(memory)
	return float64(took) / float64(touching)
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
	deadline := time.Now().Add(Limit())
	for !rested(pause, f) {
		if time.Now().After(deadline) {
			tb.Fatalf("waited for %s in vain: %s", Limit(), what)
		}
	}
}

// rested is f, and a pause if it does not hold: the looking takes at most half of the time, or a test that asks by
// command holds up what it waits for.
func rested(pause time.Duration, f func() bool) bool {
	began := time.Now()
	if f() {
		return true
	}
	time.Sleep(max(pause, time.Since(began)))
	return false
}

// Grows waits until f returns at least want. The test fails when the number does not grow for longer than the limit:
// many things take their time on a slow machine, and only standing still is a fault.
func Grows(tb testing.TB, what string, want int, f func() int) {
	tb.Helper()
	n, highest, deadline := 0, -1, time.Time{}
	for !rested(20*time.Millisecond, func() bool { n = f(); return n >= want }) {
		switch {
		case n > highest:
			highest, deadline = n, time.Now().Add(Limit())
		case time.Now().After(deadline):
			tb.Fatalf("after %d of %d, waited for %s in vain: %s", n, want, Limit(), what)
		}
	}
}

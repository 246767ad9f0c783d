package ports

import (
	"crypto/rand"
	"encoding/binary"
	"time"
)

// Time and chance reach the use cases through here alone, or by crypto/rand: a world of tests/world decides both, time
// in a bubble and chance by its seed.
// Times are local, with a monotonic reading; what is stored comes from a use case's own clock, or the database's.

// Now is the time.
func Now() time.Time { return time.Now() }

// Since is how long ago a time was.
func Since(t time.Time) time.Duration { return time.Since(t) }

// Sleep waits.
func Sleep(d time.Duration) { time.Sleep(d) }

// After receives once, after d.
func After(d time.Duration) <-chan time.Time { return time.After(d) }

// AfterFunc runs f after d, unless it is stopped before.
func AfterFunc(d time.Duration, f func()) *time.Timer { return time.AfterFunc(d, f) }

// NewTicker receives every d, until it is stopped.
func NewTicker(d time.Duration) *time.Ticker { return time.NewTicker(d) }

// Chance reports true with a probability: never for 0, always for 1. It hides nothing.
func Chance(probability float64) bool {
	const steps = 1 << 53
	return float64(Spread(steps-1)) < probability*steps
}

// Spread is a random part of d, from none to all of it, so that many do not do the same at one time. It hides nothing.
func Spread(d time.Duration) time.Duration {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails: crypto/rand ends the program instead
	return time.Duration(binary.BigEndian.Uint64(b[:]) % uint64(d+1))
}

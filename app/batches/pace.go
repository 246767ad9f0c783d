package batches

import (
	"sync"
	"sync/atomic"
	"time"

	"fichario/ports"
)

const (
	// yieldFor is how long after a single lookup the items of batches yield to further ones.
	yieldFor = 250 * time.Millisecond
	// yieldGap is the distance at which an instance then begins items. It bounds what batches take of the processor
	// and of the database, and is little beside the answer time of a bureau.
	yieldGap = 8 * time.Millisecond
)

// Pace makes batches yield to single lookups: it spaces out an instance's items while single lookups come in, so that a
// batch hardly slows these down. At other times items begin at once.
type Pace struct {
	began  time.Time
	single atomic.Int64 // nanoseconds from began to the last single lookup
	mu     sync.Mutex
	next   time.Time
}

// NewPace returns the pace of an instance.
func NewPace() *Pace {
	p := &Pace{began: ports.Now()}
	p.single.Store(-int64(yieldFor))
	return p
}

// Single records a single lookup.
func (p *Pace) Single() { p.single.Store(int64(ports.Since(p.began))) }

// busy reports whether single lookups are coming in.
func (p *Pace) busy() bool {
	return ports.Since(p.began)-time.Duration(p.single.Load()) < yieldFor
}

// turn waits until the next item may begin.
func (p *Pace) turn() {
	if !p.busy() {
		return
	}
	p.mu.Lock()
	now := ports.Now()
	at := p.next
	if at.Before(now) {
		at = now
	}
	p.next = at.Add(yieldGap)
	p.mu.Unlock()
	ports.Sleep(at.Sub(now))
}

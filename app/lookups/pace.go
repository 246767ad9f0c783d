package lookups

import (
	"sync"
	"sync/atomic"
	"time"

	"fichario/ports"
)

const (
	// courteousFor is how long after a single lookup the items of batches yield to further ones.
	courteousFor = 250 * time.Millisecond
	// courteousGap is the distance at which an instance then begins items. It bounds what batches take of the processor
	// and of the database, and is little beside the answer time of a bureau.
	courteousGap = 8 * time.Millisecond
)

// Busy reports whether single lookups are coming in, to which batches then yield.
func (l *Lookups) Busy() bool { return l.courtesy.due() }

// Yield waits until the next item of a batch may begin.
func (l *Lookups) Yield() { l.courtesy.turn() }

// courtesy makes batches yield to single lookups: it spaces out an instance's items while single lookups come in, so
// that a batch hardly slows these down. At other times items begin at once.
type courtesy struct {
	began  time.Time
	single atomic.Int64 // nanoseconds from began to the last single lookup
	mu     sync.Mutex
	next   time.Time
}

func newCourtesy() *courtesy {
	c := &courtesy{began: ports.Now()}
	c.single.Store(-int64(courteousFor))
	return c
}

// came records a single lookup.
func (c *courtesy) came() { c.single.Store(int64(ports.Since(c.began))) }

func (c *courtesy) due() bool {
	return ports.Since(c.began)-time.Duration(c.single.Load()) < courteousFor
}

// turn waits until the next item may begin.
func (c *courtesy) turn() {
	if !c.due() {
		return
	}
	c.mu.Lock()
	now := ports.Now()
	at := c.next
	if at.Before(now) {
		at = now
	}
	c.next = at.Add(courteousGap)
	c.mu.Unlock()
	ports.Sleep(at.Sub(now))
}

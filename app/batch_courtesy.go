package app

import (
	"sync"
	"sync/atomic"
	"time"
)

const (
	// courteousFor is how long after a single lookup the items of batches give way to those that may follow it.
	courteousFor = 250 * time.Millisecond
	// courteousGap is how far apart an instance then begins items. It bounds what batches take of the processor and of
	// the database, and is little beside the answer of a bureau.
	courteousGap = 8 * time.Millisecond
	// courteousGather is how long what became of items then waits for others.
	courteousGather = 50 * time.Millisecond
)

// courtesy spaces out the items of an instance's batches while somebody waits for single lookups, so that those are
// hardly slower beside a batch. Where nobody does, items begin at once.
type courtesy struct {
	began  time.Time
	single atomic.Int64 // nanoseconds from began to the last single lookup
	mu     sync.Mutex
	next   time.Time
}

func newCourtesy() *courtesy {
	c := &courtesy{began: time.Now()}
	c.single.Store(-int64(courteousFor))
	return c
}

// came is called for each single lookup.
func (c *courtesy) came() { c.single.Store(int64(time.Since(c.began))) }

func (c *courtesy) due() bool {
	return time.Since(c.began)-time.Duration(c.single.Load()) < courteousFor
}

// turn waits until the next item may begin.
func (c *courtesy) turn() {
	if !c.due() {
		return
	}
	c.mu.Lock()
	now := time.Now()
	at := c.next
	if at.Before(now) {
		at = now
	}
	c.next = at.Add(courteousGap)
	c.mu.Unlock()
	time.Sleep(at.Sub(now))
}

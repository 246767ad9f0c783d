package app

import "sync"

// CallGroup is a sync.WaitGroup that allows a start while somebody waits; such a late start is not waited for, because
// its work is already recorded in the database.
type CallGroup struct {
	mu      sync.Mutex
	waiting bool
	ending  bool // somebody has waited
	inside  sync.WaitGroup
}

// Start runs do.
func (g *CallGroup) Start(do func()) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.waiting {
		go do()
		return
	}
	g.inside.Go(do)
}

// StartInTime runs do, unless somebody waits or has waited: so whoever ends waits for all that were started so. It
// reports whether it did.
func (g *CallGroup) StartInTime(do func()) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.ending {
		g.inside.Go(do)
	}
	return !g.ending
}

// Wait returns when what was started before has ended.
func (g *CallGroup) Wait() {
	g.setWaiting(true)
	g.inside.Wait()
	g.setWaiting(false)
}

func (g *CallGroup) setWaiting(waiting bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.waiting, g.ending = waiting, true
}

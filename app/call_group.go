package app

import "sync"

// callGroup is a sync.WaitGroup that may be waited for while somebody still starts something: that is not waited for.
// What it was to do is in the database by then.
type callGroup struct {
	mu      sync.Mutex
	waiting bool
	inside  sync.WaitGroup
}

func (g *callGroup) start(do func()) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.waiting {
		go do()
		return
	}
	g.inside.Go(do)
}

func (g *callGroup) wait() {
	g.setWaiting(true)
	g.inside.Wait()
	g.setWaiting(false)
}

func (g *callGroup) setWaiting(waiting bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.waiting = waiting
}

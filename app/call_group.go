package app

import "sync"

// callGroup is a sync.WaitGroup that may be waited for while somebody still starts something: that is no longer waited
// for. What it was to do is in the database by then.
type callGroup struct {
	mu     sync.Mutex
	ended  bool
	inside sync.WaitGroup
}

func (g *callGroup) start(do func()) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.ended {
		go do()
		return
	}
	g.inside.Go(do)
}

func (g *callGroup) wait() {
	g.mu.Lock()
	g.ended = true
	g.mu.Unlock()
	g.inside.Wait()
}

func (g *callGroup) closed() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.ended
}

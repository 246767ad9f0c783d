package app

import "sync"

// pool bounds how many jobs run at once, and how many of one automation.
type pool struct {
	running sync.WaitGroup
	mu      sync.Mutex
	free    int
	of      map[string]int // by automation
}

func newPool(size int) *pool { return &pool{free: size, of: map[string]int{}} }

// room returns how many more may run, and the automations of which none may.
func (p *pool) room() (free int, full []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for id, n := range p.of {
		if n >= runsOfOneRule {
			full = append(full, id)
		}
	}
	return p.free, full
}

func (p *pool) add(automationID string, n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.free -= n
	if automationID != "" {
		if p.of[automationID] += n; p.of[automationID] == 0 {
			delete(p.of, automationID)
		}
	}
}

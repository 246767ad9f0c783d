package automations

import (
	"context"
	"sync"
	"time"

	"fichario/domain/automation"
)

const (
	// runLease is how long an instance holds a job; then others may claim it.
	runLease   = 30 * time.Second
	runsAtOnce = 32
	// runsOfOneRule keeps one hanging receiver from holding up the others.
	runsOfOneRule = 8
	mailsAtOnce   = 4
)

// pool bounds how many jobs run at once, and how many of one automation.
type pool struct {
	running sync.WaitGroup
	mu      sync.Mutex
	free    int
	of      map[string]int // by automation
}

func newPool(size int) *pool { return &pool{free: size, of: map[string]int{}} }

// vacancies returns how many more may run, and the automations of which none may.
func (p *pool) vacancies() (free int, full []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for id, n := range p.of {
		if n >= runsOfOneRule {
			full = append(full, id)
		}
	}
	return p.free, full
}

// count records that n more runs of an automation have begun, or that runs have ended.
func (p *pool) count(automationID string, n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.free -= n
	if automationID != "" {
		if p.of[automationID] += n; p.of[automationID] == 0 {
			delete(p.of, automationID)
		}
	}
}

// start leases jobs and runs each in the background. It reports whether more might start now.
func (j *Jobs) start(ctx context.Context, kind automation.JobKind, p *pool) bool {
	free, full := p.vacancies()
	if free == 0 {
		return false // the end of a run wakes the loop
	}
	limit, now := min(free, runsOfOneRule), j.now(ctx)
	leased, err := j.Store.Repos().JobQueue.Claim(ctx, kind, j.lease, now, now.Add(runLease), full, limit)
	if err != nil {
		j.Log.WarnContext(ctx, "background work failed; it will be tried again", "work", string(kind), "error", err)
		return false
	}
	for _, job := range leased {
		p.count(job.AutomationID, 1)
		p.running.Go(func() {
			j.run(ctx, job)
			p.count(job.AutomationID, -1)
			j.Wake(kind)
		})
	}
	return len(leased) == limit
}

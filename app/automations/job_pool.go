package automations

import (
	"context"
	"sync"
	"time"

	"fichario/domain/automation"
	"fichario/ports"
)

const (
	// runLease is how long an instance holds a job; then others may claim it.
	runLease   = 30 * time.Second
	runsAtOnce = 32
	// runsOfOneRule keeps one hanging receiver from holding up the others.
	runsOfOneRule = 8
	mailsAtOnce   = 4
)

// pool bounds how many jobs of a kind run at once, and how many of one automation.
type pool struct {
	kind    automation.JobKind
	running sync.WaitGroup
	mu      sync.Mutex
	free    int
	of      map[string]int // by automation
}

func newPool(kind automation.JobKind, size int) *pool {
	return &pool{kind: kind, free: size, of: map[string]int{}}
}

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
func (j *Jobs) start(ctx context.Context, p *pool) (more bool, err error) {
	free, full := p.vacancies()
	if free <= 0 {
		return false, nil // the end of a run wakes the loop
	}
	begun := ports.Now() // before the leases, so that no attempt outlasts its own
	limit, now := min(free, runsOfOneRule), j.now(ctx)
	held := turn{over: begun.Add(attemptAtMost), until: now.Add(runLease)}
	leased, err := j.Store.Repos().JobQueue.Claim(ctx, p.kind, j.lease, now, held.until, full, limit)
	for _, job := range leased {
		p.count(job.AutomationID, 1)
		p.running.Go(func() {
			j.run(ctx, job, held)
			p.count(job.AutomationID, -1)
			j.Wake(p.kind)
		})
	}
	return len(leased) == limit, err
}

package automations

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"fichario/app"
	"fichario/app/lookups"
	"fichario/domain/automation"
	"fichario/ports"
)

// Jobs does what happens after the answer: it determines what events trigger, runs automations and sends e-mail. Every
// job is done at least once, by whichever instance leases it first; a lease whose owner died expires after its time.
type Jobs struct {
	JobsConfig
	lease string
	wakes map[automation.JobKind]app.Wake
}

// JobsConfig is what Jobs needs.
type JobsConfig struct {
	Store      ports.Store
	Clock      app.Clock
	Dispatcher ports.Dispatcher
	// Destinations shows what a platform is told before it is.
	Destinations ports.Destinations
	// Conditions evaluates the expressions of automations.
	Conditions ports.Conditions
	// Asker makes the lookups of automations, on these Terms. LookupsOff is set on an instance without the lookup feature:
	// lookups wait there, as they do for a bureau that is away.
	Asker      *lookups.Asker
	Terms      *lookups.Terms
	LookupsOff bool
	// Mailer is nil where e-mail is not configured.
	Mailer ports.Mailer
	// PublicURL is the base of links in e-mails, without a trailing slash.
	PublicURL string
	Log       *slog.Logger
	// Observe is called with the outcome of each attempt of a job.
	Observe func(automation.JobKind, automation.JobState)
}

// NewJobs returns the use case.
func NewJobs(c JobsConfig) *Jobs {
	j := &Jobs{JobsConfig: c, lease: app.NewID(), wakes: map[automation.JobKind]app.Wake{}}
	for _, kind := range []automation.JobKind{automation.FanOut, automation.RunAutomation, automation.MailMember} {
		j.wakes[kind] = app.NewWake()
	}
	return j
}

// Wake signals that jobs of a kind may run now. It never blocks.
func (j *Jobs) Wake(kind automation.JobKind) { j.wakes[kind].Call() }

// now returns the time by which jobs are leased: the database's or, while that is away, the instance's own.
func (j *Jobs) now(ctx context.Context) time.Time {
	local := j.Clock()
	if shared, err := j.Store.Repos().Clock.Now(ctx, local); err == nil {
		return shared
	}
	return local
}

const (
	// drainJobs bounds how long a stopping service waits for running jobs.
	drainJobs = 25 * time.Second

	// gatherFor is how long new events are gathered, so that a burst of them is fanned out in few transactions.
	gatherFor = 50 * time.Millisecond
)

// Run works until ctx ends, and then finishes what it has begun.
func (j *Jobs) Run(ctx context.Context) {
	// Jobs outlive ctx for as long as Run waits for them.
	work, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	var loops sync.WaitGroup
	loops.Go(func() {
		j.wakes[automation.FanOut].Loop(ctx, j.Log, "fire automations", gatherFor,
			func() (bool, error) { return j.fanOut(work) })
	})
	pools := []*pool{newPool(automation.RunAutomation, runsAtOnce), newPool(automation.MailMember, mailsAtOnce)}
	for _, p := range pools {
		loops.Go(func() {
			j.wakes[p.kind].Loop(ctx, j.Log, string(p.kind), 0, func() (bool, error) { return j.start(work, p) })
		})
	}
	loops.Wait()
	patience := ports.AfterFunc(drainJobs, stop)
	defer patience.Stop()
	for _, p := range pools {
		p.running.Wait()
	}
}

// Forget removes jobs that were done more than 30 days ago. It is a chore.
func (j *Jobs) Forget(ctx context.Context) error {
	return app.ForgetOld(ctx, j.Store, j.Clock, keepFor,
		func(ctx context.Context, r ports.Repos, before time.Time) (int, error) {
			return r.Jobs.Forget(ctx, before)
		})
}

// keepFor is how long successful runs are kept.
const keepFor = 30 * 24 * time.Hour

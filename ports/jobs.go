package ports

import (
	"context"
	"time"

	"fichario/domain/automation"
)

// Automations stores automations. Actions are encrypted at rest.
type Automations interface {
	Create(ctx context.Context, a automation.Automation) error
	// Find returns ErrNotFound when there is none.
	Find(ctx context.Context, orgID, id string) (automation.Automation, error)
	// List returns the automations of an organisation, oldest first.
	List(ctx context.Context, orgID string) ([]automation.Automation, error)
	// Listens reports whether an organisation has an enabled automation for an event.
	Listens(ctx context.Context, orgID string, event automation.EventName) (bool, error)
	// Update writes its event, name, conditions and action; ErrNotFound when there is none.
	Update(ctx context.Context, a automation.Automation) error
	// SetEnabled switches one on or off; ErrNotFound when there is none.
	SetEnabled(ctx context.Context, orgID, id string, enabled bool) error
}

// Jobs is the durable queue.
type Jobs interface {
	Add(ctx context.Context, jobs ...automation.Job) error
	// NextPlace returns the place behind all events and runs of a contact that have not ended. Only inside InTx, where the
	// contact is locked.
	NextPlace(ctx context.Context, orgID, contactID string) (int, error)
	// Answers counts the runs of a contact for events since then, up to that limit, that followed from a run of another
	// automation and were not cut off.
	Answers(ctx context.Context, orgID, contactID string, since time.Time, limit int) (int, error)
	// Forget removes jobs that were done before that time, a limited number per call, and returns how many there were.
	Forget(ctx context.Context, before time.Time) (int, error)
}

// JobQueue is what instances do with due jobs.
type JobQueue interface {
	// Claim leases up to limit jobs of a kind that may run at now, oldest first; no other worker gets them before until.
	// Jobs of the automations in without are left, and those for which the same automation has a job of the same contact
	// with a lower place that has not ended, or may yet get one. Each claim counts as an attempt.
	Claim(
		ctx context.Context, kind automation.JobKind, lease string, now, until time.Time, without []string, limit int,
	) ([]automation.Job, error)
	// Finish writes state, run time, result and end of jobs, and ends their leases.
	// It does nothing for a job that somebody else has leased since, and returns how
	// many it wrote.
	Finish(ctx context.Context, jobs ...automation.Job) (int, error)
	// Attempts names the attempts of an organisation's runs and e-mails that are leased at a time: each by a text that no
	// other attempt has.
	Attempts(ctx context.Context, orgID string, now time.Time) ([]string, error)
	// Lock returns up to limit jobs of a kind that are ready, whatever their time, oldest first, and locks them until the
	// transaction ends. Only inside InTx.
	Lock(ctx context.Context, kind automation.JobKind, limit int) ([]automation.Job, error)
	// Remove removes jobs.
	Remove(ctx context.Context, jobs ...automation.Job) error
	// NameLookups writes the ids of a job's lookups. It returns ErrNotFound when somebody else has leased it since.
	NameLookups(ctx context.Context, j automation.Job) error
}

// JobRuns is jobs as their organisation sees them.
type JobRuns interface {
	// Find returns ErrNotFound when there is none.
	Find(ctx context.Context, orgID, id string) (automation.Job, error)
	// Page returns jobs of an organisation except fan-outs, newest first, that come after the one with id after ("" starts
	// at the newest).
	Page(ctx context.Context, orgID string, f automation.JobFilter, after string, limit int) ([]automation.Job, error)
	// Waiting returns jobs of an organisation, except fan-outs, that failed and wait for an attempt after now, the next
	// one first; not those of the automations in without.
	Waiting(ctx context.Context, orgID string, now time.Time, without []string, limit int) ([]automation.Job, error)
	// Revive makes a dead job ready again, or one that waits for its next attempt due now, resets its attempts, and
	// reports whether it was either: one that runs now, or was never tried, is left.
	Revive(ctx context.Context, orgID, id string, now time.Time) (bool, error)
}

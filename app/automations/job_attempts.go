package automations

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"fichario/app"
	"fichario/domain/automation"
	"fichario/domain/crm"
	"fichario/domain/fault"
	"fichario/ports"
)

const (
	// attemptAtMost bounds one attempt; it is less than runLease.
	attemptAtMost = 25 * time.Second
	// finishWithin bounds the writing of the outcome.
	finishWithin   = 5 * time.Second
	reasonInternal = "erro interno"
)

// outcome is the result of a successful attempt.
type outcome struct {
	// result describes it in Portuguese.
	result string
	// change is what the job changes in our own data, nil for nothing. It is made in the transaction that ends the job,
	// and thus exactly once.
	change func(context.Context, ports.Repos) error
	// off gives the job up because its automation was disabled while it waited: it can be run again, and nobody is
	// notified, since the disabling was intended.
	off bool
}

// errLeaseLost says that somebody else has leased a job since, or may: the outcome of this attempt is not written.
var errLeaseLost = errors.New("a lease was lost")

// errUnchanged says that the change of a job in our own data could not be made.
var errUnchanged = errors.New("the change of a job was not made")

// turn is for how long a job is this instance's.
type turn struct {
	// over is when the attempt ends, by the instance's own clock; until is when the lease does, by Clock.
	over, until time.Time
}

// run makes one attempt of a job and writes its outcome.
func (j *Jobs) run(ctx context.Context, job automation.Job, held turn) {
	ctx, span := ports.Trace(ctx, ports.Inner, "jobs."+string(job.Kind))
	defer span.End()
	span.Set("fichario.job", job.ID)
	attempt, cancel := context.WithDeadline(ctx, held.over)
	defer cancel()
	done, err := j.guarded(attempt, job)
	// The attempt's time may be over, but what was done must be written.
	write, cancelWrite := context.WithTimeout(context.WithoutCancel(ctx), finishWithin)
	defer cancelWrite()
	job.EndedAt = j.now(write)
	if err == nil {
		job.State, job.Result = automation.Done, done.result
		if done.off {
			job.State = automation.Dead
		}
	} else {
		j.failed(ctx, span, &job, err)
	}
	err = j.finish(write, job, done, held)
	if errors.Is(err, errUnchanged) && fault.CodeOf(err) != fault.ServiceUnavailable {
		// The same would happen at each end of the lease, unnoticed, so it counts as a failed attempt.
		j.failed(ctx, span, &job, err)
		err = j.finish(write, job, outcome{}, held)
	}
	if err != nil {
		j.Log.WarnContext(ctx, "the end of a job was not written; it will run again",
			"job", job.ID, "kind", string(job.Kind), "error", err)
		return
	}
	if j.Observe != nil && !done.off {
		j.Observe(job.Kind, job.State)
	}
}

// failed records a failed attempt in the job.
func (j *Jobs) failed(ctx context.Context, span ports.Span, job *automation.Job, err error) {
	var unsent *ports.SendError
	if errors.As(err, &unsent) {
		span.Fail("unsent")
		fail(job, unsent)
		return
	}
	// The database was away, or the fault is ours: the reason is for the log only.
	j.Log.WarnContext(ctx, "a job failed; it will be tried again", "job", job.ID, "kind", string(job.Kind), "error", err)
	span.Fail("internal")
	fail(job, &ports.SendError{Reason: reasonInternal})
}

// guarded is attempt with a panic turned into an ordinary failure, so that one job does not end the others, and the
// program.
func (j *Jobs) guarded(ctx context.Context, job automation.Job) (done outcome, err error) {
	defer func() {
		if r := recover(); r != nil {
			// The value may contain what somebody sent.
			j.Log.ErrorContext(ctx, "panic", "job", job.ID, "type", fmt.Sprintf("%T", r), "stack", string(debug.Stack()))
			done, err = outcome{}, fmt.Errorf("panic (%T)", r)
		}
	}()
	return j.attempt(ctx, job)
}

// finish writes the outcome of a job, and makes its change, in one transaction. What was to be changed is not, where
// the lease is over: an erasure has not waited for what the attempt has read.
func (j *Jobs) finish(ctx context.Context, job automation.Job, done outcome, held turn) error {
	return j.Store.InTx(ctx, func(ctx context.Context, r ports.Repos) error {
		if done.change != nil {
			now, err := r.Clock.Now(ctx, j.Clock())
			if err != nil {
				return err
			}
			if !now.Before(held.until) {
				return errLeaseLost
			}
		}
		n, err := r.JobQueue.Finish(ctx, job)
		switch {
		case err != nil:
			return err
		case n == 0:
			return errLeaseLost
		case job.State == automation.Dead && !done.off:
			return j.tell(ctx, r, job)
		case job.State == automation.Done && done.change != nil:
			if err := done.change(ctx, r); err != nil {
				return fmt.Errorf("%w: %w", errUnchanged, err)
			}
		}
		return nil
	})
}

// fail plans the next attempt, or gives the job up.
func fail(job *automation.Job, why *ports.SendError) {
	delay, spread, more := automation.Next(job.Attempts)
	job.State, job.Result = automation.Dead, why.Reason
	if more && !why.Permanent {
		job.State, job.RunAt = automation.Ready, job.EndedAt.Add(max(delay+ports.Spread(spread), why.RetryAfter))
	}
}

// tell notifies the team of a job that was given up.
func (j *Jobs) tell(ctx context.Context, r ports.Repos, job automation.Job) error {
	subject := "O e-mail de aviso"
	if job.AutomationID != "" {
		a, err := r.Automations.Find(ctx, job.OrgID, job.AutomationID)
		if err != nil {
			return err
		}
		subject = "A automação " + a.Name
	}
	return r.Notifications.Create(ctx, crm.Notification{
		ID: app.NewID(), OrgID: job.OrgID, Kind: crm.JobDead, ContactID: job.ContactID, Subject: subject, At: job.EndedAt,
	})
}

package app

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"fichario/domain/automation"
	"fichario/domain/crm"
	"fichario/domain/fault"
	"fichario/ports"
)

const (
	// attemptAtMost bounds one attempt; it is less than runLease.
	attemptAtMost = 25 * time.Second
	// finishWithin bounds the writing of how it ended.
	finishWithin   = 5 * time.Second
	reasonInternal = "erro interno"
)

// outcome is how an attempt ended well.
type outcome struct {
	// result says it in Portuguese.
	result string
	// change is what the job changes in our own data, nil for nothing. It happens in the
	// transaction that ends the job, and so exactly once.
	change func(context.Context, ports.Repos) error
	// off gives the job up, because its automation was switched off while it waited: it can be run again, and nobody is
	// told, since somebody wanted it.
	off bool
}

// errLeaseLost says that somebody else has a job now: what this one did is not
// written down.
var errLeaseLost = errors.New("a lease was lost")

// errUnchanged says that what a job was to change in our own data could not be changed.
var errUnchanged = errors.New("the change of a job was not made")

// run makes one attempt of a job and writes down how it ended.
func (j *Jobs) run(ctx context.Context, job automation.Job) {
	ctx, span := ports.Trace(ctx, ports.Inner, "jobs."+string(job.Kind))
	defer span.End()
	span.Set("fichario.job", job.ID)
	attempt, cancel := context.WithTimeout(ctx, attemptAtMost)
	defer cancel()
	done, err := j.guarded(attempt, job)
	// Its time may be over, but what has been done must be written down.
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
	err = j.finish(write, job, done)
	if errors.Is(err, errUnchanged) && fault.CodeOf(err) != fault.ServiceUnavailable {
		// The same would happen at each end of the lease, and nobody would hear of it: it counts as a failed attempt.
		j.failed(ctx, span, &job, err)
		err = j.finish(write, job, outcome{})
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

// failed plans what becomes of a job whose attempt failed.
func (j *Jobs) failed(ctx context.Context, span ports.Span, job *automation.Job, err error) {
	var unsent *ports.SendError
	if errors.As(err, &unsent) {
		span.Fail("unsent")
		fail(job, unsent)
		return
	}
	// The database was away, or a fault of ours: the reason is for the log.
	j.Log.WarnContext(ctx, "a job failed; it will be tried again", "job", job.ID, "kind", string(job.Kind), "error", err)
	span.Fail("internal")
	fail(job, &ports.SendError{Reason: reasonInternal})
}

// guarded is attempt for which a panic is a failure like others, so that one job does
// not end the others, and the program.
func (j *Jobs) guarded(ctx context.Context, job automation.Job) (done outcome, err error) {
	defer func() {
		if r := recover(); r != nil {
			// The value may hold what somebody sent.
			j.Log.ErrorContext(ctx, "panic", "job", job.ID, "type", fmt.Sprintf("%T", r), "stack", string(debug.Stack()))
			done, err = outcome{}, fmt.Errorf("panic (%T)", r)
		}
	}()
	return j.attempt(ctx, job)
}

// finish writes how a job ended, and makes its change, in one transaction.
func (j *Jobs) finish(ctx context.Context, job automation.Job, done outcome) error {
	return j.Store.InTx(ctx, func(r ports.Repos) error {
		n, err := r.Jobs.Finish(ctx, job)
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
	delay, more := automation.Next(job.Attempts)
	job.State, job.Result = automation.Dead, why.Reason
	if more && !why.Permanent {
		job.State, job.RunAt = automation.Ready, job.EndedAt.Add(max(delay, why.RetryAfter))
	}
}

// tell notifies the team of a job that was given up.
func (j *Jobs) tell(ctx context.Context, r ports.Repos, job automation.Job) error {
	subject := "O e-mail de aviso"
	if job.AutomationID != "" {
		a, err := r.Automations.Find(ctx, job.AutomationID)
		if err != nil {
			return err
		}
		subject = "A automação " + a.Name
	}
	return r.Notifications.Create(ctx, crm.Notification{
		ID: newID(), OrgID: job.OrgID, Kind: crm.JobDead, ContactID: job.ContactID, Subject: subject, At: job.EndedAt,
	})
}

package automations

import (
	"context"
	"errors"

	"fichario/app"
	"fichario/domain/automation"
	"fichario/domain/lookup"
	"fichario/domain/webhook"
)

// Trial is the result of an expression on a past event.
type Trial struct {
	// Found is whether there was such an event, or something to make an example with.
	Found bool
	// Example is whether the event is made up, with the newest contact or a key: past events of these kinds are stored
	// only in histories.
	Example bool
	// Holds is the result of the expression; Problem says in Portuguese why there is none.
	Holds   bool
	Problem string
	// Data is what the expression sees, as JSON.
	Data string
}

// Try evaluates an expression on the newest event of a kind in the caller's organisation, or on an example; nothing is
// done. Faults: InvalidRequest, NotFound, Forbidden, ServiceUnavailable.
func (a *Automations) Try(ctx context.Context, by app.Caller, event automation.EventName, when string) (Trial, error) {
	orgID, err := by.ManagedOrg()
	if err != nil {
		return Trial{}, err
	}
	if !event.Valid() {
		return Trial{}, app.Invalid("event", "Os eventos são "+eventNames()+".")
	}
	job, err := a.newest(ctx, orgID, event)
	if err != nil || job.OrgID == "" {
		return Trial{}, err
	}
	e, err := app.EventOf(ctx, a.store.Repos(), job)
	if errors.Is(err, app.ErrEventGone) {
		return Trial{}, nil
	}
	if err != nil {
		return Trial{}, err
	}
	t := Trial{Found: true, Example: madeUp(event), Data: a.means.Conditions.Data(e)}
	if when == "" {
		t.Holds = true
		return t, nil
	}
	if t.Holds, err = a.means.Conditions.Holds(ctx, when, e); err != nil {
		t.Problem = err.Error()
	}
	return t, nil
}

// madeUp reports whether newest makes up an event of that kind.
func madeUp(event automation.EventName) bool {
	return event == automation.ContactUpdated || event == automation.ContactMoved || event == automation.CapReached
}

// newest returns the job that the newest event of a kind would have, or for kinds that are madeUp an example; the zero
// value where there is neither.
func (a *Automations) newest(ctx context.Context, orgID string, event automation.EventName) (automation.Job, error) {
	r := a.store.Repos()
	job := app.EventJob(event, orgID, "", a.clock())
	switch event {
	case automation.ContactCreated, automation.ContactUpdated, automation.ContactMoved:
		contacts, err := r.Contacts.Page(ctx, orgID, "", 1)
		if err != nil || len(contacts) == 0 {
			return automation.Job{}, err
		}
		job.ContactID, job.SubjectID, job.Detail = contacts[0].ID, contacts[0].StageID, "nota"
		return job, nil
	case automation.LookupCompleted:
		entries, err := r.Statement.Page(ctx, lookup.Asker{OrgID: orgID}, lookup.Filter{}, "", app.ListMax)
		for _, e := range entries {
			if e.Status == lookup.Done && e.RecordID != "" {
				job.SubjectID, job.ContactID = e.ID, e.ContactID
				return job, err
			}
		}
		return automation.Job{}, err
	case automation.DeliveryRefused:
		hooks, err := r.Webhooks.List(ctx, orgID)
		for _, hook := range hooks {
			refused, err := r.Deliveries.Page(ctx, hook.ID, webhook.Refused, "", 1)
			if err != nil {
				return automation.Job{}, err
			}
			if len(refused) > 0 {
				job.SubjectID = refused[0].ID
				return job, nil
			}
		}
		return automation.Job{}, err
	case automation.CapReached:
		keys, err := r.Keys.List(ctx, orgID)
		if err != nil || len(keys) == 0 {
			return automation.Job{}, err
		}
		job.SubjectID, job.Detail = keys[0].ID, app.CapDetail(automation.DayCap, 80, keys[0].Limits.PerDay)
		return job, nil
	case automation.BatchCompleted:
		batches, err := r.Batches.Page(ctx, orgID, "", "", app.ListMax)
		for _, b := range batches {
			if b.Status.Ended() && !b.StartedAt.IsZero() {
				job := app.BatchJob(b, 0)
				job.Facts = "" // as it is now
				return job, err
			}
		}
		return automation.Job{}, err
	}
	return automation.Job{}, nil
}

package automations

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"fichario/app"
	"fichario/app/contacts"
	"fichario/domain/audit"
	"fichario/domain/automation"
	"fichario/domain/crm"
	"fichario/domain/lookup"
	"fichario/domain/webhook"
	"fichario/ports"
)

// Trial is the result of conditions on a past event.
type Trial struct {
	// Found is whether there was such an event, or something to make an example with.
	Found bool
	// Example is whether the event is made up, with the newest contact or a key: past events of these kinds are stored
	// only in histories.
	Example bool
	// Holds says whether they are met; Problem says in Portuguese why there is none.
	Holds   bool
	Problem string
	// Data is what an expression sees, as JSON.
	Data string
	// Held is for how many of the newest Of events they are met, at most triedOn.
	Held, Of int
}

// tried writes to the audit that the caller sees what conditions see of an event.
func (a *Automations) tried(ctx context.Context, by app.Caller, orgID string, event automation.EventName) error {
	return app.Looked(ctx, a.store, by, audit.Line{
		OrgID: orgID, Action: audit.AutomationTried, Detail: audit.Detail{"evento": string(event)},
	})
}

// Try evaluates the conditions of a description on the newest events of its kind in the caller's organisation, or on
// examples; nothing is done but a line in the audit. The result, the problem and the data are those of the newest.
// Faults: InvalidRequest, NotFound, Forbidden, ServiceUnavailable.
func (a *Automations) Try(ctx context.Context, by app.Caller, n NewAutomation) (Trial, error) {
	orgID, err := by.ManagedOrg()
	if err != nil {
		return Trial{}, err
	}
	if !n.Event.Valid() {
		return Trial{}, app.Invalid("event", "Os eventos são "+eventNames()+".")
	}
	linked := automation.Conditions{WebhookID: n.WebhookID, MinAmount: n.MinAmount}
	if linked.OriginID, err = contacts.OriginNamed(ctx, a.store.Repos(), orgID, n.Origin); err != nil {
		return Trial{}, err
	}
	jobs, err := a.recent(ctx, orgID, n.Event, triedOn)
	t, began := Trial{Example: madeUp(n.Event)}, ports.Now()
	for _, job := range jobs {
		e, err := app.EventOf(ctx, a.store.Repos(), job)
		if errors.Is(err, app.ErrEventGone) {
			continue
		}
		if err != nil {
			return Trial{}, err
		}
		holds, problem := linked.Hold(e.Contact.Contact), ""
		if holds && n.When != "" {
			if holds, err = a.means.Conditions.Holds(ctx, n.When, e); err != nil {
				problem = err.Error()
			}
		}
		if !t.Found {
			t.Found, t.Holds, t.Problem, t.Data = true, holds, problem, a.means.Conditions.Data(e)
		}
		if t.Of++; holds {
			t.Held++
		}
		if t.Problem != "" || ports.Since(began) > triedFor {
			break // an expression may fail, or take its time, on each of them
		}
	}
	if err == nil && t.Found {
		err = a.tried(ctx, by, orgID, n.Event)
	}
	return t, err
}

// Samples returns what conditions see of the newest events of a kind, as JSON, the newest first, and last of one of
// which nothing is known, which has every field that the event always has. With a webhook's id, those of a contact are
// of its contacts. What is shown of events is written to the audit. Faults: InvalidRequest, NotFound, Forbidden,
// ServiceUnavailable.
func (a *Automations) Samples(
	ctx context.Context, by app.Caller, event automation.EventName, webhookID string,
) (data []string, err error) {
	orgID, err := by.ManagedOrg()
	if err != nil {
		return nil, err
	}
	if !event.Valid() {
		return nil, app.Invalid("event", "Os eventos são "+eventNames()+".")
	}
	var jobs []automation.Job
	if webhookID != "" && madeUpOfContact(event) {
		jobs, err = a.arrivedBy(ctx, orgID, event, webhookID)
	} else {
		jobs, err = a.recent(ctx, orgID, event, sampled)
	}
	if err != nil {
		return nil, err
	}
	for _, job := range jobs {
		e, err := app.EventOf(ctx, a.store.Repos(), job)
		if errors.Is(err, app.ErrEventGone) {
			continue
		}
		if err != nil {
			return nil, err
		}
		data = append(data, a.means.Conditions.Data(e))
	}
	if len(data) > 0 {
		if err := a.tried(ctx, by, orgID, event); err != nil {
			return nil, err
		}
	}
	return append(data, a.means.Conditions.Data(automation.Event{
		Name: event, Lookup: &automation.LookupOutcome{}, Batch: &automation.BatchOutcome{}, Cap: &automation.Cap{},
		Delivery: &webhook.Delivery{},
	})), nil
}

// arrivedBy makes examples of the newest contacts of a webhook; none where there is no such webhook.
func (a *Automations) arrivedBy(
	ctx context.Context, orgID string, event automation.EventName, webhookID string,
) ([]automation.Job, error) {
	r := a.store.Repos()
	n, err := app.NamesOf(ctx, r, orgID, webhookID)
	if err != nil || !n.Has(crm.NamedWebhook, webhookID) {
		return nil, err
	}
	arrived, err := r.ContactSearch.Select(ctx, orgID, ports.ContactQuery{
		ContactFilter: ports.ContactFilter{WebhookID: webhookID}, Limit: sampled, Whole: true,
	})
	return a.examples(event, orgID, arrived), err
}

// sampled is how many events Samples reads.
const sampled = 3

// madeUpOfContact reports whether examples of an event are made with a contact.
func madeUpOfContact(event automation.EventName) bool {
	return event == automation.ContactCreated || event == automation.ContactUpdated || event == automation.ContactMoved
}

// examples are the jobs that events of some contacts would have.
func (a *Automations) examples(event automation.EventName, orgID string, of []crm.Contact) []automation.Job {
	jobs := make([]automation.Job, len(of))
	for i, c := range of {
		jobs[i] = app.EventJob(event, orgID, "", a.clock())
		jobs[i].ContactID, jobs[i].SubjectID, jobs[i].Detail = c.ID, c.StageID, "nota"
	}
	return jobs
}

// triedOn is how many past events an expression is tried on, if that takes no longer than triedFor.
const (
	triedOn  = 50
	triedFor = 2 * time.Second
)

// madeUp reports whether newest makes up an event of that kind.
func madeUp(event automation.EventName) bool {
	return event == automation.ContactUpdated || event == automation.ContactMoved || event == automation.CapReached
}

// newest returns the first of recent; the zero value where there is none.
func (a *Automations) newest(ctx context.Context, orgID string, event automation.EventName) (automation.Job, error) {
	jobs, err := a.recent(ctx, orgID, event, 1)
	if err != nil || len(jobs) == 0 {
		return automation.Job{}, err
	}
	return jobs[0], nil
}

// recent returns the jobs that the newest events of a kind would have, the newest first, or for kinds that are madeUp
// examples.
func (a *Automations) recent(
	ctx context.Context, orgID string, event automation.EventName, most int,
) (jobs []automation.Job, err error) {
	r := a.store.Repos()
	add := func(contactID, subjectID, detail string) {
		if len(jobs) < most {
			job := app.EventJob(event, orgID, "", a.clock())
			job.ContactID, job.SubjectID, job.Detail = contactID, subjectID, detail
			jobs = append(jobs, job)
		}
	}
	switch event {
	case automation.ContactCreated, automation.ContactUpdated, automation.ContactMoved:
		contacts, err := r.Contacts.Page(ctx, orgID, "", most)
		return a.examples(event, orgID, contacts), err
	case automation.LookupCompleted:
		entries, err := r.Statement.Page(ctx, lookup.Asker{OrgID: orgID}, lookup.Filter{}, "", min(app.ListMax, 10*most))
		for _, e := range entries {
			if e.Status == lookup.Done && e.RecordID != "" {
				add(e.ContactID, e.ID, "")
			}
		}
		return jobs, err
	case automation.DeliveryRefused:
		return a.refusals(ctx, orgID, most)
	case automation.CapReached:
		keys, err := r.Keys.List(ctx, orgID)
		for _, k := range keys {
			add("", k.ID, app.CapDetail(automation.DayCap, 80, k.Limits.PerDay))
		}
		return jobs, err
	case automation.BatchCompleted:
		batches, err := r.Batches.Page(ctx, orgID, "", "", min(app.ListMax, 10*most))
		for _, b := range batches {
			if b.Status.Ended() && !b.StartedAt.IsZero() && len(jobs) < most {
				job := app.BatchJob(b, 0)
				job.Facts = "" // as it is now
				jobs = append(jobs, job)
			}
		}
		return jobs, err
	}
	return nil, nil
}

// refusals is recent for refused posts.
func (a *Automations) refusals(ctx context.Context, orgID string, most int) (jobs []automation.Job, err error) {
	r := a.store.Repos()
	hooks, err := r.Webhooks.List(ctx, orgID)
	for _, hook := range hooks {
		refused, err := r.Deliveries.Page(ctx, hook.OrgID, hook.ID, webhook.Refused, "", most)
		if err != nil {
			return nil, err
		}
		for _, d := range refused {
			job := app.EventJob(automation.DeliveryRefused, orgID, "", a.clock())
			job.SubjectID = d.ID
			jobs = append(jobs, job)
		}
	}
	slices.SortStableFunc(jobs, func(a, b automation.Job) int { return cmp.Compare(b.SubjectID, a.SubjectID) })
	return jobs[:min(most, len(jobs))], err
}

package app

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"fichario/domain/automation"
	"fichario/domain/batch"
	"fichario/domain/crm"
	"fichario/domain/lookup"
	"fichario/ports"
)

// emit writes the job of an event in the transaction that makes it true, where an automation listens.
func emit(ctx context.Context, r ports.Repos, job automation.Job) error {
	listens, err := r.Automations.Listens(ctx, job.OrgID, job.Event)
	if err != nil || !listens {
		return err
	}
	return r.Jobs.Add(ctx, job)
}

// eventJob is the job of an event of a contact.
func eventJob(event automation.EventName, orgID, contactID string, at time.Time) automation.Job {
	return automation.Job{
		ID: newID(), OrgID: orgID, Kind: automation.FanOut, Event: event, ContactID: contactID, State: automation.Ready,
		RunAt: at, CreatedAt: at,
	}
}

// emitChange tells who listens what an entry of a contact's history says; from is the stage that it was in before.
func emitChange(ctx context.Context, r ports.Repos, e crm.Event, from string, trail automation.Trail) error {
	job := eventJob(automation.ContactUpdated, e.OrgID, e.ContactID, e.At)
	job.Trail = trail
	switch e.Kind {
	case crm.StageMoved:
		job.Event, job.SubjectID = automation.ContactMoved, from
	case crm.Assigned:
		job.Detail = "responsável"
	case crm.NoteAdded:
		job.Detail = "nota"
	case crm.ContactEdited:
		job.Detail = e.Subject
	case crm.ContactCreated, crm.ContactAdded:
		return nil
	}
	return emit(ctx, r, job)
}

// errEventGone says that what an event was about is kept no more.
var errEventGone = errors.New("what the event was about is gone")

// eventOf is what a run is told of: the contact and everything else as it is now. errEventGone where what it is about
// does not exist any more.
func eventOf(ctx context.Context, r ports.Repos, job automation.Job) (automation.Event, error) {
	e := automation.Event{Name: job.Event, At: job.CreatedAt}
	if job.Event == "" {
		e.Name = automation.ContactCreated
	}
	var err error
	if job.ContactID != "" {
		if e.Contact, err = viewContact(ctx, r, job.ContactID); err != nil {
			return e, gone(err)
		}
	}
	switch e.Name {
	case automation.ContactCreated:
		e.At = e.Contact.CreatedAt
	case automation.ContactUpdated:
		e.Changed = strings.Split(job.Detail, ", ")
	case automation.ContactMoved:
		n, err := loadNames(ctx, r, job.OrgID)
		if err != nil {
			return e, err
		}
		e.From = n.stages[job.SubjectID].Name
	case automation.LookupCompleted:
		err = addLookup(ctx, r, job, &e)
	case automation.CapReached:
		err = addCap(ctx, r, job, &e)
	case automation.DeliveryRefused:
		err = addDelivery(ctx, r, job, &e)
	case automation.BatchCompleted:
		err = addBatch(ctx, r, job, &e)
	}
	return e, gone(err)
}

func gone(err error) error {
	if errors.Is(err, ports.ErrNotFound) {
		return errEventGone
	}
	return err
}

func addLookup(ctx context.Context, r ports.Repos, job automation.Job, e *automation.Event) error {
	entry, err := r.Statement.Find(ctx, job.SubjectID)
	if err != nil {
		return err
	}
	records, err := r.History.Records(ctx, []string{entry.RecordID})
	if err != nil {
		return err
	}
	rec, kept := records[entry.RecordID]
	if !kept || rec.Unreadable {
		return errEventGone
	}
	e.Lookup, e.At = &automation.LookupOutcome{Entry: entry, Record: rec}, entry.At
	return nil
}

// addBatch says what became of a batch; how it ended is of then, since it may have been resumed.
func addBatch(ctx context.Context, r ports.Repos, job automation.Job, e *automation.Event) error {
	ended, err := r.Batches.Find(ctx, job.SubjectID)
	if err != nil {
		return err
	}
	spent, err := r.Usage.SpentByKeys(ctx, []string{ended.ID}, lookup.BatchBucket)
	ended.Status, ended.EndedAt = batch.Status(job.Detail), job.CreatedAt
	e.Batch = &automation.BatchOutcome{Batch: ended, Spent: spent[ended.ID].Amount}
	return err
}

func addCap(ctx context.Context, r ports.Repos, job automation.Job, e *automation.Event) error {
	key, err := r.Keys.Find(ctx, job.SubjectID)
	if err != nil {
		return err
	}
	e.Cap = &automation.Cap{KeyID: key.ID, Key: key.Name, Prefix: key.Prefix}
	_, err = fmt.Sscanf(strings.ReplaceAll(job.Detail, ":", " "), "%s %d %d %d",
		&e.Cap.Period, &e.Cap.Percent, &e.Cap.Limit, &e.Cap.Used)
	return err
}

// capDetail is the detail of a cap that is reached to so many percent.
func capDetail(period string, percent, limit int) string {
	return fmt.Sprintf("%s:%d:%d:%d", period, percent, limit, (limit*percent+99)/100)
}

func addDelivery(ctx context.Context, r ports.Repos, job automation.Job, e *automation.Event) error {
	d, err := r.Deliveries.Find(ctx, job.SubjectID)
	if err != nil {
		return err
	}
	n, err := loadNames(ctx, r, job.OrgID)
	e.Delivery, e.Webhook, e.At = &d, n.webhooks[d.WebhookID], d.At
	return err
}

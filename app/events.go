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

// emit writes the job of an event, in the transaction of the change, if an automation listens.
func emit(ctx context.Context, r ports.Repos, job automation.Job) error {
	listens, err := r.Automations.Listens(ctx, job.OrgID, job.Event)
	if err != nil || !listens {
		return err
	}
	return r.Jobs.Add(ctx, job)
}

// eventJob returns the job of an event of a contact.
func eventJob(event automation.EventName, orgID, contactID string, at time.Time) automation.Job {
	return automation.Job{
		ID: newID(), OrgID: orgID, Kind: automation.FanOut, Event: event, ContactID: contactID, State: automation.Ready,
		RunAt: at, CreatedAt: at,
	}
}

// emitChange emits the event of an entry of a contact's history; from is the stage that the contact was in before.
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
	case crm.Merged, crm.Parted:
		job.Detail = "união"
	case crm.ContactCreated, crm.ContactAdded, crm.Restored, crm.Called:
		return nil
	}
	return emit(ctx, r, job)
}

// errEventGone says that what an event was about no longer exists.
var errEventGone = errors.New("what the event was about is gone")

// eventOf returns the event of a job with the present state of all it refers to; errEventGone where that no longer
// exists.
func eventOf(ctx context.Context, r ports.Repos, job automation.Job) (automation.Event, error) {
	e := automation.Event{Name: job.Event, At: job.CreatedAt}
	if job.Event == "" {
		e.Name = automation.ContactCreated
	}
	var err error
	if job.ContactID != "" {
		if e.Contact, err = survivingContact(ctx, r, job.ContactID); err != nil {
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

// survivingContact returns a contact, or the one that it was merged into.
func survivingContact(ctx context.Context, r ports.Repos, id string) (crm.ContactView, error) {
	view, err := viewContact(ctx, r, id)
	if !errors.Is(err, ports.ErrNotFound) {
		return view, err
	}
	if id, err = r.Removals.Survivor(ctx, id); err != nil {
		return view, err
	}
	return viewContact(ctx, r, id)
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

// addBatch adds the batch; its status is that of the event, since the batch may have been resumed.
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

// capDetail is the detail of an event that a cap was used to that percentage.
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

package app

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"fichario/domain/automation"
	"fichario/domain/batch"
	"fichario/domain/catalog"
	"fichario/domain/crm"
	"fichario/domain/lookup"
	"fichario/ports"
)

// Emit writes the job of an event, in the transaction of the change, if an automation listens. A contact that it
// happened to is locked, so that its events have the order in which they happened, on any instance.
func Emit(ctx context.Context, r ports.Repos, job automation.Job) error {
	listens, err := r.Automations.Listens(ctx, job.OrgID, job.Event)
	if err != nil || !listens {
		return err
	}
	if job.ContactID != "" {
		if job.Place, err = r.Jobs.NextPlace(ctx, job.OrgID, job.ContactID); err != nil {
			return err
		}
	}
	return r.Jobs.Add(ctx, job)
}

// EventJob returns the job of an event of a contact.
func EventJob(event automation.EventName, orgID, contactID string, at time.Time) automation.Job {
	return automation.Job{
		ID: NewID(), OrgID: orgID, Kind: automation.FanOut, Event: event, ContactID: contactID, State: automation.Ready,
		RunAt: at, CreatedAt: at,
	}
}

// Change is a change of a contact: its state before and after, and the automations that led to it.
type Change struct {
	Was, Is crm.Contact
	Trail   automation.Trail
}

// EmitChange emits the event of an entry of a contact's history.
func EmitChange(ctx context.Context, r ports.Repos, e crm.Event, c Change) error {
	job := EventJob(automation.ContactUpdated, e.OrgID, e.ContactID, e.At)
	job.Trail, job.Facts = c.Trail, automation.FactsOf(c.Is)
	switch e.Kind {
	case crm.StageMoved:
		job.Event, job.SubjectID = automation.ContactMoved, c.Was.StageID
	case crm.Assigned:
		job.Detail, job.SubjectID = "responsável", c.Was.AssigneeID
	case crm.NoteAdded:
		job.Detail = "nota"
	case crm.ContactEdited:
		job.Detail = e.Subject
	case crm.Merged, crm.Parted:
		job.Detail = "união"
	case crm.ContactCreated, crm.ContactAdded, crm.Restored, crm.Called:
		return nil
	}
	return Emit(ctx, r, job)
}

// ErrEventGone says that what an event was about no longer exists.
var ErrEventGone = errors.New("what the event was about is gone")

// EventOf returns the event of a job, with what was so when it happened and the present state of all else that it
// refers to; ErrEventGone where that no longer exists.
func EventOf(ctx context.Context, r ports.Repos, job automation.Job) (automation.Event, error) {
	e := automation.Event{ID: automation.EventID(job), Name: job.Event, At: job.CreatedAt}
	if job.Event == "" {
		e.Name = automation.ContactCreated
	}
	var err error
	var n crm.Names
	if job.ContactID != "" {
		c, err := SurvivingContact(ctx, r, job.OrgID, job.ContactID)
		if err != nil {
			return e, gone(err)
		}
		job.Facts.Apply(&c)
		if n, err = NamesOf(ctx, r, job.OrgID, append(IDsIn(c), job.SubjectID)...); err != nil {
			return e, err
		}
		e.Contact = n.View(c)
	}
	switch e.Name {
	case automation.ContactCreated:
		e.At, err = createdAt(ctx, r, job, e.Contact.Contact)
	case automation.ContactUpdated:
		e.Changed, e.Before = strings.Split(job.Detail, ", "), n.Member(job.SubjectID)
	case automation.ContactMoved:
		e.From = n.Stage(job.SubjectID).Name
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

// createdAt is when the contact of a job was created, be it part of another one by now.
func createdAt(ctx context.Context, r ports.Repos, job automation.Job, now crm.Contact) (time.Time, error) {
	if now.ID == job.ContactID {
		return now.CreatedAt, nil
	}
	removed, err := r.Removals.Find(ctx, job.OrgID, job.ContactID)
	switch {
	case errors.Is(err, ports.ErrNotFound) || err == nil && removed.Contact.CreatedAt.IsZero():
		return now.CreatedAt, nil
	case err != nil:
		return time.Time{}, err
	}
	return removed.Contact.CreatedAt, nil
}

// SurvivingContact returns a contact, or the one that it was merged into.
func SurvivingContact(ctx context.Context, r ports.Repos, orgID, id string) (crm.Contact, error) {
	c, err := r.Contacts.Find(ctx, orgID, id)
	if !errors.Is(err, ports.ErrNotFound) {
		return c, err
	}
	if id, err = r.Removals.Survivor(ctx, orgID, id); err != nil {
		return c, err
	}
	return r.Contacts.Find(ctx, orgID, id)
}

func gone(err error) error {
	if errors.Is(err, ports.ErrNotFound) {
		return ErrEventGone
	}
	return err
}

func addLookup(ctx context.Context, r ports.Repos, job automation.Job, e *automation.Event) error {
	entry, err := r.Statement.Find(ctx, job.OrgID, job.SubjectID)
	if err != nil {
		return err
	}
	records, err := r.History.Records(ctx, entry.OrgID, []string{entry.RecordID})
	if err != nil {
		return err
	}
	rec, kept := records[entry.RecordID]
	if !kept || rec.Unreadable {
		return ErrEventGone
	}
	e.Lookup, e.At = &automation.LookupOutcome{Entry: entry, Record: rec}, entry.At
	return nil
}

// addBatch adds the batch as it was when it ended, since it may have been resumed.
func addBatch(ctx context.Context, r ports.Repos, job automation.Job, e *automation.Event) error {
	ended, err := r.Batches.Find(ctx, job.OrgID, job.SubjectID)
	if err != nil {
		return err
	}
	ended.Status, ended.EndedAt = batch.Status(job.Detail), job.CreatedAt
	e.Batch = &automation.BatchOutcome{Batch: ended}
	if job.Facts.ApplyToBatch(e.Batch) {
		return nil
	}
	spent, err := r.Usage.SpentByKeys(ctx, ended.OrgID, []string{ended.ID}, lookup.BatchBucket)
	e.Batch.Spent = spent[lookup.BatchBucket][ended.ID].Amount
	return err
}

func addCap(ctx context.Context, r ports.Repos, job automation.Job, e *automation.Event) error {
	key, err := r.Keys.Find(ctx, job.OrgID, job.SubjectID)
	if err != nil {
		return err
	}
	e.Cap = &automation.Cap{KeyID: key.ID, Key: key.Name, Prefix: key.Prefix}
	_, err = fmt.Sscanf(strings.ReplaceAll(job.Detail, ":", " "), "%s %d %d %d",
		&e.Cap.Period, &e.Cap.Percent, &e.Cap.Limit, &e.Cap.Used)
	return err
}

// CapDetail is the detail of an event that a cap was used to that percentage.
func CapDetail(period string, percent, limit int) string {
	return fmt.Sprintf("%s:%d:%d:%d", period, percent, limit, (limit*percent+99)/100)
}

func addDelivery(ctx context.Context, r ports.Repos, job automation.Job, e *automation.Event) error {
	d, err := r.Deliveries.Find(ctx, job.OrgID, job.SubjectID)
	if err != nil {
		return err
	}
	n, err := NamesOf(ctx, r, job.OrgID, d.WebhookID)
	e.Delivery, e.Webhook, e.At = &d, n.Name(crm.NamedWebhook, d.WebhookID), d.At
	return err
}

// BatchJob is the job of a batch that has ended.
func BatchJob(q batch.Batch, spent catalog.Money) automation.Job {
	job := EventJob(automation.BatchCompleted, q.OrgID, "", q.EndedAt)
	job.SubjectID, job.Detail, job.Facts = q.ID, string(q.Status), automation.FactsOfBatch(q, spent)
	return job
}

package ports

import (
	"context"
	"time"

	"fichario/domain/catalog"
	"fichario/domain/crm"
	"fichario/domain/document"
)

// ContactChanges are the events of an organisation's contacts since a time.
type ContactChanges struct {
	// Newest is the id of the newest one.
	Newest string
	// Events is how many there are.
	Events int
}

// Contacts stores contacts and their history. Notes, documents and attribution are
// encrypted at rest. Contacts that webhooks make are written by Inbox.
type Contacts interface {
	// Find returns ErrNotFound when there is none.
	Find(ctx context.Context, id string) (crm.Contact, error)
	// Changed returns what happened after since, for each organisation that has contacts with an event after it.
	Changed(ctx context.Context, since time.Time) (map[string]ContactChanges, error)
	// Brief returns contacts by id, without their notes and attribution; what is not there, and an empty id, is left
	// out.
	Brief(ctx context.Context, ids []string) (map[string]crm.Contact, error)
	// Page returns contacts of an organisation, newest first, that come after the
	// one with id after ("" starts at the newest).
	Page(ctx context.Context, orgID, after string, limit int) ([]crm.Contact, error)
	// SetStage moves the event's contact to a stage and writes the event; ErrNotFound
	// when there is no such contact, or no such stage. Only inside InTx.
	SetStage(ctx context.Context, stageID string, e crm.Event) error
	// SetAssignee gives the event's contact to a member and writes the event;
	// ErrNotFound when there is no such contact. Only inside InTx.
	SetAssignee(ctx context.Context, memberID string, e crm.Event) error
	// AddNote puts the event's subject on new lines at the end of its contact's note and
	// writes the event; ErrNotFound when there is no such contact. Only inside InTx.
	AddNote(ctx context.Context, e crm.Event) error
	// Answer notes that a member answered a contact first at a time, when it waits; see crm.Contact.Waiting.
	// Only inside InTx.
	Answer(ctx context.Context, c crm.Contact, memberID string, at time.Time) error
	// Unanswer takes an Answer back that was the contact's first: it waits again, and nobody answered. Only inside InTx.
	Unanswer(ctx context.Context, c crm.Contact, memberID string, at time.Time) error
	// FirstAnswers adds up how long the contacts of an organisation waited that were answered since the beginning of the
	// hour that a time is in, by who answered and where they came from.
	FirstAnswers(ctx context.Context, orgID string, since time.Time) ([]FirstAnswer, error)
	// Log writes an event of a contact; ErrNotFound when there is no such contact. Only inside InTx.
	Log(ctx context.Context, e crm.Event) error
	// Create writes a contact that a member made, with the event of it; ErrNotFound when
	// its stage does not exist. Only inside InTx.
	Create(ctx context.Context, c crm.Contact, e crm.Event) error
	// Lock is Find that keeps others from the contact until the transaction ends. Only
	// inside InTx.
	Lock(ctx context.Context, id string) (crm.Contact, error)
	// Edit changes name, e-mail, phone, company, amount, documents, note, attribution and origin of a contact,
	// and writes the event of it; ErrNotFound when there is none. Only inside InTx.
	Edit(ctx context.Context, c crm.Contact, e crm.Event) error
	// Select returns contacts of an organisation that a query wants, without their
	// notes and attribution unless it asks for them.
	Select(ctx context.Context, orgID string, q ContactQuery) ([]crm.Contact, error)
	// WithDocument returns the ids of contacts of an organisation that have a document, newest first, up to most.
	WithDocument(ctx context.Context, orgID string, d document.Document, most int) ([]string, error)
	// Alike returns contacts of the same organisation with the e-mail address, the phone or a document of one, newest
	// first, up to most; without itself, notes and attribution. Case makes no difference in addresses.
	Alike(ctx context.Context, c crm.Contact, most int) ([]crm.Contact, error)
	// AlikeBefore returns the ids of those that are alike to some contacts of an organisation and came before them, by
	// these, newest first, up to most of each.
	AlikeBefore(ctx context.Context, orgID string, ids []string, most int) (map[string][]string, error)
	// Count counts those that a filter lets through, up to most.
	Count(ctx context.Context, orgID string, f ContactFilter, most int) (int, error)
	// Totals returns how many contacts are in each of a filter's stages, in all where it names none, and their value;
	// stages without any are not there. Of a stage's contacts that more of the filter lets through, the newest are
	// counted, up to most; for those the filter must name its stages.
	Totals(ctx context.Context, orgID string, f ContactFilter, most int) (map[string]StageTotal, error)
	// InStage reports whether any contact is in a stage.
	InStage(ctx context.Context, stageID string) (bool, error)
	// Events returns the history of a contact and of what became part of it, oldest first.
	Events(ctx context.Context, contactID string) ([]crm.Event, error)
}

// ContactFilter chooses contacts. Zero values do not filter.
type ContactFilter struct {
	// Words are in the form of text.Fold. Each is somewhere in the name, e-mail
	// address, company or digits of the phone.
	Words []string
	// IDs are the only contacts wanted, when it is not nil.
	IDs                                      []string
	StageID, OriginID, AssigneeID, WebhookID string
	// Stages are the only ones wanted, when there are any.
	Stages []string
	// Since is when the first one wanted came.
	Since time.Time
	// Waiting wants those that nobody has answered.
	Waiting bool
}

// Narrows reports whether more than stages is wanted.
func (f ContactFilter) Narrows() bool {
	return len(f.Words) > 0 || f.IDs != nil || f.StageID+f.OriginID+f.AssigneeID+f.WebhookID != "" || !f.Since.IsZero() ||
		f.Waiting
}

// ContactQuery chooses a page of contacts.
type ContactQuery struct {
	ContactFilter
	Order crm.ContactOrder
	// Ascending puts the oldest, first in the alphabet or smallest first.
	Ascending bool
	// After is the id of the contact that the page comes after, who may have been removed since; "" starts at the first.
	// In an order other than that of arrival, Select returns ErrNotFound when nothing is known of him any more.
	After string
	Limit int
	// Whole asks for notes and attribution too.
	Whole bool
}

// FirstAnswer is how many contacts a member answered first, and how long these waited together.
type FirstAnswer struct {
	// OriginID is empty for those without one.
	MemberID, OriginID string
	Answers            int
	Waited             time.Duration
}

// StageTotal is what a stage holds.
type StageTotal struct {
	Count int
	// Amount is in ten-thousandths of a real.
	Amount catalog.Money
	// More is whether there are more contacts than were counted.
	More bool
}

package ports

import (
	"context"
	"time"

	"fichario/domain/automation"
	"fichario/domain/catalog"
	"fichario/domain/crm"
	"fichario/domain/document"
)

// ContactChanges are the events of an organisation's contacts since a time.
type ContactChanges struct {
	// Newest is the id of the newest one.
	Newest string
	// Events is how many there are, with those of contacts that came by a webhook.
	Events int
	// Removed is how many contacts were deleted or merged into others.
	Removed int
}

// Contacts stores contacts and their history. Notes, documents and attribution are
// encrypted at rest. Contacts that webhooks make are written by Inbox.
type Contacts interface {
	// Find returns ErrNotFound when there is none.
	Find(ctx context.Context, orgID, id string) (crm.Contact, error)
	// Brief returns contacts of an organisation by id, without their notes and attribution; unknown and empty ids are left
	// out.
	Brief(ctx context.Context, orgID string, ids []string) (map[string]crm.Contact, error)
	// Page returns contacts of an organisation, newest first, that come after the
	// one with id after ("" starts at the newest).
	Page(ctx context.Context, orgID, after string, limit int) ([]crm.Contact, error)
	// Create writes a contact that a member made, with its event; ErrNotFound when its stage does not exist. Only inside
	// InTx.
	Create(ctx context.Context, c crm.Contact, e crm.Event) error
	// Lock is Find that also locks the contact until the transaction ends. Only inside InTx.
	Lock(ctx context.Context, orgID, id string) (crm.Contact, error)
	// Edit changes name, e-mail, phone, company, amount, documents, note, attribution and origin of a contact, and whether
	// it waits, and writes its event; ErrNotFound when there is none. Only inside InTx.
	Edit(ctx context.Context, c crm.Contact, e crm.Event) error
}

// ContactHistory is changes of contacts that are events, and the events.
type ContactHistory interface {
	// SetStage moves the event's contact to a stage and writes the event; ErrNotFound
	// when there is no such contact, or no such stage. Only inside InTx.
	SetStage(ctx context.Context, stageID string, e crm.Event) error
	// SetAssignee gives the event's contact to a member and writes the event;
	// ErrNotFound when there is no such contact. Only inside InTx.
	SetAssignee(ctx context.Context, memberID string, e crm.Event) error
	// AddNote puts the event's subject on new lines at the end of its contact's note and
	// writes the event; ErrNotFound when there is no such contact. Only inside InTx.
	AddNote(ctx context.Context, e crm.Event) error
	// Log writes an event of a contact; ErrNotFound when there is no such contact. Only inside InTx.
	Log(ctx context.Context, e crm.Event) error
	// Events returns the history of a contact and of those merged into it, oldest first. That of a contact that came by a
	// webhook begins with an entry of that, under the contact's id.
	Events(ctx context.Context, orgID, contactID string) ([]crm.Event, error)
	// Changed returns what happened after since, for each organisation in which anything did.
	Changed(ctx context.Context, since time.Time) (map[string]ContactChanges, error)
}

// ContactAnswers is who answered a contact first, and after how long.
type ContactAnswers interface {
	// Answer records that a member was the first to answer a contact, at a time, if it waits; see crm.Contact.Waiting. How
	// long it waited counts from when it came, or the contact that made it wait by becoming part of it. Only inside InTx.
	Answer(ctx context.Context, c crm.Contact, memberID string, at time.Time) error
	// Unanswer takes back an Answer that was the contact's first: it waits again, and nobody has answered. Only inside
	// InTx.
	Unanswer(ctx context.Context, c crm.Contact, memberID string, at time.Time) error
	// FirstAnswers adds up how long the contacts of an organisation waited, for those answered since the beginning of the
	// hour that since is in, by answering member and by origin.
	FirstAnswers(ctx context.Context, orgID string, since time.Time) ([]FirstAnswer, error)
}

// ContactSearch is finding and counting contacts.
type ContactSearch interface {
	// Select returns the contacts of an organisation that match a query, without their notes and attribution unless it
	// asks for them.
	Select(ctx context.Context, orgID string, q ContactQuery) ([]crm.Contact, error)
	// WithDocument returns the ids of contacts of an organisation that have a document, newest first, up to most.
	WithDocument(ctx context.Context, orgID string, d document.Document, most int) ([]string, error)
	// Alike returns other contacts of the same organisation with the e-mail address (whatever its case), the phone or a
	// document of c, newest first, up to most; without notes and attribution.
	Alike(ctx context.Context, c crm.Contact, most int) ([]crm.Contact, error)
	// AlikeBefore returns, by the ids of some contacts, the ids of older contacts of the organisation that are alike,
	// newest first, up to most for each.
	AlikeBefore(ctx context.Context, orgID string, ids []string, most int) (map[string][]string, error)
	// Count counts the contacts that match a filter, up to most.
	Count(ctx context.Context, orgID string, f ContactFilter, most int) (int, error)
	// Totals returns the number and value of the contacts in each of a filter's stages, or in all stages if it names none;
	// empty stages are left out. A filter that Narrows must name its stages; then only the newest contacts of each that
	// match are counted, up to most.
	Totals(ctx context.Context, orgID string, f ContactFilter, most int) (map[string]StageTotal, error)
	// Stray returns contacts, without their notes and attribution, whose stage is no more, up to most.
	Stray(ctx context.Context, most int) ([]crm.Contact, error)
	// InStage reports whether any contact is in a stage.
	InStage(ctx context.Context, orgID, stageID string) (bool, error)
}

// ContactFilter chooses contacts. Zero values do not filter.
type ContactFilter struct {
	// Words are in the form of text.Fold. Each must occur in the name, e-mail address, company or digits of the phone.
	Words []string
	// IDs are the only contacts wanted, when it is not nil.
	IDs                                      []string
	StageID, OriginID, AssigneeID, WebhookID string
	// Stages are the only ones wanted, when there are any.
	Stages []string
	// Since is the earliest arrival wanted.
	Since time.Time
	// Waiting selects those that nobody has answered.
	Waiting bool
	// MinAmount is the least amount wanted, in ten-thousandths of a real; zero asks for none.
	MinAmount catalog.Money
}

// Narrows reports whether the filter selects by more than stages.
func (f ContactFilter) Narrows() bool {
	return len(f.Words) > 0 || f.IDs != nil || f.StageID+f.OriginID+f.AssigneeID+f.WebhookID != "" || !f.Since.IsZero() ||
		f.Waiting || f.MinAmount != 0
}

// ContactQuery chooses a page of contacts.
type ContactQuery struct {
	ContactFilter
	Order crm.ContactOrder
	// Ascending puts the oldest, first in the alphabet or smallest first.
	Ascending bool
	// After is the id of the contact that the page comes after, which may have been removed since; "" starts at the first.
	// In an order other than that of arrival, Select returns ErrNotFound once nothing is known of it any more.
	After string
	// Last is the contact with that id as it was read, whose place then the page comes after, whatever became of it since;
	// nil for its present place.
	Last  *crm.Contact
	Limit int
	// Whole asks for notes and attribution too.
	Whole bool
}

// FirstAnswer is how many contacts a member answered first, and how long they waited in total.
type FirstAnswer struct {
	// OriginID is empty for those without one.
	MemberID, OriginID string
	Answers            int
	Waited             time.Duration
	// Within counts them by how long they waited, since that is counted.
	Within crm.AnsweredWithin
}

// StageTotal is what a stage holds.
type StageTotal struct {
	Count int
	// Amount is in ten-thousandths of a real.
	Amount catalog.Money
	// More is whether there are more contacts than were counted.
	More bool
}

// Told keeps what platforms were told of contacts. Bodies are encrypted at rest.
type Told interface {
	// Add writes what is about to be sent; of a run that sends again, another body is added, and the first time counts.
	// Only inside InTx, where the contact is locked.
	Add(ctx context.Context, t automation.Told) error
	// Answered writes when the other side took it; nothing where it was removed since. Only inside InTx.
	Answered(ctx context.Context, orgID, runID string, at time.Time) error
	// OfContact returns what was told of a contact and of those merged into it, oldest first.
	OfContact(ctx context.Context, orgID, contactID string) ([]automation.Told, error)
}

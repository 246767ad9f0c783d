package automation

import (
	"slices"
	"strings"
	"time"

	"fichario/domain/batch"
	"fichario/domain/catalog"
	"fichario/domain/crm"
	"fichario/domain/lookup"
	"fichario/domain/webhook"
)

// EventName is what starts an automation.
type EventName string

// The events.
const (
	// ContactCreated: a webhook or a member has made a contact (specification, 4.5.6).
	ContactCreated EventName = "contact.created"
	// ContactUpdated: fields, note or assignee of a contact were changed.
	ContactUpdated EventName = "contact.updated"
	// ContactMoved: a contact was put into another stage.
	ContactMoved EventName = "contact.moved"
	// LookupCompleted: a lookup was answered, by the bureau or from history.
	LookupCompleted EventName = "lookup.completed"
	// BatchCompleted: a batch is done, or was cancelled after it had begun.
	BatchCompleted EventName = "batch.completed"
	// CapReached: a key has used 80 or 100 % of what it may be charged in a day or month.
	CapReached EventName = "cap.reached"
	// DeliveryRefused: a post to a webhook was refused.
	DeliveryRefused EventName = "delivery.refused"
)

// Events returns all events.
func Events() []EventName {
	return []EventName{
		ContactCreated, ContactUpdated, ContactMoved, LookupCompleted, BatchCompleted, CapReached, DeliveryRefused,
	}
}

// Valid reports whether there is such an event.
func (e EventName) Valid() bool { return slices.Contains(Events(), e) }

// OfContact reports whether the event may have a contact.
func (e EventName) OfContact() bool {
	return e == ContactCreated || e == ContactUpdated || e == ContactMoved || e == LookupCompleted
}

// OfStage reports whether the event brings a contact into a stage.
func (e EventName) OfStage() bool { return e == ContactCreated || e == ContactMoved }

// Event is something that happened, as automations are told of it.
type Event struct {
	// ID is the event's own, a UUID: the same for every automation, in every attempt and when a run is repeated.
	ID   string
	Name EventName
	// At is when it happened, UTC; the same in every attempt.
	At time.Time
	// Contact is the contact that it happened to; the zero value where there is none. Its stage, assignee, origin and
	// amount are as they were when it happened, all else is as it is now; for LookupCompleted all of it.
	Contact crm.ContactView
	// Changed lists the fields that ContactUpdated changed, by their Portuguese names.
	Changed []string
	// Before is the member whom ContactUpdated replaced as the assignee; the zero value where there was none, or the
	// assignee is none of the changed fields.
	Before crm.Member
	// From is the name of the stage that ContactMoved left; empty where it was removed since.
	From string
	// Lookup is set for LookupCompleted, Batch for BatchCompleted, Cap for CapReached, Delivery and Webhook, the name of
	// its webhook, for DeliveryRefused.
	Lookup   *LookupOutcome
	Batch    *BatchOutcome
	Cap      *Cap
	Delivery *webhook.Delivery
	Webhook  string
}

// LookupOutcome is a lookup that was answered.
type LookupOutcome struct {
	Entry  lookup.Entry
	Record lookup.Record
}

// BatchOutcome is a batch that has ended, and what it was charged, in ten-thousandths of a real.
type BatchOutcome struct {
	batch.Batch
	Spent catalog.Money
}

// Cap reports how much of a key's limit is used.
type Cap struct {
	KeyID, Key, Prefix string
	// Period is DayCap or MonthCap.
	Period string
	// Percent is 80 or 100.
	Percent int
	// Limit and Used count charged lookups; Used is the count at that moment.
	Limit, Used int
}

// The periods of a Cap.
const (
	DayCap   = "dia"
	MonthCap = "mes"
)

const (
	// MaxSteps is how many automations may trigger one another in a chain.
	MaxSteps = 5
	// MaxAnswers is how many runs for one contact may begin in an hour because of what other automations changed: a chain
	// may branch at each of its steps.
	MaxAnswers = 30
)

// Trail lists the ids of the automations that led to an event, the first one first, separated by commas.
type Trail string

// With returns the trail with an automation added.
func (t Trail) With(id string) Trail {
	if t == "" {
		return Trail(id)
	}
	return t + "," + Trail(id)
}

// Has reports whether an automation is in the trail.
func (t Trail) Has(id string) bool {
	return t != "" && slices.Contains(strings.Split(string(t), ","), id)
}

// Steps returns how many automations there are.
func (t Trail) Steps() int {
	if t == "" {
		return 0
	}
	return strings.Count(string(t), ",") + 1
}

package ports

import (
	"context"
	"time"

	"fichario/domain/automation"
	"fichario/domain/crm"
	"fichario/domain/webhook"
)

// Arrival is a post to be stored: new contacts with all that belongs to them, or only a line in the delivery log.
type Arrival struct {
	// Delivery is its line in the log.
	Delivery webhook.Delivery
	// People are those to make contacts of, no two with the same key; none where only the line is to be stored.
	People []Newcomer
	// Fingerprint tells whether two posts with the same key are equal.
	Fingerprint []byte
	// Read is the id of the delivery that a replay has read; empty for a post.
	Read string
	// Mails is whether members are told of new contacts by e-mail: then their jobs are written even where no automation
	// listens.
	Mails bool
	// Lead is the platform's id of the lead that it is, Page of the page; empty for what was posted. A lead is taken once
	// for ever: its people need no keys, a later arrival of it stores nothing, and its receipts are empty ones. The line
	// of the log that it waits on goes.
	Lead, Page string
}

// Newcomer is a contact to be made. Its history begins with an entry that names the webhook, and the team is told of
// it: both follow from the contact itself. Job is what fires the automations and tells members, which is written where
// somebody hears of it. It carries the contact, its organisation and the delivery's time, and is new.
type Newcomer struct {
	Contact crm.Contact
	Job     automation.Job
	// Key is the idempotency key of what was sent about the person, unique within the webhook; empty where nothing can
	// serve as one.
	Key string
	// RotationID is the rotation that assigns the contact, and Sequence the members in the order of their turns; where one
	// is empty the contact keeps its own assignee.
	RotationID string
	Sequence   []string
}

// Receipt is what became of one of an arrival's people.
type Receipt struct {
	// ContactID is the contact that was made now, or by the first post with the same key; empty where nothing was stored
	// because another person's key was known.
	ContactID string
	// Repeated is true when an earlier post had the same key: then nothing of the arrival was stored, not even the line in
	// the log.
	Repeated bool
	// Same is whether that post had the same fingerprint.
	Same bool
}

// Inbox takes what webhooks received.
type Inbox interface {
	// Take stores an arrival: the contacts, the job of each where an enabled automation of the organisation is for
	// contact.created or Mails says so, the delivery, and the webhook's counter; all of it or nothing, and durably
	// when Take returns. Of any number of arrivals with one key only the first is stored; the others are told so. It
	// returns a receipt for each of the people, in their order. Calls with one person may share a commit; one that
	// fails does not affect the others. A replay of a delivery that was emptied or removed since it was read stores
	// nothing: ErrErased. Only outside InTx.
	Take(ctx context.Context, a Arrival) ([]Receipt, error)
	// Known returns the receipts of the posts that had these keys, empty for a key that is empty or that none had;
	// ErrNotFound where none had any.
	Known(ctx context.Context, orgID, webhookID string, keys []string, fingerprint []byte) ([]Receipt, error)
	// Forget removes deliveries and keys older than a time, a limited number per call, and returns how many there were.
	Forget(ctx context.Context, before time.Time) (int, error)
}

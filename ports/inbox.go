package ports

import (
	"context"
	"time"

	"fichario/domain/automation"
	"fichario/domain/crm"
	"fichario/domain/webhook"
)

// Arrival is a post that is to be kept: new contacts with all that belongs to them, or a
// line in the delivery log and nothing else.
type Arrival struct {
	// Delivery is its line in the log.
	Delivery webhook.Delivery
	// People are those of whom contacts are to be made, no two with one key; none where only
	// the line is to be kept.
	People []Newcomer
	// Fingerprint is what tells whether two posts with one key are the same.
	Fingerprint []byte
}

// Newcomer is a contact to be made. Event is the history entry of its making, Notification
// what the team is told, Job what fires the automations. All are of the contact, its
// organisation and the delivery's time, and the job is a new one.
type Newcomer struct {
	Contact      crm.Contact
	Event        crm.Event
	Notification crm.Notification
	Job          automation.Job
	// Key identifies what was sent of the person among the posts of the webhook, so that it
	// is done once; empty when nothing does.
	Key string
	// RotationID is the rotation that says who gets the contact, and Sequence whose turn it is in it, one after the
	// other; where one is empty the contact is as it says itself.
	RotationID string
	Sequence   []string
}

// Receipt is what one of an arrival's people met.
type Receipt struct {
	// ContactID is the contact that was made now, or by the first post with the same key;
	// empty where nothing was kept because of somebody else's key.
	ContactID string
	// Repeated is true when an earlier post had the same key: then nothing of the arrival
	// was kept, the line in the log included.
	Repeated bool
	// Same is whether that post had the same fingerprint.
	Same bool
}

// Inbox takes what webhooks received.
type Inbox interface {
	// Take keeps an arrival: the contacts, each with its history entry, notification and
	// job, the delivery, and as many more on the webhook's counter; all of it or nothing,
	// and on disk when Take returns. Of any number of arrivals with one key only the first
	// is kept; the others learn of it. It returns a receipt for each of the people, in
	// their order. Many calls of one person may share one commit; one that fails does not
	// spoil its neighbours. Only outside InTx.
	Take(ctx context.Context, a Arrival) ([]Receipt, error)
	// Known returns the receipt of the post that had this key, or ErrNotFound.
	Known(ctx context.Context, webhookID, key string, fingerprint []byte) (Receipt, error)
	// Forget removes deliveries and keys of before that time, some at a time, and
	// returns how many there were.
	Forget(ctx context.Context, before time.Time) (int, error)
}

package ports

import (
	"context"
	"time"

	"fichario/domain/crm"
	"fichario/domain/fault"
	"fichario/domain/webhook"
)

// Arrival is a post that is to be kept: a new contact with all that belongs to it,
// or a refusal, which leaves a line in the delivery log and nothing else.
type Arrival struct {
	// Delivery is its line in the log, whose time is that of everything else.
	Delivery webhook.Delivery
	// Contact is the contact to be made; nil for a refusal.
	Contact *crm.Contact
	// Webhook is the name that the history entry and the notification give.
	Webhook string
	// EventID, NotificationID and JobID are those of what is written with a contact.
	EventID, NotificationID, JobID string
	// Key identifies the post among those of the webhook, so that it is done once;
	// empty when nothing does.
	Key string
	// Fingerprint is what tells whether two posts with one key are the same.
	Fingerprint []byte
	// Mismatch is the refusal of a post whose key was used with another fingerprint;
	// nil where that does not matter.
	Mismatch *fault.Error
}

// Receipt is what became of an arrival.
type Receipt struct {
	// ContactID is the contact that was made now, or by the first post with the same
	// key; empty for a refusal.
	ContactID string
	// Repeated is true when an earlier post had the same key: nothing was made now.
	Repeated bool
	// Same is whether that post had the same fingerprint.
	Same bool
}

// Inbox takes what webhooks received.
type Inbox interface {
	// Take keeps an arrival: the contact with its history entry, notification, job
	// and delivery, and one more on the webhook's counter; all of it or nothing, and
	// on disk when Take returns. Of any number of arrivals with one key only the
	// first makes a contact. Many calls may share one commit; one that fails does not
	// spoil its neighbours. Where the fingerprint is not that of the first post, it
	// returns the arrival's Mismatch. Only outside InTx.
	Take(ctx context.Context, a Arrival) (Receipt, error)
	// Known returns the receipt of the post that had this key, or ErrNotFound.
	Known(ctx context.Context, webhookID, key string, fingerprint []byte) (Receipt, error)
	// Forget removes deliveries and keys of before that time, some at a time, and
	// returns how many there were.
	Forget(ctx context.Context, before time.Time) (int, error)
}

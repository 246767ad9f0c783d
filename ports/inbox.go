package ports

import (
	"context"
	"time"

	"fichario/domain/automation"
	"fichario/domain/crm"
	"fichario/domain/webhook"
)

// Arrival is a post that is to be kept: a new contact with all that belongs to it,
// or a line in the delivery log and nothing else.
type Arrival struct {
	// Delivery is its line in the log.
	Delivery webhook.Delivery
	// Contact is the contact to be made; nil where only the line is to be kept.
	Contact *crm.Contact
	// Event is the history entry of the contact's making, Notification what the team is
	// told, Job what fires the automations. All are of the contact, its organisation
	// and the delivery's time, and the job is a new one. Without a contact they are
	// empty.
	Event        crm.Event
	Notification crm.Notification
	Job          automation.Job
	// Key identifies the post among those of the webhook, so that it is done once;
	// empty when nothing does.
	Key string
	// Fingerprint is what tells whether two posts with one key are the same.
	Fingerprint []byte
}

// Receipt is what an arrival met.
type Receipt struct {
	// ContactID is the contact that was made now, or by the first post with the same
	// key; empty where only a line was kept.
	ContactID string
	// Repeated is true when an earlier post had the same key: then nothing was kept, the
	// line in the log included.
	Repeated bool
	// Same is whether that post had the same fingerprint.
	Same bool
}

// Inbox takes what webhooks received.
type Inbox interface {
	// Take keeps an arrival: the contact with its history entry, notification, job
	// and delivery, and one more on the webhook's counter; all of it or nothing, and
	// on disk when Take returns. Of any number of arrivals with one key only the
	// first is kept; the others learn of it. Many calls may share one commit; one that
	// fails does not spoil its neighbours. Only outside InTx.
	Take(ctx context.Context, a Arrival) (Receipt, error)
	// Known returns the receipt of the post that had this key, or ErrNotFound.
	Known(ctx context.Context, webhookID, key string, fingerprint []byte) (Receipt, error)
	// Forget removes deliveries and keys of before that time, some at a time, and
	// returns how many there were.
	Forget(ctx context.Context, before time.Time) (int, error)
}

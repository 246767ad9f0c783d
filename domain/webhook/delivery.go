package webhook

import (
	"time"

	"fichario/domain/intake"
)

// Outcome is what became of a post.
type Outcome string

// The outcomes of the delivery log.
const (
	// Accepted: a contact was made.
	Accepted Outcome = "accepted"
	// Repeated: the post had come before; the answer named the first contact.
	Repeated Outcome = "repeated"
	// Refused: nothing was made.
	Refused Outcome = "refused"
	// Waiting: a lead was announced by its id, which is on disk; it is fetched next.
	Waiting Outcome = "aguardando"
	// Lost: a lead was announced, but its source does not have it.
	Lost Outcome = "perdido"
)

// Delivery is one post to a webhook, as the delivery log keeps it.
type Delivery struct {
	// ID is a UUIDv7.
	ID        string
	OrgID     string
	WebhookID string
	At        time.Time
	Outcome   Outcome
	// Code and Reason say why it was refused: the contract's code, and the
	// Portuguese message that the sender got. Empty otherwise.
	Code, Reason string
	// ContactID is the contact that was made, or named in the answer; the first of several; empty for a refusal.
	ContactID string
	// Others are the further contacts of a post with several people, in its order.
	Others []string
	// Headers are those of the request that tell something about it, with names in
	// lower case.
	Headers []intake.Pair
	// Body is what was sent; of files in a multipart body nothing is kept.
	Body []byte
	// Truncated is true when Body is only the beginning of what was sent.
	Truncated bool
	// ReplayOf is the delivery that this one replays, started by hand; empty otherwise.
	ReplayOf string
	// Unreadable is true where headers and body cannot be opened and are left out.
	Unreadable bool
}

// Header returns the header with that lower-case name, or "".
func (d Delivery) Header(name string) string {
	for _, h := range d.Headers {
		if h.Key == name {
			return h.Value
		}
	}
	return ""
}

// Contacts returns all contacts that were made or named in the answer, in the order of the people in the post.
func (d Delivery) Contacts() []string {
	if d.ContactID == "" {
		return nil
	}
	return append([]string{d.ContactID}, d.Others...)
}

// deliveryHeaders are headers in which products send their own id of a submission, which stays the same when they
// retry.
var deliveryHeaders = []string{
	"webhook-id", "svix-id", "framer-webhook-submission-id", "x-meetime-delivery", "x-delivery-id",
	"x-shopify-webhook-id", "x-wc-webhook-delivery-id", "x-baserow-delivery", "x-chatwoot-delivery", "x-github-delivery",
	"x-webhook-delivery", "x-webhook-delivery-id", "x-webhook-event-id", "x-event-id", "x-pandadoc-webhook-event-id",
}

// HeaderID returns the product's own delivery id in the headers, or "".
func (d Delivery) HeaderID() string {
	for _, name := range deliveryHeaders {
		if v := d.Header(name); v != "" {
			return name + ":" + v
		}
	}
	return ""
}

// AmbiguousID returns a header that some products set per submission and others per subscription, or "": it identifies
// a submission only together with the same body.
func (d Delivery) AmbiguousID() string { return d.Header("x-webhook-id") }

// Summary is what a webhook got in a period.
type Summary struct {
	Accepted, Repeated, Refused int
}

// Of is how many posts had an outcome; "" is any.
func (s Summary) Of(outcome Outcome) int {
	switch outcome {
	case Accepted:
		return s.Accepted
	case Repeated:
		return s.Repeated
	case Refused:
		return s.Refused
	}
	return s.Accepted + s.Repeated + s.Refused
}

// Sum adds periods up.
func Sum(periods []Summary) (all Summary) {
	for _, p := range periods {
		all.Accepted, all.Repeated, all.Refused = all.Accepted+p.Accepted, all.Repeated+p.Repeated, all.Refused+p.Refused
	}
	return all
}

// Package webhook is about the addresses that receive contacts: the webhook and its token, senders' signatures, and
// the delivery log. Package intake reads the bodies.
package webhook

import (
	"time"

	"fichario/domain/intake"
)

// Webhook is an address that contacts are sent to.
type Webhook struct {
	// ID is a UUIDv7.
	ID    string
	OrgID string
	Name  string
	// Options say how a body is read.
	intake.Options
	// Enabled is whether POST is accepted (specification, 3).
	Enabled bool
	// OriginID is the fixed origin; empty when there is none. A fixed origin wins
	// over what the sender states (specification, 4.5.4).
	OriginID string
	// Signature is how senders must sign; the zero value asks for none.
	Signature Signature
	// ThanksURL is where the browser of a plain HTML form is sent after an accepted
	// post; empty answers JSON to everybody.
	ThanksURL string
	// RotationID is the rotation that its contacts are given by; empty where they go to the first active member
	// (specification, 4.5.3).
	RotationID string
	// Received counts the contacts that accepted posts made.
	Received  int64
	CreatedAt time.Time
	// Unreadable is true where the secret of the signature cannot be opened and is left out.
	Unreadable bool
}

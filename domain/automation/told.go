package automation

import "time"

// Told is what a destination with Consent was told about a contact. It is written before it is sent, so that nothing
// that may have left is missing in a person's export or in the receipt of an erasure.
type Told struct {
	// RunID is the run that told it.
	RunID, OrgID, ContactID string
	// Destination is its name.
	Destination string
	// Ground is what allowed it.
	Ground Ground
	// Body is what was sent, in JSON, or the address of a request without a body; of a run that sent something else when
	// it was repeated, a line of each.
	Body string
	// At is when it was first sent, UTC; AnsweredAt when the other side took it, zero where that is not known.
	At, AnsweredAt time.Time
	// Unreadable is true where the body cannot be opened and is left out.
	Unreadable bool
}

package crm

import "time"

// Removal is a contact that was deleted, or that became part of another one.
type Removal struct {
	// Contact is the contact as it was.
	Contact Contact
	// IntoID is the contact that it became part of; empty where it was deleted.
	IntoID string
	// Before and After are that contact without and with it.
	Before, After Contact
	// By is the name of who did it.
	By string
	At time.Time
	// Unreadable is true where Contact cannot be opened or is no longer kept: then the removal cannot be undone.
	Unreadable bool
}

const (
	// UndoDeletion is how long a deleted contact can be brought back.
	UndoDeletion = 30 * time.Second
	// UndoMerge is how long merged contacts can be parted.
	UndoMerge = 30 * 24 * time.Hour
)

// Until is until when the contact can be brought back.
func (r Removal) Until() time.Time {
	if r.IntoID != "" {
		return r.At.Add(UndoMerge)
	}
	return r.At.Add(UndoDeletion)
}

// CanUndo reports whether the contact can be brought back at a time.
func (r Removal) CanUndo(now time.Time) bool { return !r.Unreadable && !now.After(r.Until()) }

// MadeWait reports whether the contact that it became part of waits for a first answer because of it, see
// Contact.Waiting.
func (r Removal) MadeWait() bool { return r.After.Waiting && !r.Before.Waiting }

// WaitsSince is when the person came whom a contact waits with: itself, or the last that was merged into it, of those,
// the last first, and made it wait.
func (c Contact) WaitsSince(merged []Removal) time.Time {
	for _, gone := range merged {
		if gone.MadeWait() {
			return gone.Contact.CreatedAt
		}
	}
	return c.CreatedAt
}

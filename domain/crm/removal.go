package crm

import "time"

// Removal is a contact that was deleted, or that became part of another one.
type Removal struct {
	// Contact is what it was.
	Contact Contact
	// IntoID is the contact that it became part of; empty where it was deleted.
	IntoID string
	// Before and After are that contact without it and with it.
	Before, After Contact
	// By is the name of who did it.
	By string
	At time.Time
	// Unreadable is true where what it was cannot be opened, or is kept no more: then it cannot be undone.
	Unreadable bool
}

const (
	// UndoDeletion is for how long a deleted contact can be brought back.
	UndoDeletion = 30 * time.Second
	// UndoMerge is for how long two contacts that became one can be parted.
	UndoMerge = 30 * 24 * time.Hour
)

// CanUndo reports whether the contact can be brought back at a time.
func (r Removal) CanUndo(now time.Time) bool {
	most := UndoDeletion
	if r.IntoID != "" {
		most = UndoMerge
	}
	return !r.Unreadable && now.Sub(r.At) <= most
}

package ports

import (
	"context"
	"time"

	"fichario/domain/crm"
)

// Removals stores contacts that were deleted, and those that became part of another one; what they were is encrypted
// at rest, and kept for as long as it can be undone. The history and the lookups of one that became part of another are
// read with those of the other.
type Removals interface {
	// Remove takes a contact from the others; ErrNotFound when it is not among them. Only inside InTx.
	Remove(ctx context.Context, r crm.Removal) error
	// Find returns ErrNotFound when no contact with this id was removed.
	Find(ctx context.Context, id string) (crm.Removal, error)
	// Into returns what became part of a contact and can be read, the newest first.
	Into(ctx context.Context, contactID string) ([]crm.Removal, error)
	// Restore brings a contact back, as c has it, with the event of it; ErrNotFound when it was not removed, or its
	// stage does not exist. Only inside InTx.
	Restore(ctx context.Context, c crm.Contact, e crm.Event) error
	// Survivor returns the id of the contact that one became part of, over any number of steps; its own where it is
	// there. ErrNotFound where it was deleted, or never was.
	Survivor(ctx context.Context, id string) (string, error)
	// Forget removes what contacts were that were deleted before one time, with their history, or became part of
	// another before an earlier one, some at a time, and returns how many there were.
	Forget(ctx context.Context, deleted, merged time.Time) (int, error)
}

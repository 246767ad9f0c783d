package ports

import (
	"context"
	"time"

	"fichario/domain/crm"
)

// Removals stores contacts that were deleted or merged into another one; their content is encrypted at rest, and kept
// for as long as the removal can be undone. The history and the lookups of a merged contact are read with those of the
// survivor.
type Removals interface {
	// Remove moves a contact out of Contacts; ErrNotFound when it is not there. Only inside InTx.
	Remove(ctx context.Context, r crm.Removal) error
	// Find returns ErrNotFound when no contact with this id was removed.
	Find(ctx context.Context, orgID, id string) (crm.Removal, error)
	// Save writes again what is kept of a removed contact; ErrNotFound where it is no longer kept. Only inside InTx.
	Save(ctx context.Context, r crm.Removal) error
	// Into returns what was merged into a contact, the newest first; unreadable where its content is no longer kept.
	Into(ctx context.Context, orgID, contactID string) ([]crm.Removal, error)
	// Restore brings a contact back, as c has it, with its event; ErrNotFound when it was not removed, its content is no
	// longer kept, or its stage does not exist. Only inside InTx.
	Restore(ctx context.Context, c crm.Contact, e crm.Event) error
	// Survivor returns the id of the contact that one was merged into, over any number of merges; its own if it was not
	// removed. ErrNotFound where it was deleted, or never existed.
	Survivor(ctx context.Context, orgID, id string) (string, error)
	// Forget removes the content of contacts deleted before one time, with their history, and of contacts merged before
	// another, earlier one, a limited number per call, and returns how many there were.
	Forget(ctx context.Context, deleted, merged time.Time) (int, error)
}

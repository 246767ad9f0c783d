package ports

import (
	"context"
	"time"

	"fichario/domain/crm"
)

// Bulks stores actions on many contacts. Settings and contents are encrypted at rest.
type Bulks interface {
	// Create writes a bulk action with its items, whose ids sort in their order. Only inside InTx.
	Create(ctx context.Context, b crm.Bulk, items []crm.BulkItem) error
	// Find returns ErrNotFound when there is none.
	Find(ctx context.Context, orgID, id string) (crm.Bulk, error)
	// Next returns the oldest unfinished action that nobody else has locked, or the one with id unless that is empty, and
	// locks it until the transaction ends; ErrNotFound when there is none. Only inside InTx.
	Next(ctx context.Context, id string) (crm.Bulk, error)
	// Lock is Find that also locks the action until the transaction ends. Only inside InTx.
	Lock(ctx context.Context, orgID, id string) (crm.Bulk, error)
	// Items returns up to limit items of an action in a state after the one with id after, in their order; an empty state
	// means any.
	Items(ctx context.Context, bulkID string, state crm.BulkState, after string, limit int) ([]crm.BulkItem, error)
	// Latest returns up to limit actions of one kind of an organisation, the newest first.
	Latest(ctx context.Context, orgID string, kind crm.BulkKind, limit int) ([]crm.Bulk, error)
	// Save writes status, counters, end and, unless they are nil, settings of an action, and contact, state, before and
	// result of items.
	Save(ctx context.Context, b crm.Bulk, items ...crm.BulkItem) error
	// Forget removes actions older than a time, one step of one action per call: its items, then itself. 0 when none is
	// left.
	Forget(ctx context.Context, before time.Time) (int, error)
}

package ports

import (
	"context"
	"time"

	"fichario/domain/batch"
)

// Batches stores batches and their items. Names of columns and sheets, cells and documents are encrypted at rest.
// Usage counts what a batch was charged, by its id in lookup.BatchBucket.
type Batches interface {
	// Create writes a batch without its items. ErrExists where its maker has one with the same RequestKey.
	Create(ctx context.Context, b batch.Batch) error
	// Find returns ErrNotFound when there is none.
	Find(ctx context.Context, orgID, id string) (batch.Batch, error)
	// ByRequest returns the batch that a key or member made with a RequestKey, and whether its RequestBody was the same,
	// or ErrNotFound. Both are stored only as keyed hashes.
	ByRequest(
		ctx context.Context, orgID, makerID, requestKey string, body []byte,
	) (b batch.Batch, same bool, err error)
	// Lock is Find that also locks the batch until the transaction ends. Only inside InTx.
	Lock(ctx context.Context, orgID, id string) (batch.Batch, error)
	// Update writes everything of a batch but what was fixed when it was made. Only inside InTx.
	Update(ctx context.Context, b batch.Batch) error
	// Page returns the batches of an organisation, or of one of its keys, newest first, that come after the one with id
	// after ("" starts at the newest), without those being prepared.
	Page(ctx context.Context, orgID, keyID, after string, limit int) ([]batch.Batch, error)
	// Open returns the batches of an organisation that run or are paused, in the order of their start.
	Open(ctx context.Context, orgID string, limit int) ([]batch.Batch, error)
}

// BatchItems is the documents of batches.
type BatchItems interface {
	// AddItems writes items of a batch.
	AddItems(ctx context.Context, items []batch.Item) error
	// Items returns items of a batch after a line, in order. A state selects the items in it, where a repeated item has
	// the state of the first one with its document; "" selects all.
	Items(ctx context.Context, orgID, batchID string, state batch.State, after, limit int) ([]BatchItem, error)
	// Next returns the first items of a batch that are pending, those that were Refused after all others.
	Next(ctx context.Context, orgID, batchID string, limit int) ([]batch.Item, error)
	// InFlight returns the items of an organisation that are in flight, without documents and cells.
	InFlight(ctx context.Context, orgID string) ([]batch.Item, error)
	// Retry makes the items of a batch without an answer pending again and returns how many of them were charged and how
	// many were not. Only inside InTx.
	Retry(ctx context.Context, orgID, batchID string) (charged, free int, err error)
}

// BatchRuns is what instances do with the items of running batches.
type BatchRuns interface {
	// Busy returns the organisations with work to do at now: batches that run or whose pause is over, and items in flight
	// whose lease has expired.
	Busy(ctx context.Context, now time.Time) ([]string, error)
	// Due returns the batches of an organisation that run, or whose pause is over at now, in the order of their start, and
	// locks them. Only inside InTx.
	Due(ctx context.Context, orgID string, now time.Time) ([]batch.Batch, error)
	// Claim marks items of one organisation as in flight, all with one owner and one end of the lease, with the ids of
	// their lookups. Only inside InTx.
	Claim(ctx context.Context, items []batch.Item) error
	// Start marks items of an organisation in flight as no longer Queued. Only inside InTx.
	Start(ctx context.Context, orgID string, ids []string) error
	// Settle writes the outcomes of an organisation's items in flight under these LookupIDs, at most one for each item,
	// and returns the outcomes of those that still were. Only inside InTx.
	Settle(ctx context.Context, orgID string, outcomes []batch.Outcome) ([]batch.Outcome, error)
	// Renew extends the leases of an organisation's items in flight under these lookups.
	Renew(ctx context.Context, orgID string, lookupIDs []string, until time.Time) error
	// Pace limits the calls of all instances to a bureau to perSecond, and returns how many of n may be made at now. Only
	// inside InTx.
	Pace(ctx context.Context, bureau string, perSecond float64, n int, now time.Time) (int, error)
}

// BatchRemovals is what removes quotes that ended, and what was never made whole.
type BatchRemovals interface {
	// Expire ends quotes that have expired at now, and returns how many there were.
	Expire(ctx context.Context, now time.Time) (int, error)
	// ForgetQuotes removes items and names of columns and sheets of batches that were made before a time and ended
	// without having run, a limited number of items of one batch per call, and returns 0 when nothing is left; the
	// batches stay. The time must be so early that no batch made before it can still be confirmed.
	ForgetQuotes(ctx context.Context, before time.Time) (int, error)
	// Discard removes a batch being prepared, a limited number of items per call, and returns how many rows there were.
	Discard(ctx context.Context, id string) (int, error)
	// Forget removes batches that were begun before a time and are still being prepared, a limited number of items per
	// call, and returns how many rows there were.
	Forget(ctx context.Context, before time.Time) (int, error)
}

// BatchItem is an item together with the one whose outcome it has.
type BatchItem struct {
	batch.Item
	// First is the item that had the document first; the item itself where nothing is repeated.
	First batch.Item
}

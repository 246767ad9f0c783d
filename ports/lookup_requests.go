package ports

import (
	"context"
	"errors"
	"time"
)

// ErrOvertaken is returned by Calls.Begin and LookupRequests.Extend where another request has taken the idempotency key
// over meanwhile.
var ErrOvertaken = errors.New("the idempotency key belongs to another request by now")

// LookupRequests remembers which lookup answers a request with an idempotency key (design, section 16). Keys and
// questions are stored as keyed hashes.
type LookupRequests interface {
	// Claim gives a request its lookup, unless an earlier one with the same key has one: one that is younger than Lasts,
	// and that has begun or may still begin. It returns the request that has the key. Only outside InTx.
	Claim(ctx context.Context, r LookupRequest) (LookupRequest, error)
	// Find returns the request that has the key, unless it is as old as Lasts. Error: ErrNotFound.
	Find(ctx context.Context, r LookupRequest) (LookupRequest, error)
	// Extend gives a request longer to begin, Begins from At, because it waits for the call of another one. Error:
	// ErrOvertaken where it has not got the key any more.
	Extend(ctx context.Context, r LookupRequest) error
	// Release frees the key of a request, if it still has it.
	Release(ctx context.Context, r LookupRequest) error
	// Forget removes requests that are older than before, some at a time, and returns how many.
	Forget(ctx context.Context, before time.Time) (int, error)
}

// LookupRequest is a request with an idempotency key.
type LookupRequest struct {
	// KeyID is the API key of the organisation that the idempotency key Name belongs to.
	OrgID, KeyID, Name string
	// Question is all that must be the same when it is repeated. Same tells, of a request that Claim returns, whether it
	// is; its Question is empty.
	Question string
	Same     bool
	// LookupID is the id of the statement entry that has its outcome.
	LookupID string
	// At is when it came, in UTC; Begins is how long after that its call must have begun, or another may take the key.
	At     time.Time
	Begins time.Duration
	// Lasts is for how long the key stands for it.
	Lasts time.Duration
}

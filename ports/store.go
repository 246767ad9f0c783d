package ports

import (
	"context"
	"errors"
	"time"

	"fichario/domain/access"
	"fichario/domain/catalog"
	"fichario/domain/crm"
	"fichario/domain/document"
	"fichario/domain/lookup"
)

// ErrNotFound is returned by every repository method that looks for one thing
// and finds none.
var ErrNotFound = errors.New("not found")

// ErrExists is returned where a unique value is taken already.
var ErrExists = errors.New("exists already")

// Store is the border to the database. Both databases behave alike; the suite in
// ports/portstest holds them to it.
//
// When the database cannot be reached, or does not answer in time, every method
// of the store and its repositories returns a fault.ServiceUnavailable.
type Store interface {
	// Repos gives repositories outside a transaction: each call is its own.
	Repos() Repos
	// InTx runs f in one transaction: all of it happens, or nothing. f may run
	// twice (the database may refuse a transaction that collides with another),
	// uses only the repositories that it is given, and never calls a bureau, sends
	// anything or waits. An error of f rolls back and is returned as it is.
	InTx(ctx context.Context, f func(Repos) error) error
}

// Repos are the repositories, each small enough to be read at a glance.
type Repos struct {
	Orgs      Orgs
	Members   Members
	Keys      Keys
	Usage     Usage
	Statement Statement
	History   History
	Leases    Leases
}

// Orgs stores organisations.
type Orgs interface {
	Create(ctx context.Context, o crm.Organisation) error
	// Find returns ErrNotFound when there is none.
	Find(ctx context.Context, id string) (crm.Organisation, error)
	// Any reports whether there is any organisation at all.
	Any(ctx context.Context) (bool, error)
}

// Members stores the people of organisations.
type Members interface {
	// Create returns ErrExists when the e-mail is taken.
	Create(ctx context.Context, m crm.Member) error
}

// Keys stores API keys and the hashes of their secrets.
type Keys interface {
	Create(ctx context.Context, k access.Key) error
	// AddSecret gives the key a secret, which ends the ones it had at endOthers,
	// unless they end before. Its prefix becomes the key's.
	AddSecret(ctx context.Context, keyID string, s access.Secret, endOthers time.Time) error
	// BySecret returns the key that a secret opens at now, or ErrNotFound. Whether
	// the key itself is revoked or expired is for the caller to see.
	BySecret(ctx context.Context, s access.Secret, now time.Time) (access.Key, error)
	// Find returns ErrNotFound when there is none.
	Find(ctx context.Context, id string) (access.Key, error)
	// List returns the keys of an organisation, oldest first.
	List(ctx context.Context, orgID string) ([]access.Key, error)
	// Revoke ends a key for good; revoking it again keeps the first time.
	Revoke(ctx context.Context, id string, at time.Time) error
	// Touch notes when keys were last used.
	Touch(ctx context.Context, lastUse map[string]time.Time) error
}

// Usage counts what a key was charged, in the buckets of access.Calendar.
type Usage interface {
	// Charge counts one charged lookup of that amount in the day, the month and in
	// total, or nothing at all: when the month's cap is reached it returns
	// ErrMonthCap, when the day's is, ErrDayCap, the month first. Under any
	// concurrency no bucket exceeds its cap. Only inside InTx.
	Charge(ctx context.Context, keyID, day, month string, amount catalog.Money, caps access.Limits) error
	// Release takes one charge back. Only inside InTx.
	Release(ctx context.Context, keyID, day, month string, amount catalog.Money) error
	// Spent returns what the key was charged in the day, the month and in total.
	Spent(ctx context.Context, keyID, day, month string) (today, thisMonth, total lookup.Spent, err error)
}

// ErrDayCap and ErrMonthCap say which cap a charge would exceed.
var (
	ErrDayCap   = errors.New("day cap reached")
	ErrMonthCap = errors.New("month cap reached")
)

// Statement stores what was asked. Documents are encrypted at rest.
type Statement interface {
	// Add writes an entry.
	Add(ctx context.Context, e lookup.Entry) error
	// Find returns ErrNotFound when there is none.
	Find(ctx context.Context, id string) (lookup.Entry, error)
	// Finish gives an entry its outcome, with what was charged, and reports
	// whether it was still open: an entry is open while it is running, or was
	// settled without its owner.
	Finish(ctx context.Context, e lookup.Entry) (open bool, err error)
	// Settle marks every running entry with SettleAt before now as NoAnswer, and
	// frees its lease; it returns how many there were.
	Settle(ctx context.Context, now time.Time) (int, error)
	// Page returns entries of a key, newest first, that come after the one with id
	// after ("" starts at the newest).
	Page(ctx context.Context, keyID string, f lookup.Filter, after string, limit int) ([]lookup.Entry, error)
}

// History stores what bureaus answered. Documents and answers are encrypted at
// rest and found by a keyed hash.
type History interface {
	// Serve answers a lookup from history in one step, with an entry that is done,
	// free and in no bucket: if the newest record of the
	// entry's document in its product was answered after that time, it writes the
	// entry, with the record's id, and returns the record when the entry is durable.
	// Otherwise it returns ErrNotFound and writes nothing; it may also do so for a
	// record that only Latest finds, because an older data key encrypted it. Many
	// calls may share one commit; one that fails does not spoil its neighbours. Only
	// outside InTx.
	Serve(ctx context.Context, e lookup.Entry, after time.Time) (lookup.Record, error)
	// Latest returns the newest record of a document in a product, or ErrNotFound.
	Latest(ctx context.Context, orgID, product string, d document.Document) (lookup.Record, error)
	Save(ctx context.Context, r lookup.Record) error
}

// Leases stores who is asking the bureau about what.
type Leases interface {
	// Acquire takes the lease if nobody holds it, or if it has expired at now, and
	// returns "". Otherwise it returns the call that holds it. Only inside InTx.
	Acquire(ctx context.Context, l lookup.Lease, now time.Time) (holder string, err error)
	// Free ends the lease of a call; it is no error when there is none.
	Free(ctx context.Context, callID string) error
}

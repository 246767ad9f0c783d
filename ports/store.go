package ports

import (
	"context"
	"errors"
	"time"
)

// ErrNotFound is returned by every repository method that looks for one thing
// and finds none.
var ErrNotFound = errors.New("not found")

// ErrUnreadable is returned by an operation that needs a stored value which cannot be opened with the data keys at
// hand. What only shows a row returns it without the value, and says so in its Unreadable.
var ErrUnreadable = errors.New("a stored value cannot be opened with the data keys at hand")

// ErrExists is returned where a unique value is taken already.
var ErrExists = errors.New("exists already")

// ErrOutsideTx and ErrInsideTx are returned, with the operation's name before them, by methods that are called outside
// InTx and are only for inside, and the other way round.
var (
	ErrOutsideTx = errors.New("only inside InTx")
	ErrInsideTx  = errors.New("only outside InTx")
)

// Store is the border to the database. Both databases behave alike; the suite in
// ports/portstest holds them to it.
//
// When the database cannot be reached, or does not answer in time, every method
// of the store and its repositories returns a fault.ServiceUnavailable. Every error
// says the operation that failed, and no value.
type Store interface {
	// Repos gives repositories outside a transaction: each call is its own.
	Repos() Repos
	// InTx runs f in one transaction: all of it happens, or nothing. f may run up to
	// three times (the database may refuse a transaction that collides with another),
	// uses only the repositories that it is given, and never calls a bureau, sends
	// anything or waits. An error of f rolls back and is returned as it is. Only
	// outside InTx: within f it returns ErrInsideTx.
	InTx(ctx context.Context, f func(Repos) error) error
}

// Clock tells the time by which leases, pauses and jobs are measured. What one instance writes another one compares
// with now, and the clocks of two machines differ.
type Clock interface {
	// Now returns the database's time where it is shared by several machines, and elsewhere local, which is the caller's.
	Now(ctx context.Context, local time.Time) (time.Time, error)
}

// Repos are the repositories, each small enough to be read at a glance.
type Repos struct {
	Clock     Clock
	Orgs      Orgs
	Members   Members
	Keys      Keys
	Usage     Usage
	Statement Statement
	History   History
	Calls     Calls
	Batches   Batches
	Bundles   Bundles
	Purposes  Purposes

	Funnels       Funnels
	Origins       Origins
	Contacts      Contacts
	Removals      Removals
	Bulks         Bulks
	Rotations     Rotations
	Notifications Notifications
	Webhooks      Webhooks
	Inbox         Inbox
	Deliveries    Deliveries
	Automations   Automations
	Jobs          Jobs

	Sessions  Sessions
	Tickets   Tickets
	Factors   Factors
	Audit     Audit
	Figures   Figures
	Subjects  Subjects
	Retention Retention

	Identities Identities
}

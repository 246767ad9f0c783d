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
// hand. An operation that only shows a row returns it without the value, with Unreadable set.
var ErrUnreadable = errors.New("a stored value cannot be opened with the data keys at hand")

// ErrExists is returned where a unique value is taken already.
var ErrExists = errors.New("exists already")

// ErrOutsideTx is returned, after the operation's name, by methods that are only for inside InTx and were called
// outside, ErrInsideTx by methods that are only for outside.
var (
	ErrOutsideTx = errors.New("only inside InTx")
	ErrInsideTx  = errors.New("only outside InTx")
)

// AnyOrg stands for every organisation where something is found by its id: for the operator, and where rows of several
// organisations are worked on. Of an organisation nothing is found that is another one's, and of an empty one nothing.
const AnyOrg = "*"

// Store is the boundary to the database. Both databases behave alike; the suite in ports/portstest holds them to it.
//
// When the database cannot be reached, or does not answer in time, every method of the store and its repositories
// returns a fault.ServiceUnavailable. Every error names the operation that failed, and no value.
type Store interface {
	// Repos returns repositories outside a transaction: each call is a transaction of its own.
	Repos() Repos
	// InTx runs f in one transaction: all of it happens, or nothing. f may run up to three times (the database may refuse
	// a transaction that collides with another). An error of f rolls back and is returned as it is. Only outside InTx: it
	// returns ErrInsideTx for a context that f got.
	InTx(ctx context.Context, f Tx) error
}

// Tx is what happens in one transaction. It uses only the repositories and the context that it is given, and never
// calls a bureau, sends anything or waits.
type Tx func(ctx context.Context, r Repos) error

// Clock tells the time by which leases, pauses and jobs are measured. One instance compares what another one wrote with
// now, and the clocks of two machines differ.
type Clock interface {
	// Now returns the database's time where several machines share it; elsewhere it returns local, the caller's time.
	Now(ctx context.Context, local time.Time) (time.Time, error)
}

// Repos holds the repositories, each small enough to be read at a glance.
type Repos struct {
	Clock          Clock
	Orgs           Orgs
	Members        Members
	Keys           Keys
	Usage          Usage
	Statement      Statement
	LookupEnds     LookupEnds
	LookupContacts LookupContacts
	History        History
	Calls          Calls
	LookupRequests LookupRequests
	LaterAnswers   LaterAnswers
	Bureaus        BureauStates
	Batches        Batches
	BatchItems     BatchItems
	BatchRuns      BatchRuns
	BatchRemovals  BatchRemovals
	Bundles        Bundles
	Purposes       Purposes

	Funnels        Funnels
	Origins        Origins
	Names          Names
	Contacts       Contacts
	ContactHistory ContactHistory
	ContactAnswers ContactAnswers
	ContactSearch  ContactSearch
	Removals       Removals
	Told           Told
	Bulks          Bulks
	Rotations      Rotations
	Notifications  Notifications
	Webhooks       Webhooks
	Inbox          Inbox
	Deliveries     Deliveries
	LeadSources    LeadSources
	Leads          Leads
	Automations    Automations
	Jobs           Jobs
	JobQueue       JobQueue
	JobRuns        JobRuns

	Sessions       Sessions
	SessionEnds    SessionEnds
	Attempts       Attempts
	Tickets        Tickets
	Factors        Factors
	Recovery       Recovery
	MemberPasskeys MemberPasskeys
	Audit          Audit
	AuditRemovals  AuditRemovals
	Figures        Figures
	Subjects       Subjects
	SubjectTraces  SubjectTraces
	SubjectBlocks  SubjectBlocks
	Erasures       Erasures
	Retention      Retention

	Identities  Identities
	Preferences Preferences
}

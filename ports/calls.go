package ports

import (
	"context"
	"errors"
	"time"

	"fichario/domain/access"
	"fichario/domain/catalog"
	"fichario/domain/lookup"
)

// Calls accounts for the calls to the bureau: each is charged before it is made, and its outcome is recorded
// afterwards. Concurrent calls may share a commit; one that is refused or fails does not affect the others.
type Calls interface {
	// Begin charges a call and writes its entry, or writes nothing at all: where Begun says that another call is in flight
	// or has just ended, and where a limit is reached, in this order: the month's cap, the day's, the member's budget, the
	// ceiling. None is exceeded under any concurrency. Limits and rights are those in force when the charge commits.
	// Errors: ErrBlocked, ErrErased, ErrOvertaken, ErrEnded and ErrPurpose, which take precedence, ErrMonthCap,
	// ErrDayCap, ErrBudget, ErrCeiling; ErrUncertain where the commit may have happened. Only outside InTx.
	Begin(ctx context.Context, c Charge) (Begun, error)
	// End writes the outcome of a call and its final charge, and reports whether its entry was still open: running, or
	// settled by somebody other than its owner. If it was, the record is saved, and a charge that no longer applies is
	// taken back. The call's lease ends in any case. An entry of the same id and another time is another call's, which
	// was begun after the commit of this one was lost; one at another bureau was gone on with by another instance. Only
	// outside InTx.
	End(ctx context.Context, o Outcome) (open bool, err error)
	// Next goes on from one call of a question to the next one, to another bureau, and reports false, having written
	// nothing, where the entry is not running any more, or not at the bureau that it comes from, or its person is blocked
	// or erased meanwhile. Nothing is charged beyond what Begin reserved. Only outside InTx.
	Next(ctx context.Context, n Next) (running bool, err error)
}

// Charge is what Begin writes.
type Charge struct {
	// Entry is running and charged. Its SettleAt is set to Takes after the time of Clock.
	Entry lookup.Entry
	Takes time.Duration
	// Caps, Budget and Ceiling are what the caller knew of the limits: of the entry's key; of its member in the entry's
	// month, nil for no limit; of its batch in all, or its automation in the entry's month, or of all comparisons of its
	// product in that month. They apply only where the store has no such key, member, batch or automation: what is stored
	// when the charge commits counts.
	Caps    access.Limits
	Budget  *catalog.Money
	Ceiling catalog.Money
	// RequestName is the idempotency key of the request, which must still stand for the entry; empty without one.
	RequestName string
	// Shared calls for the same document and product are made one at a time, and not at all if history has an answer given
	// after After, other than Seen.
	Shared bool
	After  time.Time
	Seen   string
	// Only limits the answers from history, and the calls shared with.
	Only Only
}

// Only limits which answers serve: to those bought for a purpose, nil for any, and those of a bureau, empty for any.
// They are always those of the same inputs, catalog.InputsText.
type Only struct {
	Purpose        *string
	Bureau, Inputs string
}

// Next is a step from one call of a question to the next.
type Next struct {
	// Entry is that of the question, with the bureau that is asked next, what that call may cost, and what stays
	// reserved. Its SettleAt is set to Takes after the time of Clock; At is that time by the instance's own clock.
	Entry lookup.Entry
	At    time.Time
	Takes time.Duration
	// From is the bureau of the call before: where the entry is another's by now, another instance has gone on with it.
	From string
	// Ended is how the call before ended, with an entry of its own; nil where it leaves none.
	Ended *Outcome
}

// Begun is the result of a Charge; the zero value says that the call may be made.
type Begun struct {
	// Holder is the entry of another call that is in flight.
	Holder string
	// RecordID is the answer that history now has.
	RecordID string
}

// Outcome is how a call ended.
type Outcome struct {
	Entry lookup.Entry
	// Price is what Begin charged, in ten-thousandths of a real; the entry's Amount is what it costs in the end.
	Price catalog.Money
	// Record is nil without an answer, and where it is stored already.
	Record *lookup.Record
	// Parts are records of other products that the same answer gives; their OfID is that of Record. They have no entries.
	Parts []lookup.Record
	// Other is the entry of an earlier call, which has changed places with Entry, as it is to be from now on: the entry of
	// the question is that of the call that answers it. Nil where that is the last one.
	Other *lookup.Entry
	// Unmade is an entry that Next may have written for the last call, before a call that was then not made: it becomes
	// that one's. It has no id where that step leaves no entry. Nil for none.
	Unmade *lookup.Entry
	// Took is how long the bureau took, and Over is true where it named an amount above its price.
	Took time.Duration
	Over bool
	// Matches are what a comparison found, to be counted with its entry.
	Matches []BureauMatch
}

// ErrDayCap and ErrMonthCap say which cap a charge would exceed, ErrBudget that it would exceed its member's budget,
// ErrCeiling the ceiling of its batch, its automation or its product's comparisons.
var (
	ErrDayCap   = errors.New("day cap reached")
	ErrMonthCap = errors.New("month cap reached")
	ErrBudget   = errors.New("budget spent")
	ErrCeiling  = errors.New("ceiling reached")
)

// ErrEnded and ErrPurpose say that who asked may no longer ask when the charge commits: the key was revoked or has
// expired, the member has no access any more, the automation is disabled; or that it may no longer state its purpose.
var (
	ErrEnded   = errors.New("the right to ask has ended")
	ErrPurpose = errors.New("the purpose may no longer be stated")
)

// ErrUncertain is returned where the confirmation of a commit was lost: it may have happened.
var ErrUncertain = errors.New("whether it was written is not known")

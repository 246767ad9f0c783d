package ports

import (
	"context"
	"errors"
	"time"

	"fichario/domain/access"
	"fichario/domain/catalog"
	"fichario/domain/lookup"
)

// Calls accounts for the calls to the bureau: each is charged before it is made, and told afterwards what became of it.
// The calls of a moment share a commit; one that is refused or fails does not spoil its neighbours.
type Calls interface {
	// Begin charges a call and writes its entry, or writes nothing at all: where Begun says that another call is in
	// flight or has just ended, and where a cap is reached, the month's before the day's before the member's budget
	// before the ceiling. Under any concurrency none is exceeded. Errors: ErrBlocked, which comes before all of them,
	// ErrMonthCap, ErrDayCap, ErrBudget, ErrCeiling; ErrUncertain where the commit may have happened. Only outside InTx.
	Begin(ctx context.Context, c Charge) (Begun, error)
	// End writes the outcome of a call, with what it was charged in the end, and reports whether it was still open: an
	// entry is open while it is running, or was settled without its owner. Of one that is, the record is saved, and
	// what is not charged after all is taken back. The call's lease ends in any case. Only outside InTx.
	End(ctx context.Context, o Outcome) (open bool, err error)
}

// Charge is what Begin writes.
type Charge struct {
	// Entry is running and charged. Its SettleAt is Takes after the time of Clock.
	Entry lookup.Entry
	Takes time.Duration
	// Caps are those of the entry's key; nothing counts for an entry without one.
	Caps access.Limits
	// Budget is what the entry's member may be charged in the entry's month; nil for no end.
	Budget *catalog.Money
	// Ceiling is what the entry's batch may be charged in all, or its automation in the entry's month. Of a batch that is
	// stored with a ceiling, that one counts: it may have been changed since the item was handed out.
	Ceiling catalog.Money
	// Shared calls about one document in one product are made one at a time, and not where history has an answer that
	// was given after After, other than Seen.
	Shared bool
	After  time.Time
	Seen   string
	// Only, where not nil, is the purpose that an answer has to have been bought for, and that calls share.
	Only *string
}

// Begun is what became of a Charge; the zero value says that it may be made.
type Begun struct {
	// Holder is the entry of the call that is in flight.
	Holder string
	// RecordID is the answer that history has meanwhile.
	RecordID string
}

// Outcome is how a call ended.
type Outcome struct {
	Entry lookup.Entry
	// Price is what Begin charged, in ten-thousandths of a real; the entry's Amount is what it costs in the end.
	Price catalog.Money
	// Record is nil without an answer.
	Record *lookup.Record
}

// ErrDayCap and ErrMonthCap say which cap a charge would exceed, ErrBudget that it is its member's, ErrCeiling that it
// is the ceiling of its batch or automation.
var (
	ErrDayCap   = errors.New("day cap reached")
	ErrMonthCap = errors.New("month cap reached")
	ErrBudget   = errors.New("budget spent")
	ErrCeiling  = errors.New("ceiling reached")
)

// ErrUncertain is returned where the confirmation of a commit was lost: it may have happened.
var ErrUncertain = errors.New("whether it was written is not known")

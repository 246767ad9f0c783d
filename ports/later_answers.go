package ports

import (
	"context"
	"time"

	"fichario/domain/lookup"
)

// LaterPause is the longest that an answer waits between two fetches: no bureau file names a longer one.
const LaterPause = time.Hour

// LaterAnswers keeps the questions that a bureau has taken and answers later, so that any instance fetches the answers,
// one at a time for each. As long as one is kept, nobody settles or abandons its entry.
type LaterAnswers interface {
	// Accept keeps a question, and puts off when its entry is settled and when its lease ends. One that somebody else has
	// settled meanwhile is running again, without what was given back, and has its lease unless another call holds it. It
	// writes nothing where the entry has ended, or is another bureau's by now. Repeating it does no harm. Only outside
	// InTx.
	Accept(ctx context.Context, a Accepted) error
	// Claim returns at most so many questions that are due at a time of Clock, those that are due longest first, and
	// makes them due at another one: until then they are the caller's.
	Claim(ctx context.Context, now, until time.Time, limit int) ([]LaterAnswer, error)
	// Hold makes one due at another time, and reports false where it is not the caller's any more, or the bureau has
	// posted what the caller does not have.
	Hold(ctx context.Context, a LaterAnswer, until time.Time) (bool, error)
	// Release makes one due at another time, and it is nobody's until then. A reply stays; where one has arrived that the
	// caller does not have it is due now.
	Release(ctx context.Context, a LaterAnswer, now, until time.Time) error
	// Find returns one by the id of its entry. Error: ErrNotFound.
	Find(ctx context.Context, id string) (LaterAnswer, error)
	// Arrive keeps what the bureau has posted, unless something is kept already or nothing is awaited, and makes it due
	// now, or when it is nobody's.
	Arrive(ctx context.Context, id string, reply Reply, now time.Time) error
	// Count returns how many there are.
	Count(ctx context.Context) (int, error)
	// Proof is what a bureau shows that was asked a question with this entry. Nobody can guess it.
	Proof(ctx context.Context, bureau, id string) (string, error)
	// Remove forgets one, if it is the caller's.
	Remove(ctx context.Context, a LaterAnswer) error
}

// Accepted is a question that a bureau has taken.
type Accepted struct {
	LaterAnswer
	// Entry is the question's, which is running.
	Entry lookup.Entry
	// At is the time by the instance's own clock; Due is set to Every, and Until to For after the time of Clock.
	At         time.Time
	Every, For time.Duration
	// Margin is how long after Until the entry is settled, where nobody fetches the answer.
	Margin time.Duration
}

// LaterAnswer is a question that a bureau answers later.
type LaterAnswer struct {
	// ID is that of its entry.
	ID string
	// Ticket is what the bureau calls it.
	Ticket string
	// Trail is the entry's, which no entry stores.
	Trail string
	// Compare is whether its answer may be compared with another bureau's.
	Compare bool
	// Rest are the names of the bureaus that may be asked after this one, and Before the ids of the entries of the
	// question's earlier calls.
	Rest, Before []string
	// Shares is by what its call is shared with whoever asks the same; nil where it is not.
	Shares *Only
	// Reply is what the bureau has posted; nil where nothing has arrived.
	Reply *Reply
	// Due is when it is fetched next, and Until when it is given up.
	Due, Until time.Time
}

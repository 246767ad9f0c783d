package lookups

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"fichario/app"
	"fichario/domain/catalog"
	"fichario/domain/lookup"
	"fichario/ports"
)

// callAndWait makes the calls that charge has charged. They are finished and stored even when ctx ends, because they
// are paid for.
func (l *Ledger) callAndWait(ctx context.Context, chain ports.Chain, e lookup.Entry) (Result, error) {
	return l.goesOn(ctx, func(ctx context.Context) (Result, error) {
		defer func() { <-l.slots }()
		return l.call(ctx, chain, e)
	})
}

// goesOn waits for something that goes on when ctx ends, and that Close waits for. Fault: Timeout.
func (l *Ledger) goesOn(ctx context.Context, do func(context.Context) (Result, error)) (Result, error) {
	type ended struct {
		result Result
		err    error
	}
	done := make(chan ended, 1)
	l.calls.Start(func() {
		result, err := do(context.WithoutCancel(ctx))
		done <- ended{result, err}
	})
	select {
	case end := <-done:
		return end.result, end.err
	case <-ctx.Done():
		return Result{}, app.TimedOut(ctx.Err())
	}
}

// calledBack is what a bureau said: an answer, or why there is none.
type calledBack struct {
	answer  ports.Answer
	failure *ports.BureauError
	took    time.Duration
}

// ask makes a call, or for an answer that comes later fetches that, or reads it in what the bureau has posted. A bureau
// that panics counts as reached.
func (l *Ledger) ask(ctx context.Context, link ports.Link, e lookup.Entry, a ports.LaterAnswer) (said calledBack) {
	q := ports.Question{
		Product: link.Product, Document: e.Document, Purpose: e.Purpose, Inputs: catalog.InputsOf(e.Inputs),
		Ticket: a.Ticket, Reply: a.Reply,
	}
	if a.Ticket == "" {
		if failure := l.bureaus.refusal(link.Name); failure != nil {
			return calledBack{failure: failure}
		}
		q.Callback = l.callback(ctx, link, e)
	}
	ctx, cancel := context.WithTimeout(ctx, link.Timeout)
	defer cancel()
	defer context.AfterFunc(l.stopping, cancel)()
	start := ports.Now()
	defer func() {
		said.took = ports.Since(start)
		if r := recover(); r != nil {
			// The value may contain what the bureau sent.
			l.log.ErrorContext(ctx, "panic", "bureau", link.Name, "product", e.Product, "type", fmt.Sprintf("%T", r),
				"stack", string(debug.Stack()))
			said.failure = &ports.BureauError{Outcome: ports.Failed, Reason: fmt.Sprintf("panic (%T)", r)}
		}
	}()
	var err error
	said.answer, err = link.Bureau.Ask(ctx, q)
	if err != nil && !errors.As(err, &said.failure) {
		said.failure = &ports.BureauError{Outcome: ports.NoAnswer, Reason: "unknown failure"}
	}
	return said
}

func statusOf(o ports.BureauOutcome) lookup.Status {
	switch o {
	case ports.NotSent, ports.NotCharged, ports.Exhausted:
		return lookup.NotSent
	case ports.Failed:
		return lookup.Failed
	case ports.NoAnswer:
	}
	return lookup.NoAnswer
}

// finish writes how a call ended, or keeps that for retries, because the answer is paid for. An entry whose ending is
// never written remains charged and is settled later. It reports whether it was written: not where it is kept, nor
// where the entry was settled before.
func (l *Ledger) finish(ctx context.Context, o ports.Outcome) bool {
	open, err := l.store.Repos().Calls.End(ctx, o)
	if err != nil {
		l.unwritten.keep(o, err)
	}
	return open && err == nil
}

// write writes an ending: the lease, the entry, the refund, the record.
func (l *Ledger) write(ctx context.Context, o ports.Outcome) error {
	_, err := l.store.Repos().Calls.End(ctx, o)
	return err
}

// announce tells the followers on this instance that a call has ended.
func (l *Ledger) announce(callID string) {
	if f := l.flight(callID); f != nil {
		l.inFlight.Delete(callID)
		close(f.ended)
	}
}

// flight is a call of this instance.
type flight struct {
	// ended is closed when its outcome is in the database, or in unwritten.
	ended chan struct{}
	// failure is how it ended without an answer; to be read after ended.
	failure *ports.BureauError
}

// flight returns this instance's call with an id, or nil.
func (l *Ledger) flight(callID string) *flight {
	f, _ := l.inFlight.Load(callID)
	known, _ := f.(*flight)
	return known
}

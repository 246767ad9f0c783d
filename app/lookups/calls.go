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

// callAndWait makes the call that charge has charged. The call is finished and stored even when ctx ends, because it is
// paid for.
func (l *Ledger) callAndWait(ctx context.Context, product catalog.Product, e lookup.Entry) (Result, error) {
	return l.goesOn(ctx, func(ctx context.Context) (Result, error) {
		defer func() { <-l.slots }()
		return l.call(ctx, product, e)
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

func (l *Ledger) call(ctx context.Context, product catalog.Product, e lookup.Entry) (Result, error) {
	defer l.announce(e.ID)
	answer, took, failure := l.ask(ctx, product, e)
	event := Event{Product: product.ID, Took: took, Dropped: answer.Dropped}
	var rec *lookup.Record
	if failure == nil {
		e.Status = lookup.Done
		e.RecordID = app.NewID()
		rec = &lookup.Record{
			ID: e.RecordID, OrgID: e.OrgID, Product: e.Product, Document: e.Document, AnsweredAt: l.clock(),
			Purpose: e.Purpose, Found: answer.Found, Schema: l.terms.schemas[product.ID], Fields: answer.Fields, Raw: answer.Raw,
		}
	} else {
		e.Status = statusOf(failure.Outcome)
		if !e.Status.Charged() {
			e.Charged, e.Amount = false, 0
		}
		l.log.WarnContext(ctx, "bureau call failed", "lookup", e.ID, "product", e.Product, "status", string(e.Status),
			"reason", failure.Reason)
	}
	if f := l.flight(e.ID); f != nil {
		f.failure = failure
	}
	l.finish(ctx, ports.Outcome{Entry: e, Price: product.Price, Record: rec})
	event.Status, event.Charged = e.Status, e.Amount
	l.observe(event)
	if failure != nil {
		return Result{}, bureauFault(e.Status, failure)
	}
	return Result{Entry: e, Record: *rec}, nil
}

// ask makes the call. A bureau that panics counts as reached.
func (l *Ledger) ask(
	ctx context.Context, product catalog.Product, e lookup.Entry,
) (answer ports.Answer, took time.Duration, failure *ports.BureauError) {
	ctx, cancel := context.WithTimeout(ctx, l.terms.Timeout)
	defer cancel()
	defer context.AfterFunc(l.stopping, cancel)()
	start := ports.Now()
	defer func() {
		took = ports.Since(start)
		if r := recover(); r != nil {
			// The value may contain what the bureau sent.
			l.log.ErrorContext(ctx, "panic", "product", product.ID, "type", fmt.Sprintf("%T", r), "stack", string(debug.Stack()))
			failure = &ports.BureauError{Outcome: ports.Failed, Reason: fmt.Sprintf("panic (%T)", r)}
		}
	}()
	answer, err := l.bureau.Ask(ctx, ports.Question{Product: product, Document: e.Document, Purpose: e.Purpose})
	if err != nil && !errors.As(err, &failure) {
		failure = &ports.BureauError{Outcome: ports.NoAnswer, Reason: "unknown failure"}
	}
	return answer, took, failure
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
// never written remains charged and is settled later.
func (l *Ledger) finish(ctx context.Context, o ports.Outcome) {
	if err := l.write(ctx, o); err != nil {
		l.unwritten.keep(o, err)
	}
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

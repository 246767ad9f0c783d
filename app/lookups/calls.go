package lookups

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"fichario/app"
	"fichario/domain/catalog"
	"fichario/domain/fault"
	"fichario/domain/lookup"
	"fichario/ports"
)

// callAndWait makes the call that reserve charged. The call is finished and stored even when ctx ends, because it is
// paid for.
func (l *Lookups) callAndWait(ctx context.Context, product catalog.Product, e lookup.Entry) (Result, error) {
	type ended struct {
		result Result
		err    error
	}
	done := make(chan ended, 1)
	l.calls.Start(func() {
		defer func() { <-l.slots }()
		result, err := l.call(context.WithoutCancel(ctx), product, e)
		done <- ended{result, err}
	})
	select {
	case end := <-done:
		return end.result, end.err
	case <-ctx.Done():
		return Result{}, app.TimedOut(ctx.Err())
	}
}

func (l *Lookups) call(ctx context.Context, product catalog.Product, e lookup.Entry) (Result, error) {
	defer l.announce(e.ID)
	answer, took, failure := l.ask(ctx, product, e)
	event := Event{Product: product.ID, Took: took, Dropped: answer.Dropped}
	var rec *lookup.Record
	if failure == nil {
		e.Status = lookup.Done
		e.RecordID = app.NewID()
		rec = &lookup.Record{
			ID: e.RecordID, OrgID: e.OrgID, Product: e.Product, Document: e.Document, AnsweredAt: l.clock(),
			Purpose: e.Purpose, Found: answer.Found, Schema: l.schemas[product.ID], Fields: answer.Fields, Raw: answer.Raw,
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
	l.finish(ctx, ending{e, product.Price, rec})
	event.Status, event.Charged = e.Status, e.Amount
	l.observe(event)
	if failure != nil {
		return Result{}, bureauFault(e.Status, failure)
	}
	return Result{Entry: e, Record: *rec}, nil
}

// ask makes the call. A bureau that panics counts as reached.
func (l *Lookups) ask(
	ctx context.Context, product catalog.Product, e lookup.Entry,
) (answer ports.Answer, took time.Duration, failure *ports.BureauError) {
	ctx, cancel := context.WithTimeout(ctx, l.timeout)
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
	answer, err := l.bureau.Ask(ctx, product, e.Document, e.Purpose)
	if err != nil && !errors.As(err, &failure) {
		failure = &ports.BureauError{Outcome: ports.NoAnswer, Reason: "unknown failure"}
	}
	return answer, took, failure
}

func statusOf(o ports.BureauOutcome) lookup.Status {
	switch o {
	case ports.NotSent, ports.NotCharged:
		return lookup.NotSent
	case ports.Failed:
		return lookup.Failed
	case ports.NoAnswer:
	}
	return lookup.NoAnswer
}

// finish writes how a call ended, or keeps that for retries, because the answer is paid for. An entry whose ending is
// never written remains charged and is settled later.
func (l *Lookups) finish(ctx context.Context, e ending) {
	if err := l.write(ctx, e); err != nil {
		l.unwritten.keep(e, err)
	}
}

// write writes an ending: the lease, the entry, the refund, the record.
func (l *Lookups) write(ctx context.Context, e ending) error {
	_, err := l.store.Repos().Calls.End(ctx, ports.Outcome{Entry: e.entry, Price: e.price, Record: e.rec})
	return err
}

// unavailable says in Portuguese why nothing was charged.
func unavailable(o ports.BureauOutcome) string {
	if o == ports.NotCharged {
		return "O bureau recusou a chamada. Nada foi cobrado; tente de novo em instantes."
	}
	return "Não foi possível acessar o bureau, ou ele pediu para esperar. Nada foi cobrado; tente de novo em instantes."
}

func bureauFault(s lookup.Status, cause *ports.BureauError) error {
	switch s {
	case lookup.NotSent:
		retry := cause.RetryAfter
		if retry == 0 {
			retry = 5 * time.Second
		}
		return fault.New(fault.BureauUnavailable,
			unavailable(cause.Outcome)).After(retry).Because(cause)
	case lookup.Failed:
		return fault.New(fault.BureauFailed,
			"A chamada chegou ao bureau, que não deu uma resposta válida. Ela é cobrada e não entra no histórico.").Because(cause)
	case lookup.NoAnswer, lookup.Running, lookup.Done:
	}
	return fault.New(fault.BureauNoAnswer,
		"O bureau não respondeu a tempo. A chamada é cobrada, porque pode ter chegado a ele.").Because(cause)
}

// sharedFault is bureauFault for a lookup that waited for somebody else's call, of whose failure nothing more may be
// known.
func sharedFault(s lookup.Status, cause *ports.BureauError) error {
	if cause == nil {
		cause = &ports.BureauError{Outcome: ports.NoAnswer, Reason: "the shared call failed"}
	}
	switch s {
	case lookup.NotSent:
		return bureauFault(s, cause)
	case lookup.Failed:
		return fault.New(fault.BureauFailed,
			"Um pedido igual, feito ao mesmo tempo, chegou ao bureau, que não deu uma resposta válida. Este pedido não foi cobrado.").Because(cause)
	case lookup.NoAnswer, lookup.Running, lookup.Done:
	}
	return fault.New(fault.BureauNoAnswer,
		"Um pedido igual, feito ao mesmo tempo, ficou sem resposta do bureau. Este pedido não foi cobrado.").Because(cause)
}

// announce tells the followers on this instance that a call has ended.
func (l *Lookups) announce(callID string) {
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
func (l *Lookups) flight(callID string) *flight {
	f, _ := l.inFlight.Load(callID)
	known, _ := f.(*flight)
	return known
}

package lookups

import (
	"context"
	"errors"
	"time"

	"fichario/app"
	"fichario/domain/lookup"
	"fichario/ports"
)

// followGrace is the time that writing the end of a call may take beyond the call's own.
const followGrace = 500 * time.Millisecond

// follow waits for the call of an identical lookup and shares its outcome: the answer, free and as from history, or the
// failure, free and without an entry.
func (l *Lookups) follow(ctx context.Context, a asking, callID string) (Result, error) {
	ctx, cancel := context.WithTimeout(ctx, l.timeout+2*settleMargin)
	defer cancel()
	switch call, failure, err := l.outcome(ctx, callID); {
	case err != nil:
		return Result{}, err
	case call.Erased:
		return Result{}, subjectErased()
	case call.Status == lookup.Done:
		return l.shared(ctx, a, call)
	default:
		return Result{}, sharedFault(call.Status, failure)
	}
}

// outcome waits until a call has ended, and returns its entry, and why it failed if this instance made it. For another
// instance's call it waits no longer than that may take, because its owner may be dead; then the call counts as one
// without an answer.
func (l *Lookups) outcome(ctx context.Context, callID string) (lookup.Entry, *ports.BureauError, error) {
	var failure *ports.BureauError
	if f := l.flight(callID); f != nil {
		select {
		case <-f.ended:
			failure = f.failure
		case <-ctx.Done():
			return lookup.Entry{}, nil, app.TimedOut(ctx.Err())
		}
	}
	var over <-chan time.Time
	for wait := 10 * time.Millisecond; ; wait = min(2*wait, 200*time.Millisecond) {
		if end, kept := l.unwritten.of(callID); kept {
			if end.rec != nil {
				return lookup.Entry{}, nil, notWritten(nil)
			}
			return end.entry, failure, nil
		}
		call, err := l.store.Repos().Statement.Find(ctx, callID)
		if err != nil || call.Erased || call.Status != lookup.Running {
			return call, failure, err
		}
		if over == nil {
			now, err := l.store.Repos().Clock.Now(ctx, l.clock())
			if err != nil {
				return call, nil, err
			}
			over = ports.After(min(call.SettleAt.Add(-settleMargin).Sub(now), l.timeout) + followGrace)
		}
		select {
		case <-ports.After(wait):
		case <-over:
			abandoned, err := l.store.Repos().LookupEnds.Abandon(ctx, callID)
			if err != nil {
				return call, nil, err
			}
			if abandoned { // otherwise its owner was just in time
				l.settled(ctx, 1)
			}
		case <-ctx.Done():
			return call, nil, app.TimedOut(ctx.Err())
		}
	}
}

// shared answers with what somebody else's call brought. There may be nothing by now: the person was erased, or the
// answer cannot be opened.
func (l *Lookups) shared(ctx context.Context, a asking, call lookup.Entry) (Result, error) {
	rec, err := l.history(a).Latest(ctx, a.caller.OrgID(), a.product.ID, a.doc)
	if err == nil {
		return l.fromHistory(ctx, a, rec)
	}
	if !errors.Is(err, ports.ErrNotFound) {
		return Result{}, err
	}
	if call, err = l.store.Repos().Statement.Find(ctx, call.ID); err != nil {
		return Result{}, err
	}
	if call.Erased || call.RecordID == "" {
		return Result{}, subjectErased()
	}
	return Result{}, sharedFault(lookup.NoAnswer, nil)
}

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

// outcome waits until a call has ended, and returns its entry, and why it failed if this instance made it. For another
// instance's call it waits no longer than that may take, because its owner may be dead; then the call counts as one
// without an answer. The entry is still running where the bureau answers later, and where it has waited for most.
func (l *Ledger) outcome(
	ctx context.Context, orgID, callID string, most time.Duration,
) (lookup.Entry, *ports.BureauError, error) {
	failure, err := l.landed(ctx, callID)
	if err != nil {
		return lookup.Entry{}, nil, err
	}
	var over <-chan time.Time
	var settles time.Time
	waited, ended := false, ports.After(most)
	for wait := 10 * time.Millisecond; ; wait = min(2*wait, 200*time.Millisecond) {
		if end, kept := l.unwritten.of(callID); kept {
			if end.Record != nil {
				return lookup.Entry{}, nil, notWritten(nil)
			}
			return end.Entry, failure, nil
		}
		call, err := l.store.Repos().Statement.Find(ctx, orgID, callID)
		if err != nil || call.Erased || call.Status != lookup.Running || waited && call.SettleAt.Equal(settles) {
			return call, failure, err
		}
		if over == nil || !call.SettleAt.Equal(settles) { // it went on to another bureau
			settles, waited = call.SettleAt, false
			now, err := l.store.Repos().Clock.Now(ctx, l.clock())
			if err != nil {
				return call, nil, err
			}
			over = ports.After(call.SettleAt.Add(-settleMargin).Sub(now) + followGrace)
		}
		select {
		case <-ports.After(wait):
		case <-over:
			abandoned, err := l.store.Repos().LookupEnds.Abandon(ctx, callID, settles)
			if err != nil {
				return call, nil, err
			}
			if waited = true; abandoned { // otherwise its owner was just in time, or its answer comes later
				l.settled(ctx, 1)
			}
		case <-ended:
			return call, failure, nil
		case <-ctx.Done():
			return call, nil, app.TimedOut(ctx.Err())
		}
	}
}

// landed waits until a call of this instance has ended, and returns why it failed; nothing for any other call.
func (l *Ledger) landed(ctx context.Context, callID string) (*ports.BureauError, error) {
	f := l.flight(callID)
	if f == nil {
		return nil, nil //nolint:nilnil // it is not known
	}
	select {
	case <-f.ended:
		return f.failure, nil
	case <-ctx.Done():
		return nil, app.TimedOut(ctx.Err())
	}
}

// follow waits for the call of an identical lookup and shares its outcome: the answer, free and as from history, or the
// failure, free and without an entry. Where the bureau answers later, it does not wait for longer than a call may take.
func (k *Asker) follow(ctx context.Context, req Request, callID string) (Result, error) {
	most := k.terms.Timeout + 2*settleMargin
	ctx, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	if req.RequestKey != "" { // it has no entry before that call has ended
		by := req.caller
		mine := ports.LookupRequest{OrgID: by.OrgID(), KeyID: by.KeyID(), LookupID: req.ID, At: k.clock(), Begins: most}
		if err := k.store.Repos().LookupRequests.Extend(ctx, mine); err != nil {
			return Result{}, err
		}
	}
	switch call, failure, err := k.ledger.outcome(ctx, req.caller.OrgID(), callID, k.terms.Timeout+settleMargin); {
	case err != nil:
		return Result{}, err
	case call.Erased:
		return Result{}, subjectErased()
	case call.Status == lookup.Running:
		return stillRunning(req, call)
	case call.Status == lookup.Done:
		return k.shared(ctx, req, call)
	default:
		return Result{}, sharedFault(call.Status, failure)
	}
}

// shared answers with what somebody else's call brought. There may be nothing by now: the person was erased, or the
// answer cannot be opened.
func (k *Asker) shared(ctx context.Context, req Request, call lookup.Entry) (Result, error) {
	rec, err := k.history(req).Latest(ctx, req.caller.OrgID(), req.product.ID, req.doc)
	if err == nil {
		return k.fromHistory(ctx, req, rec)
	}
	if !errors.Is(err, ports.ErrNotFound) {
		return Result{}, err
	}
	if call, err = k.store.Repos().Statement.Find(ctx, call.OrgID, call.ID); err != nil {
		return Result{}, err
	}
	if call.Erased || call.RecordID == "" {
		return Result{}, subjectErased()
	}
	return Result{}, sharedFault(lookup.NoAnswer, nil)
}

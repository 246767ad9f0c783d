package lookups

import (
	"context"
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
	ctx context.Context, callID string, most time.Duration,
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
		call, err := l.store.Repos().Statement.Find(ctx, callID)
		if err != nil || call.Erased || call.Status != lookup.Running || waited && call.SettleAt.Equal(settles) {
			return call, failure, err
		}
		if over == nil || !call.SettleAt.Equal(settles) { // it went on to another bureau
			settles, waited = call.SettleAt, false
			now, err := l.store.Repos().Clock.Now(ctx, l.clock())
			if err != nil {
				return call, nil, err
			}
			over = ports.After(min(call.SettleAt.Add(-settleMargin).Sub(now), l.terms.Timeout) + followGrace)
		}
		select {
		case <-ports.After(wait):
		case <-over:
			abandoned, err := l.store.Repos().LookupEnds.Abandon(ctx, callID)
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

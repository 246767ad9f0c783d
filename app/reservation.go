package app

import (
	"context"
	"errors"

	"fichario/domain/lookup"
	"fichario/ports"
)

// reservation is what begins a lookup: one of its fields.
type reservation struct {
	answer *LookupResult  // history had it
	entry  lookup.Entry   // the call is ours, and charged
	holder string         // another call about the same document is in flight
	fresh  *lookup.Record // one has just ended
}

// reserve takes the lease, checks the caps and writes the entry as charged, in one
// transaction: whatever happens afterwards, the call is accounted for.
func (l *Lookups) reserve(ctx context.Context, a asking) (reservation, error) {
	var r reservation
	e, key := l.entry(a), a.caller.key
	e.Status, e.Charged, e.Amount = lookup.Running, true, a.product.Price
	e.Day, e.Month = l.calendar.Day(e.At), l.calendar.Month(e.At)
	e.SettleAt = e.At.Add(l.timeout + settleMargin)
	l.inFlight.Store(e.ID, make(chan struct{}))
	err := l.store.InTx(ctx, func(repos ports.Repos) error {
		r = reservation{entry: e}
		if !a.Refresh || a.Seen != "" {
			lease := lookup.Lease{OrgID: e.OrgID, Product: e.Product, Document: a.doc, CallID: e.ID, ExpiresAt: e.SettleAt}
			holder, err := repos.Leases.Acquire(ctx, lease, e.At)
			if err != nil {
				return err
			}
			if holder != "" {
				r = reservation{holder: holder}
				return errNothingToWrite
			}
			// The call before this one may have ended since history was read.
			rec, err := repos.History.Latest(ctx, e.OrgID, e.Product, a.doc)
			if err == nil && rec.FreshAt(e.At, l.fresh) && (!a.Refresh || rec.ID != a.Seen) {
				r = reservation{fresh: &rec}
				return errNothingToWrite
			}
			if err != nil && !errors.Is(err, ports.ErrNotFound) {
				return err
			}
		}
		if key != nil {
			if err := repos.Usage.Charge(ctx, e.KeyID, e.Day, e.Month, e.Amount, key.Limits); err != nil {
				return err
			}
		}
		return repos.Statement.Add(ctx, e)
	})
	if err == nil {
		return r, nil
	}
	l.announce(e.ID)
	switch {
	case errors.Is(err, errNothingToWrite):
		return r, nil
	case errors.Is(err, ports.ErrMonthCap):
		return r, monthlyLimit(key)
	case errors.Is(err, ports.ErrDayCap):
		return r, dailyLimit(key, l.calendar.NextDay(e.At).Sub(e.At))
	}
	// The commit may have happened although its confirmation was lost. No call
	// was made, so what it may have charged is taken back.
	e.Status, e.Charged, e.Amount = lookup.NotSent, false, 0
	l.calls.Go(func() { l.finish(context.WithoutCancel(ctx), e, a.product.Price, nil) })
	return r, err
}

// errNothingToWrite rolls a transaction back that found nothing to do.
var errNothingToWrite = errors.New("nothing to write")

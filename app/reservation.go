package app

import (
	"context"
	"errors"
	"time"

	"fichario/domain/fault"
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
	l.inFlight.Store(e.ID, &flight{ended: make(chan struct{})})
	begun := false // whether the transaction came to its commit
	err := l.store.InTx(ctx, func(repos ports.Repos) (err error) {
		r, err = l.charge(ctx, repos, a, e)
		begun = begun || err == nil
		return err
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
	case begun:
		// The commit may have happened although its confirmation was lost. No call
		// was made, so what it may have charged is taken back.
		e.Status, e.Charged, e.Amount = lookup.NotSent, false, 0
		l.calls.start(func() { l.finish(context.WithoutCancel(ctx), ending{e, a.product.Price, nil}) })
	}
	return r, err
}

// charge is the transaction of reserve. Its time is the database's: other instances compare it with theirs.
func (l *Lookups) charge(ctx context.Context, repos ports.Repos, a asking, e lookup.Entry) (reservation, error) {
	now, err := repos.Clock.Now(ctx, e.At)
	if err != nil {
		return reservation{}, err
	}
	e.SettleAt = now.Add(l.timeout + settleMargin)
	if !a.Refresh || a.Seen != "" {
		lease := lookup.Lease{OrgID: e.OrgID, Product: e.Product, Document: a.doc, CallID: e.ID, ExpiresAt: e.SettleAt}
		holder, err := repos.Leases.Acquire(ctx, lease, now)
		if err != nil {
			return reservation{}, err
		}
		if holder != "" {
			return reservation{holder: holder}, errNothingToWrite
		}
		// The call before this one may have ended since history was read.
		rec, err := repos.History.Latest(ctx, e.OrgID, e.Product, a.doc)
		if err == nil && rec.FreshAt(e.At, l.fresh) && (!a.Refresh || rec.ID != a.Seen) {
			return reservation{fresh: &rec}, errNothingToWrite
		}
		if err != nil && !errors.Is(err, ports.ErrNotFound) {
			return reservation{}, err
		}
	}
	if key := a.caller.key; key != nil {
		if err := repos.Usage.Charge(ctx, e.KeyID, e.Day, e.Month, e.Amount, key.Limits); err != nil {
			return reservation{}, err
		}
	}
	return reservation{entry: e}, repos.Statement.Add(ctx, e)
}

// written has what is known in this process about the same question written before it is asked: what is paid for is
// not paid for again because it could not be stored. Fault: ServiceUnavailable.
func (l *Lookups) written(ctx context.Context, a asking) error {
	if a.Refresh && a.Seen == "" {
		return nil
	}
	same := l.unwritten.waiting(func(e ending) bool {
		return e.rec != nil && e.rec.ID != a.Seen && e.entry.OrgID == a.caller.orgID && e.entry.Product == a.product.ID &&
			e.entry.Document == a.doc
	})
	for _, e := range same {
		if err := l.unwritten.flush(ctx, e); err != nil {
			return notWritten(err)
		}
	}
	return nil
}

func notWritten(cause error) error {
	return fault.New(fault.ServiceUnavailable,
		"A resposta desta consulta já foi paga e ainda não pôde ser gravada. Ela está guardada e não será cobrada de novo; tente em instantes.",
	).After(2 * time.Second).Because(cause)
}

// mayCall refuses calls whose outcome might be lost. Fault: ServiceUnavailable.
func (l *Lookups) mayCall() error {
	switch {
	case l.stopping.Err() != nil:
		return fault.New(fault.ServiceUnavailable,
			"O serviço está sendo desligado. Nada foi cobrado; tente de novo em instantes.").After(2 * time.Second)
	case l.unwritten.full():
		return fault.New(fault.ServiceUnavailable,
			"Há respostas pagas demais que ainda não puderam ser gravadas. Nada foi cobrado; tente de novo em instantes.",
		).After(rewriteMost)
	}
	return nil
}

// errNothingToWrite rolls a transaction back that found nothing to do.
var errNothingToWrite = errors.New("nothing to write")

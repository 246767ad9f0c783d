package lookups

import (
	"context"
	"errors"
	"time"

	"fichario/app/privacy"
	"fichario/domain/fault"
	"fichario/domain/lookup"
	"fichario/ports"
)

// reservation is the beginning of a lookup: one of its fields is set.
type reservation struct {
	answer *Result        // history had it
	entry  lookup.Entry   // the call is ours, and charged
	holder string         // another call about the same document is in flight
	fresh  *lookup.Record // another call has just ended
}

// reserve takes the lease, checks the caps and writes the entry as charged, so that the call is accounted for whatever
// happens afterwards.
func (l *Lookups) reserve(ctx context.Context, a asking) (reservation, error) {
	e, key := l.entry(a), a.caller.Key()
	e.Status, e.Charged, e.Amount = lookup.Running, true, a.product.Price
	e.Day, e.Month = l.calendar.Day(e.At), l.calendar.Month(e.At)
	charge := ports.Charge{
		Entry: e, Takes: l.timeout + settleMargin, Shared: !a.Refresh || a.Seen != "", After: e.At.Add(-a.fresh),
		Ceiling: a.Ceiling, Budget: a.caller.Budget(), Only: a.only,
		RequestName: a.RequestKey,
	}
	if key != nil {
		charge.Caps = key.Limits
	}
	if a.Refresh {
		charge.Seen = a.Seen
	}
	l.inFlight.Store(e.ID, &flight{ended: make(chan struct{})})
	r, err := l.charge(ctx, charge)
	if err == nil && r.entry.ID != "" {
		return r, nil
	}
	l.announce(e.ID)
	switch {
	case errors.Is(err, ports.ErrMonthCap):
		err = monthlyLimit(key)
	case errors.Is(err, ports.ErrDayCap):
		err = dailyLimit(key, l.calendar.NextDay(e.At).Sub(e.At))
	case errors.Is(err, ports.ErrBlocked):
		err = subjectBlocked()
	case errors.Is(err, ports.ErrErased):
		err = subjectErased()
	case errors.Is(err, ports.ErrBudget):
		err = budgetSpent(a.caller.Budget(), a.product)
	case errors.Is(err, ports.ErrEnded):
		err = a.caller.Ended().Because(err)
	case errors.Is(err, ports.ErrPurpose):
		err = privacy.PurposeRefused("A finalidade foi encerrada ou deixou de ser permitida enquanto o pedido era feito.",
			nil)
	case errors.Is(err, ports.ErrUncertain):
		// No call was made, so a charge that may have been written is taken back.
		e.Status, e.Charged, e.Amount = lookup.NotSent, false, 0
		l.calls.Start(func() { l.takeBack(context.WithoutCancel(ctx), ending{e, a.product.Price, nil}) })
	}
	return r, err
}

// takeBack ends an entry whose commit is uncertain. That may still land after a first attempt, so it retries until the
// entry would be settled as charged.
func (l *Lookups) takeBack(ctx context.Context, e ending) {
	until := e.entry.At.Add(l.timeout + settleMargin)
	for pause := 100 * time.Millisecond; ; pause *= 2 {
		open, err := l.store.Repos().Calls.End(ctx, ports.Outcome{Entry: e.entry, Price: e.price})
		if err != nil {
			l.unwritten.keep(e, err)
			return
		}
		if open || !l.clock().Before(until) {
			return
		}
		select {
		case <-ports.After(pause):
		case <-l.stopping.Done():
			return
		}
	}
}

// charge begins a call, unless history has an answer by now; one that cannot be opened does not count.
func (l *Lookups) charge(ctx context.Context, c ports.Charge) (reservation, error) {
	for {
		begun, err := l.store.Repos().Calls.Begin(ctx, c)
		switch {
		case err != nil:
			return reservation{}, err
		case begun.Holder != "":
			return reservation{holder: begun.Holder}, nil
		case begun.RecordID == "":
			return reservation{entry: c.Entry}, nil
		}
		rec, err := privacy.HistoryFor(l.store.Repos().History, c.Only).Latest(ctx, c.Entry.OrgID, c.Entry.Product,
			c.Entry.Document)
		switch {
		case err == nil:
			return reservation{fresh: &rec}, nil
		case !errors.Is(err, ports.ErrNotFound):
			return reservation{}, err
		}
		c.Seen = begun.RecordID
	}
}

// written writes endings kept in this process that answer the same question, so that a paid answer is not paid for
// again because it could not be stored. Fault: ServiceUnavailable.
func (l *Lookups) written(ctx context.Context, a asking) error {
	if a.Refresh && a.Seen == "" {
		return nil
	}
	same := l.unwritten.waiting(func(e ending) bool {
		return e.rec != nil && e.rec.ID != a.Seen && e.entry.OrgID == a.caller.OrgID() && e.entry.Product == a.product.ID &&
			e.entry.Document == a.doc && (a.only == nil || e.rec.Purpose == *a.only)
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

func subjectBlocked() *fault.Error {
	return fault.New(fault.SubjectBlocked, "O titular deste documento pediu que os dados dele fossem apagados e não pode "+
		"ser consultado. Nada foi consultado nem cobrado. Quem é titular da organização pode desfazer o bloqueio em Privacidade.")
}

// subjectErased is for a lookup that began before an erasure of its person ended.
func subjectErased() *fault.Error {
	return fault.New(fault.SubjectBlocked,
		"Os dados do titular deste documento estão sendo apagados, ou foram apagados depois "+
			"que este pedido começou. Nada foi consultado nem cobrado. Se ainda for preciso consultar, faça outro pedido quando a "+
			"eliminação terminar.")
}

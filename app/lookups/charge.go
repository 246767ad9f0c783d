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

// charge takes a slot and the lease, checks the caps and writes the entry as charged, so that the call is accounted for
// whatever happens afterwards. It returns the running entry of a call that must be made and that has the slot; or the
// entry of another call in flight about the same, its holder; or only the record of one that has just ended.
func (l *Ledger) charge(ctx context.Context, req Request) (r Result, holder string, err error) {
	if err := l.mayCall(); err != nil {
		return Result{}, "", err
	}
	select {
	case l.slots <- struct{}{}:
	default:
		return Result{}, "", fault.New(fault.BureauUnavailable,
			"Há consultas demais em andamento nesta instância. Nada foi cobrado; tente de novo em instantes.").After(time.Second).Because(ErrBusy)
	}
	c := l.chargeOf(req)
	l.inFlight.Store(c.Entry.ID, &flight{ended: make(chan struct{})})
	defer func() {
		if r.Entry.ID == "" {
			<-l.slots
			l.announce(c.Entry.ID)
		}
	}()
	for {
		begun, err := l.store.Repos().Calls.Begin(ctx, c)
		switch {
		case err != nil:
			return Result{}, "", l.refused(ctx, req, c.Entry, err)
		case begun.Holder != "":
			return Result{}, begun.Holder, nil
		case begun.RecordID == "":
			if c.Shared {
				req.chain.Shares = &c.Only
			}
			return Result{Entry: c.Entry, chain: req.chain}, "", nil
		}
		rec, err := l.store.Repos().History.Only(c.Only).Latest(ctx, c.Entry.OrgID, c.Entry.Product,
			c.Entry.Document)
		if !errors.Is(err, ports.ErrNotFound) {
			return Result{Record: rec}, "", err
		}
		c.Seen = begun.RecordID // it cannot be opened, and does not count
	}
}

func (l *Ledger) chargeOf(req Request) ports.Charge {
	e := req.entry(l.clock())
	e.Status, e.Charged = lookup.Running, true
	first := towards(&e, req.chain)
	e.Day, e.Month = l.terms.Calendar.Day(e.At), l.terms.Calendar.Month(e.At)
	c := ports.Charge{
		Entry: e, Takes: first.Timeout + settleMargin, Shared: !req.Refresh || req.Seen != "", After: e.At.Add(-req.fresh),
		Ceiling: req.Ceiling, Budget: req.caller.Budget(), Only: req.only,
		RequestName: req.RequestKey,
	}
	if key := req.caller.Key(); key != nil {
		c.Caps = key.Limits
	}
	if req.Refresh {
		c.Seen = req.Seen
	}
	return c
}

// refused returns the fault of a charge that was not written, and takes back one that may have been.
func (l *Ledger) refused(ctx context.Context, req Request, e lookup.Entry, err error) error {
	switch {
	case errors.Is(err, ports.ErrMonthCap), errors.Is(err, ports.ErrDayCap):
		return l.capReached(ctx, req.caller.Key(), e, err)
	case errors.Is(err, ports.ErrBlocked):
		return subjectBlocked()
	case errors.Is(err, ports.ErrErased):
		return subjectErased()
	case errors.Is(err, ports.ErrBudget):
		return budgetSpent(req.caller.Budget(), req.product)
	case errors.Is(err, ports.ErrEnded):
		return req.caller.Ended().Because(err)
	case errors.Is(err, ports.ErrPurpose):
		return privacy.PurposeRefused("A finalidade foi encerrada ou deixou de ser permitida enquanto o pedido era feito.",
			nil)
	case errors.Is(err, ports.ErrUncertain):
		// No call was made, so a charge that may have been written is taken back.
		price := e.Amount
		e.Status, e.Charged, e.Amount = lookup.NotSent, false, 0
		l.calls.Start(func() { l.takeBack(context.WithoutCancel(ctx), ports.Outcome{Entry: e, Price: price}) })
	}
	return err
}

// takeBackMost is the longest pause between two attempts to take a charge back.
const takeBackMost = 2 * time.Second

// takeBack ends an entry whose commit is uncertain. That may still land after a first attempt, and is settled as
// charged only after the time of a call more, counted from when the row was written: so it goes on for twice that
// time from now, whenever the question came, and looks more often than that. While the database fails, that time has
// not begun: what holds up the attempt may hold up the commit, too.
func (l *Ledger) takeBack(ctx context.Context, o ports.Outcome) {
	lands := 2 * (l.terms.Timeout + settleMargin)
	until := l.clock().Add(lands)
	for pause := 100 * time.Millisecond; ; pause = min(2*pause, takeBackMost) {
		open, err := l.store.Repos().Calls.End(ctx, o)
		if err != nil {
			until = l.clock().Add(lands)
		}
		if open || !l.clock().Before(until) {
			return
		}
		select {
		case <-ports.After(pause):
		case <-l.stopping.Done():
			if err != nil {
				l.unwritten.keep(o, err)
			}
			return
		}
	}
}

// written writes endings kept in this process that answer the same question, so that a paid answer is not paid for
// again because it could not be stored. Fault: ServiceUnavailable.
func (l *Ledger) written(ctx context.Context, req Request) error {
	if req.Refresh && req.Seen == "" {
		return nil
	}
	same := l.unwritten.waiting(func(o ports.Outcome) bool {
		rec := o.Record
		return rec != nil && rec.ID != req.Seen && rec.OrgID == req.caller.OrgID() && rec.Product == req.product.ID &&
			rec.Document == req.doc && rec.Inputs == req.only.Inputs &&
			(req.only.Purpose == nil || rec.Purpose == *req.only.Purpose) &&
			(req.only.Bureau == "" || rec.Bureau == req.only.Bureau)
	})
	for _, o := range same {
		if err := l.unwritten.flush(ctx, o); err != nil {
			return notWritten(err)
		}
	}
	return nil
}

// mayCall refuses calls whose outcome might be lost. Fault: ServiceUnavailable.
func (l *Ledger) mayCall() error {
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

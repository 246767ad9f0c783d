package lookups

import (
	"context"
	"slices"
	"time"

	"fichario/app"
	"fichario/domain/catalog"
	"fichario/domain/lookup"
	"fichario/ports"
)

// made is a call to a bureau that has ended.
type made struct {
	// entry is the call's own: its bureau, what became of it and what it cost.
	entry lookup.Entry
	// record is its answer, and failure why there is none; parts are what the answer says of other products.
	record  *lookup.Record
	parts   []lookup.Record
	failure *ports.BureauError
	took    time.Duration
	// over is true where it cost more than the bureau's price.
	over bool
	// later is set, and no answer, where the bureau has taken the question and answers later.
	later *ports.Later
}

// outcome is the call as it is written, in an entry that was charged price.
func (m made) outcome(e lookup.Entry) ports.Outcome {
	return ports.Outcome{Entry: m.entry, Price: e.Amount, Record: m.record, Parts: m.parts, Took: m.took, Over: m.over}
}

// found reports whether the bureau has a record.
func (m made) found() bool { return m.failure == nil && m.record != nil && m.record.Found }

// towards gives an entry the first bureau of a chain: what the call to it may cost, and what is reserved for the
// others.
func towards(e *lookup.Entry, c ports.Chain) ports.Link {
	first := c.Links[0]
	most, calls := c.Most()
	e.Bureau, e.Amount = first.Name, first.Product.Price
	e.Spare = lookup.Spent{Count: calls - 1, Amount: most - e.Amount}
	return first
}

// call puts a question to the bureaus of a chain. Where one answers later, the result is the running entry.
func (l *Ledger) call(ctx context.Context, chain ports.Chain, e lookup.Entry) (Result, error) {
	defer l.announce(e.ID)
	return l.goDown(ctx, chain, e, nil, l.make(ctx, chain.Links[0], e))
}

// goDown goes on with a question after a call, m, to the first bureau of a chain, until there is an answer, which may
// be compared afterwards, or one of the bureaus may have been reached without answering.
func (l *Ledger) goDown(
	ctx context.Context, chain ports.Chain, e lookup.Entry, before []made, m made,
) (Result, error) {
	var asked []ports.Link
	for _, one := range before {
		asked = append(asked, ports.Link{Name: one.entry.Bureau})
	}
	links := chain.Links
	result, err := l.answerOf(ctx, &chain, e, before, m)
	// An answer that is only in memory may be lost, and of one that came too late the statement has none: then there is
	// nothing to compare with.
	if err == nil && result.stored && result.Entry.Status == lookup.Done && chain.Compare != nil {
		l.compare(ctx, *chain.Compare, append(asked, links[:len(links)-len(chain.Links)]...), result)
	}
	return result, err
}

// answerOf is how goDown ends; it takes the bureaus that were asked out of the chain. The entry is running, and charged
// for the first of them. The result is the running entry where another instance has gone on with it.
func (l *Ledger) answerOf(
	ctx context.Context, chain *ports.Chain, e lookup.Entry, before []made, m made,
) (Result, error) {
	for ; ; m = l.make(ctx, chain.Links[0], e) {
		if m.later != nil {
			return l.accept(ctx, *chain, e, before, m)
		}
		chain.Links = chain.Links[1:]
		if len(chain.Links) == 0 || !l.goesDown(*chain, m) || !reserved(*chain, e, m) {
			return l.conclude(ctx, *chain, e, before, m, nil)
		}
		ended := m
		ended.entry.ID, ended.entry.FollowedID = app.NewID(), e.ID
		if !ended.found() && slices.ContainsFunc(before, made.found) {
			ended.record, ended.parts, ended.entry.RecordID = nil, nil, "" // it would hide the answer in history
		}
		next := e
		link := towards(&next, *chain)
		step := ports.Next{Entry: next, At: l.clock(), Takes: link.Timeout + settleMargin, From: e.Bureau}
		if m.failure == nil || m.failure.Outcome != ports.NotSent {
			o := ended.outcome(lookup.Entry{})
			step.Ended = &o
		}
		running, err := l.store.Repos().Calls.Next(ctx, step)
		switch {
		case err != nil:
			// It may have been written: then the call has an entry already, which becomes that of the call not made.
			unmade := ended.entry
			unmade.Bureau, unmade.Status, unmade.RecordID = next.Bureau, lookup.NotSent, ""
			unmade.Charged, unmade.Amount = false, 0
			if step.Ended == nil {
				unmade.ID = ""
			}
			return l.conclude(ctx, *chain, e, before, m, &unmade)
		case !running && l.goneOn(ctx, e):
			return Result{Entry: e}, nil
		case !running:
			return l.conclude(ctx, *chain, e, before, m, nil)
		}
		before, e = append(before, ended), next
	}
}

// goesDown reports whether the next bureau is to be asked after a call: never after one that may have been charged
// without an answer.
func (l *Ledger) goesDown(c ports.Chain, m made) bool {
	switch {
	case l.stopping.Err() != nil:
		return false
	case m.failure != nil:
		return !m.failure.Outcome.Charged()
	case !m.record.Found:
		return c.OnNoRecord
	}
	return slices.ContainsFunc(c.Need, func(name string) bool { return catalog.IsNull(m.record.Fields, name) })
}

// reserved reports whether what the other bureaus of a chain may cost after a call is reserved in its entry. It is, but
// where the answer came later, and this instance has another chain or other prices than the one that asked.
func reserved(c ports.Chain, e lookup.Entry, m made) bool {
	most, calls := c.Most()
	if m.entry.Charged {
		calls++
	}
	// What a bureau charges above its price goes on top.
	return calls <= 1+e.Spare.Count && min(m.entry.Amount, e.Amount)+most <= e.Amount+e.Spare.Amount
}

// make makes one call.
func (l *Ledger) make(ctx context.Context, link ports.Link, e lookup.Entry) made {
	said := l.ask(ctx, link, e, ports.LaterAnswer{})
	if said.failure == nil && said.answer.Later != nil {
		return made{entry: e, later: said.answer.Later, took: said.took}
	}
	return l.ended(ctx, link, e, said, said.took)
}

// ended is a call that has ended, after some time.
func (l *Ledger) ended(
	ctx context.Context, link ports.Link, e lookup.Entry, said calledBack, took time.Duration,
) (m made) {
	answer, failure := said.answer, said.failure
	m = made{entry: e, failure: failure, took: took}
	m.entry.Spare = lookup.Spent{}
	named := answer.Amount
	if failure == nil {
		m.entry.Status, m.entry.RecordID = lookup.Done, app.NewID()
		m.record = &lookup.Record{
			ID: m.entry.RecordID, OrgID: e.OrgID, Product: e.Product, Document: e.Document, Inputs: e.Inputs,
			AnsweredAt: l.clock(),
			Purpose:    e.Purpose, Found: answer.Found, Bureau: link.Name, Schema: l.terms.schemas[e.Product],
			Fields: answer.Fields, Raw: answer.Raw,
		}
		m.parts = l.parts(link, *m.record, answer.Also)
	} else {
		m.entry.Status, named = statusOf(failure.Outcome), failure.Amount
		l.log.WarnContext(ctx, "bureau call failed", "lookup", e.ID, "bureau", link.Name, "product", e.Product,
			"status", string(m.entry.Status), "reason", failure.Reason)
	}
	if named != nil {
		m.entry.Amount, m.entry.Charged = *named, *named > 0
	}
	if !m.entry.Status.Charged() {
		m.entry.Charged, m.entry.Amount = false, 0
	}
	if m.over = m.entry.Amount > link.Product.Price; m.over {
		l.log.WarnContext(ctx, "bureau charged more than the price in its file", "lookup", e.ID, "bureau", link.Name,
			"product", e.Product, "charged", m.entry.Amount.String(), "price", link.Product.Price.String())
	}
	l.observe(Event{
		Product: e.Product, Bureau: link.Name, Took: said.took, Dropped: answer.Dropped, Status: m.entry.Status,
		Charged: m.entry.Amount,
	})
	if failure != nil && failure.Outcome == ports.Exhausted {
		l.bureaus.exhausted(ctx, link.Name, e, failure.Renews)
		if out := l.bureaus.refusal(link.Name); out != nil {
			why := *failure
			why.Out, why.RetryAfter, m.failure = true, out.RetryAfter, &why
		}
	}
	return m
}

// parts are the records of other products that an answer gives: those that the product's chain would have taken from
// this bureau as the answer to a question of its own.
func (l *Ledger) parts(link ports.Link, of lookup.Record, also []ports.Part) (parts []lookup.Record) {
	for _, a := range also {
		chain := l.bureaus.way(a.Product, of.Purpose, of.Document.Type())
		i := slices.IndexFunc(chain.Links, func(o ports.Link) bool { return o.Name == link.Name })
		lacks := func(name string) bool { return catalog.IsNull(a.Fields, name) }
		if i < 0 || !chain.Links[i].Product.Takes(of.Document.Type()) || !a.Found && chain.OnNoRecord ||
			a.Found && slices.ContainsFunc(chain.Need, lacks) {
			continue
		}
		part, inputs := of, map[string]string{}
		for _, in := range chain.Links[i].Product.Inputs {
			if v := catalog.InputsOf(of.Inputs)[in.Name]; v != "" {
				inputs[in.Name] = v
			}
		}
		part.ID, part.OfID, part.Product, part.Inputs = app.NewID(), of.ID, a.Product, catalog.InputsText(inputs)
		part.Found, part.Fields, part.Schema = a.Found, a.Fields, l.terms.schemas[a.Product]
		parts = append(parts, part)
	}
	return parts
}

// conclude ends a question with the call that answers it: the last one that found a record, or else that answered, or
// else that was made. unmade is Outcome's.
func (l *Ledger) conclude(
	ctx context.Context, chain ports.Chain, e lookup.Entry, before []made, last made, unmade *lookup.Entry,
) (Result, error) {
	at := slices.IndexFunc(before, func(m made) bool { return m.found() })
	for i, m := range before {
		if m.found() || at < 0 && m.failure == nil && last.failure != nil {
			at = i
		}
	}
	for _, m := range before {
		last.entry.Others += m.entry.Amount
		if last.failure != nil && m.failure != nil {
			last.failure = ofBoth(*last.failure, *m.failure)
		}
	}
	if at < 0 || last.found() {
		if len(chain.Need) > 0 && last.found() {
			l.fill(last.record, before)
		}
		o := last.outcome(e)
		o.Unmade = unmade
		return l.end(ctx, last, o)
	}
	// The answer is that of an earlier call, which changes places with the last one, and is stored already.
	answering, other := before[at], last.entry
	other.ID, other.FollowedID, other.RecordID = answering.entry.ID, e.ID, ""
	answering.entry.ID, answering.entry.FollowedID = e.ID, ""
	answering.entry.Others, other.Others = last.entry.Cost()-answering.entry.Amount, 0
	return l.end(ctx, answering, ports.Outcome{
		Entry: answering.entry, Price: e.Amount, Other: &other, Unmade: unmade, Took: last.took, Over: last.over,
	})
}

// ofBoth is the failure of a question that two bureaus have failed: the sooner of them may answer it, also where the
// other one never does.
func ofBoth(whole, other ports.BureauError) *ports.BureauError {
	whole.Own = whole.Own && other.Own
	if in, wait := again(&other), again(&whole); in > 0 && (wait == 0 || in < wait) {
		whole.RetryAfter, whole.Out = in, other.Out
	}
	return &whole
}

// end writes how a question ended.
func (l *Ledger) end(ctx context.Context, m made, o ports.Outcome) (Result, error) {
	if f := l.flight(m.entry.ID); f != nil {
		f.failure = m.failure
	}
	stored := l.finish(ctx, o)
	if m.failure != nil {
		return Result{}, bureauFault(m.entry.Status, m.failure)
	}
	return Result{Entry: m.entry, Record: *m.record, stored: stored}, nil
}

// fill gives a record the fields that it has not and that an earlier bureau answered, the later ones first.
func (l *Ledger) fill(rec *lookup.Record, before []made) {
	product, _ := l.terms.Catalog.Find(rec.Product)
	for _, m := range slices.Backward(before) {
		if !m.found() {
			continue
		}
		filled, names := product.Fill(rec.Fields, m.record.Fields)
		for _, name := range names {
			if rec.Sources == nil {
				rec.Sources = map[string]lookup.Source{}
			}
			rec.Sources[name] = lookup.Source{Bureau: m.record.Bureau, At: m.record.AnsweredAt}
		}
		rec.Fields = filled
	}
}

package lookups

import (
	"context"
	"errors"
	"slices"
	"time"

	"fichario/app"
	"fichario/domain/catalog"
	"fichario/domain/lookup"
	"fichario/ports"
)

// comparingMax bounds the comparisons that an instance makes at once; the questions meanwhile are not compared.
const comparingMax = 4

// compare asks another bureau what has just been answered, for a share of the questions, and does not wait for it. A
// bureau that was asked about the question is not asked again.
func (l *Ledger) compare(ctx context.Context, c ports.Comparison, asked []ports.Link, r Result) {
	e := r.Entry
	same := func(link ports.Link) bool { return link.Name == c.Link.Name }
	if slices.ContainsFunc(asked, same) || !c.Link.Product.Takes(e.Document.Type()) ||
		len(c.Link.Product.Lacking(catalog.InputsOf(e.Inputs))) > 0 || l.bureaus.refusal(c.Link.Name) != nil ||
		l.mayCall() != nil || !ports.Chance(c.Share) {
		return
	}
	select {
	case l.comparing <- struct{}{}:
	default:
		return
	}
	ctx = context.WithoutCancel(ctx)
	began := l.calls.StartInTime(func() {
		defer func() { <-l.comparing }()
		l.compareWith(ctx, c, r)
	})
	if !began {
		<-l.comparing
	}
}

// compareWith makes a comparison, with an entry of its own that is the organisation's, and nobody's in it. Its answer
// is not kept. Where it may not be made, or the month's limit is reached, nothing happens.
func (l *Ledger) compareWith(ctx context.Context, c ports.Comparison, r Result) {
	e := l.comparison(c, r.Entry)
	begun := ports.Charge{Entry: e, Takes: c.Link.Timeout + settleMargin, Ceiling: c.Monthly}
	if _, err := l.store.Repos().Calls.Begin(ctx, begun); err != nil {
		if errors.Is(err, ports.ErrUncertain) {
			o := ports.Outcome{Entry: e, Price: e.Amount}
			o.Entry.Status, o.Entry.Charged, o.Entry.Amount = lookup.NotSent, false, 0
			l.takeBack(ctx, o)
		}
		return
	}
	start := ports.Now()
	said := l.ask(ctx, c.Link, e, ports.LaterAnswer{})
	// An answer that comes later is fetched as long as any call may take.
	for said.failure == nil && said.answer.Later != nil {
		later := said.answer.Later
		said = noAnswerLater(said.took)
		if wait := max(later.Every, time.Millisecond); ports.Since(start)+wait < c.Link.Timeout {
			select {
			case <-ports.After(wait):
				said = l.ask(ctx, c.Link, e, ports.LaterAnswer{Ticket: later.Ticket})
			case <-l.stopping.Done():
			}
		}
	}
	m := l.ended(ctx, c.Link, e, said, ports.Since(start))
	answer := m.record
	m.record, m.parts, m.entry.RecordID = nil, nil, ""
	o := m.outcome(e)
	if answer != nil {
		o.Matches = matches(c.Link.Product, r, m.entry, *answer)
	}
	l.finish(ctx, o)
}

// comparison is the entry of a comparison that begins.
func (l *Ledger) comparison(c ports.Comparison, of lookup.Entry) lookup.Entry {
	now := l.clock()
	if of.Since.IsZero() { // its answer came later
		of.Since = of.At
	}
	return lookup.Entry{
		ID: app.NewID(), OrgID: of.OrgID, Product: of.Product, Document: of.Document, Inputs: of.Inputs,
		Purpose: of.Purpose, Since: of.Since, FollowedID: of.ID, Compared: true, Bureau: c.Link.Name,
		Status: lookup.Running, Charged: true, Amount: c.Link.Product.Price, At: now,
		Day: l.terms.Calendar.Day(now), Month: l.terms.Calendar.Month(now),
	}
}

// matches are how the answer of a question and its comparison agree.
func matches(p catalog.Product, r Result, e lookup.Entry, answer lookup.Record) []ports.BureauMatch {
	of := ports.BureauMatch{Month: e.Month, Product: p.ID, First: r.Record.Bureau, Second: e.Bureau}
	whole := of
	whole.Agreement = catalog.AgreementOf(ifFound(r.Record), ifFound(answer))
	whole.FirstCost, whole.SecondCost = r.Entry.Cost(), e.Amount
	all := []ports.BureauMatch{whole}
	for field, agreement := range p.Agree(r.Record.Fields, answer.Fields) {
		of.Field, of.Agreement = field, agreement
		all = append(all, of)
	}
	return all
}

// ifFound is nil for an answer without a record.
func ifFound(r lookup.Record) any {
	if !r.Found {
		return nil
	}
	return true
}

// Compared is how the answers of two bureaus about a product have agreed.
type Compared struct {
	Product       catalog.Product
	First, Second string
	// Questions counts those with a record at both bureaus (Equal), at one of them, or at none.
	Questions catalog.Agreement
	// Costs are what the first bureau's answers cost, with all calls of their questions, and the second's, in
	// ten-thousandths of a real; nil for who does not see what is spent.
	Costs *[2]catalog.Money
	// Fields has the named fields of the product in order.
	Fields []ComparedField
}

// ComparedField is how they have agreed on a field.
type ComparedField struct {
	Field catalog.Field
	catalog.Agreement
}

// Compared returns how the bureaus have agreed so far, of one product or, where it is empty, of all, by products and
// names. Faults: Forbidden, NotFound, ServiceUnavailable.
func (b *Bureaus) Compared(ctx context.Context, by app.Caller, product string) ([]Compared, error) {
	if !by.MayManage() {
		return nil, app.Forbidden()
	}
	if _, offered := b.chains[product]; !offered && product != "" {
		return nil, b.unoffered(product)
	}
	shared, err := b.shared(ctx)
	if err != nil {
		return nil, err
	}
	all, err := b.store.Repos().Bureaus.Matches(ctx, product)
	agreements := map[ports.BureauMatch]catalog.Agreement{}
	for _, m := range all {
		of := ports.BureauMatch{Product: m.Product, First: m.First, Second: m.Second, Field: m.Field}
		agreements[of] = m.Agreement
	}
	var out []Compared
	for _, whole := range all {
		chain, offered := b.chains[whole.Product]
		if whole.Field != "" || !offered {
			continue
		}
		one := Compared{
			Product: chain.Links[0].Product, First: whole.First, Second: whole.Second, Questions: whole.Agreement,
		}
		if !shared || by == app.Operator() {
			one.Costs = &[2]catalog.Money{whole.FirstCost, whole.SecondCost}
		}
		for _, f := range one.Product.Fields {
			of := ports.BureauMatch{Product: whole.Product, First: whole.First, Second: whole.Second, Field: f.Name}
			if agreement, is := agreements[of]; is {
				one.Fields = append(one.Fields, ComparedField{f, agreement})
			}
		}
		out = append(out, one)
	}
	return out, err
}

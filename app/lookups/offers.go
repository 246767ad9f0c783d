package lookups

import (
	"context"
	"errors"
	"time"

	"fichario/app"
	"fichario/app/privacy"
	"fichario/domain/access"
	"fichario/domain/catalog"
	"fichario/domain/document"
	"fichario/domain/lookup"
	"fichario/ports"
)

// Offer is a product with the document types that a key may ask about.
type Offer struct {
	Product catalog.Product
	Scopes  []document.Type
}

// Products returns what the bureau offers.
func (l *Lookups) Products() catalog.Catalog { return l.catalog }

// Calendar tells the days and months that caps are counted by.
func (l *Lookups) Calendar() access.Calendar { return l.calendar }

// Offers returns the products of which the caller may look up at least one document type; for a key, its scopes decide.
func (l *Lookups) Offers(by app.Caller) []Offer { return l.offers(by.MayAsk) }

// OffersFor returns the products that a key may look up.
func (l *Lookups) OffersFor(k access.Key) []Offer { return l.offers(k.Has) }

func (l *Lookups) offers(may func(document.Type) bool) []Offer {
	offers := []Offer{}
	for _, p := range l.catalog {
		o := Offer{Product: p}
		for _, t := range p.Documents {
			if may(t) {
				o.Scopes = append(o.Scopes, t)
			}
		}
		if len(o.Scopes) > 0 {
			offers = append(offers, o)
		}
	}
	return offers
}

// ProductChoice is a product that fits a document, with what history has about it.
type ProductChoice struct {
	Product catalog.Product
	// Record is the newest answer; its zero value when there is none.
	Record lookup.Record
	// Fresh is whether that answers lookups for free, FreeUntil until when.
	Fresh     bool
	FreeUntil time.Time
}

// Choices returns the products that a document can be looked up in, with the answer from history for each, as far as it
// serves the purpose. Where history is not shared, an unusable or unchosen purpose only gets answers bought for it.
// Faults: NotFound, ServiceUnavailable.
func (l *Lookups) Choices(
	ctx context.Context, by app.Caller, doc document.Document, purpose string,
) ([]ProductChoice, error) {
	orgID, err := by.Org()
	if err != nil {
		return nil, err
	}
	rules, err := l.rules.Of(ctx, l.store.Repos(), orgID, true)
	if err != nil {
		return nil, err
	}
	if chosen, err := rules.Choose(by, purpose); err == nil {
		purpose = chosen
	}
	out, now, history := []ProductChoice{}, l.clock(), privacy.HistoryFor(l.store.Repos().History, rules.Only(purpose))
	for _, p := range l.catalog {
		if !p.Takes(doc.Type()) || !by.MayAsk(doc.Type()) {
			continue
		}
		c := ProductChoice{Product: p}
		rec, err := history.Latest(ctx, orgID, p.ID, doc)
		switch {
		case err == nil:
			c.Record, c.Fresh, c.FreeUntil = rec, rec.FreshAt(now, l.fresh), rec.AnsweredAt.Add(l.fresh)
		case !errors.Is(err, ports.ErrNotFound):
			return nil, err
		}
		out = append(out, c)
	}
	return out, nil
}

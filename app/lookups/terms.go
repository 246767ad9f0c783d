package lookups

import (
	"time"

	"fichario/app"
	"fichario/domain/access"
	"fichario/domain/catalog"
	"fichario/domain/document"
	"fichario/domain/lookup"
)

// Terms are what can be asked, and on what terms.
type Terms struct {
	// Catalog holds what the bureau offers.
	Catalog catalog.Catalog
	// Timeout is the longest that one call to the bureau may take, and Fresh how long history answers (specification,
	// 8.1.5).
	Timeout, Fresh time.Duration
	// Calendar tells the days and months that caps are counted by.
	Calendar access.Calendar
	schemas  map[string]string // of the products, by id
}

// NewTerms returns the terms.
func NewTerms(offered catalog.Catalog, timeout, fresh time.Duration, calendar access.Calendar) *Terms {
	t := &Terms{offered, timeout, fresh, calendar, map[string]string{}}
	for _, p := range offered {
		t.schemas[p.ID] = p.Schema()
	}
	return t
}

// completed adds the fields that an offered product has gained since to a record.
func (t *Terms) completed(rec lookup.Record) (_ lookup.Record, err error) {
	if schema, offered := t.schemas[rec.Product]; offered && schema != rec.Schema {
		product, _ := t.Catalog.Find(rec.Product)
		rec.Fields, err = product.Complete(rec.Fields)
	}
	return rec, err
}

// Offer is a product with the document types that a key may ask about.
type Offer struct {
	Product catalog.Product
	Scopes  []document.Type
}

// Offers returns the products of which the caller may look up at least one document type; for a key, its scopes decide.
func (t *Terms) Offers(by app.Caller) []Offer { return t.offers(by.MayAsk) }

// OffersFor returns the products that a key may look up.
func (t *Terms) OffersFor(k access.Key) []Offer { return t.offers(k.Has) }

func (t *Terms) offers(may func(document.Type) bool) []Offer {
	offers := []Offer{}
	for _, p := range t.Catalog {
		o := Offer{Product: p}
		for _, of := range p.Documents {
			if may(of) {
				o.Scopes = append(o.Scopes, of)
			}
		}
		if len(o.Scopes) > 0 {
			offers = append(offers, o)
		}
	}
	return offers
}

package lookups

import (
	"context"
	"errors"
	"time"

	"fichario/app"
	"fichario/app/privacy"
	"fichario/domain/catalog"
	"fichario/domain/document"
	"fichario/domain/lookup"
	"fichario/ports"
)

// ProductChoice is a product that fits a document, with what history has about it.
type ProductChoice struct {
	Product catalog.Product
	// Record is the newest answer; its zero value when there is none.
	Record lookup.Record
	// Fresh is whether that answers lookups for free, FreeUntil until when.
	Fresh     bool
	FreeUntil time.Time
	// Inputs are what the product needs beside the document, as far as it is known.
	Inputs map[string]string
}

// Lacks reports whether something that the product needs beside the document is not known.
func (c ProductChoice) Lacks() bool { return len(c.Product.Lacking(c.Inputs)) > 0 }

// Choices returns the products that a document can be looked up in, with the answer from history for each, as far as it
// serves the purpose, to a question with those of the inputs that the product uses. Where history is not shared, an
// unusable or unchosen purpose only gets answers bought for it.
// Faults: NotFound, ServiceUnavailable.
func (s *Sheet) Choices(
	ctx context.Context, by app.Caller, doc document.Document, purpose string, inputs map[string]string,
) ([]ProductChoice, error) {
	orgID, err := by.Org()
	if err != nil {
		return nil, err
	}
	rules, err := privacy.ReadPurposeRules(ctx, s.store.Repos(), orgID)
	if err != nil {
		return nil, err
	}
	if chosen, err := rules.Choose(by, purpose); err == nil {
		purpose = chosen
	}
	out, now := []ProductChoice{}, s.clock()
	only := rules.Only(purpose)
	for _, p := range s.terms.Catalog {
		if !p.Takes(doc.Type()) || !by.MayAsk(doc.Type()) {
			continue
		}
		c := ProductChoice{Product: p, Inputs: p.Uses(inputs)}
		history := s.store.Repos().History.Only(ports.Only{Purpose: only, Inputs: catalog.InputsText(c.Inputs)})
		rec, err := history.Latest(ctx, orgID, p.ID, doc)
		switch {
		case err == nil:
			c.Record, c.Fresh, c.FreeUntil = rec, rec.FreshAt(now, s.terms.Fresh), rec.AnsweredAt.Add(s.terms.Fresh)
		case !errors.Is(err, ports.ErrNotFound):
			return nil, err
		}
		out = append(out, c)
	}
	return out, nil
}

package lookups

import (
	"context"

	"fichario/app"
	"fichario/app/privacy"
	"fichario/domain/audit"
	"fichario/domain/document"
	"fichario/domain/lookup"
	"fichario/ports"
)

// Kept returns the entries whose calls brought what history has for free about documents, as far as it serves the
// purpose, by document and product: of the products that need nothing else and that the caller may ask about. It shows
// no answer, asks nobody and writes nothing. Faults: NotFound, ServiceUnavailable.
func (s *Sheet) Kept(
	ctx context.Context, by app.Caller, docs []document.Document, purpose string, products ...string,
) (map[document.Document]map[string]lookup.Entry, error) {
	orgID, err := by.Org()
	if err != nil || len(docs) == 0 {
		return nil, err
	}
	repos := s.store.Repos()
	rules, err := privacy.ReadPurposeRules(ctx, repos, orgID)
	if err != nil {
		return nil, err
	}
	if chosen, err := rules.Choose(by, purpose); err == nil {
		purpose = chosen
	}
	history := repos.History.Only(ports.Only{Purpose: rules.Only(purpose)})
	type place struct {
		doc     document.Document
		product string
	}
	places, ids := map[string]place{}, []string{}
	for _, id := range products {
		p, offered := s.terms.Catalog.Find(id)
		var about []lookup.About
		for _, d := range docs {
			if offered && len(p.Inputs) == 0 && p.Takes(d.Type()) && by.MayAsk(d.Type()) {
				about = append(about, lookup.About{Document: d})
			}
		}
		if len(about) == 0 {
			continue
		}
		found, err := history.Fresh(ctx, orgID, id, about, s.clock().Add(-s.terms.Fresh))
		if err != nil {
			return nil, err
		}
		for of, record := range found {
			places[record], ids = place{of.Document, id}, append(ids, record)
		}
	}
	asked, err := repos.Statement.Asked(ctx, orgID, ids)
	out := map[document.Document]map[string]lookup.Entry{}
	for record, e := range asked {
		at, is := places[record]
		if !is || !by.MaySee(e.OrgID) {
			continue
		}
		if out[at.doc] == nil {
			out[at.doc] = map[string]lookup.Entry{}
		}
		out[at.doc][at.product] = e
	}
	return out, err
}

// OpenKept returns the answers of entries that Kept returned, and records that the caller sees each of them. Faults:
// NotFound, ServiceUnavailable.
func (s *Sheet) OpenKept(ctx context.Context, by app.Caller, entries []lookup.Entry) ([]View, error) {
	views, err := s.views(ctx, by, entries)
	if err != nil {
		return nil, err
	}
	for _, v := range views {
		if err := shown(ctx, s.store, by, audit.SheetOpened, v.Entry); err != nil {
			return nil, err
		}
	}
	return views, nil
}

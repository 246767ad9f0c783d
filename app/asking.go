package app

import (
	"context"
	"fmt"
	"time"

	"fichario/domain/catalog"
	"fichario/domain/document"
	"fichario/domain/fault"
	"fichario/ports"
)

// asking is a lookup that was checked and is about to be made.
type asking struct {
	caller  Caller
	product catalog.Product
	doc     document.Document
	fresh   time.Duration // how long history answers
	// only is the purpose that its answers must have been bought for; nil for any.
	only *string
	LookupRequest
}

func (l *Lookups) check(ctx context.Context, caller Caller, req LookupRequest) (asking, error) {
	product, ok := l.catalog.Find(req.Product)
	if !ok {
		return asking{}, fault.New(fault.UnknownProduct,
			"Este produto não é oferecido. GET /api/v1/produtos lista os que esta chave pode consultar.").At("produto")
	}
	doc, err := product.Parse(req.Document)
	if err != nil {
		return asking{}, fault.New(fault.InvalidDocument, err.Error()).At("documento")
	}
	if !caller.mayAsk(doc.Type()) {
		return asking{}, fault.New(fault.MissingScope,
			fmt.Sprintf("Esta chave não tem o escopo %s. Peça a quem administra as chaves, ou use outra.", doc.Type()))
	}
	if req.Since.IsZero() {
		req.Since = time.Now()
	}
	a := asking{caller, product, doc, l.fresh, nil, req}
	if req.BatchID == "" {
		a.Purpose, a.only, err = l.rules.choose(ctx, l.store.Repos(), caller, req.Purpose)
	} else {
		var rules purposeRules
		rules, err = l.rules.of(ctx, l.store.Repos(), caller.orgID, false)
		a.only = rules.only(req.Purpose)
	}
	if err != nil {
		return asking{}, err
	}
	if req.MaxAge != nil {
		a.fresh = min(a.fresh, *req.MaxAge)
	}
	return a, nil
}

// history returns the history that may answer.
func (l *Lookups) history(a asking) ports.History { return historyFor(l.store.Repos().History, a.only) }

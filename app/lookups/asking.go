package lookups

import (
	"context"
	"fmt"
	"time"

	"fichario/app"
	privacyapp "fichario/app/privacy"
	"fichario/domain/catalog"
	"fichario/domain/document"
	"fichario/domain/fault"
	"fichario/domain/privacy"
	"fichario/ports"
)

// asking is a lookup that was checked and is about to be made.
type asking struct {
	caller  app.Caller
	product catalog.Product
	doc     document.Document
	fresh   time.Duration // how long history answers
	// only is the purpose that its answers must have been bought for; nil for any.
	only *string
	Request
}

// check reads a request, and chooses its purpose unless it has an idempotency key.
func (l *Lookups) check(ctx context.Context, caller app.Caller, req Request) (asking, error) {
	product, ok := l.catalog.Find(req.Product)
	if !ok {
		return asking{}, fault.New(fault.UnknownProduct,
			"Este produto não é oferecido. GET /api/v1/produtos lista os que esta chave pode consultar.").At("produto")
	}
	doc, err := product.Parse(req.Document)
	if err != nil {
		return asking{}, fault.New(fault.InvalidDocument, err.Error()).At("documento")
	}
	if !caller.MayAsk(doc.Type()) {
		return asking{}, fault.New(fault.MissingScope,
			fmt.Sprintf("Esta chave não tem o escopo %s. Peça a quem administra as chaves, ou use outra.", doc.Type()))
	}
	if caller.Key() == nil {
		req.RequestKey = "" // it belongs to a key
	}
	if req.Since.IsZero() {
		req.Since = ports.Now()
	}
	a := asking{caller, product, doc, l.fresh, nil, req}
	if req.MaxAge != nil {
		a.fresh = min(a.fresh, *req.MaxAge)
	}
	if req.RequestKey != "" {
		return a, nil // an answer that it repeats needs no purpose
	}
	return l.stated(ctx, a)
}

// stated chooses the purpose of a lookup. Faults: MissingPurpose, PurposeRefused.
func (l *Lookups) stated(ctx context.Context, a asking) (asking, error) {
	var err error
	if a.BatchID == "" {
		a.Purpose, a.only, err = l.rules.Choose(ctx, l.store.Repos(), a.caller, a.Purpose)
		return a, err
	}
	rules, err := l.rules.Of(ctx, l.store.Repos(), a.caller.OrgID(), false)
	a.only = rules.Only(a.Purpose)
	return a, err
}

// history returns the history that may answer.
func (l *Lookups) history(a asking) ports.History {
	return privacyapp.HistoryFor(l.store.Repos().History, a.only)
}

// notBlocked returns the fault of a lookup of a blocked person. It is for answers from history only: History.Serve
// finds nothing for blocked persons, and a call to the bureau is checked where it is charged.
func (l *Lookups) notBlocked(ctx context.Context, a asking) error {
	i, ok := privacy.OfDocument(a.doc)
	if !ok {
		return nil
	}
	repos := l.store.Repos().Subjects
	hashes, err := repos.Hashes(ctx, a.caller.OrgID(), i)
	if err != nil {
		return err
	}
	switch yes, err := l.store.Repos().SubjectBlocks.Blocked(ctx, a.caller.OrgID(), hashes); {
	case err != nil:
		return err
	case yes:
		return subjectBlocked()
	}
	return nil
}

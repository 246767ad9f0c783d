package lookups

import (
	"context"
	"errors"

	"fichario/domain/fault"
	"fichario/domain/lookup"
	privacyrules "fichario/domain/privacy"
	"fichario/ports"
)

// history returns the history that may answer.
func (k *Asker) history(req Request) ports.History {
	return k.store.Repos().History.Only(req.only)
}

// answer returns a record from history.
func (k *Asker) answer(e lookup.Entry, rec lookup.Record) (Result, error) {
	k.ledger.observe(Event{Product: e.Product, Cache: true})
	rec, err := k.terms.completed(rec)
	return Result{Entry: e, Record: rec}, err
}

// fromHistory writes the free entry and answers.
func (k *Asker) fromHistory(ctx context.Context, req Request, rec lookup.Record) (Result, error) {
	e := req.cached(k.clock())
	e.RecordID, e.Bureau = rec.ID, rec.Bureau
	if err := k.store.Repos().Statement.Add(ctx, e); errors.Is(err, ports.ErrErased) {
		return Result{}, subjectErased()
	} else if err != nil {
		return Result{}, err
	}
	return k.answer(e, rec)
}

// onlyHistory answers a lookup that must not be charged, after History.Serve found nothing: Latest may still find a
// record.
func (k *Asker) onlyHistory(ctx context.Context, req Request) (Result, error) {
	if err := k.notBlocked(ctx, req); err != nil {
		return Result{}, err
	}
	rec, err := k.history(req).Latest(ctx, req.caller.OrgID(), req.product.ID, req.doc)
	if errors.Is(err, ports.ErrNotFound) || err == nil && !rec.FreshAt(k.clock(), req.fresh) {
		return Result{}, fault.New(fault.NotInHistory,
			"O histórico não tem resposta para este documento, ou só uma mais antiga. Nada foi consultado nem cobrado.").
			Because(ErrNotInHistory)
	}
	if err != nil {
		return Result{}, err
	}
	return k.fromHistory(ctx, req, rec)
}

// notBlocked returns the fault of a lookup of a blocked person. It is for answers from history only: History.Serve
// finds nothing for blocked persons, and a call to the bureau is checked where it is charged.
func (k *Asker) notBlocked(ctx context.Context, req Request) error {
	i, ok := privacyrules.OfDocument(req.doc)
	if !ok {
		return nil
	}
	repos := k.store.Repos()
	hashes, err := repos.Subjects.Hashes(ctx, req.caller.OrgID(), i)
	if err != nil {
		return err
	}
	switch yes, err := repos.SubjectBlocks.Blocked(ctx, req.caller.OrgID(), hashes); {
	case err != nil:
		return err
	case yes:
		return subjectBlocked()
	}
	return nil
}

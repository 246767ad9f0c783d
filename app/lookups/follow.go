package lookups

import (
	"context"
	"errors"

	"fichario/domain/lookup"
	"fichario/ports"
)

// follow waits for the call of an identical lookup and shares its outcome: the answer, free and as from history, or the
// failure, free and without an entry. Where the bureau answers later, it does not wait for longer than a call may take.
func (k *Asker) follow(ctx context.Context, req Request, callID string) (Result, error) {
	ctx, cancel := context.WithTimeout(ctx, k.terms.Timeout+2*settleMargin)
	defer cancel()
	switch call, failure, err := k.ledger.outcome(ctx, callID, k.terms.Timeout+settleMargin); {
	case err != nil:
		return Result{}, err
	case call.Erased:
		return Result{}, subjectErased()
	case call.Status == lookup.Running:
		return stillRunning(req, call)
	case call.Status == lookup.Done:
		return k.shared(ctx, req, call)
	default:
		return Result{}, sharedFault(call.Status, failure)
	}
}

// shared answers with what somebody else's call brought. There may be nothing by now: the person was erased, or the
// answer cannot be opened.
func (k *Asker) shared(ctx context.Context, req Request, call lookup.Entry) (Result, error) {
	rec, err := k.history(req).Latest(ctx, req.caller.OrgID(), req.product.ID, req.doc)
	if err == nil {
		return k.fromHistory(ctx, req, rec)
	}
	if !errors.Is(err, ports.ErrNotFound) {
		return Result{}, err
	}
	if call, err = k.store.Repos().Statement.Find(ctx, call.ID); err != nil {
		return Result{}, err
	}
	if call.Erased || call.RecordID == "" {
		return Result{}, subjectErased()
	}
	return Result{}, sharedFault(lookup.NoAnswer, nil)
}

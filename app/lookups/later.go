package lookups

import (
	"context"
	"errors"

	"fichario/app"
	"fichario/domain/audit"
	"fichario/domain/fault"
	"fichario/domain/lookup"
	"fichario/ports"
)

// later goes on with what was begun, and returns the running entry. It waits for the call of somebody else whose entry
// is not the caller's.
func (k *Asker) later(ctx context.Context, req Request, begun Result, holder string) (Result, error) {
	if holder != "" && req.RequestKey != "" { // which stands for an entry of its own
		return k.follow(ctx, req, holder)
	}
	if holder != "" {
		e, err := k.store.Repos().Statement.Find(ctx, req.caller.OrgID(), holder)
		if err != nil {
			return Result{}, err
		}
		if e.AskedBy() != req.caller.AskedBy() {
			return k.follow(ctx, req, holder)
		}
	}
	id, _ := k.goOn(ctx, req, begun, holder)
	return Result{Entry: lookup.Entry{ID: id, Status: lookup.Running}}, nil
}

// goOn makes the call that was begun, or waits for somebody else's, even after ctx ends. It returns the id of the entry
// that will hold the outcome; done is closed then.
func (k *Asker) goOn(ctx context.Context, req Request, begun Result, holder string) (id string, done <-chan struct{}) {
	ctx, ended := context.WithoutCancel(ctx), make(chan struct{})
	if holder != "" {
		k.ledger.calls.Start(func() {
			defer close(ended)
			_, _ = k.follow(ctx, req, holder) // the holder's entry has the outcome
		})
		return holder, ended
	}
	k.ledger.calls.Start(func() {
		defer func() { <-k.ledger.slots; close(ended) }()
		_, _ = k.ledger.call(ctx, begun.chain, begun.Entry) // the entry has the outcome
	})
	return begun.Entry.ID, ended
}

// Again returns the answer of a lookup that the caller's key has made, or its running entry while the bureau is asked.
// It is free, and a line of the audit, but no entry of the statement. Faults: UnknownLookup, ServiceUnavailable, and
// BureauFailed, BureauNoAnswer or BureauUnavailable when that is how the lookup ended.
func (k *Asker) Again(ctx context.Context, caller app.Caller, id string) (Result, error) {
	unknown := fault.New(fault.UnknownLookup,
		"Esta chave não fez nenhuma consulta com este id, ou a resposta já não é guardada.").At("id")
	if !app.ValidID(id) {
		return Result{}, unknown
	}
	e, err := k.store.Repos().Statement.Find(ctx, caller.OrgID(), id)
	if errors.Is(err, ports.ErrNotFound) || err == nil && (e.Erased || e.AskedBy() != caller.AskedBy()) {
		return Result{}, unknown
	}
	if err != nil {
		return Result{}, err
	}
	switch e.Status {
	case lookup.Running:
		return Result{Entry: e}, nil
	case lookup.Done:
	default:
		ended := bureauFault(e.Status, &ports.BureauError{Reason: "as it ended then"})
		app.FaultOf(ended).RetryAfter = 0 // the outcome is final, however long one waits
		return Result{}, ended
	}
	result, kept, err := k.keptAnswer(ctx, e)
	if err == nil && !kept {
		return Result{}, unknown
	}
	if err == nil {
		err = shown(ctx, k.store, caller, audit.AnswerDownloaded, e)
	}
	return result, err
}

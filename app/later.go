package app

import (
	"context"
	"errors"

	"fichario/domain/audit"
	"fichario/domain/fault"
	"fichario/domain/lookup"
	"fichario/ports"
)

// DoLater is Do without waiting for the bureau: where history does not answer at once, it returns the id of an entry to
// pass to Again. It does wait for the call of another key that it would share, because that key's entry is not the
// caller's. Faults: those of Do; how the bureau answered is up to Again.
func (l *Lookups) DoLater(ctx context.Context, caller Caller, req LookupRequest) (LookupResult, string, error) {
	a, err := l.check(ctx, caller, req)
	if err != nil {
		return LookupResult{}, "", err
	}
	if a.RequestKey != "" {
		return l.once(ctx, a, true, l.doLater)
	}
	return l.doLater(ctx, a)
}

func (l *Lookups) doLater(ctx context.Context, a asking) (LookupResult, string, error) {
	r, err := l.begin(ctx, a)
	switch {
	case err != nil:
		return LookupResult{}, "", err
	case r.answer != nil:
		return *r.answer, "", nil
	case r.holder != "" && a.RequestKey != "": // whose entry is not that of this idempotency key
		result, err := l.follow(ctx, a, r.holder)
		return result, "", err
	case r.holder != "":
		e, err := l.store.Repos().Statement.Find(ctx, r.holder)
		if err != nil {
			return LookupResult{}, "", err
		}
		if e.AskedBy() != a.caller.askedBy() {
			result, err := l.follow(ctx, a, r.holder)
			return result, "", err
		}
	}
	id, _ := l.goOn(ctx, a, r)
	return LookupResult{}, id, nil
}

// goOn makes the call that was begun, or waits for somebody else's, even after ctx ends. It returns the id of the entry
// that will hold the outcome; done is closed then.
func (l *Lookups) goOn(ctx context.Context, a asking, r reservation) (id string, done <-chan struct{}) {
	ctx, ended := context.WithoutCancel(ctx), make(chan struct{})
	if r.holder != "" {
		l.calls.start(func() {
			defer close(ended)
			_, _ = l.follow(ctx, a, r.holder) // the holder's entry has the outcome
		})
		return r.holder, ended
	}
	l.calls.start(func() {
		defer func() { <-l.slots; close(ended) }()
		_, _ = l.call(ctx, a.product, r.entry) // the entry has the outcome
	})
	return r.entry.ID, ended
}

// Again returns the answer of a lookup that the caller's key has made; running is true, and there is none, while the
// bureau is asked. It is free, and a line of the audit, but no entry of the statement. Faults: UnknownLookup,
// ServiceUnavailable, and BureauFailed, BureauNoAnswer or BureauUnavailable when that is how the lookup ended.
func (l *Lookups) Again(ctx context.Context, caller Caller, id string) (result LookupResult, running bool, err error) {
	unknown := fault.New(fault.UnknownLookup,
		"Esta chave não fez nenhuma consulta com este id, ou a resposta já não é guardada.").At("id")
	if !validID(id) {
		return LookupResult{}, false, unknown
	}
	e, err := l.store.Repos().Statement.Find(ctx, id)
	if errors.Is(err, ports.ErrNotFound) || err == nil && (e.OrgID != caller.orgID || e.AskedBy() != caller.askedBy()) {
		return LookupResult{}, false, unknown
	}
	if err != nil {
		return LookupResult{}, false, err
	}
	switch e.Status {
	case lookup.Running:
		return LookupResult{Entry: e}, true, nil
	case lookup.Done:
	default:
		ended := bureauFault(e.Status, &ports.BureauError{Reason: "as it ended then"})
		FaultOf(ended).RetryAfter = 0 // the outcome is final, however long one waits
		return LookupResult{}, false, ended
	}
	result, kept, err := l.keptAnswer(ctx, e)
	if err == nil && !kept {
		return LookupResult{}, false, unknown
	}
	if err == nil {
		err = l.shown(ctx, caller, audit.AnswerDownloaded, e)
	}
	return result, false, err
}

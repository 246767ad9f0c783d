package lookups

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"fichario/app"
	"fichario/domain/audit"
	"fichario/domain/catalog"
	"fichario/domain/fault"
	"fichario/domain/lookup"
	"fichario/ports"
)

const (
	// requestLasts is for how long an idempotency key stands for the lookup that it was first sent with (design, 16).
	requestLasts = 24 * time.Hour
	// requestBegins is how long a request with such a key may take before its call begins, or it waits for another's.
	// Afterwards another instance may take the key over, because this one may be dead; if it is not, it is refused where
	// the call is charged.
	requestBegins = 5 * time.Second
)

// question is everything that must be the same when a request is repeated under its idempotency key.
func (r Request) question() string {
	age := "-"
	if r.MaxAge != nil {
		age = r.MaxAge.String()
	}
	question := fmt.Sprintf("%s|%s|%s|%t|%t|%s", r.Product, r.Document, r.Purpose, r.Refresh, r.Free, age)
	if r.Bureau != "" {
		question += "|" + r.Bureau
	}
	if inputs := catalog.InputsText(r.Inputs); inputs != "" {
		question += "|" + inputs
	}
	return question
}

// RequestKeyOf checks the idempotency key of a lookup, which came under a name; nil is none. Fault: InvalidRequest.
func RequestKeyOf(name string, sent *string) (string, error) {
	if sent == nil {
		return "", nil
	}
	printable := func(r rune) bool { return r != utf8.RuneError && unicode.IsPrint(r) }
	if n := utf8.RuneCountInString(*sent); n == 0 || n > app.RequestKeyMax || strings.TrimFunc(*sent, printable) != "" {
		return "", fault.New(fault.InvalidRequest, fmt.Sprintf(
			"A chave em %s deve ter de 1 a %d caracteres imprimíveis, como um UUID. Nada foi consultado nem cobrado.",
			name, app.RequestKeyMax)).At(name)
	}
	return *sent, nil
}

// maker makes a lookup whose purpose was chosen.
type maker func(context.Context, Request) (Result, error)

// once is for a request with an idempotency key: the first one with the key makes the lookup, and all others have its
// outcome, for a day and on any instance; where it is for Later, they do not wait for it. A lookup that certainly cost
// nothing and has no answer leaves the key free again. If ctx may end, the maker must not return before there is an
// entry or nothing is made.
func (k *Asker) once(ctx context.Context, req Request, do maker) (Result, error) {
	mine := req.claim()
	waiting, cancel := context.WithTimeout(ctx, k.terms.Timeout+2*settleMargin)
	defer cancel()
	for wait := 10 * time.Millisecond; ; wait = min(2*wait, 200*time.Millisecond) {
		mine.At = k.clock()
		has, err := k.store.Repos().LookupRequests.Claim(waiting, mine)
		if err != nil {
			return Result{}, err
		}
		if has.LookupID == mine.LookupID {
			result, err := k.first(ctx, req, mine, do)
			if errors.Is(err, ports.ErrOvertaken) {
				continue
			}
			return result, err
		}
		switch result, err := k.replay(waiting, req, has); {
		case errors.Is(err, errFree):
			if err := k.store.Repos().LookupRequests.Release(waiting, has); err != nil {
				return Result{}, err
			}
		case !errors.Is(err, errNotBegun):
			return result, err
		}
		select {
		case <-ports.After(wait):
		case <-waiting.Done():
			return Result{}, app.TimedOut(waiting.Err())
		}
	}
}

// claim is the request as it asks for its idempotency key.
func (r Request) claim() ports.LookupRequest {
	return ports.LookupRequest{
		OrgID: r.caller.OrgID(), KeyID: r.caller.KeyID(), Name: r.RequestKey, Question: r.question(),
		LookupID: app.NewID(), Begins: requestBegins, Lasts: requestLasts,
	}
}

// unlessAnswered refuses a request, unless it repeats one that was answered before the configuration refused it: that
// still has its answer, as far as the key may ask it.
func (k *Asker) unlessAnswered(ctx context.Context, caller app.Caller, req Request, why error) (Result, error) {
	switch fault.CodeOf(why) {
	case fault.UnknownProduct, fault.InvalidDocument, fault.UnknownBureau, fault.InvalidRequest:
	default:
		return Result{}, why
	}
	if req.caller = caller; req.RequestKey == "" || caller.Key() == nil || req.Bureau != "" && !caller.MayName() {
		return Result{}, why
	}
	mine := req.claim()
	mine.At = k.clock()
	has, err := k.store.Repos().LookupRequests.Find(ctx, mine)
	switch {
	case errors.Is(err, ports.ErrNotFound), err == nil && !has.Same:
		return Result{}, why
	case err != nil:
		return Result{}, err
	}
	e, err := k.store.Repos().Statement.Find(ctx, caller.OrgID(), has.LookupID)
	if errors.Is(err, ports.ErrNotFound) || err == nil && !caller.MayAsk(e.Document.Type()) {
		return Result{}, why
	}
	var result Result
	if err == nil {
		result, err = k.replay(ctx, req, has)
	}
	if errors.Is(err, errFree) || errors.Is(err, errNotBegun) {
		err = why
	}
	return result, err
}

// first makes the lookup of a request that has the idempotency key, and frees the key if the lookup came to nothing.
func (k *Asker) first(ctx context.Context, req Request, mine ports.LookupRequest, do maker) (result Result, err error) {
	req.ID = mine.LookupID
	if req, err = k.stated(ctx, req); err == nil {
		result, err = do(ctx, req)
	}
	if err == nil {
		return result, nil
	}
	ctx = context.WithoutCancel(ctx)
	repos := k.store.Repos()
	if e, found := repos.Statement.Find(ctx, req.caller.OrgID(), req.ID); errors.Is(found, ports.ErrNotFound) ||
		found == nil && e.Status == lookup.NotSent {
		// Else whoever asks with the key next finds out.
		_ = repos.LookupRequests.Release(ctx, mine)
	}
	return Result{}, err
}

var (
	// errFree says that a request came to nothing: its idempotency key is free.
	errFree = errors.New("the idempotency key is free")
	// errNotBegun says that a request is about to be answered, or its instance has died.
	errNotBegun = errors.New("the request has not begun")
)

// replay returns the outcome of an earlier request. While the bureau is asked it waits, or returns the running entry
// where the request is for Later.
func (k *Asker) replay(ctx context.Context, req Request, has ports.LookupRequest) (Result, error) {
	e, err := k.store.Repos().Statement.Find(ctx, req.caller.OrgID(), has.LookupID)
	switch {
	case err != nil && !errors.Is(err, ports.ErrNotFound):
		return Result{}, err
	case err == nil && (e.Status == lookup.NotSent || e.Erased):
		return Result{}, errFree
	case !has.Same:
		return Result{}, fault.New(fault.ReusedIdempotencyKey,
			"Esta Idempotency-Key já foi usada com outra consulta nas últimas 24 horas. Nada foi consultado nem cobrado; use outra chave.")
	case err != nil:
		return Result{}, errNotBegun
	case e.Status == lookup.Running && req.Later:
		return Result{Entry: e, Replayed: true}, nil
	case e.Status == lookup.Running:
		if e, _, err = k.ledger.outcome(ctx, e.OrgID, e.ID, k.terms.Timeout+settleMargin); err != nil {
			return Result{}, err
		}
		if e.Status == lookup.NotSent || e.Erased {
			return Result{}, errFree
		}
		if e.Status == lookup.Running { // the bureau answers later
			return Result{Entry: e, Replayed: true}, nil
		}
	}
	if e.Status != lookup.Done {
		ended := bureauFault(e.Status, &ports.BureauError{Reason: "as it ended then"})
		app.FaultOf(ended).Replayed = true
		return Result{}, ended
	}
	result, kept, err := k.keptAnswer(ctx, e)
	if err == nil && !kept {
		return Result{}, errFree
	}
	result.Replayed = true
	if err == nil {
		err = shown(ctx, k.store, req.caller, audit.AnswerDownloaded, e)
	}
	return result, err
}

// keptAnswer returns the answer of an entry that is done; kept is false if it is not stored any more, or cannot be
// opened.
func (k *Asker) keptAnswer(ctx context.Context, e lookup.Entry) (result Result, kept bool, err error) {
	records, err := k.store.Repos().History.Records(ctx, e.OrgID, []string{e.RecordID})
	if err != nil {
		return result, false, err
	}
	rec, kept := records[e.RecordID]
	if !kept || rec.Unreadable {
		return result, false, nil
	}
	rec, err = k.terms.completed(rec)
	return Result{Entry: e, Record: rec}, true, err
}

// ForgetRequests removes idempotency keys of lookups that have expired. It is a chore.
func (k *Asker) ForgetRequests(ctx context.Context) error {
	return app.ForgetOld(ctx, k.store, k.clock, requestLasts+app.OverFor,
		func(ctx context.Context, r ports.Repos, before time.Time) (int, error) {
			return r.LookupRequests.Forget(ctx, before)
		})
}

package app

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"fichario/domain/audit"
	"fichario/domain/fault"
	"fichario/domain/lookup"
	"fichario/ports"
)

const (
	// requestLasts is for how long an idempotency key stands for the lookup that it was first sent with (design, 16).
	requestLasts = 24 * time.Hour
	// requestBegins is how long a request with such a key may take before its call begins. Afterwards another instance
	// may take the key over, because this one may be dead; if it is not, it is refused where the call is charged.
	requestBegins = 5 * time.Second
	// requestKeyMax is the longest idempotency key, in bytes.
	requestKeyMax = 255
)

// question is everything that must be the same when a request is repeated under its idempotency key.
func (r LookupRequest) question() string {
	age := "-"
	if r.MaxAge != nil {
		age = r.MaxAge.String()
	}
	return fmt.Sprintf("%s|%s|%s|%t|%t|%s", r.Product, r.Document, r.Purpose, r.Refresh, r.Free, age)
}

// RequestKeyOf checks the idempotency key of a lookup, which came under a name; nil is none. Fault: InvalidRequest.
func RequestKeyOf(name string, sent *string) (string, error) {
	if sent == nil {
		return "", nil
	}
	printable := func(r rune) bool { return r != utf8.RuneError && unicode.IsPrint(r) }
	if n := len(*sent); n == 0 || n > requestKeyMax || strings.TrimFunc(*sent, printable) != "" {
		return "", fault.New(fault.InvalidRequest, fmt.Sprintf(
			"A chave em %s deve ter de 1 a %d caracteres imprimíveis, como um UUID. Nada foi consultado nem cobrado.",
			name, requestKeyMax)).At(name)
	}
	return *sent, nil
}

// maker makes a lookup whose purpose was chosen, as do and doLater.
type maker func(context.Context, asking) (result LookupResult, id string, err error)

// once is for a request with an idempotency key: the first one with the key makes the lookup, and all others have its
// outcome, for a day and on any instance; where later is set, they do not wait for it. A lookup that certainly cost
// nothing and has no answer leaves the key free again. If ctx may end, the maker must not return before there is an
// entry or nothing is made.
func (l *Lookups) once(
	ctx context.Context, a asking, later bool, do maker,
) (result LookupResult, id string, err error) {
	mine := ports.LookupRequest{
		KeyID: a.caller.keyID(), Name: a.RequestKey, Question: a.question(), LookupID: newID(),
		Begins: requestBegins, Lasts: requestLasts,
	}
	waiting, cancel := context.WithTimeout(ctx, l.timeout+2*settleMargin)
	defer cancel()
	for wait := 10 * time.Millisecond; ; wait = min(2*wait, 200*time.Millisecond) {
		mine.At = l.clock()
		has, err := l.store.Repos().LookupRequests.Claim(waiting, mine)
		if err != nil {
			return result, "", err
		}
		if has.LookupID == mine.LookupID {
			result, id, err = l.first(ctx, a, mine, do)
			if errors.Is(err, ports.ErrOvertaken) {
				continue
			}
			return result, id, err
		}
		switch result, id, err = l.replay(waiting, a, has, later); {
		case errors.Is(err, errFree):
			if err := l.store.Repos().LookupRequests.Release(waiting, has); err != nil {
				return result, "", err
			}
		case !errors.Is(err, errNotBegun):
			return result, id, err
		}
		select {
		case <-ports.After(wait):
		case <-waiting.Done():
			return result, "", timedOut(waiting.Err())
		}
	}
}

// first makes the lookup of a request that has the idempotency key, and frees the key if the lookup came to nothing.
func (l *Lookups) first(
	ctx context.Context, a asking, mine ports.LookupRequest, do maker,
) (result LookupResult, id string, err error) {
	a.ID = mine.LookupID
	if a, err = l.stated(ctx, a); err == nil {
		result, id, err = do(ctx, a)
	}
	if err == nil {
		return result, id, nil
	}
	ctx = context.WithoutCancel(ctx)
	repos := l.store.Repos()
	if e, found := repos.Statement.Find(ctx, a.ID); errors.Is(found, ports.ErrNotFound) ||
		found == nil && e.Status == lookup.NotSent {
		// Else whoever asks with the key next finds out.
		_ = repos.LookupRequests.Release(ctx, mine)
	}
	return result, "", err
}

var (
	// errFree says that a request came to nothing: its idempotency key is free.
	errFree = errors.New("the idempotency key is free")
	// errNotBegun says that a request is about to be answered, or its instance has died.
	errNotBegun = errors.New("the request has not begun")
)

// replay returns the outcome of an earlier request. While the bureau is asked it waits, or returns the id of the entry
// where later is set.
func (l *Lookups) replay(
	ctx context.Context, a asking, has ports.LookupRequest, later bool,
) (result LookupResult, id string, err error) {
	e, err := l.store.Repos().Statement.Find(ctx, has.LookupID)
	switch {
	case err != nil && !errors.Is(err, ports.ErrNotFound):
		return result, "", err
	case err == nil && (e.Status == lookup.NotSent || e.Erased):
		return result, "", errFree
	case !has.Same:
		return result, "", fault.New(fault.ReusedIdempotencyKey,
			"Esta Idempotency-Key já foi usada com outra consulta nas últimas 24 horas. Nada foi consultado nem cobrado; use outra chave.")
	case err != nil:
		return result, "", errNotBegun
	case e.Status == lookup.Running && later:
		return LookupResult{Replayed: true}, e.ID, nil
	case e.Status == lookup.Running:
		if e, _, err = l.outcome(ctx, e.ID); err != nil {
			return result, "", err
		}
		if e.Status == lookup.NotSent || e.Erased {
			return result, "", errFree
		}
	}
	if e.Status != lookup.Done {
		ended := bureauFault(e.Status, &ports.BureauError{Reason: "as it ended then"})
		FaultOf(ended).Replayed = true
		return result, "", ended
	}
	result, kept, err := l.keptAnswer(ctx, e)
	if err == nil && !kept {
		return result, "", errFree
	}
	result.Replayed = true
	if err == nil {
		err = l.shown(ctx, a.caller, audit.AnswerDownloaded, e)
	}
	return result, "", err
}

// keptAnswer returns the answer of an entry that is done; kept is false if it is not stored any more, or cannot be
// opened.
func (l *Lookups) keptAnswer(ctx context.Context, e lookup.Entry) (result LookupResult, kept bool, err error) {
	records, err := l.store.Repos().History.Records(ctx, []string{e.RecordID})
	if err != nil {
		return result, false, err
	}
	rec, kept := records[e.RecordID]
	if !kept || rec.Unreadable {
		return result, false, nil
	}
	result = LookupResult{Entry: e, Record: rec}
	if product, offered := l.catalog.Find(e.Product); offered {
		result, err = l.completed(product, e, rec)
	}
	return result, true, err
}

// ForgetRequests removes idempotency keys of lookups that have expired. It is a chore.
func (l *Lookups) ForgetRequests(ctx context.Context) error {
	return forget(ctx, func(ctx context.Context) (int, error) {
		return l.store.Repos().LookupRequests.Forget(ctx, l.clock().Add(-requestLasts-overFor))
	})
}

// Package lookups asks about documents (Asker), accounts for the calls to the bureau (Ledger), and shows what was asked
// (Sheet) and what it cost (Statement); keys and their caps are here too.
package lookups

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"fichario/app"
	"fichario/app/privacy"
	"fichario/domain/automation"
	"fichario/domain/catalog"
	"fichario/domain/document"
	"fichario/domain/fault"
	"fichario/domain/lookup"
	"fichario/ports"
)

// Asker answers lookups, from history or from the bureau.
type Asker struct {
	store  ports.Store
	terms  *Terms
	ledger *Ledger
	clock  app.Clock
	single func()
	rules  privacy.KnownRules
}

// NewAsker returns the use case, on the store of the ledger that makes its calls. Single is called for each lookup that
// is not a batch's; nil where no batches run.
func NewAsker(ledger *Ledger, single func()) *Asker {
	if single == nil {
		single = func() {}
	}
	return &Asker{ledger.store, ledger.terms, ledger, ledger.clock, single, privacy.KnownRules{Start: ports.Now()}}
}

// Request is one lookup.
type Request struct {
	Product string
	// Document is the bare text that was sent.
	Document string
	// Inputs are what the product needs beside the document, by name.
	Inputs map[string]string
	// Purpose is the code of its purpose; empty for the only one that the caller may state. That of a batch was chosen
	// when the batch was made.
	Purpose string
	// Refresh asks the bureau even when history has an answer; it is charged.
	Refresh bool
	// Seen, with Refresh, is the id of the newest answer that the asker knows: if history has a newer one by now, or
	// somebody else is asking the same, that is the answer, and nothing is charged. Thus a button pressed twice is charged
	// once. Empty asks in any case.
	Seen string
	// Bureau asks the bureau with that name alone, and takes an answer from history only if it is that bureau's; empty for
	// the product's chain.
	Bureau string
	// Free asks history only: where that has no answer, the lookup ends with ErrNotInHistory.
	Free bool
	// Later does not wait for the bureau: where history does not answer at once, the result is an entry that is running,
	// whose answer Again returns.
	Later bool
	// MaxAge is how old an answer from history may be, at most the instance's limit; nil for that limit.
	MaxAge *time.Duration
	// Since is when the document was read, by whoever may have held it for a while before asking; zero for now. If the
	// person was erased after that, nothing is asked, charged or stored.
	Since time.Time
	// ContactID is the contact that the lookup is about; empty when there is none.
	ContactID string
	// ID is the id that the entry gets, chosen by a caller that may crash before it hears the outcome and must find the
	// entry afterwards. Empty: a new id. Never reused.
	ID string
	// BatchID or AutomationID is the batch or automation that asks in the caller's name. Ceiling is what the batch may be
	// charged in all, or the automation in the month.
	BatchID, AutomationID string
	Ceiling               catalog.Money
	// RequestKey is the idempotency key of a request by an API key: a request repeated with it within a day has the first
	// one's outcome. Empty without one.
	RequestKey string
	// Trail lists the automations that led to the lookup.
	Trail automation.Trail

	// What check has read: who asks, for which product and document, how old an answer may be, and the purpose that it
	// must have been bought for, nil for any; then, where history has no answer, the bureaus to ask.
	caller  app.Caller
	product catalog.Product
	doc     document.Document
	fresh   time.Duration
	only    ports.Only
	chain   ports.Chain
}

// Result is an answered lookup, or one that was begun and not waited for: then its entry is running, and there is no
// record.
type Result struct {
	Entry  lookup.Entry
	Record lookup.Record
	// Replayed is true where an idempotency key brought the outcome of an earlier request.
	Replayed bool
	// chain are the bureaus to ask about what has only begun.
	chain ports.Chain
	// stored is true where a call has just ended and the statement says so.
	stored bool
}

// ErrNotInHistory is the cause where a lookup asked history only and got no answer.
var ErrNotInHistory = errors.New("history has no fresh answer")

// Do answers one lookup. Its checks follow the order of design section 3: product and check digits, scope, purpose,
// history, month and day caps, bureau. An answer from history takes one shared commit; a call to the bureau takes a
// transaction before and one after it, and none is open during the call.
//
// The call goes on, and is stored, when ctx ends. Identical lookups in flight, on any instance, share one call: those
// that wait get its answer free, as from history, or its failure. A request for Later also waits for the call of
// another key that it would share, because that key's entry is not the caller's. Where a bureau takes the question and
// answers later, the result is the running entry, as for Later, after as long as calls may take; for a call of another
// key it is a fault.
//
// Faults: UnknownProduct, InvalidDocument, MissingScope, UnknownBureau, BureauRefused, MissingPurpose,
// PurposeRefused, SubjectBlocked, DailyLimit, MonthlyLimit, BureauFailed, BureauNoAnswer, BureauUnavailable,
// ServiceUnavailable, Timeout, NotInHistory, ReusedIdempotencyKey. If the ceiling would be exceeded the error is
// ports.ErrCeiling; if too much is in flight on this instance, ErrBusy is its cause.
func (k *Asker) Do(ctx context.Context, caller app.Caller, req Request) (_ Result, err error) {
	ctx, span := ports.Within(ctx, ports.Inner, "lookups.do")
	defer func() { ports.EndSpan(span, err) }()
	checked, err := k.check(ctx, caller, req)
	if err != nil {
		return k.unlessAnswered(ctx, caller, req, err)
	}
	if req = checked; req.RequestKey != "" {
		return k.once(ctx, req, k.ask)
	}
	begun, holder, err := k.begin(ctx, req)
	return k.end(ctx, req, begun, holder, err)
}

// ask makes a lookup that was checked.
func (k *Asker) ask(ctx context.Context, req Request) (Result, error) {
	begun, holder, err := k.begin(ctx, req)
	return k.end(ctx, req, begun, holder, err)
}

// Start begins one lookup of a member and returns the id of its entry, which is in the statement from now on; done is
// closed when it has an outcome, when the lookup that it waits for has one, or when a bureau is to answer later. It
// goes on when ctx ends. Checks, transactions and charges are those of Do.
//
// A lookup that waits for another's call has no entry yet: then the id is the other's, and once that is answered there
// is a free entry as well.
//
// Faults: those of Do except for the limits and the bureau's, which the entry shows; NotFound when the contact is not
// the organisation's; ErrNotInHistory.
func (k *Asker) Start(
	ctx context.Context, by app.Caller, req Request,
) (id string, done <-chan struct{}, err error) {
	ctx, span := ports.Within(ctx, ports.Inner, "lookups.start")
	defer func() { ports.EndSpan(span, err) }()
	if req, err = k.check(ctx, by, req); err != nil {
		return "", nil, err
	}
	if _, err := contactOf(ctx, k.store, by, req.ContactID); err != nil {
		return "", nil, err
	}
	begun, holder, err := k.begin(ctx, req)
	switch {
	case err != nil:
		return "", nil, err
	case begun.Entry.Status == lookup.Done:
		ended := make(chan struct{})
		close(ended)
		return begun.Entry.ID, ended, nil
	}
	id, done = k.goOn(ctx, req, begun, holder)
	return id, done, nil
}

// check reads a request, and chooses its purpose unless it has an idempotency key.
func (k *Asker) check(ctx context.Context, caller app.Caller, req Request) (_ Request, err error) {
	var ok bool
	if req.product, ok = k.terms.Catalog.Find(req.Product); !ok {
		return req, fault.New(fault.UnknownProduct,
			"Este produto não é oferecido. GET /api/v1/produtos lista os que esta chave pode consultar.").At("produto")
	}
	if req.doc, err = req.product.Parse(req.Document); err != nil {
		return req, fault.New(fault.InvalidDocument, err.Error()).At("documento")
	}
	if !caller.MayAsk(req.doc.Type()) {
		return req, fault.New(fault.MissingScope,
			fmt.Sprintf("Esta chave não tem o escopo %s. Peça a quem administra as chaves, ou use outra.", req.doc.Type()))
	}
	if err := k.mayName(caller, req); err != nil {
		return req, err
	}
	if err := checkInputs(req); err != nil {
		return req, err
	}
	req.only = ports.Only{Bureau: req.Bureau, Inputs: catalog.InputsText(req.Inputs)}
	if caller.Key() == nil {
		req.RequestKey = "" // it belongs to a key
	}
	if req.Since.IsZero() {
		req.Since = ports.Now()
	}
	req.caller, req.fresh = caller, k.terms.Fresh
	if req.MaxAge != nil {
		req.fresh = min(req.fresh, *req.MaxAge)
	}
	if req.RequestKey != "" {
		return req, nil // an answer that it repeats needs no purpose
	}
	return k.stated(ctx, req)
}

// mayName checks the bureau that a request names. Faults: UnknownBureau, BureauRefused.
func (k *Asker) mayName(caller app.Caller, req Request) error {
	switch names := k.ledger.bureaus.chains[req.product.ID].Taking(req.doc.Type()).Names(); {
	case req.Bureau == "":
		return nil
	case !caller.MayName():
		return fault.New(fault.BureauRefused, "Esta chave não tem o escopo bureau, que deixa escolher o bureau. "+
			"Envie sem bureau, ou use outra chave. Nada foi consultado nem cobrado.").At("bureau")
	case !slices.Contains(names, req.Bureau):
		return fault.New(fault.UnknownBureau, "Nenhum bureau com este nome oferece este produto para este tipo de "+
			"documento. Os que oferecem são: "+
			strings.Join(names, ", ")+". Nada foi consultado nem cobrado.").At("bureau")
	}
	return nil
}

// checkInputs refuses a question that lacks something, or has what its product does not use. Fault: InvalidRequest.
func checkInputs(req Request) error {
	known := map[string]catalog.Input{}
	var names []string
	for _, in := range req.product.Inputs {
		known[in.Name], names = in, append(names, in.Name)
	}
	for name := range req.Inputs {
		if _, is := known[name]; !is {
			// The name is not repeated: it may be personal data in the wrong place.
			return app.Invalid("entradas", fmt.Sprintf(
				"Há uma entrada que %s não usa; as que usa: %s. Nada foi consultado nem cobrado.",
				req.product.Name, cmp.Or(strings.Join(names, ", "), "nenhuma")))
		}
	}
	lacking := req.product.Lacking(req.Inputs)
	if len(lacking) == 0 {
		return nil
	}
	in := known[lacking[0]]
	why := "precisa de " + in.Called()
	if req.Inputs[in.Name] != "" {
		why = "não entende o valor de " + in.Called()
	}
	return app.Invalid(in.Name, fmt.Sprintf(
		"%s %s: envie entradas.%s, %s. Na API, POST /api/v1/consultas as recebe. Nada foi consultado nem cobrado.",
		req.product.Name, why, in.Name, in.Type.Form()))
}

// stated chooses the purpose of a lookup. Faults: MissingPurpose, PurposeRefused.
func (k *Asker) stated(ctx context.Context, req Request) (_ Request, err error) {
	if req.BatchID == "" {
		req.Purpose, req.only.Purpose, err = k.rules.Choose(ctx, k.store.Repos(), req.caller, req.Purpose)
		return req, err
	}
	rules, err := k.rules.Of(ctx, k.store.Repos(), req.caller.OrgID(), false)
	if err != nil {
		return req, err
	}
	req.only.Purpose = rules.Only(req.Purpose)
	return req, rules.Still(req.Purpose)
}

// begin answers from history or, where that has nothing, prepares a call to the bureau, which the caller of begin must
// make: then the entry is running. Holder is the entry of another call in flight whose outcome is the answer.
func (k *Asker) begin(ctx context.Context, req Request) (_ Result, holder string, err error) {
	if req.BatchID == "" {
		k.single()
	}
	if err := k.ledger.written(ctx, req); err != nil {
		return Result{}, "", err
	}
	if !req.Refresh {
		e := req.cached(k.clock())
		rec, err := k.history(req).Serve(ctx, e, e.At.Add(-req.fresh))
		if err == nil {
			e.RecordID, e.Bureau = rec.ID, rec.Bureau
			answer, err := k.answer(e, rec)
			return answer, "", err
		}
		if !errors.Is(err, ports.ErrNotFound) {
			return Result{}, "", err
		}
	}
	if req.Free {
		answer, err := k.onlyHistory(ctx, req)
		return answer, "", err
	}
	req.chain = k.ledger.bureaus.chain(req.product.ID, req.Purpose, req.doc.Type(), req.Bureau)
	if len(req.chain.Links) == 0 {
		return Result{}, "", fault.New(fault.BureauUnavailable, "Nenhum dos bureaus a que esta pergunta vai responde sobre este "+
			"tipo de documento. Nada foi consultado nem cobrado; quem opera o serviço muda a ordem deles.").Because(errNoLink)
	}
	begun, holder, err := k.ledger.charge(ctx, req)
	if err == nil && begun.Record.ID != "" { // another call has just ended
		begun, err = k.fromHistory(ctx, req, begun.Record)
	}
	return begun, holder, err
}

// end makes what was begun into an outcome.
func (k *Asker) end(ctx context.Context, req Request, begun Result, holder string, err error) (Result, error) {
	switch {
	case err != nil:
		return Result{}, err
	case begun.Entry.Status == lookup.Done:
		return begun, nil
	case req.Later:
		return k.later(ctx, req, begun, holder)
	case holder != "":
		return k.follow(ctx, req, holder)
	}
	begins := ports.Now()
	result, err := k.ledger.callAndWait(ctx, begun.chain, begun.Entry)
	if err == nil && result.Entry.Status == lookup.Running {
		return k.await(ctx, req.caller.OrgID(), result.Entry.ID, begun.chain.Timeout()-ports.Since(begins))
	}
	return result, err
}

// errNoLink is why nothing is asked where the order of the bureaus leaves out a type of document.
var errNoLink = &ports.BureauError{
	Outcome: ports.NotSent, Reason: "no bureau in the order takes this type of document", Own: true,
}

// entry returns the entry of a lookup.
func (r Request) entry(now time.Time) lookup.Entry {
	id := r.ID
	if id == "" {
		id = app.NewID()
	}
	return lookup.Entry{
		ID: id, OrgID: r.caller.OrgID(), KeyID: r.caller.KeyID(), MemberID: r.caller.MemberID(),
		ContactID: r.ContactID, BatchID: r.BatchID, AutomationID: r.AutomationID, Trail: string(r.Trail), Since: r.Since,
		Product: r.product.ID, Document: r.doc, Inputs: r.only.Inputs, Purpose: r.Purpose, At: now,
	}
}

// cached returns the free entry of a lookup that history answers.
func (r Request) cached(now time.Time) lookup.Entry {
	e := r.entry(now)
	e.Cache, e.Status = true, lookup.Done
	return e
}

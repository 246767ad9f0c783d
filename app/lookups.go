package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"fichario/domain/access"
	"fichario/domain/automation"
	"fichario/domain/catalog"
	"fichario/domain/fault"
	"fichario/domain/lookup"
	"fichario/ports"
)

const (
	// settleMargin is added to the bureau's timeout before a call that nobody
	// finished is settled.
	settleMargin = 5 * time.Second
	// callsMax bounds the calls at the bureau at one time, and with them the memory
	// that answers can take.
	callsMax = 256
	// finishFor is how long Close goes on trying to write down how calls ended.
	finishFor = 10 * time.Second
)

// Lookups answers lookups, from history or from the bureau, and accounts for
// every call that may have reached the bureau.
type Lookups struct {
	store    ports.Store
	bureau   ports.Bureau
	catalog  catalog.Catalog
	timeout  time.Duration
	fresh    time.Duration
	calendar access.Calendar
	clock    Clock
	log      *slog.Logger
	observe  func(LookupEvent)
	schemas  map[string]string // of the products, by id

	slots chan struct{}
	// courtesy is what single lookups ask of batches.
	courtesy *courtesy
	calls    callGroup
	// inFlight holds a *flight for each call of this instance, by its id.
	inFlight  sync.Map
	unwritten *unwritten
	rules     knownRules
	// stopping ends when calls are given up.
	stopping context.Context //nolint:containedctx // of all calls, and of none
	giveUp   context.CancelFunc
}

// LookupsConfig is what Lookups needs.
type LookupsConfig struct {
	Store  ports.Store
	Bureau ports.Bureau
	// Catalog is what the bureau offers.
	Catalog catalog.Catalog
	// Timeout bounds one call to the bureau.
	Timeout time.Duration
	// Fresh is how long history answers (specification, 8.1.5).
	Fresh    time.Duration
	Calendar access.Calendar
	Clock    Clock
	Log      *slog.Logger
	// Observe is told about every lookup that was answered or failed at the
	// bureau, for the metrics.
	Observe func(LookupEvent)
}

// LookupEvent is one lookup, as the metrics see it. It holds no personal data.
type LookupEvent struct {
	Product string
	// Cache is true when history answered; then nothing else is set.
	Cache bool
	// Status is the outcome of the bureau's call, which took Took.
	Status lookup.Status
	Took   time.Duration
	// Charged is in ten-thousandths of a real.
	Charged catalog.Money
	// Dropped are the named fields whose mapping gave a wrong type.
	Dropped []string
}

// NewLookups returns the use case. Call Close when no more lookups arrive.
func NewLookups(c LookupsConfig) *Lookups {
	schemas := map[string]string{}
	for _, p := range c.Catalog {
		schemas[p.ID] = p.Schema()
	}
	l := &Lookups{
		schemas: schemas, store: c.Store, bureau: c.Bureau, catalog: c.Catalog, timeout: c.Timeout, fresh: c.Fresh,
		calendar: c.Calendar, clock: c.Clock, log: c.Log, observe: c.Observe,
		slots: make(chan struct{}, callsMax), courtesy: newCourtesy(), rules: knownRules{start: time.Now()},
	}
	l.unwritten = newUnwritten(c.Log, l.write)
	l.stopping, l.giveUp = context.WithCancel(context.Background())
	return l
}

// LookupRequest is one lookup.
type LookupRequest struct {
	Product string
	// Document is the bare text that was sent.
	Document string
	// Purpose is the code of what it is for; empty for the only one that the caller may say. That of a batch was chosen
	// when it was made.
	Purpose string
	// Refresh asks the bureau even when history has an answer; it is charged.
	Refresh bool
	// Seen, beside Refresh, is the id of the newest answer that the asker knows: where
	// history has a newer one by now, or somebody else is asking the same, that answers
	// and nothing is charged. A button pressed twice is charged once. Empty asks in any
	// case.
	Seen string
	// Free asks history only: where that has no answer, the lookup ends with
	// ErrNotInHistory.
	Free bool
	// MaxAge is how old an answer of history may be, at most as old as the instance lets it; nil for as old as that.
	MaxAge *time.Duration
	// ContactID is the contact that the lookup is about; empty when there is none.
	ContactID string
	// ID is the id that the entry gets, so that who may not live to hear the outcome finds it; empty for a new one. No
	// two lookups have one.
	ID string
	// BatchID or AutomationID is what asks in the caller's name. Ceiling is what the batch may be charged in all, or the
	// automation in the month.
	BatchID, AutomationID string
	Ceiling               catalog.Money
	// Trail are the automations that led to the lookup.
	Trail automation.Trail
}

// LookupResult is an answered lookup.
type LookupResult struct {
	Entry  lookup.Entry
	Record lookup.Record
}

// Do answers one lookup. The order of its checks is that of design section 3:
// product and check digits, scope, purpose, history, month and day caps, bureau. It takes
// one shared commit for an answer from history, two transactions around a call to
// the bureau, and none is open during the call.
//
// The call goes on, and is stored, when ctx ends. Identical lookups in flight, on
// any instance, share one call: those that wait get its answer free, as from
// history, or its failure.
//
// Faults: UnknownProduct, InvalidDocument, MissingScope, MissingPurpose, PurposeRefused, SubjectBlocked, DailyLimit,
// MonthlyLimit, BureauFailed, BureauNoAnswer, BureauUnavailable, ServiceUnavailable, Timeout, NotInHistory. Where the
// ceiling would be exceeded the error is ports.ErrCeiling; where too much is in flight in this instance, ErrBusy is its
// cause.
func (l *Lookups) Do(ctx context.Context, caller Caller, req LookupRequest) (_ LookupResult, err error) {
	ctx, span := ports.Within(ctx, ports.Inner, "lookups.do")
	defer func() { ports.EndSpan(span, err) }()
	a, err := l.check(ctx, caller, req)
	if err != nil {
		return LookupResult{}, err
	}
	r, err := l.begin(ctx, a)
	switch {
	case err != nil:
		return LookupResult{}, err
	case r.answer != nil:
		return *r.answer, nil
	case r.holder != "":
		return l.follow(ctx, a, r.holder)
	}
	return l.callAndWait(ctx, a.product, r.entry)
}

// begin answers from history or, where that has nothing, prepares a call to the
// bureau: the caller of begin must make it.
func (l *Lookups) begin(ctx context.Context, a asking) (reservation, error) {
	if a.BatchID == "" {
		l.courtesy.came()
	}
	if err := l.written(ctx, a); err != nil {
		return reservation{}, err
	}
	if !a.Refresh {
		e := l.cached(a)
		rec, err := l.history(a).Serve(ctx, e, e.At.Add(-a.fresh))
		if err == nil {
			e.RecordID = rec.ID
			answer, err := l.answer(a.product, e, rec)
			return reservation{answer: &answer}, err
		}
		if !errors.Is(err, ports.ErrNotFound) {
			return reservation{}, err
		}
	}
	if a.Free {
		return l.onlyHistory(ctx, a)
	}
	if err := l.mayCall(); err != nil {
		return reservation{}, err
	}
	select {
	case l.slots <- struct{}{}:
	default:
		return reservation{}, fault.New(fault.BureauUnavailable,
			"Há consultas demais em andamento nesta instância. Nada foi cobrado; tente de novo em instantes.").After(time.Second).Because(ErrBusy)
	}
	r, err := l.reserve(ctx, a)
	if err != nil || r.fresh != nil || r.holder != "" {
		<-l.slots
	}
	if err == nil && r.fresh != nil {
		answer, err := l.fromHistory(ctx, a, *r.fresh)
		return reservation{answer: &answer}, err
	}
	return r, err
}

// fromHistory writes the free entry and answers.
func (l *Lookups) fromHistory(ctx context.Context, a asking, rec lookup.Record) (LookupResult, error) {
	e := l.cached(a)
	e.RecordID = rec.ID
	if err := l.store.Repos().Statement.Add(ctx, e); err != nil {
		return LookupResult{}, err
	}
	return l.answer(a.product, e, rec)
}

// answer gives a record from history.
func (l *Lookups) answer(product catalog.Product, e lookup.Entry, rec lookup.Record) (LookupResult, error) {
	l.observe(LookupEvent{Product: product.ID, Cache: true})
	return l.completed(product, e, rec)
}

// completed gives a record that is older than the product's fields the new ones.
func (l *Lookups) completed(product catalog.Product, e lookup.Entry, rec lookup.Record) (LookupResult, error) {
	if rec.Schema == l.schemas[product.ID] {
		return LookupResult{Entry: e, Record: rec}, nil
	}
	fields, err := product.Complete(rec.Fields)
	rec.Fields = fields
	return LookupResult{Entry: e, Record: rec}, err
}

// cached is the free entry of a lookup that history answers.
func (l *Lookups) cached(a asking) lookup.Entry {
	e := l.entry(a)
	e.Cache, e.Status = true, lookup.Done
	return e
}

func (l *Lookups) entry(a asking) lookup.Entry {
	now := l.clock()
	return lookup.Entry{
		ID: cmp.Or(a.ID, newID()), OrgID: a.caller.orgID, KeyID: a.caller.keyID(), MemberID: a.caller.memberID,
		ContactID: a.ContactID, BatchID: a.BatchID, AutomationID: a.AutomationID, Trail: string(a.Trail),
		Product: a.product.ID, Document: a.doc, Purpose: a.Purpose, At: now,
	}
}

// Settle closes entries whose call nobody finished, as after a crash: charged,
// because the call may have reached the bureau. It is a chore.
func (l *Lookups) Settle(ctx context.Context) error {
	return l.settle(ctx, func(now time.Time) time.Time { return now })
}

// SettleAll is Settle for calls of whatever time. It is for an instance that begins, and is alone with its database:
// nobody is making them any more, and a clock that stepped back meanwhile keeps no document waiting.
func (l *Lookups) SettleAll(ctx context.Context) error {
	return l.settle(ctx, func(now time.Time) time.Time { return now.AddDate(100, 0, 0) })
}

func (l *Lookups) settle(ctx context.Context, until func(now time.Time) time.Time) error {
	var n int
	err := l.store.InTx(ctx, func(repos ports.Repos) error {
		now, err := repos.Clock.Now(ctx, l.clock())
		if err != nil {
			return err
		}
		n, err = repos.Statement.Settle(ctx, until(now))
		return err
	})
	if n > 0 && err == nil {
		l.settled(ctx, n)
	}
	return err
}

func (l *Lookups) settled(ctx context.Context, n int) {
	l.log.WarnContext(ctx, "lookups settled without an outcome", "count", n)
}

// Unwritten is how many calls have ended without the database taking their outcome. They are kept in memory and tried
// again until it does; it is zero as long as writing works.
func (l *Lookups) Unwritten() int { return len(l.unwritten.waiting(func(ending) bool { return true })) }

// Ready reports whether outcomes can be written. Fault: ServiceUnavailable.
func (l *Lookups) Ready() error {
	n := l.Unwritten()
	if n == 0 {
		return nil
	}
	return fault.New(fault.ServiceUnavailable,
		fmt.Sprintf("A gravação no banco de dados está falhando. Resultados de consultas à espera de gravação: %d.", n)).
		After(rewriteMost)
}

// GiveUp ends the calls that are at the bureau: they are charged, and without an answer. None begins any more.
func (l *Lookups) GiveUp() { l.giveUp() }

// Stop waits for the calls at the bureau to be finished and stored, and not for those that begin meanwhile. When ctx
// ends it gives up those that are still there, and what cannot be written; none begins any more. It returns how many
// answers that were paid for, or amounts that a key should have got back, are lost; calls that were given up are not,
// because their entries say what became of them.
func (l *Lookups) Stop(ctx context.Context) (lost int) {
	defer context.AfterFunc(ctx, l.giveUp)()
	l.calls.wait()
	return l.unwritten.stop(ctx)
}

// Close is Stop that waits for all calls, and then for ten seconds.
func (l *Lookups) Close() {
	l.calls.wait()
	ctx, cancel := context.WithTimeout(context.Background(), finishFor)
	defer cancel()
	l.Stop(ctx)
}

// ErrBusy ends a lookup that found no place among the calls of this instance.
var ErrBusy = errors.New("too many calls in flight")

// ErrNotInHistory ends a lookup that asked history only.
var ErrNotInHistory = errors.New("history has no fresh answer")

// onlyHistory answers a lookup that must not be charged, where History.Serve found
// nothing: it may leave out what Latest finds.
func (l *Lookups) onlyHistory(ctx context.Context, a asking) (reservation, error) {
	if err := l.notBlocked(ctx, a); err != nil {
		return reservation{}, err
	}
	rec, err := l.history(a).Latest(ctx, a.caller.orgID, a.product.ID, a.doc)
	if errors.Is(err, ports.ErrNotFound) || err == nil && !rec.FreshAt(l.clock(), a.fresh) {
		return reservation{}, fault.New(fault.NotInHistory,
			"O histórico não tem resposta para este documento, ou só uma mais antiga. Nada foi consultado nem cobrado.").
			Because(ErrNotInHistory)
	}
	if err != nil {
		return reservation{}, err
	}
	answer, err := l.fromHistory(ctx, a, rec)
	return reservation{answer: &answer}, err
}

// Start begins one lookup of a member and returns the id of its entry, which is in the
// statement from now on; done ends when it has an outcome, or when somebody else's
// lookup that it waits for has one. It goes on when ctx ends. Its rules are those of
// Do; the same checks, transactions and charges.
//
// A lookup that waits for another one's call has no entry yet: then the id is the
// other's, and once that is answered there is a free entry as well.
//
// Faults: those of Do but for the limits and the bureau's, which the entry tells;
// InvalidRequest when the contact is not of the organisation; ErrNotInHistory.
func (l *Lookups) Start(
	ctx context.Context, by Caller, req LookupRequest,
) (id string, done <-chan struct{}, err error) {
	ctx, span := ports.Within(ctx, ports.Inner, "lookups.start")
	defer func() { ports.EndSpan(span, err) }()
	a, err := l.check(ctx, by, req)
	if err != nil {
		return "", nil, err
	}
	if _, err := l.Contact(ctx, by, req.ContactID); err != nil {
		return "", nil, err
	}
	r, err := l.begin(ctx, a)
	if err != nil {
		return "", nil, err
	}
	if r.answer != nil {
		ended := make(chan struct{})
		close(ended)
		return r.answer.Entry.ID, ended, nil
	}
	id, done = l.goOn(ctx, a, r)
	return id, done, nil
}

// Timeout is the longest that the bureau may take.
func (l *Lookups) Timeout() time.Duration { return l.timeout }

// Fresh is how long history answers.
func (l *Lookups) Fresh() time.Duration { return l.fresh }

// Package lookups asks about documents and accounts for what was asked: calls, history, the statement, keys and their
// caps.
package lookups

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"fichario/app"
	"fichario/app/privacy"
	"fichario/domain/access"
	"fichario/domain/automation"
	"fichario/domain/catalog"
	"fichario/domain/fault"
	"fichario/domain/lookup"
	"fichario/ports"
)

const (
	// settleMargin is added to the bureau's timeout before a call that nobody finished is settled.
	settleMargin = 5 * time.Second
	// CallsMax bounds the concurrent calls to the bureau, and with them the memory that answers can take.
	CallsMax = 256
	// finishFor is how long Close keeps trying to write the outcomes of calls.
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
	clock    app.Clock
	log      *slog.Logger
	observe  func(Event)
	schemas  map[string]string // of the products, by id

	slots chan struct{}
	// courtesy makes batches yield to single lookups.
	courtesy *courtesy
	calls    app.CallGroup
	// inFlight holds a *flight for each call of this instance, by its id.
	inFlight  sync.Map
	unwritten *unwritten
	rules     privacy.KnownRules
	// stopping ends when calls are given up.
	stopping context.Context //nolint:containedctx // of all calls, and of none
	giveUp   context.CancelFunc
}

// Config is what Lookups needs.
type Config struct {
	Store  ports.Store
	Bureau ports.Bureau
	// Catalog holds what the bureau offers.
	Catalog catalog.Catalog
	// Timeout bounds one call to the bureau.
	Timeout time.Duration
	// Fresh is how long history answers (specification, 8.1.5).
	Fresh    time.Duration
	Calendar access.Calendar
	Clock    app.Clock
	Log      *slog.Logger
	// Observe is called for every lookup that was answered or failed at the bureau, for the metrics.
	Observe func(Event)
}

// Event is one lookup, as the metrics see it. It holds no personal data.
type Event struct {
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

// New returns the use case. Call Close when no more lookups arrive.
func New(c Config) *Lookups {
	schemas := map[string]string{}
	for _, p := range c.Catalog {
		schemas[p.ID] = p.Schema()
	}
	l := &Lookups{
		schemas: schemas, store: c.Store, bureau: c.Bureau, catalog: c.Catalog, timeout: c.Timeout, fresh: c.Fresh,
		calendar: c.Calendar, clock: c.Clock, log: c.Log, observe: c.Observe,
		slots: make(chan struct{}, CallsMax), courtesy: newCourtesy(), rules: privacy.KnownRules{Start: ports.Now()},
	}
	l.unwritten = newUnwritten(c.Log, l.write)
	l.stopping, l.giveUp = context.WithCancel(context.Background())
	return l
}

// Request is one lookup.
type Request struct {
	Product string
	// Document is the bare text that was sent.
	Document string
	// Purpose is the code of its purpose; empty for the only one that the caller may state. That of a batch was chosen
	// when the batch was made.
	Purpose string
	// Refresh asks the bureau even when history has an answer; it is charged.
	Refresh bool
	// Seen, with Refresh, is the id of the newest answer that the asker knows: if history has a newer one by now, or
	// somebody else is asking the same, that is the answer, and nothing is charged. Thus a button pressed twice is charged
	// once. Empty asks in any case.
	Seen string
	// Free asks history only: where that has no answer, the lookup ends with ErrNotInHistory.
	Free bool
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
}

// Result is an answered lookup.
type Result struct {
	Entry  lookup.Entry
	Record lookup.Record
	// Replayed is true where an idempotency key brought the outcome of an earlier request.
	Replayed bool
}

// Do answers one lookup. Its checks follow the order of design section 3: product and check digits, scope, purpose,
// history, month and day caps, bureau. An answer from history takes one shared commit; a call to the bureau takes a
// transaction before and one after it, and none is open during the call.
//
// The call goes on, and is stored, when ctx ends. Identical lookups in flight, on any instance, share one call: those
// that wait get its answer free, as from history, or its failure.
//
// Faults: UnknownProduct, InvalidDocument, MissingScope, MissingPurpose, PurposeRefused, SubjectBlocked, DailyLimit,
// MonthlyLimit, BureauFailed, BureauNoAnswer, BureauUnavailable, ServiceUnavailable, Timeout, NotInHistory,
// ReusedIdempotencyKey. If the
// ceiling would be exceeded the error is ports.ErrCeiling; if too much is in flight on this instance, ErrBusy is its
// cause.
func (l *Lookups) Do(ctx context.Context, caller app.Caller, req Request) (_ Result, err error) {
	ctx, span := ports.Within(ctx, ports.Inner, "lookups.do")
	defer func() { ports.EndSpan(span, err) }()
	a, err := l.check(ctx, caller, req)
	if err != nil {
		return Result{}, err
	}
	if a.RequestKey != "" {
		result, _, err := l.once(ctx, a, false, func(ctx context.Context, a asking) (Result, string, error) {
			result, err := l.do(ctx, a)
			return result, "", err
		})
		return result, err
	}
	return l.do(ctx, a)
}

func (l *Lookups) do(ctx context.Context, a asking) (Result, error) {
	r, err := l.begin(ctx, a)
	switch {
	case err != nil:
		return Result{}, err
	case r.answer != nil:
		return *r.answer, nil
	case r.holder != "":
		return l.follow(ctx, a, r.holder)
	}
	return l.callAndWait(ctx, a.product, r.entry)
}

// begin answers from history or, where that has nothing, prepares a call to the bureau, which the caller of begin must
// make.
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
func (l *Lookups) fromHistory(ctx context.Context, a asking, rec lookup.Record) (Result, error) {
	e := l.cached(a)
	e.RecordID = rec.ID
	if err := l.store.Repos().Statement.Add(ctx, e); errors.Is(err, ports.ErrErased) {
		return Result{}, subjectErased()
	} else if err != nil {
		return Result{}, err
	}
	return l.answer(a.product, e, rec)
}

// answer returns a record from history.
func (l *Lookups) answer(product catalog.Product, e lookup.Entry, rec lookup.Record) (Result, error) {
	l.observe(Event{Product: product.ID, Cache: true})
	return l.completed(product, e, rec)
}

// completed adds fields that the product has gained since to a record.
func (l *Lookups) completed(product catalog.Product, e lookup.Entry, rec lookup.Record) (Result, error) {
	if rec.Schema == l.schemas[product.ID] {
		return Result{Entry: e, Record: rec}, nil
	}
	fields, err := product.Complete(rec.Fields)
	rec.Fields = fields
	return Result{Entry: e, Record: rec}, err
}

// cached returns the free entry of a lookup that history answers.
func (l *Lookups) cached(a asking) lookup.Entry {
	e := l.entry(a)
	e.Cache, e.Status = true, lookup.Done
	return e
}

func (l *Lookups) entry(a asking) lookup.Entry {
	now := l.clock()
	return lookup.Entry{
		ID: cmp.Or(a.ID, app.NewID()), OrgID: a.caller.OrgID(), KeyID: a.caller.KeyID(), MemberID: a.caller.MemberID(),
		ContactID: a.ContactID, BatchID: a.BatchID, AutomationID: a.AutomationID, Trail: string(a.Trail), Since: a.Since,
		Product: a.product.ID, Document: a.doc, Purpose: a.Purpose, At: now,
	}
}

// Settle closes entries whose call nobody finished, as after a crash; they stay charged, because the call may have
// reached the bureau. It is a chore.
func (l *Lookups) Settle(ctx context.Context) error {
	return l.settle(ctx, func(now time.Time) time.Time { return now })
}

// SettleAll is Settle for calls of any time. It is for an instance that starts, and is alone with its database: nobody
// is making those calls any more, and a clock that stepped back must not keep a document waiting.
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
		n, err = repos.LookupEnds.Settle(ctx, until(now))
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

// Unwritten is how many calls have ended without their outcome being stored. They are kept in memory and retried until
// it is; zero as long as writing works.
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

// GiveUp ends the calls at the bureau, charged and without an answer. No further ones begin.
func (l *Lookups) GiveUp() { l.giveUp() }

// Stop waits for the calls at the bureau to be finished and stored, but not for those that begin meanwhile. When ctx
// ends it gives up the remaining calls and what cannot be written; no further ones begin. It returns how many paid
// answers, or refunds due to a key, are lost; calls that were given up are not counted, because their entries say what
// became of them.
func (l *Lookups) Stop(ctx context.Context) (lost int) {
	defer context.AfterFunc(ctx, l.giveUp)()
	l.calls.Wait()
	return l.unwritten.stop(ctx)
}

// Close is Stop that waits for all calls, and then for ten seconds.
func (l *Lookups) Close() {
	l.calls.Wait()
	ctx, cancel := context.WithTimeout(context.Background(), finishFor)
	defer cancel()
	l.Stop(ctx)
}

// ErrBusy is the cause where a lookup found no slot among the calls of this instance.
var ErrBusy = errors.New("too many calls in flight")

// ErrNotInHistory is the cause where a lookup asked history only and got no answer.
var ErrNotInHistory = errors.New("history has no fresh answer")

// onlyHistory answers a lookup that must not be charged, after History.Serve found nothing: Latest may still find a
// record.
func (l *Lookups) onlyHistory(ctx context.Context, a asking) (reservation, error) {
	if err := l.notBlocked(ctx, a); err != nil {
		return reservation{}, err
	}
	rec, err := l.history(a).Latest(ctx, a.caller.OrgID(), a.product.ID, a.doc)
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

// Start begins one lookup of a member and returns the id of its entry, which is in the statement from now on; done is
// closed when it has an outcome, or when the lookup that it waits for has one. It goes on when ctx ends. Checks,
// transactions and charges are those of Do.
//
// A lookup that waits for another's call has no entry yet: then the id is the other's, and once that is answered there
// is a free entry as well.
//
// Faults: those of Do except for the limits and the bureau's, which the entry shows; NotFound when the contact is not
// the organisation's; ErrNotInHistory.
func (l *Lookups) Start(
	ctx context.Context, by app.Caller, req Request,
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

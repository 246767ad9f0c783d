package lookups

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"fichario/app"
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

// Ledger makes the calls to the bureau and accounts for every one that may have reached it.
type Ledger struct {
	store   ports.Store
	bureaus *Bureaus
	terms   *Terms
	clock   app.Clock
	log     *slog.Logger
	observe func(Event)
	// callbacks is LedgerConfig.Callbacks.
	callbacks string

	slots     chan struct{}
	comparing chan struct{}
	calls     app.CallGroup
	// inFlight holds a *flight for each call of this instance, by its id.
	inFlight sync.Map
	// fetching counts the answers that come later and are being fetched.
	fetching atomic.Int64
	// awaited is what Awaited returns.
	awaited   atomic.Int64
	unwritten *unwritten
	// stopping ends when calls are given up.
	stopping context.Context //nolint:containedctx // of all calls, and of none
	giveUp   context.CancelFunc
}

// LedgerConfig is what a Ledger needs.
type LedgerConfig struct {
	Store   ports.Store
	Bureaus *Bureaus
	Terms   *Terms
	Clock   app.Clock
	Log     *slog.Logger
	// Callbacks is the address below which bureaus post answers that come later, with a slash at its end; empty where none
	// can.
	Callbacks string
	// Observe is called for every lookup that was answered or failed at the bureau, for the metrics.
	Observe func(Event)
}

// Event is one lookup, as the metrics see it. It holds no personal data.
type Event struct {
	Product string
	// Bureau is the name of the one that was asked; empty where history answered.
	Bureau string
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

// ErrBusy is the cause where a lookup found no slot among the calls of this instance.
var ErrBusy = errors.New("too many calls in flight")

// NewLedger returns the use case. Call Close when no more lookups arrive.
func NewLedger(c LedgerConfig) *Ledger {
	l := &Ledger{
		store: c.Store, bureaus: c.Bureaus, terms: c.Terms, clock: c.Clock, log: c.Log, observe: c.Observe,
		callbacks: c.Callbacks,
		slots:     make(chan struct{}, CallsMax), comparing: make(chan struct{}, comparingMax),
	}
	l.unwritten = newUnwritten(c.Log, l.write)
	l.stopping, l.giveUp = context.WithCancel(context.Background())
	return l
}

// Settle closes entries whose call nobody finished, as after a crash; they stay charged, because the call may have
// reached the bureau. It is a chore.
func (l *Ledger) Settle(ctx context.Context) error {
	return l.settle(ctx, func(now time.Time) time.Time { return now })
}

// SettleAll is Settle for calls of any time. It is for an instance that starts, and is alone with its database: nobody
// is making those calls any more, and a clock that stepped back must not keep a document waiting.
func (l *Ledger) SettleAll(ctx context.Context) error {
	return l.settle(ctx, func(now time.Time) time.Time { return now.AddDate(100, 0, 0) })
}

func (l *Ledger) settle(ctx context.Context, until func(now time.Time) time.Time) error {
	var n int
	err := l.store.InTx(ctx, func(ctx context.Context, repos ports.Repos) error {
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

func (l *Ledger) settled(ctx context.Context, n int) {
	l.log.WarnContext(ctx, "lookups settled without an outcome", "count", n)
}

// Unwritten is how many calls have ended without their outcome being stored. They are kept in memory and retried until
// it is; zero as long as writing works.
func (l *Ledger) Unwritten() int {
	return len(l.unwritten.waiting(func(ports.Outcome) bool { return true }))
}

// Ready reports whether outcomes can be written. Fault: ServiceUnavailable.
func (l *Ledger) Ready() error {
	n := l.Unwritten()
	if n == 0 {
		return nil
	}
	return fault.New(fault.ServiceUnavailable,
		fmt.Sprintf("A gravação no banco de dados está falhando. Resultados de consultas à espera de gravação: %d.", n)).
		After(rewriteMost)
}

// GiveUp ends the calls at the bureau, charged and without an answer. No further ones begin.
func (l *Ledger) GiveUp() { l.giveUp() }

// Stop waits for the calls at the bureau to be finished and stored, but not for those that begin meanwhile. When ctx
// ends it gives up the remaining calls and what cannot be written; no further ones begin. It returns how many paid
// answers, or refunds due to a key, are lost; calls that were given up are not counted, because their entries say what
// became of them.
func (l *Ledger) Stop(ctx context.Context) (lost int) {
	defer context.AfterFunc(ctx, l.giveUp)()
	l.calls.Wait()
	return l.unwritten.stop(ctx)
}

// Close is Stop that waits for all calls, and then for ten seconds.
func (l *Ledger) Close() {
	l.calls.Wait()
	ctx, cancel := context.WithTimeout(context.Background(), finishFor)
	defer cancel()
	l.Stop(ctx)
}

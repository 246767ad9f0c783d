package app

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"fichario/domain/catalog"
	"fichario/domain/fault"
	"fichario/domain/lookup"
	"fichario/ports"
)

// agentSessionLives is how long an agent's session may go on.
const agentSessionLives = 30 * 24 * time.Hour

// AgentSession is what an agent may do in one session: what its lookups are charged together never exceeds the ceiling,
// on any number of instances and across crashes. Its state is in the database, by its id.
type AgentSession struct {
	ID string
	// Ceiling is nil where none was set; then no lookup is made.
	Ceiling *catalog.Money
}

// NewAgentSessionID returns an id for a session.
func NewAgentSessionID() string { return newID() }

// OpenAt reports whether the id has our form, and the session is not too old.
func (s AgentSession) OpenAt(now time.Time) bool {
	if !validID(s.ID) {
		return false
	}
	begun, err := hex.DecodeString(s.ID[:8] + s.ID[9:13])
	if err != nil {
		return false
	}
	var ms int64
	for _, b := range begun {
		ms = ms<<8 | int64(b)
	}
	age := now.Sub(time.UnixMilli(ms))
	return age < agentSessionLives && age > -time.Hour // another instance's clock may be ahead
}

// account is the id under which the session's charges are counted. It has the session's time, and depends on the
// caller: with another key the same session is another account.
func (s AgentSession) account(by Caller) string {
	sum := sha256.Sum256([]byte(s.ID + by.askedBy()))
	h := hex.EncodeToString(sum[:])
	return s.ID[:14] + "7" + h[:3] + "-8" + h[3:6] + "-" + h[6:18]
}

// AgentSessions makes the lookups of agents, each session within its ceiling.
type AgentSessions struct {
	lookups AgentLookups
	store   ports.Store
	clock   Clock
	log     *slog.Logger
}

// AgentLookups is what AgentSessions needs of the lookups.
type AgentLookups interface {
	// Do looks up.
	Do(ctx context.Context, by Caller, req LookupRequest) (LookupResult, error)
	// Priced returns the product of a lookup that the caller may make. Its faults are those of Do before anything is charged.
	Priced(ctx context.Context, by Caller, req LookupRequest) (catalog.Product, error)
	// GoOn runs do, which a stopping service waits for.
	GoOn(do func())
}

// NewAgentSessions returns the use case.
func NewAgentSessions(lookups AgentLookups, store ports.Store, clock Clock, log *slog.Logger) *AgentSessions {
	return &AgentSessions{lookups, store, clock, log}
}

// Open reports whether the session may go on at a time. Faults: NotFound, ServiceUnavailable.
func (a *AgentSessions) Open(ctx context.Context, by Caller, s AgentSession, now time.Time) (bool, error) {
	if _, err := by.org(); err != nil || !s.OpenAt(now) {
		return false, err
	}
	account := s.account(by)
	ended, err := a.store.Repos().Usage.SpentByKeys(ctx, []string{account}, lookup.EndedBucket)
	_, is := ended[account]
	return err == nil && !is, err
}

// End records that an agent ended its session: from then on it is not open. Lookups in flight end as usual.
// Faults: NotFound, ServiceUnavailable.
func (a *AgentSessions) End(ctx context.Context, by Caller, s AgentSession) error {
	if _, err := by.org(); err != nil {
		return err
	}
	return a.store.Repos().Usage.EndSession(ctx, s.account(by))
}

// Spent is what a session was charged, or has reserved. Faults: NotFound, ServiceUnavailable.
func (a *AgentSessions) Spent(ctx context.Context, by Caller, s AgentSession) (catalog.Money, error) {
	if _, err := by.org(); err != nil || s.ID == "" {
		return 0, err
	}
	account := s.account(by)
	spent, err := a.store.Repos().Usage.SpentByKeys(ctx, []string{account}, lookup.AgentBucket)
	return spent[account].Amount, err
}

// DoWithin is Do for the session of an agent. History answers whatever is left of the ceiling. Otherwise the price is
// reserved before the bureau is asked and released where nothing was charged, unless a crash comes in between; when ctx
// ends the lookup goes on, and counts as it ends. It also returns what the session was charged by then; nil where that
// cannot be read, because an answer that was paid for is returned all the same. Faults: those of Do; SessionCeiling
// without a session, a ceiling, or enough left of it.
func (a *AgentSessions) DoWithin(
	ctx context.Context, caller Caller, req LookupRequest, s AgentSession,
) (LookupResult, *catalog.Money, error) {
	result, err := a.doWithin(ctx, caller, req, s)
	if err != nil {
		return LookupResult{}, nil, err
	}
	spent, err := a.Spent(ctx, caller, s)
	if err != nil {
		a.log.WarnContext(ctx, "an agent was not told what its session was charged", "error", err)
		return result, nil, nil
	}
	return result, &spent, nil
}

func (a *AgentSessions) doWithin(
	ctx context.Context, caller Caller, req LookupRequest, s AgentSession,
) (LookupResult, error) {
	if s.Ceiling == nil || s.ID == "" {
		return LookupResult{}, fault.New(fault.SessionCeiling, "Esta sessão não tem teto, e sem ele nada é consultado. "+
			"Comece outra e diga quanto ela pode gastar: fichario mcp --ceiling 5.00, ou o endereço …/mcp?teto=5.00. Nada foi cobrado.")
	}
	if req.Since.IsZero() {
		req.Since = ports.Now()
	}
	if !req.Refresh {
		known := req
		known.Free = true
		if result, err := a.lookups.Do(ctx, caller, known); req.Free || !errors.Is(err, ErrNotInHistory) {
			return result, err
		}
	}
	product, err := a.lookups.Priced(ctx, caller, req)
	if err != nil {
		return LookupResult{}, err
	}
	account, price := s.account(caller), product.Price
	err = a.store.Repos().Usage.Reserve(ctx, account, price, *s.Ceiling)
	if errors.Is(err, ports.ErrCeiling) {
		return LookupResult{}, a.usedUp(ctx, caller, s, product)
	}
	if err != nil {
		return LookupResult{}, err
	}
	type ended struct {
		result LookupResult
		err    error
	}
	req.ID = newID()
	done := make(chan ended, 1)
	a.lookups.GoOn(func() {
		goesOn := context.WithoutCancel(ctx)
		result, err := a.lookups.Do(goesOn, caller, req)
		if !a.wasCharged(goesOn, req.ID, result, err) {
			if err := a.store.Repos().Usage.Return(goesOn, account, price); err != nil {
				a.log.ErrorContext(goesOn, "an agent's session counts a lookup that cost nothing", "error", err)
			}
		}
		done <- ended{result, err}
	})
	select {
	case end := <-done:
		return end.result, end.err
	case <-ctx.Done():
		return LookupResult{}, timedOut(ctx.Err())
	}
}

func (a *AgentSessions) usedUp(ctx context.Context, by Caller, s AgentSession, p catalog.Product) error {
	spent, err := a.Spent(ctx, by, s)
	if err != nil {
		return err
	}
	return fault.New(fault.SessionCeiling, fmt.Sprintf("%s custa %s, e desta sessão restam %s de %s. Nada foi "+
		"consultado nem cobrado. O que está no histórico segue grátis; para mais, comece outra sessão com outro teto.",
		p.Name, p.Price.Exact(), max(0, *s.Ceiling-spent).Exact(), s.Ceiling.Exact()))
}

// wasCharged reports whether a lookup cost something; true if that is not known.
func (a *AgentSessions) wasCharged(ctx context.Context, id string, result LookupResult, err error) bool {
	if err == nil {
		return result.Entry.Charged
	}
	if code := fault.CodeOf(err); code == fault.BureauUnavailable || code == fault.ServiceUnavailable {
		return false // nothing was called, though that may not be written yet
	}
	e, err := a.store.Repos().Statement.Find(ctx, id)
	return err == nil && e.Charged || err != nil && !errors.Is(err, ports.ErrNotFound)
}

// Forget removes the data of sessions that are over. It is a chore.
func (a *AgentSessions) Forget(ctx context.Context) error {
	return forget(ctx, func(ctx context.Context) (int, error) {
		return a.store.Repos().Usage.ForgetSessions(ctx, a.clock().Add(-agentSessionLives-time.Hour))
	})
}

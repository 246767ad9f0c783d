package app

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
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

// SessionOpen reports whether the session may go on at a time. Faults: NotFound, ServiceUnavailable.
func (l *Lookups) SessionOpen(ctx context.Context, by Caller, s AgentSession, now time.Time) (bool, error) {
	if _, err := by.org(); err != nil || !s.OpenAt(now) {
		return false, err
	}
	account := s.account(by)
	ended, err := l.store.Repos().Usage.SpentByKeys(ctx, []string{account}, lookup.EndedBucket)
	_, is := ended[account]
	return err == nil && !is, err
}

// EndSession records that an agent ended its session: from then on it is not open. Lookups in flight end as usual.
// Faults: NotFound, ServiceUnavailable.
func (l *Lookups) EndSession(ctx context.Context, by Caller, s AgentSession) error {
	if _, err := by.org(); err != nil {
		return err
	}
	return l.store.Repos().Usage.EndSession(ctx, s.account(by))
}

// SessionSpent is what a session was charged, or has reserved. Faults: NotFound, ServiceUnavailable.
func (l *Lookups) SessionSpent(ctx context.Context, by Caller, s AgentSession) (catalog.Money, error) {
	if _, err := by.org(); err != nil || s.ID == "" {
		return 0, err
	}
	account := s.account(by)
	spent, err := l.store.Repos().Usage.SpentByKeys(ctx, []string{account}, lookup.AgentBucket)
	return spent[account].Amount, err
}

// DoWithin is Do for the session of an agent. History answers whatever is left of the ceiling. Otherwise the price is
// reserved before the bureau is asked and released where nothing was charged, unless a crash comes in between; when ctx
// ends the lookup goes on, and counts as it ends. It also returns what the session was charged by then; nil where that
// cannot be read, because an answer that was paid for is returned all the same. Faults: those of Do; SessionCeiling
// without a session, a ceiling, or enough left of it.
func (l *Lookups) DoWithin(
	ctx context.Context, caller Caller, req LookupRequest, s AgentSession,
) (LookupResult, *catalog.Money, error) {
	result, err := l.doWithin(ctx, caller, req, s)
	if err != nil {
		return LookupResult{}, nil, err
	}
	spent, err := l.SessionSpent(ctx, caller, s)
	if err != nil {
		l.log.WarnContext(ctx, "an agent was not told what its session was charged", "error", err)
		return result, nil, nil
	}
	return result, &spent, nil
}

func (l *Lookups) doWithin(
	ctx context.Context, caller Caller, req LookupRequest, s AgentSession,
) (_ LookupResult, err error) {
	ctx, span := ports.Within(ctx, ports.Inner, "lookups.do")
	defer func() { ports.EndSpan(span, err) }()
	if s.Ceiling == nil || s.ID == "" {
		return LookupResult{}, fault.New(fault.SessionCeiling, "Esta sessão não tem teto, e sem ele nada é consultado. "+
			"Comece outra e diga quanto ela pode gastar: fichario mcp --ceiling 5.00, ou o endereço …/mcp?teto=5.00. Nada foi cobrado.")
	}
	a, err := l.check(ctx, caller, req)
	if err != nil {
		return LookupResult{}, err
	}
	within := func(ctx context.Context, a asking) (LookupResult, string, error) {
		result, err := l.reserved(ctx, a, s)
		return result, "", err
	}
	type ended struct {
		result LookupResult
		err    error
	}
	done := make(chan ended, 1)
	l.calls.start(func() {
		var end ended
		goesOn := context.WithoutCancel(ctx)
		if a.RequestKey != "" {
			end.result, _, end.err = l.once(goesOn, a, false, within)
		} else {
			end.result, _, end.err = within(goesOn, a)
		}
		done <- end
	})
	select {
	case end := <-done:
		return end.result, end.err
	case <-ctx.Done():
		return LookupResult{}, timedOut(ctx.Err())
	}
}

// reserved makes a lookup with its price reserved in a session, unless history answers.
func (l *Lookups) reserved(ctx context.Context, a asking, s AgentSession) (LookupResult, error) {
	a.ID = cmp.Or(a.ID, newID())
	if !a.Refresh {
		known := a
		known.Free = true
		if result, err := l.do(ctx, known); a.Free || !errors.Is(err, ErrNotInHistory) {
			return result, err
		}
	}
	account, price := s.account(a.caller), a.product.Price
	err := l.store.Repos().Usage.Reserve(ctx, account, price, *s.Ceiling)
	if errors.Is(err, ports.ErrCeiling) {
		return LookupResult{}, l.sessionUsedUp(ctx, a.caller, s, a.product)
	}
	if err != nil {
		return LookupResult{}, err
	}
	result, err := l.do(ctx, a)
	if !l.wasCharged(ctx, a.ID, result, err) {
		if err := l.store.Repos().Usage.Return(ctx, account, price); err != nil {
			l.log.ErrorContext(ctx, "an agent's session counts a lookup that cost nothing", "error", err)
		}
	}
	return result, err
}

func (l *Lookups) sessionUsedUp(ctx context.Context, by Caller, s AgentSession, p catalog.Product) error {
	spent, err := l.SessionSpent(ctx, by, s)
	if err != nil {
		return err
	}
	return fault.New(fault.SessionCeiling, fmt.Sprintf("%s custa %s, e desta sessão restam %s de %s. Nada foi "+
		"consultado nem cobrado. O que está no histórico segue grátis; para mais, comece outra sessão com outro teto.",
		p.Name, p.Price.Exact(), max(0, *s.Ceiling-spent).Exact(), s.Ceiling.Exact()))
}

// wasCharged reports whether a lookup cost something; true if that is not known.
func (l *Lookups) wasCharged(ctx context.Context, id string, result LookupResult, err error) bool {
	if err == nil {
		return result.Entry.Charged
	}
	if code := fault.CodeOf(err); code == fault.BureauUnavailable || code == fault.ServiceUnavailable {
		return false // nothing was called, though that may not be written yet
	}
	e, err := l.store.Repos().Statement.Find(ctx, id)
	return err == nil && e.Charged || err != nil && !errors.Is(err, ports.ErrNotFound)
}

// ForgetAgentSessions removes the data of sessions that are over. It is a chore.
func (l *Lookups) ForgetAgentSessions(ctx context.Context) error {
	return forget(ctx, func(ctx context.Context) (int, error) {
		return l.store.Repos().Usage.ForgetSessions(ctx, l.clock().Add(-agentSessionLives-time.Hour))
	})
}

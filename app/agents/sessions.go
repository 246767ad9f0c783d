// Package agents bounds what agents may spend: each session has a ceiling.
package agents

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"fichario/app"
	"fichario/app/lookups"
	"fichario/domain/catalog"
	"fichario/domain/fault"
	"fichario/domain/lookup"
	"fichario/ports"
)

// agentSessionLives is how long an agent's session may go on.
const agentSessionLives = 30 * 24 * time.Hour

// Session is what an agent may do in one session: what its lookups are charged together never exceeds the ceiling,
// on any number of instances and across crashes. Its state is in the database, by its id.
type Session struct {
	ID string
	// Ceiling is nil where none was set; then no lookup is made.
	Ceiling *catalog.Money
}

// NewSessionID returns an id for a session.
func NewSessionID() string { return app.NewID() }

// OpenAt reports whether the id has our form, and the session is not too old.
func (s Session) OpenAt(now time.Time) bool {
	if !app.ValidID(s.ID) {
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
func (s Session) account(by app.Caller) string {
	sum := sha256.Sum256([]byte(s.ID + by.AskedBy()))
	h := hex.EncodeToString(sum[:])
	return s.ID[:14] + "7" + h[:3] + "-8" + h[3:6] + "-" + h[6:18]
}

// Sessions makes the lookups of agents, each session within its ceiling.
type Sessions struct {
	asker *lookups.Asker
	store ports.Store
	clock app.Clock
	log   *slog.Logger
}

// NewSessions returns the use case.
func NewSessions(asker *lookups.Asker, store ports.Store, clock app.Clock, log *slog.Logger) *Sessions {
	return &Sessions{asker, store, clock, log}
}

// Open reports whether the session may go on at a time. Faults: NotFound, ServiceUnavailable.
func (a *Sessions) Open(ctx context.Context, by app.Caller, s Session, now time.Time) (bool, error) {
	if _, err := by.Org(); err != nil || !s.OpenAt(now) {
		return false, err
	}
	account := s.account(by)
	ended, err := a.store.Repos().Usage.SpentByKeys(ctx, by.OrgID(), []string{account}, lookup.EndedBucket)
	_, is := ended[lookup.EndedBucket][account]
	return err == nil && !is, err
}

// End records that an agent ended its session: from then on it is not open. Lookups in flight end as usual.
// Faults: NotFound, ServiceUnavailable.
func (a *Sessions) End(ctx context.Context, by app.Caller, s Session) error {
	if _, err := by.Org(); err != nil {
		return err
	}
	return a.store.Repos().Usage.EndSession(ctx, by.OrgID(), s.account(by))
}

// Spent is what a session was charged, or has reserved. Faults: NotFound, ServiceUnavailable.
func (a *Sessions) Spent(ctx context.Context, by app.Caller, s Session) (catalog.Money, error) {
	if _, err := by.Org(); err != nil || s.ID == "" {
		return 0, err
	}
	account := s.account(by)
	spent, err := a.store.Repos().Usage.SpentByKeys(ctx, by.OrgID(), []string{account}, lookup.AgentBucket)
	return spent[lookup.AgentBucket][account].Amount, err
}

// DoWithin is Do for the session of an agent. History answers whatever is left of the ceiling. Otherwise the price is
// reserved before the bureau is asked and released where nothing was charged, unless a crash comes in between; when ctx
// ends the lookup goes on, and counts as it ends. It also returns what the session was charged by then; nil where that
// cannot be read, because an answer that was paid for is returned all the same. Faults: those of Do; SessionCeiling
// without a session, a ceiling, or enough left of it.
func (a *Sessions) DoWithin(
	ctx context.Context, caller app.Caller, req lookups.Request, s Session,
) (lookups.Result, *catalog.Money, error) {
	result, err := a.doWithin(ctx, caller, req, s)
	if err != nil {
		return lookups.Result{}, nil, err
	}
	spent, err := a.Spent(ctx, caller, s)
	if err != nil {
		a.log.WarnContext(ctx, "an agent was not told what its session was charged", "error", err)
		return result, nil, nil
	}
	return result, &spent, nil
}

func (a *Sessions) doWithin(
	ctx context.Context, caller app.Caller, req lookups.Request, s Session,
) (lookups.Result, error) {
	if s.Ceiling == nil || s.ID == "" {
		return lookups.Result{}, fault.New(fault.SessionCeiling, "Esta sessão não tem teto, e sem ele nada é consultado. "+
			"Comece outra e diga quanto ela pode gastar: fichario mcp --ceiling 5.00, ou o endereço …/mcp?teto=5.00. Nada foi cobrado.")
	}
	return a.asker.Around(ctx, caller, req,
		func(ctx context.Context, asked lookups.Asked, do func(free bool) (lookups.Result, error)) (lookups.Result, error) {
			return a.reserved(ctx, caller, s, asked, do)
		})
}

// reserved makes a lookup with its price reserved in a session, unless history answers.
func (a *Sessions) reserved(
	ctx context.Context, by app.Caller, s Session, asked lookups.Asked, do func(free bool) (lookups.Result, error),
) (lookups.Result, error) {
	if !asked.Refresh {
		if result, err := do(true); asked.Free || !errors.Is(err, lookups.ErrNotInHistory) {
			return result, err
		}
	}
	account, price := s.account(by), asked.Product.Price
	err := a.store.Repos().Usage.Reserve(ctx, by.OrgID(), account, price, *s.Ceiling)
	if errors.Is(err, ports.ErrCeiling) {
		return lookups.Result{}, a.usedUp(ctx, by, s, asked.Product)
	}
	if err != nil {
		return lookups.Result{}, err
	}
	result, err := do(false)
	if cost := a.cost(ctx, by, asked.ID, result, err, price); cost != price {
		beyond := lookup.Spent{Amount: cost - price}
		if cost == 0 {
			beyond.Count = -1
		}
		if err := a.store.Repos().Usage.Correct(ctx, by.OrgID(), account, beyond); err != nil {
			a.log.ErrorContext(ctx, "an agent's session counts a lookup at its price, and not at what it cost", "error", err)
		}
	}
	return result, err
}

func (a *Sessions) usedUp(ctx context.Context, by app.Caller, s Session, p catalog.Product) error {
	spent, err := a.Spent(ctx, by, s)
	if err != nil {
		return err
	}
	return fault.New(fault.SessionCeiling, fmt.Sprintf("%s custa %s, e desta sessão restam %s de %s. Nada foi "+
		"consultado nem cobrado. O que está no histórico segue grátis; para mais, comece outra sessão com outro teto.",
		p.Name, p.Price.Exact(), max(0, *s.Ceiling-spent).Exact(), s.Ceiling.Exact()))
}

// cost is what a lookup cost; its price if that is not known.
func (a *Sessions) cost(
	ctx context.Context, by app.Caller, id string, result lookups.Result, err error, price catalog.Money,
) catalog.Money {
	switch {
	case err == nil && result.Entry.Status == lookup.Running && result.Entry.ID == id:
		return price // the bureau answers later, and others may be asked then
	case err == nil && result.Entry.Status == lookup.Running:
		return 0 // it is in another lookup
	case err == nil:
		return result.Entry.Cost()
	}
	if fault.CodeOf(err) == fault.BureauUnavailable {
		return 0 // nothing was called, though that may not be written yet
	}
	e, err := a.store.Repos().Statement.Find(ctx, by.OrgID(), id)
	switch {
	case errors.Is(err, ports.ErrNotFound):
		return 0
	case err != nil, e.Status == lookup.Running: // it may cost all of that yet
		return price
	}
	return e.Cost()
}

// Forget removes the data of sessions that are over. It is a chore.
func (a *Sessions) Forget(ctx context.Context) error {
	return app.ForgetOld(ctx, a.store, a.clock, agentSessionLives+time.Hour,
		func(ctx context.Context, r ports.Repos, before time.Time) (int, error) {
			return r.Usage.ForgetSessions(ctx, before)
		})
}

package lookups

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"fichario/domain/access"
	"fichario/domain/automation"
	"fichario/domain/catalog"
	"fichario/domain/crm"
	"fichario/domain/document"
	"fichario/domain/lookup"
	"fichario/domain/privacy"
	"fichario/ports"
	"fichario/ports/portstest/batches"
	"fichario/ports/portstest/kit"
)

// admitted is what a change under load is tried on: whose charges, and what changes.
type admitted struct {
	// ask gives an entry its asker.
	ask func(*lookup.Entry)
	// account and bucket count what it was charged.
	account, bucket string
	// change makes what was charged so far all that may ever be.
	change func(ctx context.Context, r ports.Repos, spent lookup.Spent) error
	// refused is the error from then on.
	refused error
}

// changesUnderLoad changes what admits charges while charges are made: none commits after the change that it refuses.
func changesUnderLoad(t *testing.T, s ports.Store) {
	for what, prepare := range map[string]func(*testing.T, ports.Store, crm.Organisation) admitted{
		"a batch's ceiling": aBatch,
		"a member's budget": aBudget,
		"a member's access": aMember,
		"a key's cap":       aCap,
		"a key":             aKey,
		"a key's purposes":  aKeysPurpose,
		"a purpose":         aPurpose,
		"an automation's ceiling": anAutomation(func(a *automation.Automation,
			spent catalog.Money) {
			a.Action.Ceiling = spent
		}),
		"an automation":    aDisabledAutomation,
		"a person's block": aBlock,
	} {
		for range 3 {
			o := kit.Org(t, s)
			a := prepare(t, s, o)
			changeUnderLoad(t, s, o.ID, what, a)
		}
	}
}

func changeUnderLoad(t *testing.T, s ports.Store, orgID, what string, a admitted) {
	t.Helper()
	ctx := t.Context()
	var over atomic.Bool
	var begun atomic.Int64
	var load sync.WaitGroup
	refused := make(chan struct{}, 1)
	for range 4 {
		load.Go(func() {
			for !over.Load() {
				e := kit.Running(t, "")
				e.OrgID = orgID
				a.ask(&e)
				_, err := s.Repos().Calls.Begin(ctx, ports.Charge{
					Entry: e, Takes: time.Minute, Caps: access.Limits{PerDay: 1e6, PerMonth: 1e6}, Ceiling: 1e12,
				})
				switch {
				case err == nil:
					begun.Add(1)
				case errors.Is(err, a.refused):
					select {
					case refused <- struct{}{}:
					default:
					}
				default:
					t.Errorf("%s: %v", what, err)
					return
				}
			}
		})
	}
	for begun.Load() < 20 && !t.Failed() {
		time.Sleep(time.Millisecond)
	}
	read := func(r ports.Repos) lookup.Spent {
		all, err := r.Usage.SpentByKeys(ctx, orgID, []string{a.account}, a.bucket)
		kit.Must(t, err)
		return all[a.bucket][a.account]
	}
	var spent lookup.Spent
	kit.Must(t, s.InTx(ctx, func(ctx context.Context, r ports.Repos) error {
		if err := r.Orgs.HoldCharges(ctx, orgID); err != nil {
			return err
		}
		spent = read(r)
		return a.change(ctx, r, spent)
	}))
	select {
	case <-refused:
	case <-ctx.Done():
	}
	over.Store(true)
	load.Wait()
	kit.Same(t, what+": charged after the change", read(s.Repos()), spent)
}

// ByKey is a call of a key.
func ByKey(t *testing.T, s ports.Store, o crm.Organisation) (access.Key, func(*lookup.Entry)) {
	t.Helper()
	k := access.Key{
		ID: kit.ID(), OrgID: o.ID, Name: "CRM", Prefix: "fic_abcd", Scopes: []document.Type{document.CPF},
		Limits: access.Limits{PerMinute: 1, PerDay: 1e6, PerMonth: 1e6}, CreatedAt: kit.At,
	}
	kit.Must(t, s.Repos().Keys.Create(t.Context(), k))
	return k, func(e *lookup.Entry) { e.KeyID = k.ID }
}

func aKeyThat(
	refused error, change func(ctx context.Context, r ports.Repos, k access.Key, spent lookup.Spent) error,
) func(*testing.T, ports.Store, crm.Organisation) admitted {
	return func(t *testing.T, s ports.Store, o crm.Organisation) admitted {
		t.Helper()
		k, ask := ByKey(t, s, o)
		return admitted{
			ask: ask, account: k.ID, bucket: "2026-11", refused: refused,
			change: func(ctx context.Context, r ports.Repos, spent lookup.Spent) error { return change(ctx, r, k, spent) },
		}
	}
}

var (
	aCap = aKeyThat(ports.ErrMonthCap, func(ctx context.Context, r ports.Repos, k access.Key, spent lookup.Spent) error {
		return r.Keys.Change(ctx, ports.AnyOrg, k.ID, ports.KeyChange{
			Limits: &access.Limits{PerDay: 1e6, PerMonth: spent.Count},
		})
	})
	aKey = aKeyThat(ports.ErrEnded, func(ctx context.Context, r ports.Repos, k access.Key, _ lookup.Spent) error {
		return r.Keys.Revoke(ctx, ports.AnyOrg, k.ID, kit.At)
	})
)

func forCredit(ask func(*lookup.Entry)) func(*lookup.Entry) {
	return func(e *lookup.Entry) { ask(e); e.Purpose = "credito" }
}

func aKeysPurpose(t *testing.T, s ports.Store, o crm.Organisation) admitted {
	t.Helper()
	other := []string{"cobranca"}
	a := aKeyThat(ports.ErrPurpose, func(ctx context.Context, r ports.Repos, k access.Key, _ lookup.Spent) error {
		return r.Keys.Change(ctx, ports.AnyOrg, k.ID, ports.KeyChange{Purposes: &other})
	})(t, s, o)
	a.ask = forCredit(a.ask)
	return a
}

func aPurpose(t *testing.T, s ports.Store, o crm.Organisation) admitted {
	t.Helper()
	p := crm.Purpose{ID: kit.ID(), OrgID: o.ID, Code: "credito", Name: "Crédito", Basis: "consentimento",
		CreatedAt: kit.At}
	kit.Must(t, s.Repos().Purposes.Create(t.Context(), p))
	a := aKeyThat(ports.ErrPurpose, func(ctx context.Context, r ports.Repos, _ access.Key, _ lookup.Spent) error {
		p.RetiredAt = kit.At
		return r.Purposes.Update(ctx, p)
	})(t, s, o)
	a.ask = forCredit(a.ask)
	return a
}

func aMemberThat(refused error, change func(m *crm.Member, spent lookup.Spent)) func(
	*testing.T, ports.Store, crm.Organisation) admitted {
	return func(t *testing.T, s ports.Store, o crm.Organisation) admitted {
		t.Helper()
		m := kit.Member(t, s, o.ID, crm.Common, true)
		return admitted{
			ask: func(e *lookup.Entry) { e.MemberID = m.ID }, account: m.ID, bucket: "2026-11", refused: refused,
			change: func(ctx context.Context, r ports.Repos, spent lookup.Spent) error {
				change(&m, spent)
				return r.Members.Update(ctx, m)
			},
		}
	}
}

var (
	aBudget = aMemberThat(ports.ErrBudget, func(m *crm.Member, spent lookup.Spent) { m.Budget = &spent.Amount })
	aMember = aMemberThat(ports.ErrEnded, func(m *crm.Member, _ lookup.Spent) { m.Active = false })
)

func aBatch(t *testing.T, s ports.Store, o crm.Organisation) admitted {
	t.Helper()
	b, _ := batches.Quoted(t, s, o.ID)
	return admitted{
		ask:     func(e *lookup.Entry) { e.KeyID, e.BatchID = b.KeyID, b.ID; batches.HandedOut(t, s, *e) },
		account: b.ID, bucket: lookup.BatchBucket, refused: ports.ErrCeiling,
		change: func(ctx context.Context, r ports.Repos, spent lookup.Spent) error {
			b.Ceiling, b.HasCeiling = spent.Amount, true
			return r.Batches.Update(ctx, b)
		},
	}
}

func anAutomation(change func(a *automation.Automation, spent catalog.Money)) func(
	*testing.T, ports.Store, crm.Organisation) admitted {
	return func(t *testing.T, s ports.Store, o crm.Organisation) admitted {
		t.Helper()
		rule := automation.Automation{
			ID: kit.ID(), OrgID: o.ID, Name: "Consulta", Event: automation.ContactCreated, Enabled: true, CreatedAt: kit.At,
			Action: automation.Action{Kind: automation.Lookup, Product: "cpf", Ceiling: 1e12},
		}
		kit.Must(t, s.Repos().Automations.Create(t.Context(), rule))
		return admitted{
			ask: func(e *lookup.Entry) { e.AutomationID = rule.ID }, account: rule.ID, bucket: "2026-11",
			refused: ports.ErrCeiling,
			change: func(ctx context.Context, r ports.Repos, spent lookup.Spent) error {
				change(&rule, spent.Amount)
				return r.Automations.Update(ctx, rule)
			},
		}
	}
}

func aDisabledAutomation(t *testing.T, s ports.Store, o crm.Organisation) admitted {
	t.Helper()
	a := anAutomation(nil)(t, s, o)
	a.refused = ports.ErrEnded
	a.change = func(ctx context.Context, r ports.Repos, _ lookup.Spent) error {
		return r.Automations.SetEnabled(ctx, ports.AnyOrg, a.account, false)
	}
	return a
}

func aBlock(t *testing.T, s ports.Store, o crm.Organisation) admitted {
	t.Helper()
	person, ok := privacy.OfDocument(kit.Doc(t, document.CPF, "52998224725"))
	if !ok {
		t.Fatal("no person")
	}
	hashes, err := s.Repos().Subjects.Hashes(t.Context(), o.ID, person)
	kit.Must(t, err)
	return aKeyThat(ports.ErrBlocked, func(ctx context.Context, r ports.Repos, _ access.Key, _ lookup.Spent) error {
		return r.SubjectBlocks.Block(ctx, privacy.Block{ErasureID: kit.ID(), OrgID: o.ID, AskedBy: "Ana", At: kit.At,
			Hashes: hashes})
	})(t, s, o)
}

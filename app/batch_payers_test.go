package app_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"fichario/app"
	"fichario/app/batches"
	"fichario/app/lookups"
	"fichario/app/team"
	"fichario/domain/batch"
	"fichario/domain/catalog"
	"fichario/domain/crm"
	"fichario/domain/lookup"
)

// TestWhoConfirmsPays: by their own budget and rights, whoever made the quote; and who resumes pays for the rest.
func TestWhoConfirmsPays(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *setting) {
		key, owner := s.byKey(wide), s.add("dona", crm.Owner)
		caio, none := s.add("caio", crm.Common), s.add("nada", crm.Common)
		budget := func(who app.Caller, m catalog.Money) {
			done(s.members.Update(t.Context(), app.Operator(), who.MemberID(), team.MemberChange{Budget: &m}))
		}
		budget(caio, 2*price+1)
		budget(none, 0)
		defer running(s)()
		for _, maker := range []app.Caller{key, owner} {
			q := must(s.batches.Quote(t.Context(), maker, quote(someCPFs(7600, 20)[:5]...)))
			_, err := s.batches.Confirm(t.Context(), none, q.ID, nil)
			equal(t, "confirmed without a budget", said(err), "limite_mensal")
			equal(t, "and still", must(s.batches.Show(t.Context(), owner, q.ID)).Status, batch.Quoted)
			must(s.batches.Cancel(t.Context(), owner, q.ID))
		}
		q := must(s.batches.Quote(t.Context(), key, quote(someCPFs(7600, 20)[:5]...)))
		must(s.batches.Confirm(t.Context(), caio, q.ID, nil))
		v := s.until(q.ID, paused)
		equal(t, "within his budget", line(v.Reason, v.Charged, v.Spent.Amount), "limite_mensal 2 0.9")
		_, err := s.batches.Resume(t.Context(), none, q.ID, nil, false)
		equal(t, "resumed without a budget", said(err), "limite_mensal")
		must(s.batches.Resume(t.Context(), owner, q.ID, nil, false))
		equal(t, "the rest", state(s.until(q.ID, ended)), "concluido  ended 5 charged 5 free 0 failed 0 spent 2.25")

		paid := map[string]int{}
		asker := lookup.Asker{OrgID: s.orgID}
		for _, e := range must(s.store.Repos().Statement.Page(t.Context(), asker, lookup.Filter{}, "", 50)) {
			paid[e.KeyID+e.MemberID]++
		}
		equal(t, "who paid", line(paid[caio.MemberID()], paid[owner.MemberID()], paid[key.Key().ID]), "2 3 0")
		var who []string
		for _, l := range s.lines(0) {
			if l.Object == q.ID {
				who = append(who, string(l.Action)+" "+l.Actor.ID())
			}
		}
		equal(t, "the audit", strings.Join(who, "\n"),
			"lote.confirmado "+caio.MemberID()+"\nlote.retomado "+owner.MemberID())
	})
}

// TestWhoConfirmsNeedsItsPurpose: the batch's purpose must be one that the payer may state.
func TestWhoConfirmsNeedsItsPurpose(t *testing.T) {
	t.Parallel()
	s := inMemory(t)
	s.purpose("credito", crm.Owner)
	s.purpose("cobranca")
	owner, caio := s.add("dona", crm.Owner), s.add("caio", crm.Common)
	n := quote(cpfs...)
	n.Purpose = "credito"
	q := must(s.batches.Quote(t.Context(), owner, n))
	_, err := s.batches.Confirm(t.Context(), caio, q.ID, nil)
	equal(t, "confirmed", said(err), "finalidade_negada finalidade")
	must(s.batches.Confirm(t.Context(), owner, q.ID, nil))
}

// TestALoweredCeilingHolds: a batch runs on two instances while its ceiling is lowered, over and over, to what it has
// spent and a little more. What it is charged never exceeds the ceiling in force.
func TestALoweredCeilingHolds(t *testing.T) {
	t.Parallel()
	atOnce(t, func(t *testing.T, s *setting) {
		key := s.byKey(wide)
		both := []*batches.Batches{s.batches, s.otherBatches(s.otherLookups(s.store))}
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		var instances sync.WaitGroup
		for _, b := range both {
			instances.Go(func() { b.Run(ctx) })
		}
		ceiling := catalog.Money(300 * price)
		n := quote(someCPFs(7700, 300)[:300]...)
		n.Ceiling, n.Confirm = &ceiling, true
		q := must(s.batches.Quote(ctx, key, n))
		for round := range 12 {
			for must(both[round%2].Show(ctx, key, q.ID)).Spent.Amount < catalog.Money(round)*3*price {
				if v := must(s.batches.Show(ctx, key, q.ID)); v.Status != batch.Running {
					break
				}
				time.Sleep(time.Millisecond)
			}
			if _, err := both[round%2].Pause(ctx, key, q.ID); said(err) == "estado_do_lote" {
				break
			}
			spent := must(s.batches.Show(ctx, key, q.ID)).Spent.Amount
			lower := spent + price
			_, err := both[(round+1)%2].Resume(ctx, key, q.ID, &lower, false)
			if said(err) == "requisicao_invalida teto" { // items in flight were charged meanwhile
				continue
			}
			done(err)
			for {
				v := must(s.batches.Show(ctx, key, q.ID))
				if v.Spent.Amount > lower {
					t.Fatalf("spent %s of %s", v.Spent.Amount, lower)
				}
				if v.Status != batch.Running {
					break
				}
				time.Sleep(time.Millisecond)
			}
			high := catalog.Money(300 * price)
			if _, err := s.batches.Resume(ctx, key, q.ID, &high, false); err != nil && said(err) != "estado_do_lote" {
				t.Fatal(err)
			}
		}
		stop()
		instances.Wait()
	})
}

// TestAKeyThatEndsPaysNothingMore: a charge that commits after a change is refused by it, also where the request was
// let in before.
func TestAKeyThatEndsPaysNothingMore(t *testing.T) {
	t.Parallel()
	s := inMemory(t)
	for what, c := range map[string]struct {
		change func(by app.Caller)
		want   string
	}{
		"revoked": {func(by app.Caller) { done(s.keys.Revoke(t.Context(), app.Operator(), by.Key().ID)) }, "nao_autenticado"},
		"without a cap": {func(by app.Caller) {
			zero := 0
			must(s.keys.Change(t.Context(), app.Operator(), by.Key().ID, lookups.KeyChange{PerDay: &zero}))
		}, "limite_diario"},
	} {
		by := s.byKey(wide)
		c.change(by)
		_, err := s.ask(by, lookups.Request{Document: cpfs[0], Refresh: true})
		equal(t, what, said(err), c.want)
	}
	equal(t, "calls", len(s.bureau.Asked()), 0)
}

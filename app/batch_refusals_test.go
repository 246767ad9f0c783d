package app_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"fichario/app"
	"fichario/app/batches"
	"fichario/domain/access"
	"fichario/domain/batch"
	"fichario/domain/catalog"
	"fichario/domain/fault"
	"fichario/ports"
	"fichario/ports/portstest"
)

// refusing is a bureau that refuses some documents free of charge, always.
type refusing struct {
	portstest.FakeBureau
	refuses []string
}

func (b *refusing) Ask(ctx context.Context, q ports.Question) (ports.Answer, error) {
	if slices.Contains(b.refuses, q.Document.Value()) {
		_, _ = b.FakeBureau.Ask(ctx, q) // so that it is counted
		return ports.Answer{}, &ports.BureauError{Outcome: ports.NotCharged, Reason: "as told", Own: true}
	}
	return b.FakeBureau.Ask(ctx, q)
}

// codes describes the results of a batch, runs of lines that are alike once.
func (s *setting) codes(id string) (out []string) {
	s.t.Helper()
	for r, err := range must(s.batches.AllResults(s.t.Context(), app.Operator(), id, "")).All {
		done(err)
		out = append(out, strings.TrimSpace(fmt.Sprint(r.State, " ", r.Code)))
	}
	return slices.Compact(out)
}

// refusedFor is how long documents that are refused are asked again, and a little more.
const refusedFor = 12 * time.Minute

// TestDocumentsThatABureauAlwaysRefuses without charge are asked after all others, once more, and then fail, free. They
// can be asked again.
func TestDocumentsThatABureauAlwaysRefuses(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *setting) {
		documents := someCPFs(9000, 20)
		bureau := &refusing{refuses: documents[:8]}
		s.lookups = s.desk(s.store, bureau, products(), s.now)
		s.batches = s.otherBatches(s.lookups)
		n := quote(documents...)
		n.Ceiling, n.Confirm = at(catalog.Money(20*price)), true
		defer running(s)()
		key := s.byKey(wide)
		q := must(s.batches.Quote(t.Context(), key, n))
		v := s.until(q.ID, paused)
		if is := s.codes(q.ID); is[0] != "pendente" || slices.ContainsFunc(is, func(c string) bool {
			return strings.HasPrefix(c, "pendente ")
		}) {
			t.Errorf("while it waits: %s", is)
		}
		equal(t, "why", v.Reason, batch.BureauAway)
		time.Sleep(refusedFor)
		equal(t, "the end", state(s.until(q.ID, ended)), "concluido  ended 20 charged 12 free 8 failed 8 spent 5.4")
		equal(t, "results", strings.Join(s.codes(q.ID), ", "), "falhou "+string(fault.BureauFailed)+", concluida")
		if n := len(bureau.Asked()); n > 12+8*20 { // at first, after the others, and about each minute for ten
			t.Errorf("%d calls", n)
		}
		bureau.refuses = nil
		must(s.batches.Resume(t.Context(), key, q.ID, nil, true))
		equal(t, "again", state(s.until(q.ID, ended)), "concluido  ended 20 charged 20 free 0 failed 0 spent 9")
	})
}

// TestDocumentsThatNoBureauTakes end as those that one refuses: the order of the bureaus leaves out their type.
func TestDocumentsThatNoBureauTakes(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *setting) {
		s.lookups = s.through(ports.Chain{}, &chained{name: "a", price: price, says: "ana", none: true})
		s.lookups.pace = batches.NewPace()
		s.batches = s.otherBatches(s.lookups)
		n := quote(someCPFs(9000, 3)...)
		n.Ceiling, n.Confirm = at(catalog.Money(20*price)), true
		defer running(s)()
		q := must(s.batches.Quote(t.Context(), s.byKey(wide), n))
		time.Sleep(refusedFor)
		equal(t, "the end", state(s.until(q.ID, ended)), "concluido  ended 3 charged 0 free 3 failed 3 spent 0")
	})
}

// TestAnItemCostsWhatAllItsCallsCost: one whose answer is free, after a bureau that charged for having no record.
func TestAnItemCostsWhatAllItsCallsCost(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *setting) {
		s.lookups = s.through(ports.Chain{OnNoRecord: true}, &chained{name: "a", price: price, says: "nobody"},
			&chained{name: "b", price: price, says: "ana for 0"})
		s.lookups.pace = batches.NewPace()
		s.batches = s.otherBatches(s.lookups)
		n := quote(someCPFs(9000, 3)...)
		n.Ceiling, n.Confirm = at(catalog.Money(20*price)), true
		defer running(s)()
		q := must(s.batches.Quote(t.Context(), s.byKey(wide), n))
		equal(t, "the end", state(s.until(q.ID, ended)), "concluido  ended 3 charged 3 free 0 failed 0 spent 1.35")
	})
}

// TestABatchWhoseBureauIsCalledBack goes on soon, although the bureau was to be out for weeks.
func TestABatchWhoseBureauIsCalledBack(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *setting) {
		s.lookups = s.through(ports.Chain{}, &chained{name: "a", price: price, says: "ana"})
		s.lookups.pace = batches.NewPace()
		s.batches = s.otherBatches(s.lookups)
		done(s.lookups.bureaus.TakeOut(t.Context(), app.Operator(), "a", 20*24*time.Hour))
		n := quote(someCPFs(9000, 3)...)
		n.Ceiling, n.Confirm = at(catalog.Money(20*price)), true
		defer running(s)()
		q := must(s.batches.Quote(t.Context(), s.byKey(wide), n))
		equal(t, "why it waits", s.until(q.ID, paused).Reason, batch.BureauAway)
		must(s.lookups.bureaus.Back(t.Context(), app.Operator(), "a"))
		time.Sleep(2 * time.Minute)
		equal(t, "the end", state(s.until(q.ID, ended)), "concluido  ended 3 charged 3 free 0 failed 0 spent 1.35")
	})
}

// TestABatchThatItsKeysDayDoesNotAdmit waits for a person, and not for midnight.
func TestABatchThatItsKeysDayDoesNotAdmit(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *setting) {
		s.lookups = s.through(ports.Chain{OnNoRecord: true}, &chained{name: "a", price: price, says: "nobody"},
			&chained{name: "b", price: price, says: "ana"})
		s.lookups.pace = batches.NewPace()
		s.batches = s.otherBatches(s.lookups)
		n := quote(someCPFs(9000, 3)...)
		n.Ceiling, n.Confirm = at(catalog.Money(20*price)), true
		defer running(s)()
		q := must(s.batches.Quote(t.Context(), s.byKey(access.Limits{PerMinute: 9, PerDay: 1, PerMonth: 9}), n))
		v := s.until(q.ID, paused)
		equal(t, "why it waits", line(v.Reason, v.ResumeAt.IsZero()), line(batch.DailyLimit, true))
	})
}

// TestABatchWhoseProductAnInstanceDoesNotOffer goes on by itself, on one that does.
func TestABatchWhoseProductAnInstanceDoesNotOffer(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *setting) {
		offers := s.batches
		n := quote(someCPFs(9000, 3)...)
		n.Ceiling, n.Confirm = at(catalog.Money(20*price)), true
		q := must(offers.Quote(t.Context(), s.byKey(wide), n))
		s.batches = s.otherBatches(s.desk(s.store, s.bureau, products()[1:], s.now))
		stop := running(s)
		v := s.until(q.ID, paused)
		equal(t, "where it is not", line(v.Reason, v.ResumeAt.After(s.now()), v.Note != ""),
			line(batch.BureauAway, true, true))
		stop()
		s.batches = offers
		defer running(s)()
		time.Sleep(2 * time.Minute)
		equal(t, "where it is", state(s.until(q.ID, ended)), "concluido  ended 3 charged 3 free 0 failed 0 spent 1.35")
	})
}

// TestSlowDocumentsThatOnlyOneBureauRefuses wait for the other one, which could not be reached.
func TestSlowDocumentsThatOnlyOneBureauRefuses(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *setting) {
		p, _ := products().Find(catalog.CPF)
		documents := someCPFs(9000, 3)
		away := &portstest.FakeBureau{Script: portstest.Fails(ports.NotSent)}
		s.lookups = s.linked(ports.Chain{Links: []ports.Link{
			{Name: "fora", Product: p, Timeout: timeout, Bureau: away},
			{Name: "recusa", Product: p, Timeout: timeout, Bureau: &refusing{refuses: documents}},
		}})
		s.lookups.pace = batches.NewPace()
		s.batches = s.otherBatches(s.lookups)
		n := quote(documents...)
		n.Ceiling, n.Confirm = at(catalog.Money(20*price)), true
		defer running(s)()
		q := must(s.batches.Quote(t.Context(), s.byKey(wide), n))
		time.Sleep(refusedFor)
		equal(t, "it has ended", strings.Contains(strings.Join(s.codes(q.ID), ", "), string(fault.BureauFailed)), false)
		away.Script = nil
		equal(t, "the end", state(s.until(q.ID, ended)), "concluido  ended 3 charged 3 free 0 failed 0 spent 1.35")
	})
}

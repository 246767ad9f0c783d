package lookups

import (
	"testing"
	"time"

	"fichario/domain/catalog"
	"fichario/domain/lookup"
	"fichario/ports"
	"fichario/ports/portstest/kit"
)

// callsDownAChain: each call is a line of its own, and what answers is the question's.
func callsDownAChain(t *testing.T, s ports.Store) {
	ctx, calls, entries := t.Context(), s.Repos().Calls, s.Repos().Statement
	e := kit.Running(t, "")
	e.MemberID, e.Bureau, e.Spare = kit.ID(), "a", lookup.Spent{Count: 1, Amount: 6000}
	month := func() []any {
		_, spent, _, err := s.Repos().Usage.Spent(ctx, e.MemberID, e.Day, e.Month)
		kit.Must(t, err)
		return []any{spent.Count, spent.Amount}
	}
	kit.Same(t, "begun", kit.Begins(t, s, ports.Charge{Entry: e, Takes: time.Hour, Shared: true}), ports.Begun{})
	kit.Same(t, "reserved", month(), []any{2, e.Amount + 6000})
	ended, next := e, e
	ended.ID, ended.FollowedID, ended.Status, ended.Amount = kit.ID(), e.ID, lookup.Done, 1000
	next.Bureau, next.Amount, next.Spare = "b", 6000, lookup.Spent{}
	step := ports.Next{Entry: next, At: e.At, Takes: time.Hour, Ended: &ports.Outcome{Entry: ended}}
	running, err := calls.Next(ctx, step)
	kit.Must(t, err)
	kit.Same(t, "goes on", running, true)
	kit.Same(t, "the first cost less than reserved", month(), []any{2, catalog.Money(7000)})
	found, err := entries.Entries(ctx, []string{e.ID, ended.ID})
	kit.Must(t, err)
	kit.Same(t, "the question's bureau", found[e.ID].Bureau, "b")
	kit.Same(t, "the first call's line", []any{found[ended.ID].Bureau, found[ended.ID].FollowedID}, []any{"a", e.ID})
	// The second fails, and the question is answered by the first: they change places.
	answers, other := next, ended
	answers.Bureau, answers.Status, answers.Amount, answers.Others = "a", lookup.Done, 1000, 6000
	other.Bureau, other.Status, other.Amount = "b", lookup.Failed, 6000
	open, err := calls.End(ctx, ports.Outcome{Entry: answers, Price: 6000, Other: &other})
	kit.Must(t, err)
	kit.Same(t, "open", open, true)
	kit.Same(t, "in the end", month(), []any{2, catalog.Money(7000)})
	found, err = entries.Entries(ctx, []string{e.ID, ended.ID})
	kit.Must(t, err)
	kit.Same(t, "the question", []any{found[e.ID].Bureau, found[e.ID].Status, found[e.ID].Cost()},
		[]any{"a", lookup.Done, catalog.Money(7000)})
	kit.Same(t, "the other", []any{found[ended.ID].Bureau, found[ended.ID].Status, found[ended.ID].Amount},
		[]any{"b", lookup.Failed, catalog.Money(6000)})
	running, err = calls.Next(ctx, step)
	kit.Must(t, err)
	kit.Same(t, "goes on after its end", running, false)
	open, err = calls.End(ctx, ports.Outcome{Entry: answers, Price: 6000, Other: &other})
	kit.Must(t, err)
	kit.Same(t, "ended twice", open, false)
}

// bureaus: what was said about them last, and how their calls went.
func bureaus(t *testing.T, s ports.Store) {
	ctx, repo, now := t.Context(), s.Repos().Bureaus, kit.At
	a, b, product := "a"+kit.ID(), "b"+kit.ID(), "p"+kit.ID()
	kit.Must(t, repo.SetOrder(ctx, product, []string{a, b}))
	kit.Must(t, repo.SetOrder(ctx, product, []string{b, a}))
	outs := func() (names []string) {
		settings, err := repo.Settings(ctx)
		kit.Must(t, err)
		for _, o := range settings.Outs {
			if o.Name == a || o.Name == b {
				names = append(names, o.Name)
			}
		}
		return names
	}
	settings, err := repo.Settings(ctx)
	kit.Must(t, err)
	kit.Same(t, "the order", settings.Orders[product], []string{b, a})
	kit.Must(t, repo.SetOrder(ctx, product, nil))
	settings, err = repo.Settings(ctx)
	kit.Must(t, err)
	kit.Same(t, "no order", len(settings.Orders[product]), 0)
	out := func(o ports.BureauOut, at time.Time) bool {
		first, err := repo.TakeOut(ctx, o, at)
		kit.Must(t, err)
		return first
	}
	kit.Same(t, "taken out", out(ports.BureauOut{Name: a, Until: now.Add(time.Hour)}, now), true)
	kit.Same(t, "exhausted meanwhile", out(ports.BureauOut{Name: a, Exhausted: true}, now), false)
	kit.Same(t, "exhausted when it was back", out(ports.BureauOut{Name: a, Exhausted: true}, now.Add(2*time.Hour)), true)
	kit.Same(t, "out", outs(), []string{a})
	was, err := repo.Back(ctx, a, now)
	kit.Must(t, err)
	kit.Same(t, "back", []any{was, len(outs())}, []any{true, 0})
	was, err = repo.Back(ctx, b, now)
	kit.Must(t, err)
	kit.Same(t, "never out", was, false)
	e := kit.Running(t, "")
	e.MemberID, e.Bureau = kit.ID(), a
	kit.Same(t, "begun", kit.Begins(t, s, ports.Charge{Entry: e, Takes: time.Hour}), ports.Begun{})
	price := e.Amount
	e.Status, e.Amount = lookup.Failed, 10_000
	_, err = s.Repos().Calls.End(ctx, ports.Outcome{Entry: e, Price: price, Took: 70 * time.Millisecond, Over: true})
	kit.Must(t, err)
	days, err := repo.Days(ctx, e.Day)
	kit.Must(t, err)
	for _, d := range days {
		if d.Bureau == a {
			kit.Same(t, "its day", d, ports.BureauDay{
				Bureau: a, Day: e.Day, Pace: lookup.Pace(70 * time.Millisecond), Calls: 1, Failed: 1, Over: 1, Charged: 10_000,
			})
		}
	}
}

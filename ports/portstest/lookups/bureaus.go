package lookups

import (
	"context"
	"sync"
	"testing"
	"time"

	"fichario/domain/access"
	"fichario/domain/catalog"
	"fichario/domain/document"
	"fichario/domain/lookup"
	"fichario/domain/privacy"
	"fichario/ports"
	"fichario/ports/portstest/kit"
)

// callsDownAChain: each call is a line of its own, and what answers is the question's.
func callsDownAChain(t *testing.T, s ports.Store) {
	ctx, calls, entries := t.Context(), s.Repos().Calls, s.Repos().Statement
	e := kit.Running(t, "")
	e.MemberID, e.Bureau, e.Spare = kit.ID(), "a", lookup.Spent{Count: 1, Amount: 6000}
	month := func() []any {
		_, spent, _, err := s.Repos().Usage.Spent(ctx, e.OrgID, e.MemberID, e.Day, e.Month)
		kit.Must(t, err)
		return []any{spent.Count, spent.Amount}
	}
	kit.Same(t, "begun", kit.Begins(t, s, ports.Charge{Entry: e, Takes: time.Hour, Shared: true}), ports.Begun{})
	kit.Same(t, "reserved", month(), []any{2, e.Amount + 6000})
	ended, next := e, e
	ended.ID, ended.FollowedID, ended.Status, ended.Amount = kit.ID(), e.ID, lookup.Done, 1000
	next.Bureau, next.Amount, next.Spare = "b", 6000, lookup.Spent{}
	step := ports.Next{Entry: next, From: "a", At: e.At, Takes: time.Hour, Ended: &ports.Outcome{Entry: ended}}
	running, err := calls.Next(ctx, step)
	kit.Must(t, err)
	kit.Same(t, "goes on", running, true)
	kit.Same(t, "the first cost less than reserved", month(), []any{2, catalog.Money(7000)})
	found, err := entries.Entries(ctx, e.OrgID, []string{e.ID, ended.ID})
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
	found, err = entries.Entries(ctx, e.OrgID, []string{e.ID, ended.ID})
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

// callsGoneOn: once a question has gone on to another bureau, whoever still has the call to the one before changes
// nothing. Only who took that step, and did not hear of it, ends the question.
func callsGoneOn(t *testing.T, s ports.Store) {
	ctx, calls := t.Context(), s.Repos().Calls
	e := kit.Running(t, "")
	e.MemberID, e.Bureau, e.Spare = kit.ID(), "a", lookup.Spent{Count: 2, Amount: 12_000}
	kit.Same(t, "begun", kit.Begins(t, s, ports.Charge{Entry: e, Takes: time.Hour, Shared: true}), ports.Begun{})
	ended, next := e, e
	ended.ID, ended.FollowedID, ended.Status, ended.Charged, ended.Amount = kit.ID(), e.ID, lookup.NotSent, false, 0
	next.Bureau, next.Amount, next.Spare = "b", 6000, lookup.Spent{Count: 1, Amount: 6000}
	step := ports.Next{Entry: next, From: "a", At: e.At, Takes: time.Hour, Ended: &ports.Outcome{Entry: ended}}
	running, err := calls.Next(ctx, step)
	kit.Must(t, err)
	kit.Same(t, "goes on", running, true)
	state := func() []any {
		t.Helper()
		same := e
		same.ID = kit.ID()
		_, spent, _, err := s.Repos().Usage.Spent(ctx, e.OrgID, e.MemberID, e.Day, e.Month)
		kit.Must(t, err)
		all, err := s.Repos().Statement.Page(ctx, lookup.Asker{OrgID: e.OrgID}, lookup.Filter{}, "", 9)
		kit.Must(t, err)
		found, err := s.Repos().Statement.Find(ctx, e.OrgID, e.ID)
		kit.Must(t, err)
		return []any{
			kit.Begins(t, s, ports.Charge{Entry: same, Takes: time.Hour, Shared: true}).Holder == e.ID, spent, len(all),
			found.Bureau, found.Status, found.Amount, found.SettleAt,
		}
	}
	before := state()

	step.Ended.Entry.ID = kit.ID()
	running, err = calls.Next(ctx, step)
	kit.Must(t, err)
	kit.Same(t, "goes on from where it is not any more", running, false)
	answered, earlier, other := e, e, e
	answered.Status, answered.RecordID, answered.Spare = lookup.Done, kit.ID(), lookup.Spent{}
	earlier.Bureau, earlier.Status, earlier.Spare = "z", lookup.Done, lookup.Spent{}
	other.ID, other.FollowedID, other.Status = kit.ID(), e.ID, lookup.Failed
	unmade := next
	unmade.ID, unmade.FollowedID, unmade.Status, unmade.Charged, unmade.Amount = kit.ID(), e.ID, lookup.NotSent, false, 0
	for what, o := range map[string]ports.Outcome{
		"answered":                       {Entry: answered, Price: 4500, Record: recordOf(answered)},
		"answered by an earlier one":     {Entry: earlier, Price: 4500, Other: &other},
		"by who did not write that step": {Entry: answered, Price: 4500, Unmade: &unmade},
	} {
		var wg sync.WaitGroup
		for range 2 { // another call that ends at the same time does
			one := kit.Running(t, "")
			kit.Begins(t, s, ports.Charge{Entry: one, Takes: time.Hour})
			wg.Go(func() {
				open, err := calls.End(ctx, kit.NotSent(one))
				expectNone(t, err)
				if !open {
					t.Error("another call does not end")
				}
			})
		}
		open, err := calls.End(ctx, o)
		wg.Wait()
		kit.Must(t, err)
		kit.Same(t, what, open, false)
		kit.Same(t, "nothing has changed: "+what, state(), before)
	}
	records, err := s.Repos().History.Records(ctx, answered.OrgID, []string{answered.RecordID})
	kit.Must(t, err)
	kit.Same(t, "in history", len(records), 0)

	failed := e
	failed.Status, failed.Charged, failed.Amount, failed.Spare = lookup.NotSent, false, 0, lookup.Spent{}
	unmade.ID = ended.ID
	open, err := calls.End(ctx, ports.Outcome{Entry: failed, Price: 4500, Unmade: &unmade})
	kit.Must(t, err)
	kit.Same(t, "by who did not hear of that step", open, true)

	e.ID, next.ID, failed.ID, unmade.ID = kit.ID(), "", "", ""
	next.ID, failed.ID = e.ID, e.ID
	kit.Same(t, "begun", kit.Begins(t, s, ports.Charge{Entry: e, Takes: time.Hour, Shared: true}), ports.Begun{})
	running, err = calls.Next(ctx, ports.Next{Entry: next, From: "a", At: e.At, Takes: time.Hour})
	kit.Must(t, err)
	kit.Same(t, "goes on from a call that leaves no entry", running, true)
	open, err = calls.End(ctx, ports.Outcome{Entry: failed, Price: 4500, Unmade: &unmade})
	kit.Must(t, err)
	kit.Same(t, "by who did not hear of it", open, true)
	_, spent, _, err := s.Repos().Usage.Spent(ctx, e.OrgID, e.MemberID, e.Day, e.Month)
	kit.Must(t, err)
	kit.Same(t, "in the end", spent, lookup.Spent{})
}

// endsAfterErasure: an erasure forgets whom a settled question is about. How its last call ended may come later: the
// question then costs what its bureaus say, and neither its answer nor its person come back.
func endsAfterErasure(t *testing.T, s ports.Store) {
	ctx, repos := t.Context(), s.Repos()
	for _, c := range []struct {
		what string
		// ends is how the owner ends the question, whose first call cost 1000 and has an entry of its own, and whose
		// second may cost 6000.
		ends func(e, first lookup.Entry) ports.Outcome
		want lookup.Spent
	}{
		{"the second call was never made", func(e, first lookup.Entry) ports.Outcome {
			e.Status, e.Charged, e.Amount = lookup.NotSent, false, 0
			return ports.Outcome{Entry: e, Price: 6000}
		}, lookup.Spent{Count: 1, Amount: 1000}},
		{"and the next one has no entry", func(e, first lookup.Entry) ports.Outcome {
			e.Status, e.Charged, e.Amount = lookup.NotSent, false, 0
			unmade := first
			unmade.ID, unmade.Status, unmade.Charged, unmade.Amount = kit.ID(), lookup.NotSent, false, 0
			return ports.Outcome{Entry: e, Price: 6000, Unmade: &unmade}
		}, lookup.Spent{Count: 1, Amount: 1000}},
		{"the first one answers", func(e, first lookup.Entry) ports.Outcome {
			other := e
			other.ID, other.FollowedID, other.Status, other.Charged, other.Amount = first.ID, e.ID, lookup.NotSent, false, 0
			e.Bureau, e.Status, e.RecordID, e.Amount = first.Bureau, lookup.Done, first.RecordID, first.Amount
			return ports.Outcome{Entry: e, Price: 6000, Other: &other}
		}, lookup.Spent{Count: 1, Amount: 1000}},
		{"the second one answers for nothing", func(e, first lookup.Entry) ports.Outcome {
			e.Status, e.Charged, e.Amount, e.RecordID = lookup.Done, false, 0, kit.ID()
			return ports.Outcome{Entry: e, Price: 6000, Record: recordOf(e)}
		}, lookup.Spent{Count: 1, Amount: 1000}},
		{"the second one answers for less", func(e, first lookup.Entry) ports.Outcome {
			e.Status, e.Amount, e.RecordID = lookup.Done, 500, kit.ID()
			return ports.Outcome{Entry: e, Price: 6000, Record: recordOf(e)}
		}, lookup.Spent{Count: 2, Amount: 1500}},
	} {
		e := kit.Running(t, "")
		e.MemberID, e.Bureau, e.Spare = kit.ID(), "a", lookup.Spent{Count: 1, Amount: 6000}
		kit.Same(t, "begun", kit.Begins(t, s, ports.Charge{Entry: e, Takes: time.Hour, Shared: true}), ports.Begun{})
		first := e
		first.ID, first.FollowedID, first.Status, first.Amount, first.RecordID = kit.ID(), e.ID, lookup.Done, 1000, kit.ID()
		e.Bureau, e.Amount, e.Spare = "b", 6000, lookup.Spent{}
		running, err := repos.Calls.Next(ctx, ports.Next{
			Entry: e, From: "a", At: e.At, Takes: time.Hour, Ended: &ports.Outcome{Entry: first, Record: recordOf(first)},
		})
		kit.Must(t, err)
		kit.Same(t, "goes on", running, true)
		settled, err := repos.LookupEnds.Abandon(ctx, e.ID, time.Now().Add(time.Hour))
		kit.Must(t, err)
		kit.Same(t, "settled", settled, true)
		his, _ := privacy.OfDocument(e.Document)
		kit.Must(t, s.InTx(ctx, func(ctx context.Context, r ports.Repos) error {
			person := privacy.Person{OrgID: e.OrgID, Identities: []privacy.Identity{his}}
			_, err := r.SubjectTraces.Erase(ctx, &person, privacy.Lookups, []string{e.ID, first.ID})
			return err
		}))
		o := c.ends(e, first)
		for _, want := range []bool{true, false} {
			open, err := repos.Calls.End(ctx, o)
			kit.Must(t, err)
			kit.Same(t, c.what+": open", open, want)
		}
		_, month, _, err := repos.Usage.Spent(ctx, e.OrgID, e.MemberID, e.Day, e.Month)
		kit.Must(t, err)
		kit.Same(t, c.what+": spent", month, c.want)
		found, err := repos.Statement.Entries(ctx, e.OrgID, []string{e.ID, first.ID})
		kit.Must(t, err)
		for id, entry := range found {
			kit.Same(t, c.what+": "+id, []any{entry.Erased, entry.RecordID}, []any{true, ""})
		}
		kit.Same(t, c.what+": what they cost", found[e.ID].Amount+found[first.ID].Amount, c.want.Amount)
		_, err = repos.History.Latest(ctx, e.OrgID, e.Product, e.Document)
		kit.WantErr(t, c.what+": its answer", err, ports.ErrNotFound)
	}
}

// callsWhoseInputsAreErased: an answer that comes after somebody was taken out of what was asked is not kept.
func callsWhoseInputsAreErased(t *testing.T, s ports.Store) {
	ctx, repos := t.Context(), s.Repos()
	e := kit.Running(t, kit.ID())
	e.Inputs = `{"dono":"111.444.777-35"}`
	charge := ports.Charge{Entry: e, Takes: time.Hour, Caps: access.Limits{PerDay: 9, PerMonth: 9}}
	kit.Same(t, "begun", kit.Begins(t, s, charge), ports.Begun{})
	settled, err := repos.LookupEnds.Abandon(ctx, e.ID, time.Now().Add(2*time.Hour))
	kit.Must(t, err)
	kit.Same(t, "settled", settled, true)
	his, _ := privacy.OfDocument(kit.Doc(t, document.CPF, "11144477735"))
	kit.Must(t, s.InTx(ctx, func(ctx context.Context, r ports.Repos) error {
		person := privacy.Person{OrgID: e.OrgID, Identities: []privacy.Identity{his}}
		_, err := r.SubjectTraces.Erase(ctx, &person, privacy.Lookups, []string{e.ID})
		return err
	}))
	entry, err := repos.Statement.Find(ctx, ports.AnyOrg, e.ID)
	kit.Must(t, err)
	kit.Same(t, "what is left", []string{entry.Document.Value(), entry.Inputs},
		[]string{e.Document.Value(), `{"dono":"[apagado]"}`})
	ended := e
	ended.Status, ended.RecordID, ended.Amount = lookup.Done, kit.ID(), 1000
	rec := recordOf(ended)
	rec.Inputs = e.Inputs
	_, err = repos.Calls.End(ctx, ports.Outcome{Entry: ended, Price: e.Amount, Record: rec})
	kit.Must(t, err)
	kept, err := repos.History.Records(ctx, rec.OrgID, []string{rec.ID})
	kit.Must(t, err)
	kit.Same(t, "answers", len(kept), 0)
	entry, err = repos.Statement.Find(ctx, ports.AnyOrg, e.ID)
	kit.Must(t, err)
	kit.Same(t, "what it cost", entry.Amount, ended.Amount)
}

func recordOf(e lookup.Entry) *lookup.Record {
	return &lookup.Record{
		ID: e.RecordID, OrgID: e.OrgID, Product: e.Product, Document: e.Document, AnsweredAt: e.At, Found: true,
		Bureau: e.Bureau, Fields: []byte("{}"), Raw: []byte("{}"),
	}
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
	bureausOutTwice(t, s)
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

// bureausOfSettled: a call that was settled counts as one without an answer, at what it was charged, and once more when
// its outcome comes after all.
func bureausOfSettled(t *testing.T, s ports.Store) {
	ctx, repos := t.Context(), s.Repos()
	figures := func(name string) (sum ports.BureauDay) {
		t.Helper()
		days, err := repos.Bureaus.Days(ctx, "2026-01-01")
		kit.Must(t, err)
		for _, d := range days {
			if d.Bureau == name {
				sum.Calls, sum.Failed, sum.Charged = sum.Calls+d.Calls, sum.Failed+d.Failed, sum.Charged+d.Charged
			}
		}
		return sum
	}
	for what, c := range map[string]struct {
		ends func(e lookup.Entry) ports.Outcome
		want ports.BureauDay
	}{
		"answered after all": {func(e lookup.Entry) ports.Outcome {
			e.Status, e.Amount = lookup.Done, 1000
			return ports.Outcome{Entry: e, Price: 4500}
		}, ports.BureauDay{Calls: 1, Charged: 1000}},
		"not charged after all": {func(e lookup.Entry) ports.Outcome { return kit.NotSent(e) },
			ports.BureauDay{Calls: 1, Failed: 1}},
		"answered by an earlier call": {func(e lookup.Entry) ports.Outcome {
			other := e
			other.ID, other.FollowedID, other.Status, other.Amount = kit.ID(), e.ID, lookup.Failed, 2000
			e.Status, e.Amount = lookup.Done, 1000
			return ports.Outcome{Entry: e, Price: 4500, Other: &other}
		}, ports.BureauDay{Calls: 1, Failed: 1, Charged: 2000}},
	} {
		name := "b" + kit.ID()[24:]
		e := kit.Running(t, kit.ID())
		e.Bureau = name
		charge := ports.Charge{Entry: e, Takes: time.Hour, Caps: access.Limits{PerDay: 9, PerMonth: 9}}
		kit.Same(t, "begun", kit.Begins(t, s, charge), ports.Begun{})
		kit.Same(t, "before", figures(name), ports.BureauDay{})
		kit.Must(t, s.InTx(ctx, func(ctx context.Context, r ports.Repos) error {
			_, err := r.LookupEnds.Settle(ctx, time.Now().Add(2*time.Hour))
			return err
		}))
		kit.Same(t, what+": settled", figures(name), ports.BureauDay{Calls: 1, Failed: 1, Charged: 4500})
		for range 2 {
			_, err := repos.Calls.End(ctx, c.ends(e))
			kit.Must(t, err)
			kit.Same(t, what, figures(name), c.want)
		}
		today, _, _, err := repos.Usage.Spent(ctx, e.OrgID, e.KeyID, e.Day, e.Month)
		kit.Must(t, err)
		kit.Same(t, what+": the key's account", today.Amount, c.ends(e).Entry.Amount)
	}
}

// comparisons: what they may cost in a month is one account of a product, for all organisations; how answers agree is
// counted with the end of each, once.
func comparisons(t *testing.T, s ports.Store) {
	ctx, calls, product := t.Context(), s.Repos().Calls, "p"+kit.ID()[24:]
	compares := func() lookup.Entry {
		e := kit.Running(t, "") // of another organisation each time
		e.Product, e.Bureau, e.Compared, e.FollowedID, e.Amount = product, "b", true, kit.ID(), 1000
		return e
	}
	limited := func(e lookup.Entry) error {
		_, err := calls.Begin(ctx, ports.Charge{Entry: e, Takes: time.Hour, Ceiling: 2500})
		return err
	}
	first, second := compares(), compares()
	kit.Must(t, limited(first))
	kit.Must(t, limited(second))
	kit.WantErr(t, "above the limit", limited(compares()), ports.ErrCeiling)
	other := compares()
	other.Product = "q" + product
	kit.Must(t, limited(other))
	later := compares()
	later.Month = "2031-01"
	kit.Must(t, limited(later))

	match := func(field string, a catalog.Agreement) ports.BureauMatch {
		return ports.BureauMatch{
			Month: first.Month, Product: product, First: "a", Second: "b", Field: field, Agreement: a,
		}
	}
	whole := match("", catalog.Agreement{Equal: 1})
	whole.FirstCost, whole.SecondCost = 4500, 300
	end := func(e lookup.Entry, matches ...ports.BureauMatch) bool {
		price := e.Amount
		e.Status, e.Amount = lookup.Done, 300
		open, err := calls.End(ctx, ports.Outcome{Entry: e, Price: price, Matches: matches})
		kit.Must(t, err)
		return open
	}
	kit.Same(t, "ended", end(first, whole, match("x", catalog.Agreement{Different: 1})), true)
	kit.Same(t, "ended twice", end(first, whole), false)
	kit.Must(t, limited(compares())) // what it did not cost was given back
	kit.WantErr(t, "above the limit again", limited(compares()), ports.ErrCeiling)
	whole.Month = "2031-01"
	whole.Agreement = catalog.Agreement{OnlyFirst: 1}
	end(second, whole, match("x", catalog.Agreement{OnlySecond: 1}), match("y", catalog.Agreement{Neither: 1}))
	own, err := s.Repos().Bureaus.Matches(ctx, product)
	kit.Must(t, err)
	every, err := s.Repos().Bureaus.Matches(ctx, "")
	kit.Must(t, err)
	kit.Same(t, "those of one product are fewer", len(own) <= len(every) && len(own) > 0, true)
	all := match("", catalog.Agreement{Equal: 1, OnlyFirst: 1})
	all.FirstCost, all.SecondCost = 9000, 600
	want := []ports.BureauMatch{
		all, match("x", catalog.Agreement{Different: 1, OnlySecond: 1}), match("y", catalog.Agreement{Neither: 1}),
	}
	for i := range want {
		want[i].Month = ""
	}
	kit.Same(t, "how they agree", own, want)
	entry, err := s.Repos().Statement.Find(ctx, ports.AnyOrg, first.ID)
	kit.Must(t, err)
	kit.Same(t, "its line", []any{entry.Compared, entry.FollowedID, entry.Amount}, []any{true, first.FollowedID, catalog.Money(300)})
}

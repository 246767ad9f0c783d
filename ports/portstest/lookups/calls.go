package lookups

import (
	"sync"
	"testing"
	"time"

	"fichario/domain/access"
	"fichario/domain/catalog"
	"fichario/domain/document"
	"fichario/domain/lookup"
	"fichario/ports"
	"fichario/ports/portstest/kit"
)

// sharedCalls are about the same document; each has an entry of its own.
func sharedCalls(t *testing.T, s ports.Store) {
	ctx, org := t.Context(), kit.ID()
	call := func(takes time.Duration) ports.Charge {
		e := kit.Running(t, "")
		e.OrgID, e.MemberID = org, kit.ID()
		return ports.Charge{Entry: e, Takes: takes}
	}
	first, second, other := call(-time.Second), call(time.Hour), call(time.Hour)
	other.Entry.Product = "obito"
	kit.Same(t, "free", kit.Begins(t, s, first), ports.Begun{})
	kit.Same(t, "expired", kit.Begins(t, s, second), ports.Begun{})
	kit.Same(t, "held", kit.Begins(t, s, call(time.Hour)), ports.Begun{Holder: second.Entry.ID})
	kit.Same(t, "another product", kit.Begins(t, s, other), ports.Begun{})
	alone, err := s.Repos().Calls.Begin(ctx, call(time.Hour))
	kit.Must(t, err)
	kit.Same(t, "a call that is not shared", alone, ports.Begun{})
	ends := func(c ports.Charge) {
		t.Helper()
		_, err := s.Repos().Calls.End(ctx, ports.Outcome{Entry: c.Entry, Price: c.Entry.Amount})
		kit.Must(t, err)
	}
	ends(first)
	kit.Same(t, "a past holder frees nothing", kit.Begins(t, s, call(time.Hour)), ports.Begun{Holder: second.Entry.ID})
	ends(second)
	kit.Same(t, "freed", kit.Begins(t, s, call(time.Hour)), ports.Begun{})
	entry, err := s.Repos().Statement.Find(ctx, ports.AnyOrg, second.Entry.ID)
	kit.Must(t, err)
	kit.Same(t, "the entry", []any{entry.Status, entry.Charged, entry.Amount},
		[]any{lookup.Running, true, catalog.Money(4500)})
}

// callsBegunAgain: a charge whose commit was lost is taken back, and not the one that was made meanwhile under its id.
func callsBegunAgain(t *testing.T, s ports.Store) {
	ctx, org := t.Context(), kit.ID()
	lost := kit.Running(t, "")
	lost.OrgID, lost.MemberID, lost.AutomationID = org, kit.ID(), kit.ID()
	again := lost
	again.At = lost.At.Add(time.Millisecond)
	kit.Same(t, "again", kit.Begins(t, s, ports.Charge{Entry: again, Takes: time.Hour, Ceiling: again.Amount}),
		ports.Begun{})
	lost.Status, lost.Charged, lost.Amount = lookup.NotSent, false, 0
	open, err := s.Repos().Calls.End(ctx, ports.Outcome{Entry: lost, Price: again.Amount})
	kit.Must(t, err)
	kit.Same(t, "taken back", open, false)
	entry, err := s.Repos().Statement.Find(ctx, ports.AnyOrg, again.ID)
	kit.Must(t, err)
	kit.Same(t, "the entry", []any{entry.Status, entry.Charged, entry.Amount}, []any{lookup.Running, true, again.Amount})
	other := again
	other.ID, other.AutomationID = kit.ID(), ""
	kit.Same(t, "still held", kit.Begins(t, s, ports.Charge{Entry: other, Takes: time.Hour}),
		ports.Begun{Holder: again.ID})
	open, err = s.Repos().Calls.End(ctx, ports.Outcome{Entry: again, Price: again.Amount})
	kit.Must(t, err)
	kit.Same(t, "ended", open, true)
}

// callsAndHistory: an answer that came meanwhile makes a shared call needless, unless the call has already seen it.
func callsAndHistory(t *testing.T, s ports.Store) {
	ctx := t.Context()
	rec := kit.Kept(t, s, kit.ID(), kit.Doc(t, document.CPF, "52998224725"))
	call := func(after time.Time, seen string) ports.Charge {
		e := kit.Running(t, kit.ID())
		e.OrgID, e.Document = rec.OrgID, rec.Document
		return ports.Charge{
			Entry: e, Takes: time.Minute, After: after, Seen: seen, Caps: access.Limits{PerDay: 1, PerMonth: 1},
		}
	}
	before := rec.AnsweredAt.Add(-time.Microsecond)
	spared := call(before, "")
	kit.Same(t, "spared", kit.Begins(t, s, spared), ports.Begun{RecordID: rec.ID})
	_, err := s.Repos().Statement.Find(ctx, ports.AnyOrg, spared.Entry.ID)
	kit.WantErr(t, "the entry of a call that was spared", err, ports.ErrNotFound)
	_, _, all, err := s.Repos().Usage.Spent(ctx, spared.Entry.OrgID, spared.Entry.KeyID, "2026-11-20", "2026-11")
	kit.Must(t, err)
	kit.Same(t, "what it is charged", all, lookup.Spent{})
	full := call(before, "")
	full.Caps = access.Limits{}
	kit.Same(t, "before the caps", kit.Begins(t, s, full), ports.Begun{RecordID: rec.ID})
	full.After, full.Shared = rec.AnsweredAt, true
	_, err = s.Repos().Calls.Begin(ctx, full)
	kit.WantErr(t, "nothing fresh, and a cap", err, ports.ErrMonthCap)
	seen := call(before, rec.ID)
	kit.Same(t, "seen", kit.Begins(t, s, seen), ports.Begun{}) // none of the earlier ones left a lease
	newer := rec
	newer.ID, newer.AnsweredAt = kit.ID(), rec.AnsweredAt.Add(time.Second)
	seen.Entry.Status, seen.Entry.RecordID = lookup.Done, newer.ID
	for _, open := range []bool{true, false} {
		got, err := s.Repos().Calls.End(ctx, ports.Outcome{Entry: seen.Entry, Price: seen.Entry.Amount, Record: &newer})
		kit.Must(t, err)
		kit.Same(t, "open", got, open)
	}
	latest, err := s.Repos().History.Latest(ctx, rec.OrgID, rec.Product, rec.Document)
	kit.Must(t, err)
	kit.Same(t, "its answer", latest, newer)
	kit.Same(t, "the next one", kit.Begins(t, s, call(before, rec.ID)), ports.Begun{RecordID: newer.ID})
}

func callsUnderConcurrency(t *testing.T, s ports.Store) {
	const n = 24
	org, holders, calls := kit.ID(), make([]string, n), make([]string, n)
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			e := kit.Running(t, kit.ID())
			e.OrgID, calls[i] = org, e.ID
			begun, err := s.Repos().Calls.Begin(t.Context(), ports.Charge{
				Entry: e, Takes: time.Minute, Shared: true, After: kit.At, Caps: access.Limits{PerDay: 1, PerMonth: 1},
			})
			holders[i] = begun.Holder
			expectNone(t, err)
		})
	}
	wg.Wait()
	winner := ""
	for i, h := range holders {
		if h == "" {
			if winner != "" {
				t.Fatal("two hold one lease")
			}
			winner = calls[i]
		}
	}
	for _, h := range holders {
		if h != "" && h != winner {
			t.Errorf("a loser was told of %s, not of the winner %s", h, winner)
		}
	}
}

// callsOfMany begin and end concurrently, each on its own; the counts must agree with what was charged in the end.
func callsOfMany(t *testing.T, s ports.Store) {
	ctx, org, keys := t.Context(), kit.ID(), []string{kit.ID(), kit.ID(), ""}
	const n = 60
	caps := access.Limits{PerDay: n, PerMonth: n}
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			e := kit.Running(t, keys[i%3])
			e.OrgID = org
			begun, err := s.Repos().Calls.Begin(ctx, ports.Charge{Entry: e, Takes: time.Minute, Caps: caps})
			expectNone(t, err)
			kit.Same(t, "begun", begun, ports.Begun{})
			o := ports.Outcome{Entry: e, Price: e.Amount}
			switch o.Entry.Status = lookup.Failed; i / 3 % 2 {
			case 0:
				o = kit.NotSent(e)
			default:
				rec := lookup.Record{
					ID: kit.ID(), OrgID: org, Product: "cpf", Document: e.Document, AnsweredAt: kit.At, Found: true,
					Fields: []byte("{}"),
					Raw:    []byte("{}"),
				}
				o.Entry.Status, o.Entry.RecordID, o.Record = lookup.Done, rec.ID, &rec
			}
			for range 2 { // the second one finds it finished
				_, err = s.Repos().Calls.End(ctx, o)
				expectNone(t, err)
			}
		})
	}
	wg.Wait()
	for _, key := range keys[:2] {
		_, inMonth, all, err := s.Repos().Usage.Spent(ctx, org, key, "2026-11-20", "2026-11")
		kit.Must(t, err)
		want := lookup.Spent{Count: n / 6, Amount: n / 6 * 4500}
		kit.Same(t, "spent by a key", [2]lookup.Spent{inMonth, all}, [2]lookup.Spent{want, want})
	}
	spent, err := s.Repos().Statement.Spend(ctx, lookup.Asker{OrgID: org}, "2026-11-20", "2026-11-20")
	kit.Must(t, err)
	kit.Same(t, "spend", spent, []lookup.DaySpent{
		{Day: "2026-11-20", Product: "cpf", Spent: lookup.Spent{Count: n / 2, Amount: n / 2 * 4500}},
	})
	records, err := s.Repos().History.Answers(ctx, org, "cpf", kit.Running(t, "").Document, n)
	kit.Must(t, err)
	kit.Same(t, "answers", len(records), n/2)
}

// callsEndedTwice end at once with an answer and with none: by whoever fetches it, and by whoever has given it up. What
// the statement says is what one of them wrote.
func callsEndedTwice(t *testing.T, s ports.Store) {
	ctx := t.Context()
	for i := range 24 {
		other, e := kit.Running(t, ""), kit.Running(t, "")
		for _, begins := range []lookup.Entry{other, e} {
			kit.Begins(t, s, ports.Charge{Entry: begins, Takes: time.Minute})
		}
		rec := lookup.Record{
			ID: kit.ID(), OrgID: e.OrgID, Product: "cpf", Document: e.Document, AnsweredAt: kit.At, Found: true,
			Fields: []byte("{}"), Raw: []byte("{}"),
		}
		given, answered := ports.Outcome{Entry: e, Price: e.Amount}, ports.Outcome{Entry: e, Price: e.Amount, Record: &rec}
		given.Entry.Status, answered.Entry.Status, answered.Entry.RecordID = lookup.NoAnswer, lookup.Done, rec.ID
		all := []ports.Outcome{kit.NotSent(other), given, answered} // while the first is written, the others wait together
		if i%2 == 0 {
			all[1], all[2] = answered, given
		}
		var wg sync.WaitGroup
		open := make([]bool, len(all))
		for j, o := range all {
			wg.Go(func() {
				var err error
				open[j], err = s.Repos().Calls.End(ctx, o)
				expectNone(t, err)
			})
		}
		wg.Wait()
		kit.Same(t, "whether one of them wrote it", open[1] != open[2], true)
		want := all[1].Entry
		if open[2] {
			want = all[2].Entry
		}
		got, err := s.Repos().Statement.Find(ctx, ports.AnyOrg, e.ID)
		kit.Must(t, err)
		kit.Same(t, "how it ended", got.Status, want.Status)
		kit.Same(t, "its answer", got.RecordID, want.RecordID)
		records, err := s.Repos().History.Records(ctx, rec.OrgID, []string{rec.ID})
		kit.Must(t, err)
		kit.Same(t, "whether the answer is in the history", len(records) == 1, want.RecordID != "")
	}
}

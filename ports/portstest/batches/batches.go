package batches

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"fichario/domain/access"
	"fichario/domain/batch"
	"fichario/domain/catalog"
	"fichario/domain/document"
	"fichario/domain/lookup"
	"fichario/domain/privacy"
	"fichario/ports"
	"fichario/ports/portstest/kit"
)

// Quoted makes a confirmed batch of an organisation, with items in these states, from line 2 on.
func Quoted(t *testing.T, s ports.Store, orgID string, states ...batch.State) (batch.Batch, []batch.Item) {
	t.Helper()
	b := batch.Batch{
		ID: kit.ID(), OrgID: orgID, KeyID: kit.ID(), Name: "Clientes", Product: "cpf", Refresh: true, Status: batch.Running,
		Columns: []string{"nome", "cpf"}, Tab: "Ativos", OtherTabs: []string{"Resumo"}, Total: len(states),
		Valid: len(states), FromHistory: 1, Price: 4500,
		CreatedAt: kit.At, ExpiresAt: kit.At.Add(batch.QuoteLasts), StartedAt: kit.At, RunFrom: kit.At,
	}
	kit.Must(t, s.Repos().Batches.Create(t.Context(), b))
	items := make([]batch.Item, len(states))
	for i, state := range states {
		items[i] = batch.Item{
			ID: kit.ID(), BatchID: b.ID, OrgID: orgID, Line: i + 2, State: state, Cells: []string{"Ana", fmt.Sprint(i)}, At: 1,
		}
		if state != batch.Invalid {
			items[i].Document = kit.Doc(t, document.CPF, "52998224725")
		}
	}
	kit.Must(t, s.Repos().BatchItems.AddItems(t.Context(), items))
	return b, items
}

// HandedOut adds an item that was handed out for a lookup.
func HandedOut(t *testing.T, s ports.Store, e lookup.Entry) {
	t.Helper()
	if err := s.Repos().BatchItems.AddItems(t.Context(), []batch.Item{{
		ID: kit.ID(), BatchID: e.BatchID, OrgID: e.OrgID, Line: int(lines.Add(1)), State: batch.InFlight, At: 1,
		LookupID: e.ID,
		Document: e.Document, LeaseUntil: kit.At,
	}}); err != nil {
		t.Error(err)
	}
}

// lines numbers the items that are handed out.
var lines atomic.Int64

// anItemsLookup is charged while the item is in flight for it, and not under an id that it had before.
func anItemsLookup(t *testing.T, s ports.Store) {
	b, _ := Quoted(t, s, kit.ID())
	charge := func(e lookup.Entry) error {
		_, err := s.Repos().Calls.Begin(t.Context(), ports.Charge{
			Entry: e, Takes: time.Minute, Caps: access.Limits{PerDay: 1000, PerMonth: 1000}, Ceiling: 1e12,
		})
		return err
	}
	e := kit.Running(t, b.KeyID)
	e.OrgID, e.BatchID = b.OrgID, b.ID
	kit.WantErr(t, "before it is handed out", charge(e), ports.ErrEnded)
	HandedOut(t, s, e)
	kit.Must(t, charge(e))
	again := kit.Running(t, b.KeyID)
	again.OrgID, again.BatchID = b.OrgID, b.ID
	kit.WantErr(t, "under another id", charge(again), ports.ErrEnded)
}

func batches(t *testing.T, s ports.Store) {
	ctx, repo, o := t.Context(), allBatches(s.Repos()), kit.ID()
	first, _ := Quoted(t, s, o)
	second, _ := Quoted(t, s, o)
	other, _ := Quoted(t, s, kit.ID())
	found, err := repo.Find(ctx, ports.AnyOrg, first.ID)
	kit.Must(t, err)
	kit.Same(t, "found", found, first)
	_, err = repo.Find(ctx, ports.AnyOrg, kit.ID())
	kit.WantErr(t, "none", err, ports.ErrNotFound)

	hidden := first
	hidden.ID, hidden.Status, hidden.RequestKey = kit.IDOf(kit.At), batch.Preparing, "k"
	hidden.RequestBody = []byte("a")
	kit.Must(t, repo.Create(ctx, hidden))
	again := hidden
	again.ID = kit.ID()
	kit.WantErr(t, "one name twice", repo.Create(ctx, again), ports.ErrExists)
	again.KeyID, again.MemberID = "", kit.ID()
	kit.Must(t, repo.Create(ctx, again))
	brokenOff := hidden
	brokenOff.ID, brokenOff.RequestKey = kit.ID(), "broken off"
	kit.Must(t, repo.Create(ctx, brokenOff))
	item := batch.Item{ID: kit.ID(), BatchID: brokenOff.ID, OrgID: o, Line: 1, State: batch.Invalid, At: 1}
	kit.Must(t, repo.AddItems(ctx, []batch.Item{item}))
	for n := 1; n > 0; {
		n, err = repo.Discard(ctx, brokenOff.ID)
		kit.Must(t, err)
	}
	kit.Must(t, repo.Create(ctx, brokenOff)) // left over from a broken request
	_, err = repo.Discard(ctx, brokenOff.ID)
	kit.Must(t, err)
	discarded, err := repo.Discard(ctx, first.ID)
	kit.Must(t, err)
	kit.Same(t, "one that is quoted stays", discarded, 0)
	quotedWhileGivenUp(t, s, hidden)
	givenUpWithItsPeople(t, s, hidden)
	for body, want := range map[string]bool{"a": true, "b": false} {
		named, same1, err := repo.ByRequest(ctx, first.OrgID, first.KeyID, "k", []byte(body))
		kit.Must(t, err)
		kit.Same(t, "by its name", []any{named.ID, same1}, []any{hidden.ID, want})
	}
	_, _, err = repo.ByRequest(ctx, first.OrgID, first.KeyID, "", nil)
	kit.WantErr(t, "without a name", err, ports.ErrNotFound)

	for what, c := range map[string]struct {
		key, after string
		want       []batch.Batch
	}{
		"all":     {"", "", []batch.Batch{second, first}},
		"after":   {"", second.ID, []batch.Batch{first}},
		"a key's": {first.KeyID, "", []batch.Batch{first}},
	} {
		page, err := repo.Page(ctx, o, c.key, c.after, 10)
		kit.Must(t, err)
		kit.Same(t, what, page, c.want)
	}
	page, err := repo.Page(ctx, o, other.KeyID, "", 10)
	kit.Must(t, err)
	kit.Same(t, "of another organisation", len(page), 0)

	changed := first
	changed.Status, changed.Reason, changed.Note = batch.Paused, batch.DailyLimit, "porque"
	changed.ResumeAt = kit.At.Add(time.Hour)
	changed.Ceiling, changed.HasCeiling, changed.Ended, changed.Charged, changed.EndedAt = 0, true, 3, 2, kit.At
	kit.Must(t, s.InTx(ctx, func(ctx context.Context, r ports.Repos) error {
		if b, err := r.Batches.Lock(ctx, ports.AnyOrg, first.ID); err != nil || b.ID != first.ID {
			t.Error(b.ID, err)
		}
		return r.Batches.Update(ctx, changed)
	}))
	found, err = repo.Find(ctx, ports.AnyOrg, first.ID)
	kit.Must(t, err)
	kit.Same(t, "changed", found, changed)

	n, err := repo.Forget(ctx, kit.At.Add(time.Second))
	for ; n > 0 && err == nil; n, err = repo.Forget(ctx, kit.At.Add(time.Second)) {
	}
	kit.Must(t, err)
	_, err = repo.Find(ctx, ports.AnyOrg, hidden.ID)
	kit.WantErr(t, "forgotten", err, ports.ErrNotFound)
	_, err = repo.Find(ctx, ports.AnyOrg, again.ID)
	kit.Must(t, err)
}

func batchQuotes(t *testing.T, s ports.Store) {
	ctx, repo := t.Context(), allBatches(s.Repos())
	b, _ := Quoted(t, s, kit.ID(), batch.Pending)
	b.ID, b.Status, b.StartedAt = kit.ID(), batch.Quoted, time.Time{}
	kit.Must(t, repo.Create(ctx, b))
	for i, want := range []int{0, 1, 0} {
		n, err := repo.Expire(ctx, b.ExpiresAt.Add(time.Duration(i-1)*time.Second))
		kit.Must(t, err)
		kit.Same(t, fmt.Sprint("expired ", i), n, want)
	}
	found, err := repo.Find(ctx, ports.AnyOrg, b.ID)
	kit.Must(t, err)
	kit.Same(t, "expired", []any{found.Status, found.EndedAt}, []any{batch.Expired, b.ExpiresAt})

	for i, c := range []struct {
		what    string
		status  batch.Status
		started time.Time
		kept    bool
	}{
		{"expired", batch.Expired, time.Time{}, false},
		{"cancelled before it ran", batch.Cancelled, time.Time{}, false},
		{"cancelled", batch.Cancelled, kit.At, true},
		{"one that may be confirmed", batch.Quoted, time.Time{}, true},
		{"one that ran to its end", batch.Done, kit.At, true},
	} {
		made := kit.At.Add(time.Duration(i) * time.Hour)
		forgetQuote(t, s, c.what, made, c.kept, func(b *batch.Batch) { b.Status, b.StartedAt = c.status, c.started })
	}
}

// forgetQuote makes a batch and forgets those made until then; kept says whether its items must stay.
func forgetQuote(t *testing.T, s ports.Store, what string, made time.Time, kept bool, change func(*batch.Batch)) {
	t.Helper()
	ctx, repo := t.Context(), allBatches(s.Repos())
	b, _ := Quoted(t, s, kit.ID())
	b.ID, b.Total = kit.IDOf(made), 120
	change(&b)
	kit.Must(t, repo.Create(ctx, b))
	items := make([]batch.Item, b.Total)
	for i := range items {
		items[i] = batch.Item{
			ID: kit.ID(), BatchID: b.ID, OrgID: b.OrgID, Line: i + 1, State: batch.Pending, Cells: []string{"Ana"},
			Document: kit.Doc(t, document.CPF, "52998224725"),
		}
	}
	kit.Must(t, repo.AddItems(ctx, items))
	kit.Must(t, s.(ports.SubjectIndex).CatchUp(ctx)) //nolint:forcetypeassert // every store has one
	p := &privacy.Person{OrgID: b.OrgID, Identities: []privacy.Identity{{Type: privacy.CPF, Value: "52998224725"}}}
	is := func() []any {
		left, err := repo.Items(ctx, b.OrgID, b.ID, "", 0, 1000)
		kit.Must(t, err)
		theirs, err := repo.Items(ctx, kit.ID(), b.ID, "", 0, 1000)
		kit.Must(t, err)
		kit.Same(t, "in another organisation", len(theirs), 0)
		found, err := repo.Find(ctx, ports.AnyOrg, b.ID)
		kit.Must(t, err)
		ids, _, err := s.Repos().SubjectTraces.Traces(ctx, p, privacy.Items, "", 1000)
		kit.Must(t, err)
		return []any{len(left), len(ids), found.Columns, found.Total}
	}
	all := []any{b.Total, b.Total, b.Columns, b.Total}
	forget := func(before time.Time) {
		n, err := repo.ForgetQuotes(ctx, before)
		for ; n > 0 && err == nil; n, err = repo.ForgetQuotes(ctx, before) {
		}
		kit.Must(t, err)
	}
	forget(made)
	kit.Same(t, what+", before its time", is(), all)
	if forget(made.Add(time.Second)); !kept {
		all = []any{0, 0, []string(nil), b.Total}
	}
	kit.Same(t, what, is(), all)
}

// batchItems are claimed by one owner after another, and only the present owner settles them.
func batchItems(t *testing.T, s ports.Store) {
	ctx, repo, o := t.Context(), allBatches(s.Repos()), kit.ID()
	b, items := Quoted(t, s, o, batch.Pending, batch.Invalid, batch.Pending, batch.Repeat, batch.Pending)
	next, err := repo.Next(ctx, b.OrgID, b.ID, 2)
	kit.Must(t, err)
	kit.Same(t, "next", next, []batch.Item{items[0], items[2]})
	for i := range next {
		next[i].LookupID, next[i].Owner, next[i].LeaseUntil, next[i].Queued = kit.ID(), "me", kit.At, i == 1
	}
	claim := func() error {
		return s.InTx(ctx, func(ctx context.Context, r ports.Repos) error { return r.BatchRuns.Claim(ctx, next) })
	}
	kit.Must(t, claim())
	kit.WantErr(t, "twice", claim(), ports.ErrNotFound)
	inFlight, err := repo.InFlight(ctx, o)
	kit.Must(t, err)
	kit.Same(t, "in flight", len(inFlight), 2)
	kit.Same(t, "queued", inFlight[0].Queued != inFlight[1].Queued, true)
	kit.Must(t, s.InTx(ctx, func(ctx context.Context, r ports.Repos) error {
		return r.BatchRuns.Start(ctx, b.OrgID, []string{next[1].ID})
	}))
	kit.Must(t, repo.Renew(ctx, o, []string{kit.ID()}, kit.At.Add(time.Hour)))
	kit.Must(t, repo.Renew(ctx, kit.ID(), []string{next[0].LookupID}, kit.At.Add(time.Hour)))
	kit.Must(t, repo.Renew(ctx, o, []string{next[0].LookupID, next[1].LookupID}, kit.At.Add(time.Minute)))
	inFlight, err = repo.InFlight(ctx, o)
	kit.Must(t, err)
	for _, i := range inFlight {
		kit.Same(t, "its lease", []any{i.State, i.LeaseUntil, i.Owner, i.Queued},
			[]any{batch.InFlight, kit.At.Add(time.Minute), "me", false})
	}
	settle := func(outcomes ...batch.Outcome) (n int) {
		kit.Must(t, s.InTx(ctx, func(ctx context.Context, r ports.Repos) error {
			settled, err := r.BatchRuns.Settle(ctx, b.OrgID, outcomes)
			n = len(settled)
			return err
		}))
		return n
	}
	outcome := func(i int, state batch.State, kept bool, code string) batch.Outcome {
		return batch.Outcome{
			ItemID: next[i].ID, BatchID: b.ID, LookupID: next[i].LookupID, State: state, Kept: kept, Code: code,
		}
	}
	stale := outcome(0, batch.Answered, true, "")
	stale.LookupID = kit.ID()
	kit.Same(t, "of another lookup", settle(stale), 0)
	kit.Same(t, "settled",
		settle(outcome(0, batch.NoAnswer, true, "bureau_sem_resposta"), outcome(1, batch.Failed, false, "x")), 2)
	kit.Same(t, "settled again", settle(outcome(0, batch.Answered, true, "")), 0)

	items[3].RepeatOf = 2
	repeat := items[3]
	repeat.ID, repeat.Line = kit.ID(), 40
	kit.Must(t, repo.AddItems(ctx, []batch.Item{repeat}))
	lines := func(state batch.State, after, limit int) (out string) {
		found, err := repo.Items(ctx, ports.AnyOrg, b.ID, state, after, limit)
		kit.Must(t, err)
		for _, i := range found {
			out += fmt.Sprint(i.Line, ":", i.First.State, " ")
		}
		return out
	}
	for _, c := range []struct {
		state batch.State
		after int
		want  string
	}{
		{"", 0, "2:sem_resposta 3:invalido 4:falhou 5:repetido 6:pendente "}, {"", 5, "6:pendente 40:sem_resposta "},
		{batch.NoAnswer, 0, "2:sem_resposta 40:sem_resposta "}, {batch.Invalid, 0, "3:invalido "},
	} {
		kit.Same(t, fmt.Sprint(c.state, c.after), lines(c.state, c.after, 5), c.want)
	}
	var charged, free int
	kit.Must(t,
		s.InTx(ctx, func(ctx context.Context, r ports.Repos) (err error) {
			charged, free, err = r.BatchItems.Retry(ctx, b.OrgID, b.ID)
			return err
		}))
	kit.Same(t, "once more", []int{charged, free}, []int{1, 1})
	next, err = repo.Next(ctx, b.OrgID, b.ID, 10)
	kit.Must(t, err)
	kit.Same(t, "next", next, []batch.Item{items[0], items[2], items[4]})
	kit.Must(t, claimAs(s, t, next[:1], kit.At))
	unsure := batch.Outcome{
		ItemID: next[0].ID, LookupID: next[0].LookupID, State: batch.InFlight, Until: kit.At.Add(time.Second),
	}
	kit.Same(t, "not known", settle(unsure), 1)
	inFlight, err = repo.InFlight(ctx, o)
	kit.Must(t, err)
	kit.Same(t, "not known", []any{inFlight[0].Owner, inFlight[0].LeaseUntil, inFlight[0].LookupID},
		[]any{"", unsure.Until, next[0].LookupID})
}

// refusedItems come after all others, whatever their line, and nothing else of them shows.
func refusedItems(t *testing.T, s ports.Store) {
	ctx, repo, o := t.Context(), allBatches(s.Repos()), kit.ID()
	b, items := Quoted(t, s, o, batch.Pending, batch.Pending, batch.Pending)
	repeat := items[0]
	repeat.ID, repeat.Line, repeat.State, repeat.RepeatOf = kit.ID(), 9, batch.Repeat, items[0].Line
	kit.Must(t, repo.AddItems(ctx, []batch.Item{repeat}))
	settle := func(i batch.Item, state batch.State, code string) {
		kit.Must(t, s.InTx(ctx, func(ctx context.Context, r ports.Repos) error {
			_, err := r.BatchRuns.Settle(ctx, b.OrgID, []batch.Outcome{{
				ItemID: i.ID, BatchID: b.ID, LookupID: i.LookupID, State: state, Code: code, Refused: kit.At,
			}})
			return err
		}))
	}
	next := func(what string, limit int, want ...batch.Item) []batch.Item {
		t.Helper()
		got, err := repo.Next(ctx, b.OrgID, b.ID, limit)
		kit.Must(t, err)
		kit.Same(t, what, got, want)
		return got
	}
	shown := func(what, want string) {
		t.Helper()
		var all string
		found, err := repo.Items(ctx, ports.AnyOrg, b.ID, "", 0, 9)
		kit.Must(t, err)
		for _, i := range found {
			all += fmt.Sprint(i.Code, ":", i.First.Code, " ")
		}
		kit.Same(t, what, all, want)
	}
	first := next("at first", 1, items[0])
	kit.Must(t, claimAs(s, t, first, kit.At))
	settle(first[0], batch.Pending, "")
	items[0].Refused = kit.At
	next("at its turn", 2, items[1], items[2])
	first = next("after the others", 9, items[1], items[2], items[0])[2:]
	shown("what is shown of it", ": : : : ")
	kit.Must(t, claimAs(s, t, first, kit.At))
	inFlight, err := repo.InFlight(ctx, o)
	kit.Must(t, err)
	kit.Same(t, "in flight", []any{len(inFlight), inFlight[0].Refused}, []any{1, kit.At})
	shown("what is shown of it in flight", ": : : : ")
	settle(first[0], batch.Failed, "x")
	shown("what is shown of it in the end", "x:x : : :x ")
	kit.Must(t, s.InTx(ctx, func(ctx context.Context, r ports.Repos) error {
		_, _, err := r.BatchItems.Retry(ctx, b.OrgID, b.ID)
		return err
	}))
	items[0].Refused = time.Time{}
	next("once more", 9, items...)
}

// unseenItems have been asked about in vain: what history had for them is gone.
func unseenItems(t *testing.T, s ports.Store) {
	ctx, repo := t.Context(), allBatches(s.Repos())
	b, _ := Quoted(t, s, kit.ID())
	items := []batch.Item{{Line: 2}, {Line: 3}}
	for i := range items {
		items[i].ID, items[i].BatchID, items[i].OrgID, items[i].SeenID = kit.ID(), b.ID, b.OrgID, kit.ID()
		items[i].Document, items[i].State = kit.Doc(t, document.CPF, "52998224725"), batch.Pending
	}
	kit.Must(t, repo.AddItems(ctx, items))
	kit.Must(t, claimAs(s, t, items, kit.At))
	kit.Must(t, s.InTx(ctx, func(ctx context.Context, r ports.Repos) error {
		_, err := r.BatchRuns.Settle(ctx, b.OrgID, []batch.Outcome{
			{ItemID: items[0].ID, LookupID: items[0].LookupID, State: batch.Pending, Unseen: true},
			{ItemID: items[1].ID, LookupID: items[1].LookupID, State: batch.Pending},
		})
		return err
	}))
	next, err := repo.Next(ctx, b.OrgID, b.ID, 9)
	kit.Must(t, err)
	kit.Same(t, "what history has", []string{next[0].SeenID, next[1].SeenID}, []string{"", items[1].SeenID})
}

// retriedItems were charged where their entry was: a bureau may price a failure at nothing.
func retriedItems(t *testing.T, s ports.Store) {
	ctx, repo := t.Context(), allBatches(s.Repos())
	b, items := Quoted(t, s, kit.ID(), batch.Pending, batch.Pending, batch.Pending)
	kit.Must(t, claimAs(s, t, items, kit.At))
	outcomes := make([]batch.Outcome, len(items))
	for i, item := range items {
		outcomes[i] = batch.Outcome{ItemID: item.ID, LookupID: item.LookupID, State: batch.Failed, Kept: i < 2}
		e := kit.Running(t, b.KeyID)
		e.ID, e.OrgID, e.Status, e.Charged = item.LookupID, b.OrgID, lookup.Failed, i == 0
		if i < 2 {
			kit.Must(t, s.Repos().Statement.Add(ctx, e))
		}
	}
	kit.Must(t, s.InTx(ctx, func(ctx context.Context, r ports.Repos) error {
		_, err := r.BatchRuns.Settle(ctx, b.OrgID, outcomes)
		kit.Must(t, err)
		charged, free, err := r.BatchItems.Retry(ctx, b.OrgID, b.ID)
		kit.Same(t, "charged and free", []int{charged, free}, []int{1, 2})
		return err
	}))
	next, err := repo.Next(ctx, b.OrgID, b.ID, 9)
	kit.Must(t, err)
	kit.Same(t, "next", len(next), 3)
}

func claimAs(s ports.Store, t *testing.T, items []batch.Item, until time.Time) error {
	for i := range items {
		items[i].LookupID, items[i].Owner, items[i].LeaseUntil = kit.ID(), "me", until
	}
	return s.InTx(t.Context(), func(_ context.Context, r ports.Repos) error {
		return r.BatchRuns.Claim(t.Context(), items)
	})
}

func busyBatches(t *testing.T, s ports.Store) {
	ctx, repo := t.Context(), allBatches(s.Repos())
	later := quotedAs(t, s, batch.Running, time.Time{}, kit.At)
	paused := quotedAs(t, s, batch.Paused, kit.At.Add(time.Minute), kit.At)
	quotedAs(t, s, batch.Paused, time.Time{}, kit.At)
	quotedAs(t, s, batch.Done, time.Time{}, kit.At)
	cancelled, items := Quoted(t, s, kit.ID(), batch.Pending)
	cancelled.Status = batch.Cancelled
	kit.Must(t, s.InTx(ctx, func(ctx context.Context, r ports.Repos) error { return r.Batches.Update(ctx, cancelled) }))
	kit.Must(t, claimAs(s, t, items, kit.At.Add(time.Minute)))
	earlier := later
	earlier.ID, earlier.StartedAt = kit.ID(), kit.At.Add(-time.Hour)
	kit.Must(t, repo.Create(ctx, earlier))
	opened, err := repo.Open(ctx, later.OrgID, 9)
	kit.Must(t, err)
	kit.Same(t, "open, in the order of their start", opened, []batch.Batch{earlier, later})
	opened, err = repo.Open(ctx, paused.OrgID, 9)
	kit.Must(t, err)
	kit.Same(t, "one that waits", opened, []batch.Batch{paused})
	opened, err = repo.Open(ctx, cancelled.OrgID, 9)
	kit.Must(t, err)
	kit.Same(t, "at its end", len(opened), 0)
	opened, err = repo.Open(ctx, later.OrgID, 1)
	kit.Must(t, err)
	kit.Same(t, "not more than are wanted", len(opened), 1)
	busy := func(now time.Time) map[string]bool {
		ids, err := repo.Busy(ctx, now)
		kit.Must(t, err)
		out := map[string]bool{}
		for _, orgID := range ids {
			out[orgID] = true
		}
		return out
	}
	kit.Same(t, "busy", busy(kit.At), map[string]bool{later.OrgID: true})
	kit.Same(t, "a minute later", busy(kit.At.Add(time.Minute)),
		map[string]bool{later.OrgID: true, paused.OrgID: true, cancelled.OrgID: true})
	kit.Must(t, s.InTx(ctx, func(ctx context.Context, r ports.Repos) error {
		due, err := r.BatchRuns.Due(ctx, later.OrgID, kit.At)
		if len(due) != 2 || due[0].ID != earlier.ID {
			t.Error(due)
		}
		none, err2 := r.BatchRuns.Due(ctx, paused.OrgID, kit.At)
		kit.Same(t, "due later", len(none), 0)
		for i, want := range []int{1, 0} {
			n, err := r.BatchRuns.Pace(ctx, "b", 20, 5, kit.At)
			kit.Must(t, err)
			kit.Same(t, fmt.Sprint("at once ", i), n, want)
		}
		n, err3 := r.BatchRuns.Pace(ctx, "b", 20, 5, kit.At.Add(100*time.Millisecond))
		kit.Same(t, "after a tenth of a second", n, 2)
		n, err4 := r.BatchRuns.Pace(ctx, "b", 20, 5, kit.At.Add(time.Minute))
		kit.Same(t, "after a pause, with what the burst makes up for", n, 2)
		for _, step := range []struct {
			what string
			at   time.Duration
			want int
		}{
			{"by a clock that was read a second before, and not given back", time.Minute - time.Second, 0},
			{"in the time of one call", time.Minute + 50*time.Millisecond, 1},
			{"at once by a clock that was set back an hour", -time.Hour, 0},
			{"a tenth of a second later", -time.Hour + 100*time.Millisecond, 2},
		} {
			n, err := r.BatchRuns.Pace(ctx, "b", 20, 5, kit.At.Add(step.at))
			kit.Must(t, err)
			kit.Same(t, step.what, n, step.want)
		}
		for _, err := range []error{err, err2, err4} {
			if err != nil {
				return err
			}
		}
		return err3
	}))
}

func quotedAs(t *testing.T, s ports.Store, status batch.Status, resumeAt, started time.Time) batch.Batch {
	t.Helper()
	b, _ := Quoted(t, s, kit.ID())
	b.Status, b.ResumeAt, b.StartedAt = status, resumeAt, started
	kit.Must(t, s.InTx(t.Context(), func(_ context.Context, r ports.Repos) error {
		return r.Batches.Update(t.Context(), b)
	}))
	return b
}

// freshAnswers are found for many documents at once.
func freshAnswers(t *testing.T, s ports.Store) {
	ctx, o := t.Context(), kit.ID()
	ana, bia, caio := kit.Doc(t, document.CPF, "52998224725"), kit.Doc(t, document.CPF, "02345678992"),
		kit.Doc(t, document.CPF, "11144477735")
	newer := kit.Kept(t, s, o, ana)
	newer.ID, newer.AnsweredAt = kit.ID(), kit.At.Add(time.Hour)
	kit.Must(t, s.Repos().History.Save(ctx, newer))
	kit.Kept(t, s, o, bia)
	kit.Kept(t, s, kit.ID(), caio)
	born := newer
	born.ID, born.Inputs = kit.ID(), catalog.InputsText(map[string]string{"nascimento": "1980-02-29"})
	kit.Must(t, s.Repos().History.Save(ctx, born))
	of := func(d document.Document) lookup.About { return lookup.About{Document: d} }
	got, err := s.Repos().History.Fresh(ctx, o, "cpf", []lookup.About{of(ana), of(bia), of(caio)},
		kit.At.Add(-time.Second))
	kit.Must(t, err)
	kit.Same(t, "how many", len(got), 2)
	kit.Same(t, "the newest", got[of(ana)], newer.ID)
	withInputs := lookup.About{Document: ana, Inputs: born.Inputs}
	without := lookup.About{Document: bia, Inputs: born.Inputs}
	got, err = s.Repos().History.Fresh(ctx, o, "cpf", []lookup.About{of(ana), of(bia), withInputs, without}, kit.At)
	kit.Must(t, err)
	kit.Same(t, "after that", got, map[lookup.About]string{of(ana): newer.ID, withInputs: born.ID})
	got, err = s.Repos().History.Fresh(ctx, o, "cpf", nil, kit.At)
	kit.Must(t, err)
	kit.Same(t, "of none", len(got), 0)
}

func batchLimits(t *testing.T, s ports.Store) {
	ctx, o := t.Context(), kit.Org(t, s)
	found, err := s.Repos().Orgs.Find(ctx, o.ID)
	kit.Must(t, err)
	kit.Same(t, "without one", found.MemberBatchLimit, 100*catalog.Real)
	kit.Must(t, s.Repos().Orgs.SetMemberBatchLimit(ctx, o.ID, 0))
	found, err = s.Repos().Orgs.Find(ctx, o.ID)
	kit.Must(t, err)
	kit.Same(t, "set", found.MemberBatchLimit, 0)
	kit.WantErr(t, "of none", s.Repos().Orgs.SetMemberBatchLimit(ctx, kit.ID(), 1), ports.ErrNotFound)
}

// quotedWhileGivenUp: a batch whose quote commits while its maker, who was not told, gives it up keeps its items.
func quotedWhileGivenUp(t *testing.T, s ports.Store, preparing batch.Batch) {
	t.Helper()
	ctx, repo := t.Context(), allBatches(s.Repos())
	preparing.ID, preparing.OrgID, preparing.KeyID, preparing.RequestKey = kit.ID(), kit.ID(), kit.ID(), ""
	kit.Must(t, repo.Create(ctx, preparing))
	item := batch.Item{
		ID: kit.ID(), BatchID: preparing.ID, OrgID: preparing.OrgID, Line: 1, State: batch.Invalid, At: 1,
	}
	kit.Must(t, repo.AddItems(ctx, []batch.Item{item}))
	begun, done := make(chan struct{}), make(chan error, 1)
	go func() {
		<-begun
		_, err := repo.Discard(ctx, preparing.ID)
		done <- err
	}()
	var once sync.Once
	kit.Must(t, s.InTx(ctx, func(ctx context.Context, r ports.Repos) error {
		preparing.Status = batch.Quoted
		err := r.Batches.Update(ctx, preparing)
		once.Do(func() { close(begun) })
		for range 50 { // gives Discard time to do what it must not
			_, lookErr := r.Batches.Find(ctx, ports.AnyOrg, preparing.ID)
			err = errors.Join(err, lookErr)
		}
		return err
	}))
	kit.Must(t, <-done)
	left, err := repo.Items(ctx, ports.AnyOrg, preparing.ID, "", 0, 10)
	kit.Must(t, err)
	kit.Same(t, "the items of a batch that was quoted while it was given up", len(left), 1)
}

// givenUpWithItsPeople: a batch that is given up leaves nobody in the index of people.
func givenUpWithItsPeople(t *testing.T, s ports.Store, preparing batch.Batch) {
	t.Helper()
	ctx, repo := t.Context(), allBatches(s.Repos())
	preparing.ID, preparing.OrgID, preparing.KeyID, preparing.RequestKey = kit.ID(), kit.ID(), kit.ID(), ""
	kit.Must(t, repo.Create(ctx, preparing))
	kit.Must(t, repo.AddItems(ctx, []batch.Item{{
		ID: kit.ID(), BatchID: preparing.ID, OrgID: preparing.OrgID, Line: 1, State: batch.Pending,
		Document: kit.Doc(t, document.CPF, "52998224725"),
	}}))
	kit.Must(t, s.(ports.SubjectIndex).CatchUp(ctx)) //nolint:forcetypeassert // every store has one
	p := &privacy.Person{OrgID: preparing.OrgID, Identities: []privacy.Identity{{Type: privacy.CPF, Value: "52998224725"}}}
	traces := func() int {
		ids, _, err := s.Repos().SubjectTraces.Traces(ctx, p, privacy.Items, "", 10)
		kit.Must(t, err)
		return len(ids)
	}
	kit.Same(t, "in the index", traces(), 1)
	for n := 1; n > 0; {
		var err error
		n, err = repo.Discard(ctx, preparing.ID)
		kit.Must(t, err)
	}
	kit.Same(t, "in the index of people after a batch was given up", traces(), 0)
}

// everyBatches is all that there is of batches.
type everyBatches struct {
	ports.Batches
	ports.BatchItems
	ports.BatchRuns
	ports.BatchRemovals
}

func allBatches(r ports.Repos) everyBatches {
	return everyBatches{r.Batches, r.BatchItems, r.BatchRuns, r.BatchRemovals}
}

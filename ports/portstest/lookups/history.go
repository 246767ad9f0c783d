package lookups

import (
	"sync"
	"testing"
	"time"

	"fichario/domain/access"
	"fichario/domain/document"
	"fichario/domain/lookup"
	"fichario/ports"
	"fichario/ports/portstest/kit"
)

func history(t *testing.T, s ports.Store) {
	ctx, repos := t.Context(), s.Repos()
	orgID, person := kit.ID(), kit.Doc(t, document.CPF, "52998224725")
	_, err := repos.History.Latest(ctx, orgID, "cpf", person)
	kit.WantErr(t, "empty history", err, ports.ErrNotFound)
	raw := "{ \"z\": 1.50, \"a\": 1e2,\n \"n\":12345678901234567890, \"h\":\"<b>&\u2028\\u00e9\", \"dup\":1, \"dup\":2 }"
	old := lookup.Record{
		ID: kit.ID(), OrgID: orgID, Product: "cpf", Document: person, AnsweredAt: kit.At, Found: true, Schema: "s1",
		Fields: []byte(`{"nome":"Ana"}`), Raw: []byte(raw),
	}
	newer := old
	newer.ID, newer.AnsweredAt, newer.Found, newer.Raw = kit.ID(), kit.At.Add(time.Microsecond), false, []byte("null")
	kit.Must(t, repos.History.Save(ctx, newer))
	kit.Must(t, repos.History.Save(ctx, old))
	got, err := repos.History.Latest(ctx, orgID, "cpf", person)
	kit.Must(t, err)
	kit.Same(t, "latest", got, newer)
	old.ID, old.AnsweredAt = kit.ID(), kit.At.Add(time.Hour)
	kit.Must(t, repos.History.Save(ctx, old))
	got, err = repos.History.Latest(ctx, orgID, "cpf", person)
	kit.Must(t, err)
	kit.Same(t, "latest, byte for byte", got, old)
	for what, f := range map[string]func() error{
		"another organisation": func() error { _, err := repos.History.Latest(ctx, kit.ID(), "cpf", person); return err },
		"another product":      func() error { _, err := repos.History.Latest(ctx, orgID, "obito", person); return err },
		"another document": func() error {
			_, err := repos.History.Latest(ctx, orgID, "cpf", kit.Doc(t, document.CPF, "11144477735"))
			return err
		},
	} {
		kit.WantErr(t, what, f(), ports.ErrNotFound)
	}
}

func serving(t *testing.T, s ports.Store) {
	ctx, repos, key := t.Context(), s.Repos(), kit.ID()
	rec := kit.Kept(t, s, kit.ID(), kit.Doc(t, document.CPF, "52998224725"))
	e := kit.Free(t, key, rec)
	got, err := repos.History.Serve(ctx, e, kit.At.Add(-time.Microsecond))
	kit.Must(t, err)
	kit.Same(t, "served record", got, rec)
	e.RecordID = rec.ID
	entry, err := repos.Statement.Find(ctx, ports.AnyOrg, e.ID)
	kit.Must(t, err)
	kit.Same(t, "its entry", entry, e)

	byMember := kit.Free(t, "", rec)
	byMember.MemberID = kit.ID()
	_, err = repos.History.Serve(ctx, byMember, time.Time{})
	kit.Must(t, err)
	byMember.RecordID = rec.ID
	entry, err = repos.Statement.Find(ctx, ports.AnyOrg, byMember.ID)
	kit.Must(t, err)
	kit.Same(t, "entry of a member", entry, byMember)

	newer := rec
	newer.ID, newer.AnsweredAt, newer.Found, newer.Raw = kit.ID(), kit.At.Add(time.Second), false, []byte("null")
	kit.Must(t, repos.History.Save(ctx, newer))
	got, err = repos.History.Serve(ctx, kit.Free(t, key, rec), kit.At)
	kit.Must(t, err)
	kit.Same(t, "the newest is served", got, newer)

	stale, strange := kit.Free(t, key, rec), kit.Free(t, key, rec)
	_, err = repos.History.Serve(ctx, stale, kit.At.Add(time.Second))
	kit.WantErr(t, "answered at that time, not after it", err, ports.ErrNotFound)
	strange.Document = kit.Doc(t, document.CPF, "11144477735")
	_, err = repos.History.Serve(ctx, strange, time.Time{})
	kit.WantErr(t, "a document without a record", err, ports.ErrNotFound)
	for _, unanswered := range []lookup.Entry{stale, strange} {
		_, err = repos.Statement.Find(ctx, ports.AnyOrg, unanswered.ID)
		kit.WantErr(t, "entry of what was not served", err, ports.ErrNotFound)
	}
}

// servingQuestions: a question with inputs is served with its own answers, and its entry keeps the inputs; one to a
// bureau by name is not served with what others filled in.
func servingQuestions(t *testing.T, s ports.Store) {
	ctx, repos, key := t.Context(), s.Repos(), kit.ID()
	rec := kit.Kept(t, s, kit.ID(), kit.Doc(t, document.CPF, "52998224725"))
	born := rec
	born.ID, born.Inputs = kit.ID(), `{"nascimento":"1980-02-29"}`
	kit.Must(t, repos.History.Save(ctx, born))
	e := kit.Free(t, key, rec)
	e.Inputs = born.Inputs
	got, err := repos.History.Only(ports.Only{Inputs: born.Inputs}).Serve(ctx, e, time.Time{})
	kit.Must(t, err)
	kit.Same(t, "its own answer", got.ID, born.ID)
	entry, err := repos.Statement.Find(ctx, ports.AnyOrg, e.ID)
	kit.Must(t, err)
	kit.Same(t, "its inputs", entry.Inputs, born.Inputs)

	alone, filled := rec, rec
	alone.ID, alone.AnsweredAt, alone.Bureau = kit.ID(), kit.At.Add(time.Hour), "b"
	filled.ID, filled.AnsweredAt, filled.Bureau = kit.ID(), kit.At.Add(2*time.Hour), "b"
	filled.Sources = map[string]lookup.Source{"nome": {Bureau: "a", At: kit.At}}
	kit.Must(t, repos.History.Save(ctx, alone))
	kit.Must(t, repos.History.Save(ctx, filled))
	for bureau, want := range map[string]string{"": filled.ID, "b": alone.ID} {
		newest(t, s, rec, ports.Only{Bureau: bureau}, want)
	}
}

// newest checks what answers a question in every way that history does; "" for nothing.
func newest(t *testing.T, s ports.Store, of lookup.Record, only ports.Only, want string) {
	t.Helper()
	ctx, history := t.Context(), s.Repos().History.Only(only)
	one, _ := history.Latest(ctx, of.OrgID, of.Product, of.Document)
	kit.Same(t, "the latest", one.ID, want)
	one, _ = history.Serve(ctx, kit.Free(t, kit.ID(), of), time.Time{})
	kit.Same(t, "served", one.ID, want)
	about := lookup.About{Document: of.Document}
	fresh, err := history.Fresh(ctx, of.OrgID, of.Product, []lookup.About{about}, time.Time{})
	kit.Must(t, err)
	kit.Same(t, "fresh", fresh[about], want)
}

// servingMeanwhile: what one bureau said answers nothing while its question is at the next one.
func servingMeanwhile(t *testing.T, s ports.Store) {
	ctx, repos := t.Context(), s.Repos()
	e := kit.Running(t, kit.ID())
	e.Bureau, e.Spare = "a", lookup.Spent{Count: 1, Amount: 4500}
	charge := ports.Charge{Entry: e, Takes: time.Hour, Caps: access.Limits{PerDay: 9, PerMonth: 9}}
	kit.Same(t, "begun", kit.Begins(t, s, charge), ports.Begun{})
	first, next := e, e
	first.ID, first.FollowedID, first.Status, first.RecordID = kit.ID(), e.ID, lookup.Done, kit.ID()
	next.Bureau, next.Spare = "b", lookup.Spent{}
	said := &lookup.Record{
		ID: first.RecordID, OrgID: e.OrgID, Product: e.Product, Document: e.Document, AnsweredAt: kit.At, Bureau: "a",
		Fields: []byte("{}"), Raw: []byte("null"),
	}
	running, err := repos.Calls.Next(ctx, ports.Next{
		Entry: next, From: "a", At: e.At, Takes: time.Hour, Ended: &ports.Outcome{Entry: first, Record: said},
	})
	kit.Must(t, err)
	kit.Same(t, "goes on", running, true)
	newest(t, s, *said, ports.Only{}, "")
	old := *said
	old.ID, old.AnsweredAt = kit.ID(), kit.At.Add(-time.Hour)
	kit.Must(t, repos.History.Save(ctx, old))
	newest(t, s, *said, ports.Only{}, old.ID)
	next.Status = lookup.Failed
	_, err = repos.Calls.End(ctx, ports.Outcome{Entry: next, Price: next.Amount})
	kit.Must(t, err)
	newest(t, s, *said, ports.Only{}, said.ID)
	again := e
	again.ID = kit.ID()
	charge.Entry, charge.After = again, kit.At.Add(-time.Minute)
	kit.Same(t, "spared", kit.Begins(t, s, charge), ports.Begun{RecordID: said.ID})
}

// servingTogether mixes concurrent lookups: some are served, some are not, and some cannot be written.
func servingTogether(t *testing.T, s ports.Store) {
	ctx, repos, key := t.Context(), s.Repos(), kit.ID()
	const n = 300
	here := kit.Kept(t, s, kit.ID(), kit.Doc(t, document.CPF, "52998224725"))
	also := kit.Kept(t, s, here.OrgID, kit.Doc(t, document.CPF, "11144477735"))
	taken := kit.Free(t, key, here)
	_, err := repos.History.Serve(ctx, taken, time.Time{})
	kit.Must(t, err)
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			want := []lookup.Record{here, also}[i%2]
			e := kit.Free(t, key, want)
			switch {
			case i%50 == 0:
				e.ID = taken.ID
				_, err := repos.History.Serve(ctx, e, time.Time{})
				kit.WantErr(t, "an id that is taken", err, ports.ErrExists)
				return
			case i%3 == 0:
				_, err := repos.History.Serve(ctx, e, kit.At.Add(time.Hour))
				kit.WantErr(t, "stale", err, ports.ErrNotFound)
				return
			}
			got, err := repos.History.Serve(ctx, e, time.Time{})
			if err != nil {
				t.Error(err)
				return
			}
			kit.Same(t, "record", got, want)
			if entry, err := repos.Statement.Find(ctx, ports.AnyOrg, e.ID); err != nil || entry.RecordID != want.ID {
				t.Errorf("the entry of an answered lookup is not there, or not whole: %v", err)
			}
		})
	}
	wg.Wait()
	entries, err := repos.Statement.Page(ctx, lookup.Asker{OrgID: here.OrgID, KeyID: key}, lookup.Filter{}, "", 2*n)
	kit.Must(t, err)
	kit.Same(t, "entries", len(entries), 1+n-n/3-4)
}

func historyRecords(t *testing.T, s ports.Store) {
	ctx, repos, person := t.Context(), s.Repos(), kit.Doc(t, document.CPF, "52998224725")
	rec := kit.Kept(t, s, kit.ID(), person)
	older := rec
	older.ID, older.AnsweredAt, older.Found = kit.ID(), kit.At.Add(-time.Hour), false
	kit.Must(t, repos.History.Save(ctx, older))
	records, err := repos.History.Records(ctx, rec.OrgID, []string{rec.ID, older.ID, kit.ID()})
	kit.Must(t, err)
	kit.Same(t, "records", records, map[string]lookup.Record{rec.ID: rec, older.ID: older})
	answers, err := repos.History.Answers(ctx, rec.OrgID, rec.Product, person, 5)
	kit.Must(t, err)
	bare := []lookup.Record{rec, older}
	for i := range bare {
		bare[i].Fields, bare[i].Raw = nil, nil
	}
	kit.Same(t, "answers", answers, bare)
}

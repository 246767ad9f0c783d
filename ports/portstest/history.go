package portstest

import (
	"sync"
	"testing"
	"time"

	"fichario/domain/document"
	"fichario/domain/lookup"
	"fichario/ports"
)

func history(t *testing.T, s ports.Store) {
	ctx, repos := t.Context(), s.Repos()
	orgID, person := id(), doc(t, document.CPF, "52998224725")
	_, err := repos.History.Latest(ctx, orgID, "cpf", person)
	wantErr(t, "empty history", err, ports.ErrNotFound)
	raw := "{ \"z\": 1.50, \"a\": 1e2,\n \"n\":12345678901234567890, \"h\":\"<b>&\u2028\\u00e9\", \"dup\":1, \"dup\":2 }"
	old := lookup.Record{
		ID: id(), OrgID: orgID, Product: "cpf", Document: person, AnsweredAt: at, Found: true, Schema: "s1",
		Fields: []byte(`{"nome":"Ana"}`), Raw: []byte(raw),
	}
	newer := old
	newer.ID, newer.AnsweredAt, newer.Found, newer.Raw = id(), at.Add(time.Microsecond), false, []byte("null")
	must(t, repos.History.Save(ctx, newer))
	must(t, repos.History.Save(ctx, old))
	got, err := repos.History.Latest(ctx, orgID, "cpf", person)
	must(t, err)
	same(t, "latest", got, newer)
	old.ID, old.AnsweredAt = id(), at.Add(time.Hour)
	must(t, repos.History.Save(ctx, old))
	got, err = repos.History.Latest(ctx, orgID, "cpf", person)
	must(t, err)
	same(t, "latest, byte for byte", got, old)
	for what, f := range map[string]func() error{
		"another organisation": func() error { _, err := repos.History.Latest(ctx, id(), "cpf", person); return err },
		"another product":      func() error { _, err := repos.History.Latest(ctx, orgID, "obito", person); return err },
		"another document": func() error {
			_, err := repos.History.Latest(ctx, orgID, "cpf", doc(t, document.CPF, "11144477735"))
			return err
		},
	} {
		wantErr(t, what, f(), ports.ErrNotFound)
	}
}

func serving(t *testing.T, s ports.Store) {
	ctx, repos, key := t.Context(), s.Repos(), id()
	rec := kept(t, s, id(), doc(t, document.CPF, "52998224725"))
	e := free(t, key, rec)
	got, err := repos.History.Serve(ctx, e, at.Add(-time.Microsecond))
	must(t, err)
	same(t, "served record", got, rec)
	e.RecordID = rec.ID
	entry, err := repos.Statement.Find(ctx, e.ID)
	must(t, err)
	same(t, "its entry", entry, e)

	byMember := free(t, "", rec)
	byMember.MemberID = id()
	_, err = repos.History.Serve(ctx, byMember, time.Time{})
	must(t, err)
	byMember.RecordID = rec.ID
	entry, err = repos.Statement.Find(ctx, byMember.ID)
	must(t, err)
	same(t, "entry of a member", entry, byMember)

	newer := rec
	newer.ID, newer.AnsweredAt, newer.Found, newer.Raw = id(), at.Add(time.Second), false, []byte("null")
	must(t, repos.History.Save(ctx, newer))
	got, err = repos.History.Serve(ctx, free(t, key, rec), at)
	must(t, err)
	same(t, "the newest is served", got, newer)

	stale, strange := free(t, key, rec), free(t, key, rec)
	_, err = repos.History.Serve(ctx, stale, at.Add(time.Second))
	wantErr(t, "answered at that time, not after it", err, ports.ErrNotFound)
	strange.Document = doc(t, document.CPF, "11144477735")
	_, err = repos.History.Serve(ctx, strange, time.Time{})
	wantErr(t, "a document without a record", err, ports.ErrNotFound)
	for _, unanswered := range []lookup.Entry{stale, strange} {
		_, err = repos.Statement.Find(ctx, unanswered.ID)
		wantErr(t, "entry of what was not served", err, ports.ErrNotFound)
	}
}

// servingTogether mixes concurrent lookups: some are served, some are not, and some cannot be written.
func servingTogether(t *testing.T, s ports.Store) {
	ctx, repos, key := t.Context(), s.Repos(), id()
	const n = 300
	here := kept(t, s, id(), doc(t, document.CPF, "52998224725"))
	also := kept(t, s, here.OrgID, doc(t, document.CPF, "11144477735"))
	taken := free(t, key, here)
	_, err := repos.History.Serve(ctx, taken, time.Time{})
	must(t, err)
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			want := []lookup.Record{here, also}[i%2]
			e := free(t, key, want)
			switch {
			case i%50 == 0:
				e.ID = taken.ID
				_, err := repos.History.Serve(ctx, e, time.Time{})
				wantErr(t, "an id that is taken", err, ports.ErrExists)
				return
			case i%3 == 0:
				_, err := repos.History.Serve(ctx, e, at.Add(time.Hour))
				wantErr(t, "stale", err, ports.ErrNotFound)
				return
			}
			got, err := repos.History.Serve(ctx, e, time.Time{})
			if err != nil {
				t.Error(err)
				return
			}
			same(t, "record", got, want)
			if entry, err := repos.Statement.Find(ctx, e.ID); err != nil || entry.RecordID != want.ID {
				t.Errorf("the entry of an answered lookup is not there, or not whole: %v", err)
			}
		})
	}
	wg.Wait()
	entries, err := repos.Statement.Page(ctx, lookup.Asker{OrgID: here.OrgID, KeyID: key}, lookup.Filter{}, "", 2*n)
	must(t, err)
	same(t, "entries", len(entries), 1+n-n/3-4)
}

func historyRecords(t *testing.T, s ports.Store) {
	ctx, repos, person := t.Context(), s.Repos(), doc(t, document.CPF, "52998224725")
	rec := kept(t, s, id(), person)
	older := rec
	older.ID, older.AnsweredAt, older.Found = id(), at.Add(-time.Hour), false
	must(t, repos.History.Save(ctx, older))
	records, err := repos.History.Records(ctx, []string{rec.ID, older.ID, id()})
	must(t, err)
	same(t, "records", records, map[string]lookup.Record{rec.ID: rec, older.ID: older})
	answers, err := repos.History.Answers(ctx, rec.OrgID, rec.Product, person, 5)
	must(t, err)
	bare := []lookup.Record{rec, older}
	for i := range bare {
		bare[i].Fields, bare[i].Raw = nil, nil
	}
	same(t, "answers", answers, bare)
}

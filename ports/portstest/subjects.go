package portstest

import (
	"bytes"
	"testing"
	"time"

	"fichario/domain/access"
	"fichario/domain/catalog"
	"fichario/domain/crm"
	"fichario/domain/document"
	"fichario/domain/lookup"
	"fichario/domain/privacy"
	"fichario/ports"
)

var ana = privacy.Identity{Type: privacy.CPF, Value: "52998224725"}

func catchUp(t *testing.T, s ports.Store) {
	t.Helper()
	must(t, s.(ports.SubjectIndex).CatchUp(t.Context())) //nolint:forcetypeassert // every store has one
}

// tracesOf returns all ids of a kind, read a few at a time.
func tracesOf(t *testing.T, s ports.Store, p *privacy.Person, k privacy.Kind) (all []string) {
	t.Helper()
	for after := ""; ; {
		ids, next, err := s.Repos().SubjectTraces.Traces(t.Context(), p, k, after, 2)
		must(t, err)
		all = append(all, ids...)
		if after = next; next == "" {
			return all
		}
	}
}

func subjectTraces(t *testing.T, s ports.Store) {
	ctx, repos, o, other := t.Context(), s.Repos(), org(t, s), org(t, s)
	cpf := doc(t, document.CPF, ana.Value)
	hashes, err := repos.Subjects.Hashes(ctx, o.ID, ana)
	must(t, err)
	theirs, err := repos.Subjects.Hashes(ctx, other.ID, ana)
	must(t, err)
	same(t, "one hash in two organisations", bytes.Equal(hashes[0], theirs[0]), false)
	var mine []string
	for n := range 7 {
		e := lookup.Entry{
			ID: id(), OrgID: o.ID, Product: catalog.CPF, Document: cpf, At: at, Status: lookup.Done, Cache: true,
		}
		switch n {
		case 5:
			e.OrgID = other.ID
		case 6:
			e.Document = doc(t, document.CPF, "11144477735")
		default:
			mine = append(mine, e.ID)
		}
		must(t, repos.Statement.Add(ctx, e))
	}
	p := &privacy.Person{OrgID: o.ID, Identities: []privacy.Identity{ana}}
	catchUp(t, s)
	catchUp(t, s)
	same(t, "his lookups", tracesOf(t, s, p, privacy.Lookups), mine)
	found, err := repos.Subjects.Resolve(ctx, o.ID, append(hashes, theirs...))
	must(t, err)
	same(t, "whose hash it is", found, []privacy.Identity{ana})
	must(t, s.InTx(ctx, func(r ports.Repos) error {
		gone, err := r.SubjectTraces.Erase(ctx, p, privacy.Lookups, mine[:3])
		same(t, "erased", gone[privacy.Lookups], 3)
		return err
	}))
	same(t, "what is left", tracesOf(t, s, p, privacy.Lookups), mine[3:])
	e, err := repos.Statement.Find(ctx, mine[0])
	must(t, err)
	same(t, "an erased entry", []any{e.Erased, e.Unreadable, e.Document.IsZero(), e.Product}, []any{true, false, true, "cpf"})
	catchUp(t, s)
	same(t, "what is left, indexed again", tracesOf(t, s, p, privacy.Lookups), mine[3:])
}

func subjectContacts(t *testing.T, s ports.Store) {
	ctx, repos, o, other := t.Context(), s.Repos(), org(t, s), org(t, s)
	stage := funnelOf(t, s, o.ID, true, "Novo").Stages[0].ID
	cpf := []document.Document{doc(t, document.CPF, ana.Value)}
	all := made(t, s,
		crm.Contact{
			OrgID: o.ID, Name: "Ana", Email: "Ana@Example.com", PhoneE164: "+5511987654321", Documents: cpf, StageID: stage,
		},
		crm.Contact{OrgID: o.ID, Name: "Ana", Email: "ana@example.com", StageID: stage},
		crm.Contact{OrgID: o.ID, Name: "Bia", Email: "bia@example.com", Documents: cpf, StageID: stage},
		crm.Contact{OrgID: other.ID, Name: "Ana", Email: "ana@example.com", Documents: cpf, StageID: stage},
	)
	for _, c := range []struct {
		by   privacy.Identity
		want []string
	}{
		{privacy.Identity{Type: privacy.Email, Value: "ana@example.com"}, []string{all[1].ID, all[0].ID}},
		{privacy.Identity{Type: privacy.Phone, Value: "+5511987654321"}, []string{all[0].ID}},
		{ana, []string{all[2].ID, all[0].ID}}, {privacy.Identity{Type: privacy.Plate, Value: "ABC1D23"}, nil},
	} {
		var got []string
		for before := ""; ; {
			some, err := repos.Subjects.Contacts(ctx, o.ID, c.by, before, 1)
			must(t, err)
			if len(some) == 0 {
				break
			}
			got, before = append(got, some[0].ID), some[0].ID
		}
		same(t, string(c.by.Type), got, c.want)
	}
	p := &privacy.Person{
		OrgID: o.ID, Identities: []privacy.Identity{ana}, Contacts: []string{all[0].ID}, Parts: []string{all[2].ID},
	}
	must(t, s.InTx(ctx, func(r ports.Repos) error {
		for _, k := range []privacy.Kind{privacy.Contacts, privacy.Parts} {
			ids, _, err := r.SubjectTraces.Traces(ctx, p, k, "", 10)
			must(t, err)
			gone, err := r.SubjectTraces.Erase(ctx, p, k, ids)
			must(t, err)
			same(t, "erased of "+string(k), gone[k], 1)
		}
		return nil
	}))
	_, err := repos.Contacts.Find(ctx, all[0].ID)
	wantErr(t, "his contact", err, ports.ErrNotFound)
	gone, err := repos.Removals.Find(ctx, all[0].ID)
	must(t, err)
	same(t, "what is known of it", []any{gone.Unreadable, gone.Contact.Name}, []any{true, ""})
	left, err := repos.Contacts.Find(ctx, all[2].ID)
	must(t, err)
	same(t, "somebody else's", []any{left.Name, len(left.Documents)}, []any{"Bia", 0})
	left, err = repos.Contacts.Find(ctx, all[3].ID)
	must(t, err)
	same(t, "another organisation's", len(left.Documents), 1)
}

func subjectBlocks(t *testing.T, s ports.Store) {
	ctx, repos, o, other := t.Context(), s.Repos(), org(t, s), org(t, s)
	hashes, err := repos.Subjects.Hashes(ctx, o.ID, ana)
	must(t, err)
	b := privacy.Block{ErasureID: id(), OrgID: o.ID, AskedBy: "Dona", At: at, Hashes: hashes}
	for range 2 {
		must(t, s.InTx(ctx, func(r ports.Repos) error { return r.SubjectBlocks.Block(ctx, b) }))
	}
	begin := func(orgID, cpf string, shared bool) error {
		t.Helper()
		_, err := repos.Calls.Begin(ctx, ports.Charge{
			Entry: lookup.Entry{
				ID: id(), OrgID: orgID, KeyID: id(), Product: catalog.CPF, Document: doc(t, document.CPF, cpf), At: time.Now(),
				Status: lookup.Running, Charged: true, Amount: 1, Day: "2026-11-20", Month: "2026-11",
			},
			Takes: time.Minute, Shared: shared, Caps: access.Limits{PerMinute: 1, PerDay: 9, PerMonth: 9},
		})
		return err
	}
	wantErr(t, "a call about him", begin(o.ID, ana.Value, true), ports.ErrBlocked)
	wantErr(t, "a fresh one", begin(o.ID, ana.Value, false), ports.ErrBlocked)
	must(t, begin(o.ID, "11144477735", true))
	must(t, begin(other.ID, ana.Value, true))
	yes, err := repos.SubjectBlocks.Blocked(ctx, o.ID, hashes)
	must(t, err)
	same(t, "blocked", yes, true)
	all, err := repos.SubjectBlocks.Blocks(ctx, o.ID, []string{id(), b.ErasureID, ""})
	must(t, err)
	same(t, "who is blocked", all, []privacy.Block{b})
	for _, of := range [][]string{nil, {id()}} {
		all, err = repos.SubjectBlocks.Blocks(ctx, o.ID, of)
		must(t, err)
		same(t, "who is blocked by another erasure", len(all), 0)
	}
	for _, was := range []bool{true, false} {
		yes, err = repos.SubjectBlocks.Unblock(ctx, o.ID, hashes)
		must(t, err)
		same(t, "was blocked", yes, was)
	}
	must(t, begin(o.ID, ana.Value, true))
}

// subjectsBarred: what began before an erasure has ended is refused, in the organisation that erased; what began later
// is not. A lookup that the history would answer finds nothing.
func subjectsBarred(t *testing.T, s ports.Store) {
	ctx, repos, o, other := t.Context(), s.Repos(), org(t, s), org(t, s)
	rec := kept(t, s, o.ID, doc(t, document.CPF, ana.Value))
	hashes, err := repos.Subjects.Hashes(ctx, o.ID, ana)
	must(t, err)
	entry := func(orgID, cpf string, since time.Time) lookup.Entry {
		return lookup.Entry{
			ID: id(), OrgID: orgID, KeyID: id(), Product: catalog.CPF, Document: doc(t, document.CPF, cpf), At: time.Now(),
			Status: lookup.Running, Charged: true, Amount: 1, Day: "2026-11-20", Month: "2026-11", Since: since,
		}
	}
	begin := func(orgID, cpf string, since time.Time) error {
		t.Helper()
		_, err := repos.Calls.Begin(ctx, ports.Charge{
			Entry: entry(orgID, cpf, since), Takes: time.Minute, Caps: access.Limits{PerMinute: 9, PerDay: 9, PerMonth: 9},
		})
		return err
	}
	add := func(since time.Time) error {
		e := entry(o.ID, ana.Value, since)
		e.Status, e.Charged, e.Amount, e.Cache, e.Day, e.Month = lookup.Done, false, 0, true, "", ""
		return repos.Statement.Add(ctx, e)
	}
	serve := func() error {
		e := entry(o.ID, ana.Value, time.Time{})
		e.Status, e.Charged, e.Amount, e.Cache, e.Day, e.Month = lookup.Done, false, 0, true, "", ""
		_, err := repos.History.Serve(ctx, e, rec.AnsweredAt.Add(-time.Hour))
		return err
	}
	must(t, serve())
	erasure, before := id(), time.Now()
	must(t, s.InTx(ctx, func(r ports.Repos) error { return r.SubjectBlocks.Bar(ctx, o.ID, erasure, hashes) }))
	wantErr(t, "a call while it runs", begin(o.ID, ana.Value, time.Time{}), ports.ErrErased)
	wantErr(t, "an entry while it runs", add(time.Time{}), ports.ErrErased)
	wantErr(t, "from the history while it runs", serve(), ports.ErrNotFound)
	must(t, begin(o.ID, "11144477735", before))
	must(t, begin(other.ID, ana.Value, before))
	barred := func(since time.Time, who privacy.Identity) bool {
		t.Helper()
		is, err := repos.SubjectBlocks.Barred(ctx, o.ID, since)
		must(t, err)
		return is != nil && is(who)
	}
	same(t, "she is barred", barred(time.Time{}, ana), true)
	same(t, "somebody else is", barred(time.Time{}, privacy.Identity{Type: privacy.CPF, Value: "11144477735"}), false)
	must(t, s.InTx(ctx, func(r ports.Repos) error { return r.SubjectBlocks.Unbar(ctx, id()) }))
	wantErr(t, "while another one ends", begin(o.ID, ana.Value, time.Time{}), ports.ErrErased)
	must(t, s.(ports.SubjectIndex).Quiet(ctx)) //nolint:forcetypeassert // every store has one
	must(t, s.InTx(ctx, func(r ports.Repos) error { return r.SubjectBlocks.Unbar(ctx, erasure) }))
	wantErr(t, "a call that began before", begin(o.ID, ana.Value, before), ports.ErrErased)
	wantErr(t, "an entry that began before", add(before), ports.ErrErased)
	same(t, "she was barred", barred(before, ana), true)
	same(t, "she is barred afterwards", barred(time.Time{}, ana), false)
	must(t, begin(o.ID, ana.Value, time.Time{}))
	must(t, add(time.Now()))
}

func erasures(t *testing.T, s ports.Store) {
	ctx, repos, o := t.Context(), s.Repos(), org(t, s)
	e := privacy.Erasure{
		ID: id(), OrgID: o.ID, State: privacy.Running, AskedBy: "Dona", At: at, Block: true, KeyID: "k",
		Hashes: [][]byte{bytes.Repeat([]byte{1}, 16), bytes.Repeat([]byte{2}, 16)}, Gone: privacy.Counts{},
		Person: &privacy.Person{OrgID: o.ID, Identities: []privacy.Identity{ana}},
	}
	must(t, s.InTx(ctx, func(r ports.Repos) error { return r.Erasures.AddErasure(ctx, e) }))
	wantErr(t, "twice", s.InTx(ctx, func(r ports.Repos) error { return r.Erasures.AddErasure(ctx, e) }), ports.ErrExists)
	got, err := repos.Erasures.FindErasure(ctx, e.ID)
	must(t, err)
	same(t, "as it was written", got, e)

	_, err = repos.Erasures.LeaseErasure(ctx, e.ID, "a", at, at.Add(time.Minute))
	must(t, err)
	_, err = repos.Erasures.LeaseErasure(ctx, "", "b", at.Add(59*time.Second), at.Add(2*time.Minute))
	wantErr(t, "leased by two", err, ports.ErrNotFound)
	_, err = repos.Erasures.LeaseErasure(ctx, e.ID, "a", at.Add(30*time.Second), at.Add(time.Minute))
	must(t, err)
	_, err = repos.Erasures.LeaseErasure(ctx, "", "b", at.Add(61*time.Second), at.Add(2*time.Minute))
	must(t, err)
	wantErr(t, "by who lost it", s.InTx(ctx, func(r ports.Repos) error {
		_, err := r.Erasures.LockErasure(ctx, e.ID, "a")
		return err
	}), ports.ErrNotFound)
	must(t, s.InTx(ctx, func(r ports.Repos) error {
		held, err := r.Erasures.LockErasure(ctx, e.ID, "b")
		must(t, err)
		held.State, held.Person, held.EndsAt, held.Gone = privacy.Done, nil, at, privacy.Counts{privacy.Lookups: 3}
		return r.Erasures.SaveErasure(ctx, held)
	}))
	all, err := repos.Erasures.Erasures(ctx, o.ID, "", 10)
	must(t, err)
	same(t, "its receipt", []any{len(all), all[0].State, all[0].Person == nil, all[0].Gone[privacy.Lookups]},
		[]any{1, privacy.Done, true, 3})
	_, err = repos.Erasures.LeaseErasure(ctx, "", "c", at.Add(time.Hour), at.Add(2*time.Hour))
	wantErr(t, "one that is done", err, ports.ErrNotFound)
}

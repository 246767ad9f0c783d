package privacy

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"fichario/domain/access"
	"fichario/domain/catalog"
	"fichario/domain/crm"
	"fichario/domain/document"
	"fichario/domain/lookup"
	"fichario/domain/privacy"
	"fichario/ports"
	"fichario/ports/portstest/kit"
)

var ana = privacy.Identity{Type: privacy.CPF, Value: "52998224725"}

func catchUp(t *testing.T, s ports.Store) {
	t.Helper()
	kit.Must(t, s.(ports.SubjectIndex).CatchUp(t.Context())) //nolint:forcetypeassert // every store has one
}

// tracesOf returns all ids of a kind, read a few at a time.
func tracesOf(t *testing.T, s ports.Store, p *privacy.Person, k privacy.Kind) (all []string) {
	t.Helper()
	for after := ""; ; {
		ids, next, err := s.Repos().SubjectTraces.Traces(t.Context(), p, k, after, 2)
		kit.Must(t, err)
		all = append(all, ids...)
		if after = next; next == "" {
			return all
		}
	}
}

func subjectTraces(t *testing.T, s ports.Store) {
	ctx, repos, o, other := t.Context(), s.Repos(), kit.Org(t, s), kit.Org(t, s)
	cpf := kit.Doc(t, document.CPF, ana.Value)
	hashes, err := repos.Subjects.Hashes(ctx, o.ID, ana)
	kit.Must(t, err)
	theirs, err := repos.Subjects.Hashes(ctx, other.ID, ana)
	kit.Must(t, err)
	kit.Same(t, "one hash in two organisations", bytes.Equal(hashes[0], theirs[0]), false)
	var mine []string
	for n := range 7 {
		e := lookup.Entry{
			ID: kit.ID(), OrgID: o.ID, Product: catalog.CPF, Document: cpf, At: kit.At, Status: lookup.Done, Cache: true,
		}
		switch n {
		case 5:
			e.OrgID = other.ID
		case 6:
			e.Document = kit.Doc(t, document.CPF, "11144477735")
		default:
			mine = append(mine, e.ID)
		}
		kit.Must(t, repos.Statement.Add(ctx, e))
	}
	p := &privacy.Person{OrgID: o.ID, Identities: []privacy.Identity{ana}}
	catchUp(t, s)
	catchUp(t, s)
	kit.Same(t, "his lookups", tracesOf(t, s, p, privacy.Lookups), mine)
	found, err := repos.Subjects.Resolve(ctx, o.ID, append(hashes, theirs...))
	kit.Must(t, err)
	kit.Same(t, "whose hash it is", found, []privacy.Identity{ana})
	kit.Must(t, s.InTx(ctx, func(ctx context.Context, r ports.Repos) error {
		gone, err := r.SubjectTraces.Erase(ctx, p, privacy.Lookups, mine[:3])
		kit.Same(t, "erased", gone[privacy.Lookups], 3)
		return err
	}))
	kit.Same(t, "what is left", tracesOf(t, s, p, privacy.Lookups), mine[3:])
	e, err := repos.Statement.Find(ctx, ports.AnyOrg, mine[0])
	kit.Must(t, err)
	kit.Same(t, "an erased entry", []any{e.Erased, e.Unreadable, e.Document.IsZero(), e.Product},
		[]any{true, false, true, "cpf"})
	catchUp(t, s)
	kit.Same(t, "what is left, indexed again", tracesOf(t, s, p, privacy.Lookups), mine[3:])
}

func subjectContacts(t *testing.T, s ports.Store) {
	ctx, repos, o, other := t.Context(), s.Repos(), kit.Org(t, s), kit.Org(t, s)
	stage := kit.FunnelOf(t, s, o.ID, true, "Novo").Stages[0].ID
	cpf := []document.Document{kit.Doc(t, document.CPF, ana.Value)}
	all := kit.Made(t, s,
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
			kit.Must(t, err)
			if len(some) == 0 {
				break
			}
			got, before = append(got, some[0].ID), some[0].ID
		}
		kit.Same(t, string(c.by.Type), got, c.want)
	}
	p := &privacy.Person{
		OrgID: o.ID, Identities: []privacy.Identity{ana}, Contacts: []string{all[0].ID}, Parts: []string{all[2].ID},
	}
	kit.Must(t, s.InTx(ctx, func(ctx context.Context, r ports.Repos) error {
		for _, k := range []privacy.Kind{privacy.Contacts, privacy.Parts} {
			ids, _, err := r.SubjectTraces.Traces(ctx, p, k, "", 10)
			kit.Must(t, err)
			gone, err := r.SubjectTraces.Erase(ctx, p, k, ids)
			kit.Must(t, err)
			kit.Same(t, "erased of "+string(k), gone[k], 1)
		}
		return nil
	}))
	_, err := repos.Contacts.Find(ctx, ports.AnyOrg, all[0].ID)
	kit.WantErr(t, "his contact", err, ports.ErrNotFound)
	gone, err := repos.Removals.Find(ctx, ports.AnyOrg, all[0].ID)
	kit.Must(t, err)
	kit.Same(t, "what is known of it", []any{gone.Unreadable, gone.Contact.Name}, []any{true, ""})
	left, err := repos.Contacts.Find(ctx, ports.AnyOrg, all[2].ID)
	kit.Must(t, err)
	kit.Same(t, "somebody else's", []any{left.Name, len(left.Documents)}, []any{"Bia", 0})
	left, err = repos.Contacts.Find(ctx, ports.AnyOrg, all[3].ID)
	kit.Must(t, err)
	kit.Same(t, "another organisation's", len(left.Documents), 1)
}

func subjectBlocks(t *testing.T, s ports.Store) {
	ctx, repos, o, other := t.Context(), s.Repos(), kit.Org(t, s), kit.Org(t, s)
	hashes, err := repos.Subjects.Hashes(ctx, o.ID, ana)
	kit.Must(t, err)
	b := privacy.Block{ErasureID: kit.ID(), OrgID: o.ID, AskedBy: "Dona", At: kit.At, Hashes: hashes}
	for range 2 {
		kit.Must(t, s.InTx(ctx, func(ctx context.Context, r ports.Repos) error { return r.SubjectBlocks.Block(ctx, b) }))
	}
	begin := func(orgID, cpf string, shared bool) error {
		t.Helper()
		_, err := repos.Calls.Begin(ctx, ports.Charge{
			Entry: lookup.Entry{
				ID: kit.ID(), OrgID: orgID, KeyID: kit.ID(), Product: catalog.CPF, Document: kit.Doc(t, document.CPF, cpf),
				At:     time.Now(),
				Status: lookup.Running, Charged: true, Amount: 1, Day: "2026-11-20", Month: "2026-11",
			},
			Takes: time.Minute, Shared: shared, Caps: access.Limits{PerMinute: 1, PerDay: 9, PerMonth: 9},
		})
		return err
	}
	kit.WantErr(t, "a call about him", begin(o.ID, ana.Value, true), ports.ErrBlocked)
	kit.WantErr(t, "a fresh one", begin(o.ID, ana.Value, false), ports.ErrBlocked)
	kit.Must(t, begin(o.ID, "11144477735", true))
	kit.Must(t, begin(other.ID, ana.Value, true))
	yes, err := repos.SubjectBlocks.Blocked(ctx, o.ID, hashes)
	kit.Must(t, err)
	kit.Same(t, "blocked", yes, true)
	all, err := repos.SubjectBlocks.Blocks(ctx, o.ID, []string{kit.ID(), b.ErasureID, ""})
	kit.Must(t, err)
	kit.Same(t, "who is blocked", all, []privacy.Block{b})
	for _, of := range [][]string{nil, {kit.ID()}} {
		all, err = repos.SubjectBlocks.Blocks(ctx, o.ID, of)
		kit.Must(t, err)
		kit.Same(t, "who is blocked by another erasure", len(all), 0)
	}
	for _, was := range []bool{true, false} {
		yes, err = repos.SubjectBlocks.Unblock(ctx, o.ID, hashes)
		kit.Must(t, err)
		kit.Same(t, "was blocked", yes, was)
	}
	kit.Must(t, begin(o.ID, ana.Value, true))
	manyHashes(t, s, o.ID)
}

// manyHashes: whoever has more addresses than a statement has parameters, as a machine that tries a form, is erased and
// blocked like anybody else.
func manyHashes(t *testing.T, s ports.Store, orgID string) {
	t.Helper()
	p, all := &privacy.Person{OrgID: orgID}, make([][]byte, 33_000)
	for i := range all {
		all[i] = fmt.Appendf(nil, "hash %011d", i)
		p.Identities = append(p.Identities, privacy.Identity{Type: privacy.Email, Value: fmt.Sprintf("%d@x.example", i)})
	}
	erasure := kit.ID()
	kit.Must(t, s.InTx(t.Context(), func(ctx context.Context, r ports.Repos) error {
		_, blank := r.AuditRemovals.Blank(ctx, orgID, erasure, ports.AuditTraces{Subjects: all}, 9)
		_, erase := r.SubjectTraces.Erase(ctx, p, privacy.Items, []string{kit.ID()})
		some := all[:9_000]
		return errors.Join(blank, erase, r.SubjectBlocks.Bar(ctx, orgID, erasure, some), r.SubjectBlocks.Block(ctx,
			privacy.Block{ErasureID: erasure, OrgID: orgID, AskedBy: "Dona", At: kit.At, Hashes: some}))
	}))
	blocks, err := s.Repos().SubjectBlocks.Blocks(t.Context(), orgID, []string{erasure})
	kit.Must(t, err)
	kit.Same(t, "hashes that are blocked", len(blocks[0].Hashes), 9_000)
}

// subjectsBarred: what began before an erasure has ended is refused, in the organisation that erased; what began later
// is not. A lookup that the history would answer finds nothing.
func subjectsBarred(t *testing.T, s ports.Store) {
	ctx, repos, o, other := t.Context(), s.Repos(), kit.Org(t, s), kit.Org(t, s)
	rec := kit.Kept(t, s, o.ID, kit.Doc(t, document.CPF, ana.Value))
	hashes, err := repos.Subjects.Hashes(ctx, o.ID, ana)
	kit.Must(t, err)
	entry := func(orgID, cpf string, since time.Time) lookup.Entry {
		return lookup.Entry{
			ID: kit.ID(), OrgID: orgID, KeyID: kit.ID(), Product: catalog.CPF, Document: kit.Doc(t, document.CPF, cpf),
			At:     time.Now(),
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
	kit.Must(t, serve())
	erasure, before := kit.ID(), time.Now()
	kit.Must(t, s.InTx(ctx, func(ctx context.Context, r ports.Repos) error {
		return r.SubjectBlocks.Bar(ctx, o.ID, erasure, hashes)
	}))
	kit.WantErr(t, "a call while it runs", begin(o.ID, ana.Value, time.Time{}), ports.ErrErased)
	kit.WantErr(t, "an entry while it runs", add(time.Time{}), ports.ErrErased)
	kit.WantErr(t, "from the history while it runs", serve(), ports.ErrNotFound)
	kit.Must(t, begin(o.ID, "11144477735", before))
	kit.Must(t, begin(other.ID, ana.Value, before))
	barred := func(since time.Time, who privacy.Identity) bool {
		t.Helper()
		is, err := repos.SubjectBlocks.Barred(ctx, o.ID, since)
		kit.Must(t, err)
		return is != nil && is(who)
	}
	kit.Same(t, "she is barred", barred(time.Time{}, ana), true)
	kit.Same(t, "somebody else is", barred(time.Time{}, privacy.Identity{Type: privacy.CPF, Value: "11144477735"}), false)
	kit.Must(t, s.InTx(ctx, func(ctx context.Context, r ports.Repos) error {
		return r.SubjectBlocks.Unbar(ctx, o.ID, kit.ID())
	}))
	kit.WantErr(t, "while another one ends", begin(o.ID, ana.Value, time.Time{}), ports.ErrErased)
	kit.Must(t, s.(ports.SubjectIndex).Quiet(ctx)) //nolint:forcetypeassert // every store has one
	kit.Must(t, s.InTx(ctx, func(ctx context.Context, r ports.Repos) error {
		return r.SubjectBlocks.Unbar(ctx, o.ID, erasure)
	}))
	kit.WantErr(t, "a call that began before", begin(o.ID, ana.Value, before), ports.ErrErased)
	kit.WantErr(t, "an entry that began before", add(before), ports.ErrErased)
	kit.Same(t, "she was barred", barred(before, ana), true)
	kit.Same(t, "she is barred afterwards", barred(time.Time{}, ana), false)
	kit.Must(t, begin(o.ID, ana.Value, time.Time{}))
	kit.Must(t, add(time.Now()))
}

// subjectsBarredTwice: whoever is erased by two erasures at once, or shares an identity with whom the other erases, is
// barred until both have ended, whichever ends first.
func subjectsBarredTwice(t *testing.T, s ports.Store) {
	ctx, repos, o := t.Context(), s.Repos(), kit.Org(t, s)
	bia := privacy.Identity{Type: privacy.CPF, Value: "11144477735"}
	hashes, err := repos.Subjects.Hashes(ctx, o.ID, ana, bia)
	kit.Must(t, err)
	barred := func(who privacy.Identity) bool {
		t.Helper()
		is, err := repos.SubjectBlocks.Barred(ctx, o.ID, time.Time{})
		kit.Must(t, err)
		return is != nil && is(who)
	}
	for _, firstEnds := range []bool{true, false} {
		var ids []string
		for n := range 2 { // the second one knows less
			e := privacy.Erasure{
				ID: kit.ID(), OrgID: o.ID, State: privacy.Running, AskedBy: "Dona", At: kit.At, KeyID: "k", Hashes: hashes[n:],
				Gone: privacy.Counts{}, Person: &privacy.Person{OrgID: o.ID},
			}
			ids = append(ids, e.ID)
			kit.Must(t, s.InTx(ctx, func(ctx context.Context, r ports.Repos) error {
				kit.Must(t, r.Erasures.AddErasure(ctx, e))
				return r.SubjectBlocks.Bar(ctx, o.ID, e.ID, e.Hashes)
			}))
		}
		end := func(id string) {
			t.Helper()
			_, err := repos.Erasures.LeaseErasure(ctx, id, "a", kit.At, kit.At.Add(time.Minute))
			kit.Must(t, err)
			kit.Must(t, s.InTx(ctx, func(ctx context.Context, r ports.Repos) error {
				e, err := r.Erasures.LockErasure(ctx, id, "a")
				kit.Must(t, err)
				e.State, e.Person, e.EndsAt = privacy.Done, nil, kit.At
				kit.Must(t, r.Erasures.SaveErasure(ctx, e))
				return r.SubjectBlocks.Unbar(ctx, o.ID, id)
			}))
		}
		kit.Same(t, "barred by two", []any{barred(ana), barred(bia)}, []any{true, true})
		if !firstEnds {
			ids[0], ids[1] = ids[1], ids[0]
		}
		end(ids[0])
		kit.Same(t, "while the other runs", []any{barred(ana), barred(bia)}, []any{!firstEnds, true})
		kit.Must(t, s.(ports.SubjectIndex).Quiet(ctx)) //nolint:forcetypeassert // every store has one
		end(ids[1])
		kit.Same(t, "when both have ended", []any{barred(ana), barred(bia)}, []any{false, false})
	}
}

func erasures(t *testing.T, s ports.Store) {
	ctx, repos, o := t.Context(), s.Repos(), kit.Org(t, s)
	e := privacy.Erasure{
		ID: kit.ID(), OrgID: o.ID, State: privacy.Running, AskedBy: "Dona", At: kit.At, Block: true, KeyID: "k",
		Hashes: [][]byte{bytes.Repeat([]byte{1}, 16), bytes.Repeat([]byte{2}, 16)}, Gone: privacy.Counts{},
		Person: &privacy.Person{OrgID: o.ID, Identities: []privacy.Identity{ana}, Contacts: []string{kit.ID()}},
	}
	kit.Must(t, s.InTx(ctx, func(ctx context.Context, r ports.Repos) error { return r.Erasures.AddErasure(ctx, e) }))
	kit.WantErr(t, "twice", s.InTx(ctx, func(ctx context.Context, r ports.Repos) error {
		return r.Erasures.AddErasure(ctx, e)
	}),
		ports.ErrExists)
	got, err := repos.Erasures.FindErasure(ctx, ports.AnyOrg, e.ID)
	kit.Must(t, err)
	kit.Same(t, "as it was written", got, e)

	_, err = repos.Erasures.LeaseErasure(ctx, e.ID, "a", kit.At, kit.At.Add(time.Minute))
	kit.Must(t, err)
	_, err = repos.Erasures.LeaseErasure(ctx, "", "b", kit.At.Add(59*time.Second), kit.At.Add(2*time.Minute))
	kit.WantErr(t, "leased by two", err, ports.ErrNotFound)
	_, err = repos.Erasures.LeaseErasure(ctx, e.ID, "a", kit.At.Add(30*time.Second), kit.At.Add(time.Minute))
	kit.Must(t, err)
	_, err = repos.Erasures.LeaseErasure(ctx, "", "b", kit.At.Add(61*time.Second), kit.At.Add(2*time.Minute))
	kit.Must(t, err)
	kit.WantErr(t, "by who lost it", s.InTx(ctx, func(ctx context.Context, r ports.Repos) error {
		_, err := r.Erasures.LockErasure(ctx, e.ID, "a")
		return err
	}), ports.ErrNotFound)
	kit.Must(t, s.InTx(ctx, func(ctx context.Context, r ports.Repos) error {
		held, err := r.Erasures.LockErasure(ctx, e.ID, "b")
		kit.Must(t, err)
		held.Person.Parts = []string{e.ID}
		kit.Must(t, r.Erasures.SaveErasure(ctx, held))
		held.State, held.Person, held.EndsAt, held.Gone = privacy.Done, nil, kit.At, privacy.Counts{privacy.Lookups: 3}
		return r.Erasures.SaveErasure(ctx, held)
	}))
	all, err := repos.Erasures.Erasures(ctx, o.ID, "", 10)
	kit.Must(t, err)
	kit.Same(t, "its receipt", []any{len(all), all[0].State, all[0].Person == nil, all[0].Gone[privacy.Lookups]},
		[]any{1, privacy.Done, true, 3})
	kit.Same(t, "its line in a journal, when it is done", all[0].Entry(), privacy.Entry{
		ID: e.ID, OrgID: o.ID, AskedBy: "Dona", At: kit.At, Block: true, KeyID: "k", Hashes: e.Hashes,
		Contacts: e.Person.Contacts, Parts: []string{e.ID},
	})
	_, err = repos.Erasures.LeaseErasure(ctx, "", "c", kit.At.Add(time.Hour), kit.At.Add(2*time.Hour))
	kit.WantErr(t, "one that is done", err, ports.ErrNotFound)
}

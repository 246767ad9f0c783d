package contacts

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"fichario/domain/crm"
	"fichario/domain/document"
	"fichario/domain/privacy"
	"fichario/ports"
	"fichario/ports/portstest/kit"
)

func alikeContacts(t *testing.T, s ports.Store) {
	ctx, repos, o, other := t.Context(), s.Repos(), kit.Org(t, s), kit.Org(t, s)
	stage := kit.FunnelOf(t, s, o.ID, true, "Novo").Stages[0].ID
	cpf := []document.Document{kit.Doc(t, document.CPF, "52998224725")}
	all := kit.Made(t, s,
		crm.Contact{OrgID: o.ID, Name: "Ana", Email: "Ana@Example.com", PhoneE164: "+5511987654321", Documents: cpf,
			StageID: stage},
		crm.Contact{OrgID: o.ID, Name: "Por e-mail", Email: "ana@example.COM", StageID: stage},
		crm.Contact{OrgID: o.ID, Name: "Por telefone", Email: "b@example.com", PhoneE164: "+5511987654321", StageID: stage},
		crm.Contact{OrgID: o.ID, Name: "Por documento", Email: "c@example.com", Documents: cpf, StageID: stage},
		crm.Contact{OrgID: o.ID, Name: "Outra", Email: "d@example.com", StageID: stage},
		crm.Contact{
			OrgID: other.ID, Name: "De outra organização", Email: "ana@example.com", PhoneE164: "+5511987654321",
			Documents: cpf, StageID: stage,
		},
	)
	names := func(c crm.Contact, most int) (out []string) {
		t.Helper()
		found, err := repos.ContactSearch.Alike(ctx, c, most)
		kit.Must(t, err)
		for _, c := range found {
			out = append(out, c.Name)
		}
		return out
	}
	kit.Same(t, "alike, newest first", names(all[0], 10), []string{"Por documento", "Por telefone", "Por e-mail"})
	kit.Same(t, "up to two", names(all[0], 2), []string{"Por documento", "Por telefone"})
	kit.Same(t, "alike to nobody", len(names(all[4], 10)), 0)
	again := kit.Made(t, s, crm.Contact{
		OrgID: o.ID, Name: "De novo", Email: "ANA@example.com", PhoneE164: "+5511987654321", Documents: cpf, StageID: stage,
	})[0]
	asked := []string{all[0].ID, all[2].ID, all[4].ID, all[5].ID, again.ID}
	of, err := repos.ContactSearch.AlikeBefore(ctx, o.ID, asked, 100)
	kit.Must(t, err)
	kit.Same(t, "who came before some", of, map[string][]string{
		all[2].ID: {all[0].ID}, again.ID: {all[3].ID, all[2].ID, all[1].ID, all[0].ID},
	})
	of, err = repos.ContactSearch.AlikeBefore(ctx, o.ID, asked, 1)
	kit.Must(t, err)
	kit.Same(t, "the last one before each", of, map[string][]string{all[2].ID: {all[0].ID}, again.ID: {all[3].ID}})
	of, err = repos.ContactSearch.AlikeBefore(ctx, o.ID, nil, 100)
	kit.Must(t, err)
	kit.Same(t, "before none", len(of), 0)
}

// remove removes a contact.
func remove(t *testing.T, s ports.Store, gone crm.Removal) {
	t.Helper()
	kit.Must(t, s.InTx(t.Context(), func(_ context.Context, r ports.Repos) error {
		return r.Removals.Remove(t.Context(), gone)
	}))
}

func removedContacts(t *testing.T, s ports.Store) {
	ctx, repos, o := t.Context(), s.Repos(), kit.Org(t, s)
	w, _ := kit.Hook(t, s, o.ID)
	stage := kit.FunnelOf(t, s, o.ID, true, "Novo").Stages[0].ID
	a := kit.Arrival(w, stage)
	a.People[0].Key, a.People[0].Contact.OriginID = "k", kit.Origin(t, s, o.ID, "Site").ID
	_, err := repos.Inbox.Take(ctx, a)
	kit.Must(t, err)
	c, err := repos.Contacts.Find(ctx, ports.AnyOrg, a.People[0].Contact.ID)
	kit.Must(t, err)
	gone := crm.Removal{Contact: c, By: "Ana", At: kit.At}
	remove(t, s, gone)
	for since, want := range map[time.Duration]int{0: 1, time.Second: 0} {
		changed, err := repos.ContactHistory.Changed(ctx, kit.At.Add(since))
		kit.Must(t, err)
		kit.Same(t, "a removal is a change", changed[o.ID].Removed, want)
	}
	_, err = repos.Contacts.Find(ctx, ports.AnyOrg, c.ID)
	kit.WantErr(t, "a removed contact", err, ports.ErrNotFound)
	kept, err := repos.Removals.Find(ctx, ports.AnyOrg, c.ID)
	kit.Must(t, err)
	kit.Same(t, "what it was", kept, gone)
	n, err := repos.ContactSearch.Count(ctx, o.ID, ports.ContactFilter{Words: []string{"bia"}}, 10)
	kit.Must(t, err)
	kit.Same(t, "found by its words", n, 0)
	totals, err := repos.ContactSearch.Totals(ctx, o.ID, ports.ContactFilter{Stages: []string{stage}}, 100)
	kit.Must(t, err)
	kit.Same(t, "in its stage", len(totals), 0)
	first, err := repos.Inbox.Known(ctx, w.OrgID, w.ID, []string{"k"}, a.Fingerprint)
	kit.Must(t, err)
	kit.Same(t, "a retry is answered with its id", first[0].ContactID, c.ID)
	_, err = repos.Removals.Survivor(ctx, o.ID, c.ID)
	kit.WantErr(t, "survivor of a deleted contact", err, ports.ErrNotFound)
	err = s.InTx(ctx, func(ctx context.Context, r ports.Repos) error { return r.Removals.Remove(ctx, gone) })
	kit.WantErr(t, "removed twice", err, ports.ErrNotFound)

	back := crm.Event{ID: kit.ID(), OrgID: o.ID, ContactID: c.ID, Kind: crm.Restored, Actor: "Ana", At: kit.At}
	restore := func(ctx context.Context, r ports.Repos) error { return r.Removals.Restore(ctx, c, back) }
	kit.Must(t, s.InTx(ctx, restore))
	again, err := repos.Contacts.Find(ctx, ports.AnyOrg, c.ID)
	kit.Must(t, err)
	kit.Same(t, "brought back", again, c)
	events, err := repos.ContactHistory.Events(ctx, o.ID, c.ID)
	kit.Must(t, err)
	kit.Same(t, "its history", len(events), 2)
	totals, err = repos.ContactSearch.Totals(ctx, o.ID, ports.ContactFilter{Stages: []string{stage}}, 100)
	kit.Must(t, err)
	kit.Same(t, "in its stage again", totals[stage], ports.StageTotal{Count: 1, Amount: c.Amount})
	kit.WantErr(t, "brought back twice", s.InTx(ctx, restore), ports.ErrNotFound)

	remove(t, s, gone)
	for _, f := range []struct{ before, n, events int }{{0, 0, 2}, {1, 1, 0}, {1, 0, 0}} {
		n, err := repos.Removals.Forget(ctx, kit.At.Add(time.Duration(f.before)*time.Microsecond), kit.At.Add(-time.Hour))
		kit.Must(t, err)
		kit.Same(t, "forgotten", n, f.n)
		events, err := repos.ContactHistory.Events(ctx, o.ID, c.ID)
		kit.Must(t, err)
		kit.Same(t, "history that is kept", len(events), f.events)
	}
	kept, err = repos.Removals.Find(ctx, ports.AnyOrg, c.ID)
	kit.Must(t, err)
	kit.Same(t, "what it was can be read", kept.Unreadable, true)
	kit.WantErr(t, "brought back from memory", s.InTx(ctx, restore), ports.ErrNotFound)
}

// firstEntries: the history of a contact that came by a webhook begins with one entry of that, whether an earlier
// version stored it or not, and however often it is removed and comes back.
func firstEntries(t *testing.T, s ports.Store) {
	ctx, repos, o := t.Context(), s.Repos(), kit.Org(t, s)
	w, _ := kit.Hook(t, s, o.ID)
	stage := kit.FunnelOf(t, s, o.ID, true, "Novo").Stages[0].ID
	for _, stored := range []bool{false, true} {
		a := kit.Arrival(w, stage)
		a.People[0].Contact.OriginID = ""
		_, err := repos.Inbox.Take(ctx, a)
		kit.Must(t, err)
		c := a.People[0].Contact
		want := []crm.Event{kit.Came(c, w)}
		if stored {
			want[0].ID = kit.ID()
			kit.Must(t, s.InTx(ctx, func(ctx context.Context, r ports.Repos) error {
				return r.ContactHistory.Log(ctx, want[0])
			}))
		}
		history := func(what string) {
			t.Helper()
			events, err := repos.ContactHistory.Events(ctx, o.ID, c.ID)
			kit.Must(t, err)
			kit.Same(t, what, events, want)
		}
		history("as it came")
		others := want[0]
		others.ID, others.OrgID = kit.ID(), kit.Org(t, s).ID
		kit.WantErr(t, "an entry of another organisation", s.InTx(ctx, func(ctx context.Context, r ports.Repos) error {
			return r.ContactHistory.Log(ctx, others)
		}), ports.ErrNotFound)
		for range 2 {
			remove(t, s, crm.Removal{Contact: c, By: "Ana", At: kit.At})
			w.Name += " de novo"
			kit.Must(t, repos.Webhooks.Update(ctx, w, kit.At.Add(time.Hour)))
			history("removed")
			back := crm.Event{ID: kit.ID(), OrgID: o.ID, ContactID: c.ID, Kind: crm.Restored, Actor: "Ana", At: kit.At}
			kit.Must(t, s.InTx(ctx, func(ctx context.Context, r ports.Repos) error { return r.Removals.Restore(ctx, c, back) }))
			want = append(want, back)
			history("brought back")
		}
		w.Name = want[0].Actor
		kit.Must(t, repos.Webhooks.Update(ctx, w, kit.At.Add(time.Hour)))
	}
}

func mergedContacts(t *testing.T, s ports.Store) {
	ctx, repos, o := t.Context(), s.Repos(), kit.Org(t, s)
	w, _ := kit.Hook(t, s, o.ID)
	stage := kit.FunnelOf(t, s, o.ID, true, "Novo").Stages[0].ID
	var all []crm.Contact
	for _, key := range []string{"a", "b", "c"} {
		a := kit.Arrival(w, stage)
		a.People[0].Key = key
		_, err := repos.Inbox.Take(ctx, a)
		kit.Must(t, err)
		all = append(all, a.People[0].Contact)
	}
	remove(t, s, crm.Removal{Contact: all[0], IntoID: all[1].ID, Before: all[1], After: all[1], By: "Ana", At: kit.At})
	remove(t, s, crm.Removal{Contact: all[1], IntoID: all[2].ID, Before: all[2], After: all[2], By: "Ana", At: kit.At})
	for i, c := range all {
		survivor, err := repos.Removals.Survivor(ctx, o.ID, c.ID)
		kit.Must(t, err)
		kit.Same(t, "survivor", survivor, all[2].ID)
		first, err := repos.Inbox.Known(ctx, w.OrgID, w.ID, []string{"a", "b", "c"}[i:i+1], nil)
		kit.Must(t, err)
		kit.Same(t, "a retry is answered with", first[0].ContactID, all[2].ID)
		events, err := repos.ContactHistory.Events(ctx, o.ID, c.ID)
		kit.Must(t, err)
		kit.Same(t, "history", len(events), i+1)
	}
	_, err := repos.Removals.Survivor(ctx, o.ID, kit.ID())
	kit.WantErr(t, "survivor of none", err, ports.ErrNotFound)
	into, err := repos.Removals.Into(ctx, o.ID, all[2].ID)
	kit.Must(t, err)
	kit.Same(t, "what became part of it", len(into), 1)
	theirs, err := repos.Removals.Into(ctx, kit.ID(), all[2].ID)
	kit.Must(t, err)
	kit.Same(t, "in another organisation", len(theirs), 0)
	_, err = repos.Removals.Survivor(ctx, kit.ID(), all[0].ID)
	kit.WantErr(t, "survivor in another organisation", err, ports.ErrNotFound)
	kit.Same(t, "and what that was", into[0].Contact, all[1])
	changed := into[0]
	changed.Before.Name = "Outra"
	kit.Must(t, s.InTx(ctx, func(ctx context.Context, r ports.Repos) error { return r.Removals.Save(ctx, changed) }))
	changed, err = repos.Removals.Find(ctx, o.ID, changed.Contact.ID)
	kit.Must(t, err)
	kit.Same(t, "what it is kept with", changed.Before.Name, "Outra")
	known := privacy.Identity{Type: privacy.Email, Value: strings.ToLower(all[0].Email)}
	merged := func(orgID string) (ids []string) {
		found, err := repos.Subjects.Merged(ctx, orgID, known)
		kit.Must(t, err)
		for _, one := range found {
			if !slices.Contains(ids, one.Into.ID) {
				ids = append(ids, one.Into.ID)
			}
			kit.Same(t, "which was merged", one.ID == all[0].ID || one.ID == all[1].ID, true)
		}
		return ids
	}
	kit.Same(t, "what it became part of", merged(o.ID), []string{all[2].ID})
	kit.Same(t, "in another organisation", len(merged(kit.ID())), 0)
	n, err := repos.Removals.Forget(ctx, kit.At.Add(time.Hour), kit.At)
	kit.Must(t, err)
	kit.Same(t, "merges forgotten too early", n, 0)
	n, err = repos.Removals.Forget(ctx, kit.At.Add(time.Hour), kit.At.Add(time.Hour))
	kit.Must(t, err)
	kit.Same(t, "merges forgotten", n, 2)
	into, err = repos.Removals.Into(ctx, o.ID, all[2].ID)
	kit.Must(t, err)
	kit.Same(t, "what became part of it then",
		[]any{len(into), into[0].Contact.ID, into[0].Unreadable, into[0].Contact.Name}, []any{1, all[1].ID, true, ""})
	events, err := repos.ContactHistory.Events(ctx, o.ID, all[2].ID)
	kit.Must(t, err)
	kit.Same(t, "history that stays", len(events), 3)
	kit.Same(t, "what it became part of, long after", merged(o.ID), []string{all[2].ID})
}

func strayContacts(t *testing.T, s ports.Store) {
	ctx, repos, o := t.Context(), s.Repos(), kit.Org(t, s)
	funnel := kit.FunnelOf(t, s, o.ID, true, "Novo", "Antiga")
	all := kit.Made(t, s,
		crm.Contact{OrgID: o.ID, Name: "Ana", Email: "a@example.com", StageID: funnel.Stages[0].ID},
		crm.Contact{OrgID: o.ID, Name: "Bia", Email: "b@example.com", StageID: funnel.Stages[1].ID},
	)
	strays := func() (names []string) {
		t.Helper()
		found, err := repos.ContactSearch.Stray(ctx, 10_000)
		kit.Must(t, err)
		for _, c := range found {
			if c.OrgID == o.ID {
				names = append(names, c.Name)
			}
		}
		return names
	}
	kit.Same(t, "strays of stages that exist", len(strays()), 0)
	funnel.Stages = funnel.Stages[:1]
	kit.Must(t, repos.Funnels.Update(ctx, funnel))
	kit.Same(t, "strays of a stage that was removed", strays(), []string{"Bia"})
	remove(t, s, crm.Removal{Contact: all[1], At: kit.At})
	kit.Same(t, "strays of one without contacts", len(strays()), 0)
}

package contacts

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"fichario/domain/crm"
	"fichario/domain/document"
	"fichario/ports"
	"fichario/ports/portstest/kit"
)

func contacts(t *testing.T, s ports.Store) {
	ctx, repos, o := t.Context(), s.Repos(), kit.Org(t, s)
	w, _ := kit.Hook(t, s, o.ID)
	a := kit.Arrival(w, kit.ID())
	_, err := repos.Inbox.Take(ctx, a)
	kit.Must(t, err)
	event := func(kind crm.EventKind, subject string) crm.Event {
		return crm.Event{
			ID: kit.ID(), OrgID: o.ID, ContactID: a.People[0].Contact.ID, Kind: kind, Actor: "Automação", Subject: subject,
			At: kit.At,
		}
	}
	stage, person := kit.FunnelOf(t, s, o.ID, false, "Ganho").Stages[0].ID, kit.ID()
	kit.WantErr(t, "a stage that does not exist", s.InTx(ctx, func(ctx context.Context, r ports.Repos) error {
		return r.ContactHistory.SetStage(ctx, kit.ID(), event(crm.StageMoved, "Nenhuma"))
	}), ports.ErrNotFound)
	moved, given, noted := event(crm.StageMoved, "Ganho"), event(crm.Assigned, "Rui"), event(crm.NoteAdded, "Ligar amanhã")
	moved.MemberID = kit.ID()
	kit.Must(t, s.InTx(ctx, func(ctx context.Context, r ports.Repos) error {
		return errors.Join(r.ContactHistory.SetStage(ctx, stage, moved), r.ContactHistory.SetAssignee(ctx, person, given),
			r.ContactHistory.AddNote(ctx, noted))
	}))
	changed, err := repos.ContactHistory.Changed(ctx, time.Now().Add(-time.Minute))
	kit.Must(t, err)
	kit.Same(t, "the newest of four events", changed[o.ID], ports.ContactChanges{Newest: noted.ID, Events: 4})
	changed, err = repos.ContactHistory.Changed(ctx, time.Now().Add(time.Minute))
	kit.Must(t, err)
	kit.Same(t, "nothing has changed since", changed, map[string]ports.ContactChanges{})
	want := a.People[0].Contact
	want.StageID, want.AssigneeID, want.Note = stage, person, a.People[0].Contact.Note+"\n\nLigar amanhã"
	got, err := repos.Contacts.Find(ctx, ports.AnyOrg, want.ID)
	kit.Must(t, err)
	kit.Same(t, "changed contact", got, want)
	for stage, want := range map[string]bool{stage: true, a.People[0].Contact.StageID: false} {
		used, err := repos.ContactSearch.InStage(ctx, o.ID, stage)
		kit.Must(t, err)
		kit.Same(t, "a stage with contacts", used, want)
	}
	events, err := repos.ContactHistory.Events(ctx, o.ID, want.ID)
	kit.Must(t, err)
	kit.Same(t, "history, oldest first", events[1:], []crm.Event{moved, given, noted})

	stranger := event(crm.NoteAdded, "x")
	stranger.ContactID = kit.ID()
	for what, change := range map[string]func(context.Context, ports.Repos) error{
		"stage": func(ctx context.Context, r ports.Repos) error { return r.ContactHistory.SetStage(ctx, stage, stranger) },
		"assignee": func(ctx context.Context, r ports.Repos) error {
			return r.ContactHistory.SetAssignee(ctx, person, stranger)
		},
		"note": func(ctx context.Context, r ports.Repos) error { return r.ContactHistory.AddNote(ctx, stranger) },
	} {
		kit.WantErr(t, what+" of an unknown contact", s.InTx(ctx, change), ports.ErrNotFound)
	}
	brief, err := repos.Contacts.Brief(ctx, o.ID, []string{want.ID, kit.ID(), ""})
	kit.Must(t, err)
	unsealed := want
	unsealed.Note, unsealed.Attribution, unsealed.Documents, unsealed.Consents = "", nil, nil, nil
	kit.Same(t, "brief", brief, map[string]crm.Contact{want.ID: unsealed})
	brief, err = repos.Contacts.Brief(ctx, kit.ID(), []string{want.ID})
	kit.Must(t, err)
	kit.Same(t, "brief in another organisation", len(brief), 0)
	events, err = repos.ContactHistory.Events(ctx, kit.ID(), want.ID)
	kit.Must(t, err)
	kit.Same(t, "history in another organisation", len(events), 0)
	brief, err = repos.Contacts.Brief(ctx, o.ID, nil)
	kit.Must(t, err)
	kit.Same(t, "brief of nobody", len(brief), 0)
	_, err = repos.Contacts.Find(ctx, ports.AnyOrg, kit.ID())
	kit.WantErr(t, "unknown contact", err, ports.ErrNotFound)

	// Concurrent notes are all kept.
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			err := s.InTx(ctx, func(ctx context.Context, r ports.Repos) error {
				return r.ContactHistory.AddNote(ctx, event(crm.NoteAdded, "+"))
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	got, err = repos.Contacts.Find(ctx, ports.AnyOrg, want.ID)
	kit.Must(t, err)
	kit.Same(t, "note", got.Note, want.Note+"\n\n+\n\n+\n\n+\n\n+\n\n+\n\n+\n\n+\n\n+")
}

func contactEdits(t *testing.T, s ports.Store) {
	ctx, repos, o := t.Context(), s.Repos(), kit.Org(t, s)
	stage := kit.FunnelOf(t, s, o.ID, true, "Novo").Stages[0]
	origin := kit.Origin(t, s, o.ID, "Site")
	c := crm.Contact{OrgID: o.ID, Name: "Ana", Email: "a@example.com", StageID: stage.ID, OriginID: origin.ID, Note: "n"}
	c = kit.Made(t, s, c)[0]
	c.Name, c.Email, c.Company, c.Amount, c.Note, c.OriginID = "Bia", "b@example.com", "Rocha", 12, "outra", ""
	c.Phone, c.PhoneE164 = "11 98765-4321", "+5511987654321"
	c.Documents = []document.Document{kit.Doc(t, document.CNPJ, "11222333000181"), kit.Doc(t, document.CPF, "52998224725")}
	edited := crm.Event{
		ID: kit.ID(), OrgID: o.ID, ContactID: c.ID, Kind: crm.ContactEdited, Actor: "Ana", Subject: "nome, valor", At: kit.At,
	}
	kit.Must(t, s.InTx(ctx, func(ctx context.Context, r ports.Repos) error {
		if _, err := r.Contacts.Lock(ctx, ports.AnyOrg, c.ID); err != nil {
			return err
		}
		return r.Contacts.Edit(ctx, c, edited)
	}))
	got, err := repos.Contacts.Find(ctx, ports.AnyOrg, c.ID)
	kit.Must(t, err)
	kit.Same(t, "edited", got, c)
	found := func(words ...string) int {
		t.Helper()
		n, err := repos.ContactSearch.Count(ctx, o.ID, ports.ContactFilter{Words: words}, 2)
		kit.Must(t, err)
		return n
	}
	kit.Same(t, "it is found by what it is now", found("bia", "5511987654321"), 1)
	kit.Same(t, "and no more by what it was", found("ana"), 0)
	for _, d := range c.Documents {
		ids, err := repos.ContactSearch.WithDocument(ctx, o.ID, d, 10)
		kit.Must(t, err)
		kit.Same(t, "contacts with the document", ids, []string{c.ID})
	}
	none, err := repos.ContactSearch.WithDocument(ctx, kit.ID(), c.Documents[0], 10)
	kit.Must(t, err)
	kit.Same(t, "in another organisation", len(none), 0)
	events, err := repos.ContactHistory.Events(ctx, o.ID, c.ID)
	kit.Must(t, err)
	kit.Same(t, "its history", events[1:], []crm.Event{edited})
	contactWithoutDocument(t, s, c)
	edited.ID, edited.ContactID = kit.ID(), kit.ID()
	err = s.InTx(ctx, func(ctx context.Context, r ports.Repos) error { return r.Contacts.Edit(ctx, c, edited) })
	kit.WantErr(t, "edit of none", err, ports.ErrNotFound)
	err = s.InTx(ctx, func(ctx context.Context, r ports.Repos) error {
		_, err := r.Contacts.Lock(ctx, ports.AnyOrg, kit.ID())
		return err
	})
	kit.WantErr(t, "lock of none", err, ports.ErrNotFound)
}

func contactPages(t *testing.T, s ports.Store) {
	ctx, repos, o := t.Context(), s.Repos(), kit.Org(t, s)
	stage := kit.FunnelOf(t, s, o.ID, true, "Novo").Stages[0].ID
	all := kit.Made(t, s,
		crm.Contact{OrgID: o.ID, Name: "Ana", Email: "ana@example.com", StageID: stage, Note: "n"},
		crm.Contact{
			OrgID: o.ID, Name: "Bia", Email: "bia@example.com", StageID: stage,
			Attribution: []crm.Attribute{{Key: "utm_source", Value: "x"}},
		},
	)
	page, err := repos.Contacts.Page(ctx, o.ID, "", 10)
	kit.Must(t, err)
	kit.Same(t, "contacts, newest first", page, []crm.Contact{all[1], all[0]})
	page, err = repos.Contacts.Page(ctx, o.ID, all[1].ID, 10)
	kit.Must(t, err)
	kit.Same(t, "next page", page, all[:1])
}

// contactWithoutDocument removes a document from a contact, which is then no longer found by it.
func contactWithoutDocument(t *testing.T, s ports.Store, c crm.Contact) {
	ctx, gone := t.Context(), c.Documents[0]
	c.Documents = c.Documents[1:]
	changed := crm.Event{ID: kit.ID(), OrgID: c.OrgID, ContactID: c.ID, Kind: crm.ContactEdited, Actor: "Ana", At: kit.At}
	kit.Must(t, s.InTx(ctx, func(ctx context.Context, r ports.Repos) error { return r.Contacts.Edit(ctx, c, changed) }))
	for d, n := range map[document.Document]int{gone: 0, c.Documents[0]: 1} {
		ids, err := s.Repos().ContactSearch.WithDocument(ctx, c.OrgID, d, 10)
		kit.Must(t, err)
		kit.Same(t, "contacts with a document after the change", len(ids), n)
	}
	few, err := s.Repos().ContactSearch.Count(ctx, c.OrgID, ports.ContactFilter{IDs: []string{c.ID}}, 10)
	kit.Must(t, err)
	kit.Same(t, "contacts of one id", few, 1)
}

package portstest

import (
	"math"
	"strings"
	"testing"
	"time"

	"fichario/domain/catalog"
	"fichario/domain/crm"
	"fichario/domain/document"
	"fichario/domain/lookup"
	"fichario/domain/text"
	"fichario/ports"
)

// made writes contacts by hand, in their order.
func made(t *testing.T, s ports.Store, contacts ...crm.Contact) []crm.Contact {
	t.Helper()
	for i := range contacts {
		c := &contacts[i]
		if c.ID == "" {
			c.ID = id()
		}
		if c.CreatedAt.IsZero() {
			c.CreatedAt = at.Add(time.Duration(i) * time.Hour)
		}
		e := crm.Event{ID: id(), OrgID: c.OrgID, ContactID: c.ID, Kind: crm.ContactAdded, Actor: "Ana", At: c.CreatedAt}
		must(t, s.InTx(t.Context(), func(r ports.Repos) error { return r.Contacts.Create(t.Context(), *c, e) }))
	}
	return contacts
}

func contactViews(t *testing.T, s ports.Store) {
	ctx, repos, o, other := t.Context(), s.Repos(), org(t, s), org(t, s)
	stages := funnelOf(t, s, o.ID, true, "Novo", "Ganho").Stages
	foreign := funnelOf(t, s, other.ID, true, "Novo").Stages
	origin := crm.Origin{ID: id(), OrgID: o.ID, Name: "Site"}
	must(t, repos.Origins.Create(ctx, origin))
	m := member(t, s, o.ID, crm.Owner, true)
	all := made(t, s,
		crm.Contact{OrgID: o.ID, Name: "João Café", Email: "joao@example.com", Phone: "(11) 98765-4321", PhoneE164: "+5511987654321", StageID: stages[0].ID, Amount: 5_0000, Note: "segredo", Attribution: []crm.Attribute{{Key: "utm_source", Value: "x"}}},
		crm.Contact{OrgID: o.ID, Name: "ana 100%_certa", Email: "ana@example.com", Company: "Óptica Ção", StageID: stages[0].ID, Amount: 9_0000, OriginID: origin.ID, Phone: "ramal 4455"},
		crm.Contact{OrgID: o.ID, Name: "Álvaro", Email: "zé@example.com", StageID: stages[1].ID, Amount: 5_0000, AssigneeID: m.ID},
		crm.Contact{OrgID: o.ID, Name: "Ana", Email: "a@example.com", StageID: stages[1].ID},
	)
	made(t, s, crm.Contact{OrgID: other.ID, Name: "João dos outros", Email: "joao@example.com", StageID: foreign[0].ID, Amount: 7})

	find := func(q ports.ContactQuery) string {
		t.Helper()
		if q.Limit == 0 {
			q.Limit = 10
		}
		found, err := repos.Contacts.Select(ctx, o.ID, q)
		must(t, err)
		var got []string
		for _, c := range found {
			got = append(got, c.Name)
		}
		return strings.Join(got, "|")
	}
	words := func(w ...string) ports.ContactQuery {
		return ports.ContactQuery{ContactFilter: ports.ContactFilter{Words: w}}
	}
	newest := "Ana|Álvaro|ana 100%_certa|João Café"
	for _, c := range []struct {
		what string
		q    ports.ContactQuery
		want string
	}{
		{"newest", ports.ContactQuery{}, newest},
		{"oldest", ports.ContactQuery{Ascending: true}, "João Café|ana 100%_certa|Álvaro|Ana"},
		{"by name", ports.ContactQuery{Order: ports.ByName, Ascending: true}, "Álvaro|ana 100%_certa|Ana|João Café"},
		{"by name from the end", ports.ContactQuery{Order: ports.ByName}, "João Café|Ana|ana 100%_certa|Álvaro"},
		{"largest", ports.ContactQuery{Order: ports.ByAmount}, "ana 100%_certa|Álvaro|João Café|Ana"},
		{"a word without its accent", words(text.Fold("JOAO")), "João Café"},
		{"digits of a phone", words("987654321"), "João Café"},
		{"digits of no valid phone", words("4455"), "ana 100%_certa"},
		{"a company", words("optica"), "ana 100%_certa"},
		{"two words", words("ana", "certa"), "ana 100%_certa"},
		{"signs that mean something to LIKE are themselves", words("100%_"), "ana 100%_certa"},
		{"a sign that nobody has", words("_c%"), ""},
		{"a stage", ports.ContactQuery{ContactFilter: ports.ContactFilter{StageID: stages[1].ID}}, "Ana|Álvaro"},
		{"stages", ports.ContactQuery{ContactFilter: ports.ContactFilter{Stages: []string{stages[0].ID}}}, "ana 100%_certa|João Café"},
		{"an origin", ports.ContactQuery{ContactFilter: ports.ContactFilter{OriginID: origin.ID}}, "ana 100%_certa"},
		{"an assignee", ports.ContactQuery{ContactFilter: ports.ContactFilter{AssigneeID: m.ID}}, "Álvaro"},
		{"a webhook", ports.ContactQuery{ContactFilter: ports.ContactFilter{WebhookID: id()}}, ""},
		{"since", ports.ContactQuery{ContactFilter: ports.ContactFilter{Since: at.Add(2 * time.Hour)}}, "Ana|Álvaro"},
		{"another organisation's stage", ports.ContactQuery{ContactFilter: ports.ContactFilter{StageID: foreign[0].ID}}, ""},
		{"after the id of none", ports.ContactQuery{After: id()}, newest},
	} {
		same(t, c.what, find(c.q), c.want)
	}
	// Every order pages through all, each once, whatever comes in meanwhile.
	for _, order := range []ports.ContactOrder{ports.ByArrival, ports.ByName, ports.ByAmount} {
		for _, ascending := range []bool{true, false} {
			want := strings.Split(find(ports.ContactQuery{Order: order, Ascending: ascending}), "|")
			var got []string
			after := ""
			for {
				page, err := repos.Contacts.Select(ctx, o.ID, ports.ContactQuery{Order: order, Ascending: ascending, After: after, Limit: 1})
				must(t, err)
				if len(page) == 0 || len(got) > 9 {
					break
				}
				got, after = append(got, page[0].Name), page[0].ID
			}
			same(t, "page by page", got, want)
		}
	}
	whole, err := repos.Contacts.Select(ctx, o.ID, ports.ContactQuery{Whole: true, Ascending: true, Limit: 1})
	must(t, err)
	same(t, "whole", whole, all[:1])
	brief, err := repos.Contacts.Select(ctx, o.ID, ports.ContactQuery{Ascending: true, Limit: 1})
	must(t, err)
	same(t, "without what is encrypted", brief[0].Note == "" && brief[0].Attribution == nil, true)

	n, err := repos.Contacts.Count(ctx, o.ID, ports.ContactFilter{}, 100)
	must(t, err)
	same(t, "count", n, 4)
	n, err = repos.Contacts.Count(ctx, o.ID, ports.ContactFilter{Words: []string{"example"}}, 3)
	must(t, err)
	same(t, "count up to most", n, 3)

	both := []string{stages[0].ID, stages[1].ID}
	totals, err := repos.Contacts.Totals(ctx, o.ID, ports.ContactFilter{Stages: both})
	must(t, err)
	same(t, "totals", totals, map[string]ports.StageTotal{stages[0].ID: {Count: 2, Amount: 14_0000}, stages[1].ID: {Count: 2, Amount: 5_0000}})
	totals, err = repos.Contacts.Totals(ctx, o.ID, ports.ContactFilter{Stages: both, AssigneeID: m.ID})
	must(t, err)
	same(t, "totals of an assignee", totals, map[string]ports.StageTotal{stages[1].ID: {Count: 1, Amount: 5_0000}})
	totals, err = repos.Contacts.Totals(ctx, o.ID, ports.ContactFilter{Stages: []string{foreign[0].ID}})
	must(t, err)
	same(t, "totals of another organisation's stage", len(totals), 0)
	huge := crm.Contact{OrgID: o.ID, Name: "x", Email: "x@", StageID: stages[1].ID, Amount: catalog.Money(math.MaxInt64 - 1)}
	made(t, s, huge, huge)
	totals, err = repos.Contacts.Totals(ctx, o.ID, ports.ContactFilter{Stages: both})
	must(t, err)
	same(t, "a sum that is too large does not fail", totals[stages[1].ID].Count == 4 && totals[stages[1].ID].Amount > 1<<62, true)
}

func contactEdits(t *testing.T, s ports.Store) {
	ctx, repos, o := t.Context(), s.Repos(), org(t, s)
	stage := funnelOf(t, s, o.ID, true, "Novo").Stages[0]
	origin := crm.Origin{ID: id(), OrgID: o.ID, Name: "Site"}
	must(t, repos.Origins.Create(ctx, origin))
	c := made(t, s, crm.Contact{OrgID: o.ID, Name: "Ana", Email: "a@example.com", StageID: stage.ID, OriginID: origin.ID, Note: "n"})[0]
	c.Name, c.Email, c.Phone, c.PhoneE164, c.Company, c.Amount, c.Note, c.OriginID = "Bia", "b@example.com", "11 98765-4321", "+5511987654321", "Rocha", 12, "outra", ""
	edited := crm.Event{ID: id(), OrgID: o.ID, ContactID: c.ID, Kind: crm.ContactEdited, Actor: "Ana", Subject: "nome, valor", At: at}
	must(t, s.InTx(ctx, func(r ports.Repos) error {
		if _, err := r.Contacts.Lock(ctx, c.ID); err != nil {
			return err
		}
		return r.Contacts.Edit(ctx, c, edited)
	}))
	got, err := repos.Contacts.Find(ctx, c.ID)
	must(t, err)
	same(t, "edited", got, c)
	found, err := repos.Contacts.Select(ctx, o.ID, ports.ContactQuery{ContactFilter: ports.ContactFilter{Words: []string{"bia", "5511987654321"}}, Limit: 2})
	must(t, err)
	same(t, "it is found by what it is now", len(found), 1)
	found, err = repos.Contacts.Select(ctx, o.ID, ports.ContactQuery{ContactFilter: ports.ContactFilter{Words: []string{"ana"}}, Limit: 2})
	must(t, err)
	same(t, "and no more by what it was", len(found), 0)
	events, err := repos.Contacts.Events(ctx, c.ID)
	must(t, err)
	same(t, "its history", events[1:], []crm.Event{edited})
	edited.ID, edited.ContactID = id(), id()
	wantErr(t, "edit of none", s.InTx(ctx, func(r ports.Repos) error { return r.Contacts.Edit(ctx, c, edited) }), ports.ErrNotFound)
	wantErr(t, "lock of none", s.InTx(ctx, func(r ports.Repos) error { _, err := r.Contacts.Lock(ctx, id()); return err }), ports.ErrNotFound)
}

func contactLookups(t *testing.T, s ports.Store) {
	ctx, repos, o, other := t.Context(), s.Repos(), org(t, s), org(t, s)
	cpf := doc(t, document.CPF, "52998224725")
	rec := lookup.Record{ID: id(), OrgID: o.ID, Product: "cpf", Document: cpf, AnsweredAt: at, Found: true, Fields: []byte("{}"), Raw: []byte("{}")}
	must(t, repos.History.Save(ctx, rec))
	contact := id()
	entry := func(orgID, contactID, recordID string) lookup.Entry {
		e := lookup.Entry{ID: id(), OrgID: orgID, KeyID: id(), Product: "cpf", Document: cpf, At: at, Status: lookup.Done, RecordID: recordID, ContactID: contactID}
		must(t, repos.Statement.Add(ctx, e))
		return e
	}
	first, second := entry(o.ID, contact, rec.ID), entry(o.ID, contact, "")
	entry(o.ID, id(), rec.ID)
	entry(o.ID, "", rec.ID)
	entry(other.ID, contact, "")
	got, err := repos.Statement.OfContact(ctx, o.ID, contact, 10)
	must(t, err)
	same(t, "lookups of a contact, newest first", got, []ports.ContactLookup{{Entry: second}, {Entry: first, AnsweredAt: at}})
	got, err = repos.Statement.OfContact(ctx, o.ID, contact, 1)
	must(t, err)
	same(t, "bounded", len(got), 1)
	got, err = repos.Statement.OfContact(ctx, o.ID, id(), 9)
	must(t, err)
	same(t, "of another contact", len(got), 0)
}

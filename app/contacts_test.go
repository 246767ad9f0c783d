package app_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"fichario/app"
	"fichario/app/contacts"
	"fichario/app/lookups"
	"fichario/app/team"
	"fichario/domain/crm"
)

func bia() contacts.ContactForm { return contacts.ContactForm{Name: "Bia", Email: "bia@x.example"} }

// TestWhatIsTypedAboutAContact is validated; a refused form writes nothing.
func TestWhatIsTypedAboutAContact(t *testing.T) {
	t.Parallel()
	s := inMemory(t)
	ana := s.add("ana", crm.Common)
	theirs := s.another()
	origin := must(theirs.origins.Add(t.Context(), app.Operator(), theirs.orgID, "Rádio"))
	kept := must(s.contacts.Create(t.Context(), ana, bia()))
	for _, c := range []struct {
		change func(*contacts.ContactForm)
		want   string
	}{
		{func(f *contacts.ContactForm) { f.Name = " " }, "name"},
		{func(f *contacts.ContactForm) { f.Name = strings.Repeat("é", 201) }, "name"},
		{func(f *contacts.ContactForm) { f.Name = "duas\nlinhas" }, "name"},
		{func(f *contacts.ContactForm) { f.Email = "" }, "email"},
		{func(f *contacts.ContactForm) { f.Email = "@@" }, "email"},
		{func(f *contacts.ContactForm) { f.Email = "a b@x.example" }, "email"},
		{func(f *contacts.ContactForm) { f.Phone = strings.Repeat("9", 61) }, "phone"},
		{func(f *contacts.ContactForm) { f.Company = "a\x00b" }, "company"},
		{func(f *contacts.ContactForm) { f.Amount = "muito" }, "amount"},
		{func(f *contacts.ContactForm) { f.Amount = "-1" }, "amount"},
		{func(f *contacts.ContactForm) { f.Amount = "1.000.000.001" }, "amount"},
		{func(f *contacts.ContactForm) { f.Note = strings.Repeat("n", 20_001) }, "note"},
		{func(f *contacts.ContactForm) { f.OriginID = origin.ID }, "origin"},
	} {
		f := bia()
		c.change(&f)
		_, err := s.contacts.Create(t.Context(), ana, f)
		for what, err := range map[string]error{"made": err, "edited": s.contacts.Edit(t.Context(), ana, kept.ID, f)} {
			got := said(err)
			equal(t, c.want+" "+what, got[strings.LastIndexByte(got, ' ')+1:], c.want)
		}
	}
	f := bia()
	f.StageID = theirs.funnel(theirs.add("rui", crm.Owner)).Stages[0].ID
	_, err := s.contacts.Create(t.Context(), ana, f)
	equal(t, "a stage of others", said(err), "nao_encontrado stage")
	equal(t, "contacts", len(must(s.contacts.List(t.Context(), ana, s.orgID, app.All))), 1)
	equal(t, "its history", s.kinds(kept.ID), "incluido")
}

// TestAContactMadeByHand is assigned to its maker, in the entry stage unless the form names another.
func TestAContactMadeByHand(t *testing.T) {
	t.Parallel()
	s := inMemory(t)
	owner := s.add("dona", crm.Owner)
	ana := s.add("ana", crm.Common)
	form := bia()
	form.Phone, form.Amount, form.Note = "(11) 98765-4321", "1.234,56", "linha\r\noutra\x00"
	c := must(s.contacts.Create(t.Context(), ana, form))
	got := s.contact(c.ID)
	equal(t, "stage", got.StageID, s.funnel(owner).Stages[0].ID)
	equal(t, "fields", fmt.Sprintf("%s %s %d %q", got.AssigneeID, got.PhoneE164, got.Amount, got.Note),
		ana.MemberID()+` +5511987654321 12345600 "linha\noutra"`)
	form.StageID = s.funnel(owner).Stages[2].ID
	equal(t, "another stage", must(s.contacts.Create(t.Context(), ana, form)).StageID, form.StageID)
}

// TestChangesOfAContact are written into its history, each with the member's name; an edit without changes is not.
func TestChangesOfAContact(t *testing.T) {
	t.Parallel()
	s := inMemory(t)
	owner, ana, gone := s.add("dona", crm.Owner), s.add("ana", crm.Common), s.add("ido", crm.Common)
	done(s.members.Update(t.Context(), owner, gone.MemberID(), team.MemberChange{Active: at(false)}))
	stranger := s.another().add("rui", crm.Owner)
	ctx, id := t.Context(), must(s.contacts.Create(t.Context(), ana, bia())).ID
	stage := s.funnel(owner).Stages[1]
	version := s.contact(id).Version()
	edited := bia()
	edited.Company, edited.Amount, edited.Version = "Casa", "10", version
	now := edited
	now.Version, now.Note = "", "nova"
	move := func(by app.Caller, stageID string) func() error {
		return func() error { _, err := s.contacts.Move(ctx, by, id, stageID); return err }
	}
	assign := func(by app.Caller, memberID string) func() error {
		return func() error { return s.contacts.Assign(ctx, by, id, memberID) }
	}
	note := func(by app.Caller, text string) func() error {
		return func() error { return s.contacts.Note(ctx, by, id, text) }
	}
	edit := func(by app.Caller, f contacts.ContactForm) func() error {
		return func() error { return s.contacts.Edit(ctx, by, id, f) }
	}
	was := "incluido: ana, "
	for _, c := range []struct {
		what          string
		do            func() error
		said, written string
	}{
		{"a stage", move(owner, stage.ID), "", "etapa: dona, Em contato"},
		{"the same again", move(ana, stage.ID), "", ""},
		{"no stage", move(ana, lookups.NewKeyID()), "nao_encontrado stage", ""},
		{"a member", assign(ana, owner.MemberID()), "", "responsavel: ana, dona"},
		{"the same again", assign(ana, owner.MemberID()), "", ""},
		{"one who is not active", assign(ana, gone.MemberID()), "requisicao_invalida member", ""},
		{"one of others", assign(ana, stranger.MemberID()), "nao_encontrado member", ""},
		{"a note", note(ana, "  ligar\r\namanhã "), "", "nota: ana, ligar\namanhã"},
		{"an empty one", note(ana, " \n "), "requisicao_invalida note", ""},
		{"a long one", note(ana, strings.Repeat("x", 10_001)), "requisicao_invalida note", ""},
		{"fields of another version", edit(ana, edited), "requisicao_invalida version", ""},
		{"fields", edit(owner, now), "", "editado: dona, empresa, valor, nota"},
		{"the same again", edit(owner, now), "", ""},
		{"by a stranger", note(stranger, "x"), "nao_encontrado contact", ""},
		{"by the operator, who is no member", note(app.Operator(), "x"), "nao_encontrado member", ""},
	} {
		equal(t, c.what, said(c.do()), c.said)
		if c.written != "" {
			was += "; " + c.written
		}
		_, events, err := s.contacts.Show(ctx, ana, id)
		done(err)
		var history []string
		for _, e := range events {
			history = append(history, fmt.Sprintf("%s: %s, %s", e.Kind, e.Actor, e.Subject))
		}
		equal(t, "history after "+c.what, strings.Join(history, "; "), was)
	}
	got := s.contact(id)
	equal(t, "in the end", line(got.StageID, got.AssigneeID, got.Company, got.AmountText(), got.Note),
		line(stage.ID, owner.MemberID(), "Casa", "10,00", "nova"))
}

// TestContactsAreFoundInPages: each once, back and forth, while others come in, and all of them as a list.
func TestContactsAreFoundInPages(t *testing.T) {
	t.Parallel()
	s := inMemory(t)
	ana := s.add("ana", crm.Common)
	theirs := s.another()
	must(theirs.contacts.Create(t.Context(), theirs.add("rui", crm.Owner), bia()))
	var want []string
	for i := range 7 {
		f := bia()
		f.Name = fmt.Sprintf("Bia %d", i)
		must(s.contacts.Create(t.Context(), ana, f))
		want = append([]string{f.Name}, want...)
	}
	search := contacts.ContactSearch{Text: "bia"}
	names := func(p contacts.Page) (names []string) {
		for _, c := range p.Contacts {
			names = append(names, c.Name)
		}
		return names
	}
	first := must(s.contacts.Search(t.Context(), ana, search, "", "", 3))
	got := names(first)
	must(s.contacts.Create(t.Context(), ana, bia())) // comes in meanwhile
	second := must(s.contacts.Search(t.Context(), ana, search, first.Contacts[2].ID, "", 3))
	third := must(s.contacts.Search(t.Context(), ana, search, second.Contacts[2].ID, "", 3))
	got = append(append(got, names(second)...), names(third)...)
	equal(t, "pages", strings.Join(got, ", "), strings.Join(want, ", "))
	equal(t, "ends", fmt.Sprint(first.First, first.More, second.First, second.More, third.First, third.More),
		"true true false true false false")
	back := must(s.contacts.Search(t.Context(), ana, search, "", third.Contacts[0].ID, 3))
	equal(t, "back", strings.Join(names(back), ", "), strings.Join(names(second), ", "))
	back = must(s.contacts.Search(t.Context(), ana, search, "", second.Contacts[0].ID, 5))
	equal(t, "back to the first, which is whole", fmt.Sprint(len(back.Contacts), back.First), "5 true")
	equal(t, "counted", must(s.contacts.Count(t.Context(), ana, search)), 8)
	got = nil
	for c, err := range s.contacts.All(t.Context(), ana, contacts.ContactSearch{Order: crm.ByName, Ascending: true}) {
		done(err)
		got = append(got, c.Name)
	}
	equal(t, "all by name", strings.Join(got, ", "), "Bia 0, Bia 1, Bia 2, Bia 3, Bia 4, Bia 5, Bia 6, Bia")
	last := must(s.store.Repos().Audit.Last(t.Context(), s.orgID))
	for _, err := range s.contacts.Chosen(t.Context(), ana, slices.Repeat([]string{second.Contacts[0].ID}, 501)) {
		equal(t, "more than a page has", said(err), "requisicao_invalida contacts")
	}
	equal(t, "lines of what was refused", len(s.lines(last)), 0)
	for what, narrow := range map[string]contacts.ContactSearch{
		"stage": {StageID: theirs.orgID}, "origin": {OriginID: theirs.orgID}, "member": {AssigneeID: theirs.orgID},
		"webhook": {WebhookID: theirs.orgID},
	} {
		_, err := s.contacts.Search(t.Context(), ana, narrow, "", "", 3)
		equal(t, "of nobody", said(err), "nao_encontrado "+what)
	}
}

// TestABoardShowsItsFunnel: what each stage holds and is worth, with its newest contacts.
func TestABoardShowsItsFunnel(t *testing.T) {
	t.Parallel()
	s := inMemory(t)
	owner := s.add("dona", crm.Owner)
	funnel := s.funnel(owner)
	for i, stage := range []int{0, 0, 0, 2} {
		f := bia()
		f.Name, f.Amount, f.StageID = fmt.Sprint("Bia ", i), "10", funnel.Stages[stage].ID
		must(s.contacts.Create(t.Context(), owner, f))
	}
	_, board, err := s.contacts.Board(t.Context(), owner, "", contacts.ContactSearch{Text: "does not count"},
		func(id string) int {
			if id == funnel.Stages[2].ID {
				return 9
			}
			return 2
		})
	done(err)
	var got []string
	for _, stage := range board {
		line := fmt.Sprint(stage.Name, " ", stage.Count, " ", stage.Amount)
		for _, c := range stage.Contacts {
			line += " " + c.Name
		}
		got = append(got, line)
	}
	equal(t, "board", strings.Join(got, "; "),
		"Novo 3 30 Bia 2 Bia 1; Em contato 0 0; Proposta 1 10 Bia 3; Negociação 0 0; Ganho 0 0; Perdido 0 0")
	_, _, err = s.contacts.Board(t.Context(), owner, lookups.NewKeyID(), contacts.ContactSearch{}, nil)
	equal(t, "no funnel", said(err), "nao_encontrado funnel")
}

package app_test

import (
	"testing"

	"fichario/app/contacts"
	"fichario/domain/crm"
	"fichario/domain/webhook"
)

// TestDocumentsOfAContact: entered in the form, found by the whole document in any spelling, edited and shown.
func TestDocumentsOfAContact(t *testing.T) {
	t.Parallel()
	s := inMemory(t)
	owner := s.add("dona", crm.Owner)
	hook := s.hook(webhook.Signature{})
	came := must(s.intake.Receive(t.Context(), hook, post(`{"email":"rui@x.example","cpf":"111.444.777-35"}`)))
	form := contacts.ContactForm{Name: "Bia", Email: "bia@x.example", Documents: "11.222.333/0001-81, 529.982.247-25\n52998224725"}
	made := must(s.contacts.Create(t.Context(), owner, form))
	found := func(text string) string {
		t.Helper()
		page := must(s.contacts.Search(t.Context(), owner, contacts.ContactSearch{Text: text}, "", "", 10))
		var ids []string
		for _, k := range page.Contacts {
			ids = append(ids, k.ID)
		}
		equal(t, text+": counted", must(s.contacts.Count(t.Context(), owner, contacts.ContactSearch{Text: text})), len(ids))
		return line(ids)
	}
	equal(t, "by a CNPJ", found("11222333000181"), line([]string{made.ID}))
	equal(t, "by a CPF with its mask", found("529.982.247-25"), line([]string{made.ID}))
	equal(t, "by the one that a post had", found(" 111 444 777 35 "), line([]string{came.ContactID}))
	equal(t, "by nobody's", found("00000000000191"), line([]string(nil)))
	equal(t, "by a part of one", found("1122233"), line([]string(nil)))

	v := must(s.contacts.View(t.Context(), owner, made.ID))
	equal(t, "documents", line(len(v.Documents), v.Documents[0].Value(), v.Documents[1].Value()),
		"2 11222333000181 52998224725")
	form.Version, form.Documents = v.Version(), "52998224725"
	done(s.contacts.Edit(t.Context(), owner, made.ID, form))
	equal(t, "by one that was taken away", found("11222333000181"), line([]string(nil)))
	_, events, err := s.contacts.Show(t.Context(), owner, made.ID)
	equal(t, "history", line(events[len(events)-1].Subject, err), "documentos <nil>")
	for _, wrong := range []string{"529.982.247-26", "ABC1D23", "52998224725 e outro"} {
		form.Version, form.Documents = "", wrong
		equal(t, wrong, said(s.contacts.Edit(t.Context(), owner, made.ID, form)), "requisicao_invalida documents")
	}
	theirs := s.another()
	wanted := contacts.ContactSearch{Text: "52998224725"}
	none := must(theirs.contacts.Search(t.Context(), theirs.add("rui", crm.Owner), wanted, "", "", 10))
	equal(t, "in another organisation", len(none.Contacts), 0)
}

package app_test

import (
	"encoding/base64"
	"strings"
	"testing"

	privacyapp "fichario/app/privacy"
	"fichario/domain/crm"
	"fichario/domain/privacy"
	"fichario/domain/webhook"
	"fichario/ports"
)

// TestTextsOfOthersThatNameAPerson: the message, the attribution and the history of somebody else's contact are
// exported line by line, and an erasure removes the person from them and leaves the rest.
func TestTextsOfOthersThatNameAPerson(t *testing.T) {
	t.Parallel()
	atOnce(t, func(t *testing.T, s *setting) {
		owner, hook := s.add("dona", crm.Owner), s.hook(webhook.Signature{})
		f := bia()
		f.Name, f.Email, f.Phone, f.Documents = "Ana Lima", "ana.b@x.example", "(21) 99773-1077", "529.982.247-25"
		must(s.contacts.Create(t.Context(), owner, f))
		others := map[string]string{ // what is left
			`"mensagem":"Sou o Rui.\nO CPF da Ana é 529.982.247-25, o meu 111.444.777-35."`:        "111.444.777-35",
			`"mensagem":"Sou o Rui.\nFale com ana.b&#64;x.example."`:                               "Sou o Rui.",
			`"mensagem":"Sou o Rui.\nAna Lima atende em 21 99773-1077, eu não."`:                   "eu não.",
			`"mensagem":"` + base64.StdEncoding.EncodeToString([]byte("de ana.b@x.example")) + `"`: "",
			`"mensagem":"Sou o Rui.","page_url":"https://x.example/?de=ana.b%40x.example"`:         "Sou o Rui.",
		}
		left := map[string]string{}
		for body, rest := range others {
			made := must(s.intake.Receive(t.Context(), hook, post(`{"nome":"Rui","email":"rui@x.example",`+body+`}`)))
			left[made.ContactID] = rest
		}
		noted := s.arrive(hook, "bento")
		done(s.contacts.Note(t.Context(), owner, noted.ID, "indicado por ana.b@x.example em maio"))
		left[noted.ID] = ""
		apart := must(s.intake.Receive(t.Context(), hook, // a phone and a name in different answers
			post(`{"nome":"Lu","email":"lu@x.example","utm_term":"Ana Lima","utm_source":"21 99773-1077"}`)))
		left[apart.ContactID] = ""
		stranger := must(s.intake.Receive(t.Context(), hook,
			post(`{"nome":"Lia","email":"lia@x.example","mensagem":"mariana.b@x.example, 1529.982.247-25, 21 99773-1077"}`)))
		was := s.contact(stranger.ContactID)

		who := privacyapp.SubjectQuery{OrgID: s.orgID, Document: "529.982.247-25"}
		listed := 0
		for one, err := range must(s.subjects.Export(t.Context(), owner, who)).Held(t.Context(), privacy.Texts) {
			done(err)
			text := one.(privacyapp.SubjectText)
			listed++
			_, known := left[text.ContactID]
			equal(t, "listed", line(known, len(text.Passages) > 0), "true true")
			equal(t, "what is not about the person", strings.Contains(strings.Join(text.Passages, ""), "Sou o Rui"), false)
		}
		equal(t, "all", listed, len(left))
		e := must(s.subjects.Erase(t.Context(), owner, who, false))
		e = must(s.subjects.Await(t.Context(), e.ID))
		equal(t, "the receipt", line(e.State, e.Gone[privacy.Texts]), line(privacy.Done, len(left)))
		equal(t, "what is left", s.left(owner, who), "map[]")
		equal(t, "a stranger's", s.contact(stranger.ContactID).Note, was.Note)
		for id, rest := range left {
			c := s.contact(id)
			said := line(c.Note, c.Attribution)
			for _, event := range must(s.store.Repos().ContactHistory.Events(t.Context(), ports.AnyOrg, id)) {
				said += event.Subject
			}
			equal(t, "what is left of it: "+said, strings.Contains(c.Note, rest), true)
			for _, her := range []string{"ana.b", "982", "99773", "YW5h"} {
				equal(t, her+" in "+said, strings.Contains(said, her), false)
			}
		}
	})
}

package integration

import (
	"fmt"
	"strings"
	"testing"

	"fichario/tests/testkit/intaketest"
)

// person is a JSON element with an invented person.
func person(name string) string {
	return fmt.Sprintf(`{"nome":%q,"email":%q}`, name+" "+intaketest.Surname, intaketest.Email(name))
}

// testPeople: in each of the shapes that several people come in, each one with an address becomes a contact like a
// single one.
func testPeople(t *testing.T, o *org) {
	h := o.NewHook("Grupos", "generic")
	mautic := func(id int, name string) string {
		return fmt.Sprintf(`{"submission":{"id":%d,"results":%s}}`, id, person(name))
	}
	for shape, body := range map[string]string{
		"array":    `[` + person("array um") + `,` + person("array dois") + `]`,
		"leads":    `{"leads":[` + person("leads um") + `,` + person("leads dois") + `],"mensagem":"da feira"}`,
		"lines":    person("lines um") + "\n" + person("lines dois") + "\n",
		"numbered": intaketest.Numbered("numbered um", "numbered dois"),
		"mautic":   `{"mautic.form_on_submit":[` + mautic(1, "mautic um") + `,` + mautic(2, "mautic dois") + `]}`,
		"baserow": `{"event_id":"e","event_type":"rows.created","items":[` + person("baserow um") + `,` +
			person("baserow dois") + `]}`,
	} {
		a := o.Post(h, body)
		expect(t, shape, line(a, a.Text("message")), "200 2 contatos criados.")
		ids := a.LeadIDs()
		expect(t, shape+": leadId is the first", line(len(ids), ids[0]), line(2, a.LeadID()))
		for i, number := range []string{"um", "dois"} {
			c := o.Contact(ids[i])
			expect(t, shape+": contact", line(c.Nome, c.Email, c.Etapa, len(c.Historico), c.Historico[0].Tipo),
				line(shape, number, intaketest.Surname, intaketest.Email(shape+" "+number), "Novo 1 criado"))
		}
		if shape == "leads" {
			expect(t, "what stands outside", strings.Contains(o.Contact(ids[1]).Nota, "da feira"), true)
		}
		d := o.Deliveries(h)[0]
		expect(t, shape+": delivery", line(d.Outcome, intaketest.Or(d.Contact), d.Contacts), line("accepted", ids[0], ids))
		expect(t, shape+": delivery alone", line(o.Delivery(d.ID).Contacts), line(ids))
	}
	expect(t, "contacts, notifications, received",
		line(len(o.Contacts()), len(o.Notifications()), o.Show(h).Received), "12 12 12")

	one := o.Post(h, `[`+person("um só")+`]`)
	expect(t, "one in an array, as a lone one",
		line(one, one.Text("message"), one.JSON["leadIds"]), "200 Contato criado. <nil>")
	expect(t, "its delivery", line(o.Deliveries(h)[0].Contacts), line([]string{one.LeadID()}))
	twice := o.Post(h, `[`+person("gêmea")+`,`+person("gêmea")+`]`)
	expect(t, "one address twice is two contacts, as in two posts", len(twice.LeadIDs()), 2)
	expect(t, "one submission twice is one", len(o.Post(h, intaketest.Numbered("mesma", "outra", "mesma")).LeadIDs()), 2)
	o.Command("doctor")
}

// testManyPeople: a post may have 200 people, and not one more.
func testManyPeople(t *testing.T, o *org) {
	h := o.NewHook("Multidão", "generic")
	crowd := func(n int) string {
		all := make([]string, n)
		for i := range all {
			all[i] = person(fmt.Sprint("multidão ", i))
		}
		return `{"leads":[` + strings.Join(all, ",") + `]}`
	}
	a := o.Post(h, crowd(201))
	expect(t, "201", a.String(), "400 requisicao_invalida")
	expect(t, "what is said", strings.Contains(a.Text("detail"), "200 pessoas"), true)
	o.Nothing(t, h)
	a = o.Post(h, crowd(200))
	expect(t, "200", line(a, len(a.LeadIDs()), a.Text("message")), "200 200 200 contatos criados.")
	all := o.ByID()
	for i, id := range a.LeadIDs() {
		expect(t, "in the order of the body", all[id].Email, intaketest.Email(fmt.Sprint("multidão ", i)))
	}
	log := o.Deliveries(h)
	expect(t, "deliveries", line(len(log), len(log[0].Contacts), log[1].Outcome), "2 200 refused")
	expect(t, "received", o.Show(h).Received, 200)
	o.Command("doctor")
}

// testPeopleAgain: a retry is recognised by element, whole or in part, and a key stands for the whole post.
func testPeopleAgain(t *testing.T, o *org) {
	h := o.NewHook("De novo em grupo", "generic")
	send := func(key, body string) answer {
		header := map[string]string{"Content-Type": "application/json"}
		if key != "" {
			header["Idempotency-Key"] = key
		}
		return o.Do(request{Path: h.Path, Header: header, Body: body})
	}
	first := send("", intaketest.Numbered("sete", "oito"))
	again := send("", intaketest.Numbered("sete", "oito"))
	expect(t, "whole", line(again.LeadIDs(), again.Text("message")),
		line(first.LeadIDs(), "Este envio já tinha sido recebido; nada mudou."))
	overlap := send("", intaketest.Numbered("oito", "nove", "sete"))
	expect(t, "in part", line(len(overlap.LeadIDs()), overlap.LeadID(), overlap.LeadIDs()[2], overlap.Text("message")),
		line(3, first.LeadIDs()[1], first.LeadID(), "1 contato criado; 2 já tinham sido recebidos."))
	alone := send("", intaketest.Numbered("nove"))
	expect(t, "alone", line(alone.LeadID(), alone.JSON["leadIds"]), line(overlap.LeadIDs()[1], nil))
	log := o.Deliveries(h)
	expect(t, "log", line(log[0].Outcome, log[1].Outcome, log[1].Contacts, log[2].Outcome, log[2].Contacts),
		line("repeated accepted", overlap.LeadIDs(), "repeated", first.LeadIDs()))

	two := `[` + person("chave um") + `,` + person("chave dois") + `]`
	keyed := send("grupo", two)
	expect(t, "with a key, again", line(send("grupo", two).LeadIDs()), line(keyed.LeadIDs()))
	for _, other := range []string{
		`[` + person("chave um") + `,` + person("chave dois") + `,` + person("chave três") + `]`, person("chave um"),
	} {
		expect(t, "with a key, another body", send("grupo", other).String(), "422 chave_reutilizada")
	}
	expect(t, "contacts, notifications, received",
		line(len(o.Contacts()), len(o.Notifications()), o.Show(h).Received), "5 5 5")

	// Many at once, each including a neighbour's person.
	const posts = 16
	answers := intaketest.Together(t, posts, func(i int) (answer, error) {
		names := []string{fmt.Sprint("roda ", i), fmt.Sprint("roda ", (i+1)%posts)}
		return o.Send(t.Context(), request{Path: h.Path, Header: intaketest.JSON, Body: intaketest.Numbered(names...)})
	})
	for i, a := range answers {
		expect(t, "the neighbour's person is one", a.LeadIDs()[1], answers[(i+1)%posts].LeadID())
	}
	expect(t, "received", o.Show(h).Received, 5+posts)
	o.Command("doctor")
}

// testPeopleSimulated: all are shown, and none is made.
func testPeopleSimulated(t *testing.T, o *org) {
	h := o.NewHook("Ensaio em grupo", "generic")
	a := o.Do(request{
		Path: h.Path + "?simular=true", Header: intaketest.JSON,
		Body: `[` + person("ensaio um") + `,` + person("ensaio dois") + `]`,
	})
	all, _ := a.JSON["contacts"].([]any)
	var names []string
	for _, c := range all {
		fields, _ := c.(map[string]any)
		names = append(names, fmt.Sprint(fields["nome"]))
	}
	expect(t, "simulated", line(a, names),
		line(200, []string{"ensaio um " + intaketest.Surname, "ensaio dois " + intaketest.Surname}))
	first, _ := a.JSON["contact"].(map[string]any)
	expect(t, "the first", fmt.Sprint(first["nome"]), "ensaio um "+intaketest.Surname)
	alone := o.Do(request{Path: h.Path + "?simular=true", Header: intaketest.JSON, Body: person("ensaio só")})
	expect(t, "a lone one", line(alone, alone.JSON["contacts"]), "200 <nil>")
	o.Nothing(t, h)
}

// testPeopleReplayed: a refused post is replayed as a whole, once; the automations run for each person.
func testPeopleReplayed(t *testing.T, o *org) {
	h := o.NewHook("Refeito em grupo", "generic")
	o.Automate("Anotar", "add_note", "--text", "visto")
	o.Command("webhook", "disable", h.ID)
	o.Post(h, `[`+person("refeito um")+`,`+person("refeito dois")+`]`)
	o.Command("webhook", "enable", h.ID)
	refused := o.Deliveries(h)[0].ID
	made := o.Replay(refused)
	expect(t, "made", line(len(made.Contacts), made.Contacts[0], made.Repeated), line(2, made.Contact, false))
	again := o.Replay(o.Deliveries(h)[0].ID)
	expect(t, "again", line(again.Contacts, again.Repeated), line(made.Contacts, true))
	expect(t, "the refused one again", line(o.Replay(refused).Contacts), line(made.Contacts))
	for _, r := range o.Settled(2) {
		expect(t, "run", r.State, "done")
	}
	for _, id := range made.Contacts {
		expect(t, "its automation", strings.Contains(o.Contact(id).Nota, "visto"), true)
	}
}

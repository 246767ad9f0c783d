package intake

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"fichario/domain/fault"
)

// TestReadAll: each element with an address of its own is a draft, with what stands outside.
func TestReadAll(t *testing.T) {
	t.Parallel()
	const ana, beto = `"nome":"Ana","email":"ana@x.com"`, `"nome":"Beto","email":"beto@x.com"`
	tiktok := func(id, name string) string {
		return `{"lead_id":"` + id + `","changes":[{"field":"name","value":"` + name + `"},{"field":"email","value":"` +
			strings.ToLower(name) + `@x.com"}]}`
	}
	mautic := func(id, name string) string {
		return `{"submission":{"id":` + id + `,"results":{"nome":"` + name + `","email":"` + strings.ToLower(name) +
			`@x.com"}}}`
	}
	for name, c := range map[string]struct{ body, want string }{
		"an array":       {`[{` + ana + `},{` + beto + `}]`, "Ana|Beto"},
		"leads":          {`{"leads":[{` + ana + `},{` + beto + `}],"origem":"Feira"}`, "Ana Feira|Beto Feira"},
		"lines":          {"{" + ana + "}\n{" + beto + "}\n", "Ana|Beto"},
		"in an envelope": {`{"data":{"contacts":[{` + ana + `},{` + beto + `}]},"mensagem":"oi"}`, "Ana oi|Beto oi"},
		"tiktok": {`{"object":"LEAD","entry":[` + tiktok("7", "Ana") + "," + tiktok("8", "Beto") + `]}`,
			"Ana tiktok:7|Beto tiktok:8"},
		"mautic": {`{"mautic.form_on_submit":[` + mautic("1", "Ana") + "," + mautic("2", "Beto") + `]}`,
			"Ana mautic:mautic.form_on_submit:1|Beto mautic:mautic.form_on_submit:2"},
		"mautic, two kinds": {`{"mautic.form_on_submit":[` + mautic("1", "Ana") + `],
			"mautic.lead_post_save_new":[{"contact":{` + beto + `}}]}`, "Ana mautic:mautic.form_on_submit:1|Beto"},
		"baserow": {`{"event_id":"e","event_type":"rows.created","items":[{"id":1,` + ana + `},{"id":2,` + beto + `}]}`,
			"Ana eventid:rows.created e|Beto eventid:rows.created e#2"},
		"ids of their own": {`{"event_id":"e","type":"new","leads":[{"lead_id":"7",` + ana + `},
			{"lead_id":"8",` + beto + `}]}`, "Ana leadid:7|Beto leadid:8"},
		"ids of the elements": {`{"leads":[{"lead_id":"7",` + ana + `},{"lead_id":"8",` + beto + `}]}`,
			"Ana leadid:7|Beto leadid:8"},
		"ids in an array":    {`[{"lead_id":"7",` + ana + `},{"lead_id":"8",` + beto + `}]`, "Ana leadid:7|Beto leadid:8"},
		"one id in an array": {`[{"lead_id":"7",` + ana + `}]`, "Ana leadid:7"},
		"one id in a list":   {`{"leads":[{"lead_id":"7",` + ana + `}]}`, "Ana leadid:7"},
		"an id twice": {`[{"lead_id":"7",` + ana + `},{"lead_id":"8",` + beto + `},{"lead_id":"7",` + ana + `}]`,
			"Ana leadid:7|Beto leadid:8"},
		"one id of two": {`[{"lead_id":"7",` + ana + `},{"lead_id":"7",` + beto + `}]`, "Ana leadid:7|Beto leadid:7#2"},
		"an id like a numbered one": {`{"lead_id":"e","leads":[{"lead_id":"e#2",` + ana + `},{` + beto + `}]}`,
			"Ana leadid:e#2|Beto leadid:e#2#"},
		"an id outside and one inside": {`{"submission_id":"e","rows":[{"gclid":"g",` + ana + `},{` + beto + `},
			{"nome":"Caio","email":"caio@x.com"}]}`, "Ana submissionid:e|Beto submissionid:e#2|Caio submissionid:e#3"},
		"n8n":       {`[{"headers":{},"body":{` + ana + `}},{"headers":{},"body":{` + beto + `}}]`, "Ana|Beto"},
		"kommo":     {`{"contacts":{"add":[{` + ana + `},{` + beto + `}]}}`, "Ana|Beto"},
		"same word": {`[{` + ana + `},{` + ana + `}]`, "Ana|Ana"},

		"one person":       {`{"leads":[{` + ana + `}]}`, "Ana"},
		"one, in an array": {`[{` + ana + `}]`, "Ana"},
		"questions":        {`[{"name":"nome","value":"Ana"},{"name":"email","value":"ana@x.com"}]`, "Ana"},
		"two e-mail questions": {`{"data":[{"title":"E-mail","type":"email","value":"ana@x.com"},
			{"title":"E-mail do sócio","type":"email","value":"b@x.com"}]}`, ""},
		"questions on pages": {`{"responses":[{"question":"Nome","answer":"Ana","page":1},
			{"question":"E-mail","answer":"ana@x.com","page":1},{"question":"Confirme","answer":"ana@x.com","page":1}]}`, "Ana"},
		"questions on pages, in an array": {`[{"label":"Nombre","value":"Ana","step":{"n":1}},
			{"label":"Correo","value":"ana@x.com","step":{"n":1}},{"label":"Otro","value":"b@x.com","step":{"n":2}}]`, "Ana"},
		"means of contact": {`{"nome":"Ana","contatos":[{"tipo":"email","valor":"a@x.com"},
			{"tipo":"email","valor":"b@y.com"}]}`, "Ana"},
		"answers of several": {`{"data":[{"name":"Ana","answers":[{"title":"E-mail","value":"ana@x.com"}]},
			{"name":"Bia","answers":[{"title":"E-mail","value":"bia@x.com"}]}]}`, "|"},
		"names and addresses": {`[{"name":"Ana","value":"ana@x.com","n":"1"},{"name":"Bia","value":"b@x.com","n":"2"}]`,
			"Ana|Bia"},
		"the buyer's order": {`{` + ana + `,"items":[{"titular":"X","email":"x@x.com"},
			{"titular":"Y","email":"y@x.com"}]}`, "Ana"},
		"guests":        {`{"payload":{"attendees":[{` + ana + `},{` + beto + `}]}}`, "Ana"},
		"two addresses": {`{` + ana + `,"email_2":"z@x.com"}`, "Ana"},
		"no address":    {`{"leads":[{"nome":"Ana"},{"nome":"Beto"}]}`, "Ana"},
	} {
		drafts, err := ReadAll(Options{Kind: Generic}, "", []byte(c.body))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var got []string
		for _, d := range drafts {
			got = append(got, join(d.Name, d.Origin, d.Message, d.DeliveryID))
		}
		if s := strings.Join(got, "|"); s != c.want {
			t.Errorf("%s: %s, want %s", name, s, c.want)
		}
	}
}

// TestElementsWithoutAddress stay with the first person, so that nothing is lost.
func TestElementsWithoutAddress(t *testing.T) {
	t.Parallel()
	const body = `[{"email":"a@x.com"},{"obs":"sem endereço"},{"email":"b@x.com"}]`
	drafts, err := ReadAll(Options{Kind: Generic}, "", []byte(body))
	if err != nil || len(drafts) != 2 || !strings.Contains(drafts[0].Note(), "sem endereço") || drafts[1].Note() != "" {
		t.Errorf("%+v, %v", drafts, err)
	}
}

// TestAnOrderOfManyTickets is one contact, the buyer, however many people come along.
func TestAnOrderOfManyTickets(t *testing.T) {
	t.Parallel()
	tickets := strings.Repeat(`{"titular":"X","email":"x@x.com"},`, MaxPeople+1)
	body := `{"nome":"Ana","email":"ana@x.com","items":[` + strings.TrimSuffix(tickets, ",") + `]}`
	drafts, err := ReadAll(Options{Kind: Generic}, "", []byte(body))
	if err != nil || len(drafts) != 1 || drafts[0].Email != "ana@x.com" {
		t.Errorf("%d drafts, %v", len(drafts), err)
	}
}

// TestManyPeople: the number of people in a body is limited, and reading them is fast.
func TestManyPeople(t *testing.T) {
	t.Parallel()
	body := func(n int) []byte {
		list := make([]string, n)
		for i := range list {
			list[i] = fmt.Sprintf(`{"email":"p%d@x.com"}`, i)
		}
		outside := strings.Repeat(`"x",`, 15000)
		return []byte(`{"leads":[` + strings.Join(list, ",") + `],"y":[` + strings.TrimSuffix(outside, ",") + `]}`)
	}
	if drafts, err := ReadAll(Options{Kind: Generic}, "", body(MaxPeople)); err != nil || len(drafts) != MaxPeople {
		t.Errorf("%d people, %v", len(drafts), err)
	}
	var f *fault.Error
	message := `"mensagem":"` + strings.Repeat("palavra ", 100_000) + `"`
	for people, refused := range map[int]bool{1: false, 4: false, MaxPeople: true} {
		list := strings.TrimSuffix(strings.Repeat(`{"email":"a@x.com"},`, people), ",")
		_, err := ReadAll(Options{Kind: Generic}, "", []byte(`{"leads":[`+list+`],`+message+`}`))
		if errors.As(err, &f) != refused {
			t.Errorf("a long message outside of %d people: %v", people, err)
		}
	}
	_, err := ReadAll(Options{Kind: Generic}, "", body(MaxPeople+1))
	if !errors.As(err, &f) || f.Code != fault.InvalidRequest {
		t.Errorf("%v", err)
	}
}

// TestReadAllIsRead: for a body with one person it gives what Read gives.
func TestReadAllIsRead(t *testing.T) {
	t.Parallel()
	for name, s := range everySubmission(t) {
		one, errOne := Read(Options{Kind: Generic}, s.typ, []byte(s.body))
		all, errAll := ReadAll(Options{Kind: Generic}, s.typ, []byte(s.body))
		if (errOne == nil) != (errAll == nil) || errOne == nil && (len(all) != 1 || contactOf(all[0]) != contactOf(one)) {
			t.Errorf("%s: %d drafts, %v", name, len(all), errAll)
		}
	}
}

// TestOnePersonOfAList: a person with a name and a phone of their own, beside the one with the address, is somebody
// else; a record with only one of them may be the rest of the contact.
func TestOnePersonOfAList(t *testing.T) {
	t.Parallel()
	const ana, bia = `{"nome":"Ana","email":"a@x.com"}`, `{"nome":"Bia","telefone":"11987654321"}`
	for body, want := range map[string]string{
		"[" + ana + "," + bia + "]":                               "Ana",
		"[" + bia + "," + ana + "]":                               "Ana",
		`{"leads":[` + bia + "," + ana + "]}":                     "Ana",
		"[" + ana + `,{"telefone":"11987654321"}]`:                "Ana 11987654321",
		`[{"email":"a@x.com"},` + bia + "]":                       "Bia 11987654321",
		"[" + ana + `,{"nome":"Plano","valor":500}]`:              "Ana",
		"[" + ana + `,{"name":"telefone","value":"11987654321"}]`: "Ana 11987654321",
	} {
		drafts, err := ReadAll(Options{Kind: Generic}, "", []byte(body))
		if err != nil || len(drafts) != 1 {
			t.Errorf("%s: %d, %v", body, len(drafts), err)
			continue
		}
		if got := join(drafts[0].Name, drafts[0].Phone); got != want || drafts[0].Email != "a@x.com" {
			t.Errorf("%s: %s, want %s", body, got, want)
		}
	}
}

// TestElementsWithoutAnAddress go to the note of the first person, and feed none of its fields; nor do people who stand
// under a name of their own.
func TestElementsWithoutAnAddress(t *testing.T) {
	t.Parallel()
	const bia = `{"nome":"Bia","telefone":"11987654321","empresa":"ACME","valor":500,"cpf":"529.982.247-25"}`
	for name, body := range map[string]string{
		"an array":       `[{"email":"a@x.com"},` + bia + `,{"email":"c@x.com"}]`,
		"before":         `[` + bia + `,{"email":"a@x.com"},{"email":"c@x.com"}]`,
		"leads":          `{"leads":[{"email":"a@x.com"},` + bia + `,{"email":"c@x.com"}]}`,
		"lines":          `{"email":"a@x.com"}` + "\n" + bia + "\n" + `{"email":"c@x.com"}`,
		"answers":        `[{"email":"a@x.com"},{"name":"telefone","value":"11987654321"},{"email":"c@x.com"}]`,
		"who sent them":  `{"email":"a@x.com","indicado_por":` + bia + `}`,
		"who comes also": `{"email":"a@x.com","dependentes":[` + bia + `]}`,
		"mother":         `{"email":"a@x.com","mae":` + bia + `}`,
	} {
		drafts, err := ReadAll(Options{Kind: Generic}, "", []byte(body))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		d := drafts[0]
		if d.Email != "a@x.com" || d.Name != "" || d.Phone != "" || d.Company != "" || d.Amount != 0 || d.Origin != "" ||
			len(d.Documents) > 0 {
			t.Errorf("%s: the fields of somebody else: %+v", name, d)
		}
		if note := fmt.Sprint(d.Leftover); !strings.Contains(note, "987654321") {
			t.Errorf("%s: nothing in the note: %s", name, note)
		}
	}
}

// TestRecordsThatRailsNests: "phones_attributes" are phones, and the attributes of others are theirs.
func TestRecordsThatRailsNests(t *testing.T) {
	t.Parallel()
	d := mustRead(t, "", `{"full_name":"Ana Lima","emails_attributes":[{"value":"ana@x.com"}],`+
		`"phones_attributes":[{"phone_type":"mobile","value":"11912345678"}]}`)
	if d.Email != "ana@x.com" || d.Name != "Ana Lima" || d.Phone != "11912345678" {
		t.Errorf("%+v", d)
	}
	for _, key := range []string{"owner", "agent", "spouse", "product", "store", "seller", "emergency_contact"} {
		d := mustRead(t, "", `{"email":"ana@x.com","`+key+`_attributes":{"name":"Rui Lima","phone":"11912345678"}}`)
		if d.Name != "" || d.Phone != "" || d.Email != "ana@x.com" {
			t.Errorf("%s: %+v", key, d)
		}
	}
}

package intake

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"
)

// contactsIn reads the people of a body, in order: name, e-mail, phone and documents of each.
func contactsIn(t *testing.T, typ, body string) string {
	t.Helper()
	drafts, err := ReadAll(Options{Kind: Generic}, typ, []byte(body))
	if err != nil {
		t.Fatalf("%s: %v", body, err)
	}
	var all []string
	for _, d := range drafts {
		var documents []string
		for _, doc := range d.Documents {
			documents = append(documents, doc.Value())
		}
		all = append(all, fmt.Sprintf("%s %s %s %s", d.Name, d.Email, d.PhoneE164, strings.Join(documents, "+")))
	}
	return strings.Join(all, "; ")
}

// TestEachPersonIsOne, however the list of people came: as a text, as repeated elements, under a word of its own; and
// whoever comes along gives the contact no phone and no document.
func TestEachPersonIsOne(t *testing.T) {
	t.Parallel()
	const form = "application/x-www-form-urlencoded"
	const two = `[{"email":"ana@x.com","nome":"Ana"},{"email":"bia@x.com","nome":"Bia","telefone":"11987654321",` +
		`"cpf":"52998224725"}]`
	const each = "Ana ana@x.com  ; Bia bia@x.com +5511987654321 52998224725"
	soap := func(notifications ...string) string {
		return `<soapenv:Envelope xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/"><soapenv:Body>` +
			`<notifications xmlns="http://soap.sforce.com/2005/09/outbound"><OrganizationId>00D5g000004abcdEAA</OrganizationId>` +
			`<ActionId>04k5g000000abcdAAA</ActionId>` + strings.Join(notifications, "") + `</notifications></soapenv:Body></soapenv:Envelope>`
	}
	notification := func(id, name, email, more string) string {
		return `<Notification><Id>` + id + `</Id><sObject><Email>` + email + `</Email><Name>` + name + `</Name>` + more +
			`</sObject></Notification>`
	}
	for what, c := range map[string]struct{ typ, body, want string }{
		"a list":                                 {"application/json", two, each},
		"a list as the text of a form's field":   {form, "payload=" + url.QueryEscape(two), each},
		"a list inside an object as such a text": {form, "data=" + url.QueryEscape(`{"leads":`+two+`}`), each},
		"a queue's body":                         {"application/json", fmt.Sprintf(`{"messageId":"m1","body":%q}`, two), each},
		"a batch of Mandrill's":                  {form, "mandrill_events=" + url.QueryEscape(two), each},
		"notifications of Salesforce": {"text/xml", soap(
			notification("04l1", "Rita", "rita@x.com", ""), notification("04l2", "Bia", "bia@x.com", "<Phone>11987654321</Phone>"),
		), "Rita rita@x.com  ; Bia bia@x.com +5511987654321 "},
		"one notification": {"text/xml", soap(notification("04l2", "Bia", "bia@x.com", "<Phone>11987654321</Phone>")),
			"Bia bia@x.com +5511987654321 "},
		"repeated elements, the first empty": {"text/xml", `<contacts><contact/><contact><nome>Ana</nome><email>ana@x.com</email>` +
			`</contact><contact><nome>Bia</nome><email>bia@x.com</email></contact></contacts>`, "Ana ana@x.com  ; Bia bia@x.com  "},
		"prospects":                          {"application/json", `{"prospects":` + two + `}`, each},
		"a list by the word in its key":      {"application/json", `{"messages":{"createdCustomer":` + two + `}}`, each},
		"leads inside an object of any name": {"application/json", `{"lote":{"novos_leads":` + two + `}}`, each},
		"events under a word of ours": {"application/json", `{"eventos":[{"dados":{"email":"ana@x.com","nome":"Ana"}},{"dados":` +
			`{"email":"bia@x.com","nome":"Bia"}}]}`, "Ana ana@x.com  ; Bia bia@x.com  "},
		"the leads of one of ours":            {"application/json", `{"corretor":{"leads":` + two + `}}`, each},
		"guests inside an object of any name": {"application/json", `{"reserva":{"hospedes":` + two + `}}`, "Ana ana@x.com  "},
		"interessados":                        {"application/json", `{"interessados":` + two + `}`, each},

		"who comes along to a booking": {"application/json", `{"payload":{"attendees":[{"nome":"Ana","email":"ana@x.com"},` +
			`{"nome":"Beto","email":"beto@x.com","telefone":"21912345678","cpf":"529.982.247-25"}]}}`, "Ana ana@x.com  "},
		"an agent around the list":           {"application/json", `{"user_email":"corretor@imob.com.br","leads":` + two + `}`, each},
		"an address of ours around the list": {"application/json", `{"reply_to":"contato@evento.com","leads":` + two + `}`, each},
		"a company around its person": {"application/json", `{"company":{"name":"ACME","email":"contato@acme.com",` +
			`"contacts":[{"name":"Ana","email":"ana@acme.com","phone":"11987654321"}]}}`, "Ana ana@acme.com +5511987654321 "},
		"a company of the contact's": {"application/json", `{"nome":"Ana","email":"ana@x.com","empresas":[{"razao_social":` +
			`"ACME Ltda","cnpj":"11.222.333/0001-81","email":"financeiro@acme.com"}]}`, "Ana ana@x.com  11222333000181"},
		"guests in an answer, as a text": {"application/json", `[{"name":"nome","value":"Ana"},{"name":"email","value":"ana@x.com"},` +
			`{"name":"convidados","value":"[{\"nome\":\"Beto\",\"email\":\"beto@x.com\"},{\"nome\":\"Bia\",\"email\":\"bia@x.com\"}]"}]`,
			"Ana ana@x.com  "},
		"one with an address, in a text": {form, "payload=" + url.QueryEscape(`[{"nome":"Ana","email":"ana@x.com"},`+
			`{"nome":"Bia","telefone":"11987654321","cpf":"529.982.247-25"}]`), "Ana ana@x.com  "},
		"one with an address, of repeated elements": {"text/xml", `<leads><lead><nome>Ana</nome><email>ana@x.com</email></lead>` +
			`<lead><nome>Bia</nome><telefone>11987654321</telefone><cpf>52998224725</cpf></lead></leads>`, "Ana ana@x.com  "},
		"the contact again, in a list": {"application/json", `{"nome":"Ana","email":"ana@x.com",` +
			`"participantes":[{"nome":"Ana","email":"ANA@x.com","telefone":"21912345678"}]}`, "Ana ana@x.com +5521912345678 "},
		"a guest alone": {"application/json", `{"guests":[{"nome":"Beto","email":"beto@x.com","telefone":"21912345678"}]}`,
			"Beto beto@x.com +5521912345678 "},
	} {
		if got := contactsIn(t, c.typ, c.body); got != c.want {
			t.Errorf("%s: %q, not %q", what, got, c.want)
		}
	}
}

// TestNotificationsAreEachTheirOwn: each of several has its own id, the same as when it comes alone.
func TestNotificationsAreEachTheirOwn(t *testing.T) {
	t.Parallel()
	one := func(id, email string) string {
		return `<Notification><Id>` + id + `</Id><sObject><Email>` + email + `</Email></sObject></Notification>`
	}
	ids := func(notifications string) (all []string) {
		drafts, err := ReadAll(Options{Kind: Generic}, "text/xml", []byte(`<notifications><OrganizationId>o</OrganizationId>`+
			`<ActionId>a</ActionId>`+notifications+`</notifications>`))
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range drafts {
			all = append(all, d.DeliveryID)
		}
		return all
	}
	a, b := one("04l5g0000001", "ana@x.com"), one("04l5g0000002", "bia@x.com")
	want := append(ids(a), ids(b)...)
	if got := ids(a + b); fmt.Sprint(got) != fmt.Sprint(want) || want[0] == want[1] || want[0] == "" {
		t.Errorf("together they are %q, alone %q", got, want)
	}
}

// TestElementsOfXMLKeepTheirIDs, so that a retry makes no second contact.
func TestElementsOfXMLKeepTheirIDs(t *testing.T) {
	t.Parallel()
	drafts, err := ReadAll(Options{Kind: Generic}, "text/xml", []byte(`<leads><lead><lead_id>7</lead_id>`+
		`<email>ana@x.com</email></lead><lead><lead_id>8</lead_id><email>bia@x.com</email></lead></leads>`))
	if err != nil || len(drafts) != 2 || drafts[0].DeliveryID == "" || drafts[0].DeliveryID == drafts[1].DeliveryID {
		t.Errorf("%v %+v", err, drafts)
	}
}

// TestRepeatedMembersInsideEachOther are read in a time that grows with their number.
func TestRepeatedMembersInsideEachOther(t *testing.T) {
	t.Parallel()
	deep, flat := `{"a":1}`, strings.Repeat(`"lead":{"a":1},`, 9000)
	for range 60 {
		deep = `{"lead":` + deep + `,"lead":{"a":1}}`
	}
	for _, body := range []string{deep, "{" + flat + `"email":"ana@x.com"}`} {
		_, _ = ReadAll(Options{Kind: Generic}, "application/json", []byte(body))
	}
}

// TestAnIDOfSeveralPeople: all who take a seat in one booking have its id.
func TestAnIDOfSeveralPeople(t *testing.T) {
	t.Parallel()
	booking := func(seat, email string) string {
		return `{"triggerEvent":"BOOKING_CREATED","payload":{"uid":"bFJeNb2uX8ANpT3JL5EfXw","attendeeSeatId":"` + seat +
			`","responses":{"email":{"label":"email","value":"` + email + `"}}}}`
	}
	if d := mustRead(t, "", booking("s-1", "ana@x.com")); d.DeliveryID == "" || d.IDNeeds != IDAndEmail {
		t.Errorf("a seat has the id %q, which needs %d", d.DeliveryID, d.IDNeeds)
	}
}

// TestASeatOfABookingIsWhoTookIt: those who took the other seats before stand in the list too, with all that they said.
func TestASeatOfABookingIsWhoTookIt(t *testing.T) {
	t.Parallel()
	const (
		ana = `{"name":"Ana","email":"ana@x.com","phoneNumber":"+5511987654321","bookingSeat":{"referenceUid":"s-1",` +
			`"data":{"responses":{"name":"Ana","email":"ana@x.com","cpf":"529.982.247-25"}}}}`
		bia   = `{"name":"Bia","email":"bia@x.com"}`
		said  = `,"responses":{"email":{"label":"email_address","value":"BIA@x.com"}}`
		plain = `,"responses":{"email":"bia@x.com"}`
	)
	for _, c := range []struct{ attendees, more, want string }{
		{ana + "," + bia, said, "Bia bia@x.com  "},
		{ana + "," + bia, plain, "Bia bia@x.com  "},
		{ana + "," + bia, "", "Bia bia@x.com  "},
		{bia, said, "Bia bia@x.com  "},
		{ana, "", "Ana ana@x.com +5511987654321 52998224725"}, // who is alone is the contact, whatever the seat's id
	} {
		got := contactsIn(t, "", `{"triggerEvent":"BOOKING_CREATED","payload":{"uid":"bFJeNb2uX8ANpT3JL5EfXw",`+
			`"organizer":{"name":"Vendas","email":"vendas@x.com"},"attendeeSeatId":"s-2","attendees":[`+c.attendees+`]`+c.more+`}}`)
		if !strings.EqualFold(got, c.want) {
			t.Errorf("%s%s: %q, not %q", c.attendees, c.more, got, c.want)
		}
	}
}

// TestNumberedPartsOfOtherQuestions: the parts of a name in Gravity Forms are not the boxes of a list, nor the lines of
// an address, of which some are empty.
func TestNumberedPartsOfOtherQuestions(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`{"id":"1042","form_id":"4","3.1":"","3.2":"","3.3":"Câmeras","3.4":"","3.5":"","5.3":"Davi","5.6":"Rocha",` +
			`"6":"davi@exemplo.com.br"}`: "Davi Rocha",
		`{"form_id":"4","3.3":"Câmeras","5.3":"Davi","5.6":"Rocha","6":"davi@exemplo.com.br"}`:                          "Davi Rocha",
		`{"form_id":"4","2.1":"","2.3":"Campinas","2.6":"Brazil","3.3":"Davi","3.6":"Rocha","6":"davi@exemplo.com.br"}`: "Davi Rocha",
		`{"form_id":"4","3.1":"","3.3":"Câmeras","6":"davi@exemplo.com.br"}`:                                            "",
		`{"form_id":"4","5.3":"Davi","6":"davi@exemplo.com.br"}`:                                                        "Davi",
	} {
		if d := mustRead(t, "", body); d.Name != want {
			t.Errorf("%s: %q, not %q", body, d.Name, want)
		}
	}
}

// TestWhatWasTypedIntoAForm counts where no other address is: under "form" stands mostly what describes the form.
func TestWhatWasTypedIntoAForm(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ typ, body, want string }{
		{"application/x-www-form-urlencoded", "form%5Bnome%5D=Ana&form%5Bemail%5D=ana@x.com&form%5Btelefone%5D=11987654321",
			"Ana ana@x.com +5511987654321 "},
		{"", `{"form":{"name":"Contato","email":"dono@loja.com"},"nome":"Ana","email":"ana@x.com"}`, "Ana ana@x.com  "},
		{"", `{"form":{"id":7,"email":"dono@loja.com"},"email":"","telefone":"11987654321"}`, "  +5511987654321 "},
		{"", `{"form":{"id":7,"name":"Contato","email":"dono@loja.com"},"nota":"x"}`, "   "},
		{"", `{"form":{"name":"Contato","email":"dono@loja.com"},"submission":{"nome":"Ana","email":"ana@x.com"}}`, "Ana ana@x.com  "},
	} {
		if got := contactsIn(t, c.typ, c.body); got != c.want {
			t.Errorf("%s: %q, not %q", c.body, got, c.want)
		}
	}
}

// TestAnExtensionIsNoCountry, unless it makes a number that exists.
func TestAnExtensionIsNoCountry(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`{"email":"a@x.com","phone":"(11) 3333-4444","phone_extension":"204"}`: "(11) 3333-4444 +551133334444",
		`{"email":"a@x.com","phone":"11 98765-4321","phone_extension":"55"}`:   "+55 11 98765-4321 +5511987654321",
		`{"email":"a@x.com","telefone":"912345678","phone_local_code":"351"}`:  "+351 912345678 +351912345678",
	} {
		if d := mustRead(t, "", body); d.Phone+" "+d.PhoneE164 != want {
			t.Errorf("%s: %s %s, not %s", body, d.Phone, d.PhoneE164, want)
		}
	}
}

// TestJotformsQuestionsThatWereRenamed, in the languages of its builder.
func TestJotformsQuestionsThatWereRenamed(t *testing.T) {
	t.Parallel()
	for _, begins := range []string{"typeA", "escribaUna", "digiteUma"} {
		body := url.Values{
			"formID": {"1"}, "submissionID": {"5971234567890123456"},
			"rawRequest": {`{"q4_email4":"ana@x.com","q3_` + begins + `3":"Ana Lima","q7_` + begins + `7":"Quero comprar"}`},
			"pretty":     {"E-mail:ana@x.com, Qual seu nome?:Ana Lima, Mensagem:Quero comprar"},
		}.Encode()
		d := mustRead(t, "application/x-www-form-urlencoded", body)
		if d.Name != "Ana Lima" || !strings.Contains(d.Message, "Quero comprar") {
			t.Errorf("%s: %q, %q, %v", begins, d.Name, d.Message, d.Leftover)
		}
	}
}

// TestWhatATextSaysStandsWhereItStood: the note keeps the order of the answers, also where a text lists people.
func TestWhatATextSaysStandsWhereItStood(t *testing.T) {
	t.Parallel()
	quoted := func(s string) string {
		text, _ := json.Marshal(s)
		return string(text)
	}
	tickets := `[{"poltrona":"1","email":"x@x.com","setor":"A"},{"poltrona":"2","email":"y@x.com"}]`
	guests := `[{"nome":"Bia","email":"b@x.com","escolhas":` + quoted(`{"cor":"azul","prazo":"maio","tamanho":"M"}`) +
		`,"mesa":"4"},{"nome":"Caio","email":"c@x.com","mesa":"5"}]`
	part := "--x\r\nContent-Disposition: form-data; name="
	for _, c := range []struct{ typ, body, want string }{
		{"", `{"nome":"Ana","email":"ana@x.com","cidade":"Recife","items":` + quoted(tickets) + `,"turma":"B"}`,
			"cidade poltrona email setor turma poltrona email"}, // who is unknown is last
		{"", `{"nome":"Ana","email":"ana@x.com","cidade":"Recife","items":` + tickets + `,"turma":"B"}`,
			"cidade poltrona email setor turma poltrona email"},
		{"", `{"f1":"a","f2":"b","f3":"c","f4":"d","f5":"e","f6":"f","f7":"g","leads":` + quoted(guests) + `,"turma":"B"}`,
			"f1 f2 f3 f4 f5 f6 f7 cor prazo tamanho mesa turma"},
		{"multipart/form-data; boundary=x", part + "nome\r\n\r\nAna\r\n" + part + "email\r\n\r\nana@x.com\r\n" +
			part + "cidade\r\n\r\nRecife\r\n" + part + "dados\r\nContent-Type: application/json\r\n\r\n" +
			`{"cor":"azul","prazo":"maio","tamanho":"M"}` + "\r\n" + part + "turma\r\n\r\nB\r\n--x--\r\n",
			"cidade cor prazo tamanho turma"},
	} {
		drafts, err := ReadAll(Options{Kind: FormService}, c.typ, []byte(c.body))
		if err != nil {
			t.Fatal(err)
		}
		var said []string
		for _, p := range drafts[0].Leftover {
			said = append(said, p.Key)
		}
		if got := strings.Join(said, " "); got != c.want {
			t.Errorf("%s: %s, not %s", c.body, got, c.want)
		}
	}
}

// TestATextThatListsWhoComesAlong is read like the list itself: its lines have the value, its id is the submission's.
func TestATextThatListsWhoComesAlong(t *testing.T) {
	t.Parallel()
	const lines = `[{"produto":"Curso","price":100,"quantity":1},` +
		`{"produto":"Ingresso","email":"x@x.com","price":50,"quantity":1},` +
		`{"produto":"Ingresso","email":"y@x.com","price":50,"quantity":1}]`
	const order = `{"submission_id":"a1b2c3d4e5f60718","items":` + lines + "}"
	for _, list := range []string{`"items":` + lines, `"payload":` + order} {
		key, value, _ := strings.Cut(list, ":")
		text, _ := json.Marshal(value)
		var said []string
		for _, sent := range []string{value, string(text)} {
			drafts, err := ReadAll(Options{Kind: FormService}, "", []byte(`{"nome":"Ana","email":"ana@x.com",`+key+":"+sent+"}"))
			if err != nil || len(drafts) != 1 {
				t.Fatalf("%s: %d people, %v", sent, len(drafts), err)
			}
			said = append(said, fmt.Sprint(drafts[0].Amount, drafts[0].DeliveryID))
		}
		if said[0] != said[1] || !strings.HasPrefix(said[0], "2") {
			t.Errorf("%s: as a list %s, as a text %s", key, said[0], said[1])
		}
	}
}

// TestTextsBesideAListAreAnswers: a list of people that is none of a text's opens no text.
func TestTextsBesideAListAreAnswers(t *testing.T) {
	t.Parallel()
	for _, more := range []string{"", `,{"email":"y@x.com"}`} {
		body := `{"nome":"Ana","email":"ana@x.com","items":[{"email":"x@x.com"}` + more +
			`],"blocos":["{\"nome\":\"Bia\",\"telefone\":\"11987654321\"}"]}`
		drafts, err := ReadAll(Options{Kind: FormService}, "", []byte(body))
		if err != nil || len(drafts) != 1 || drafts[0].Name != "Ana" || drafts[0].Phone != "" {
			t.Errorf("%s: %d people, %v", body, len(drafts), err)
		}
	}
}

// TestAnAddressBesideAListOfOne: the one person of a list who has a name and an address is the contact, not the address
// outside without a name, nor the phone beside it. Where a name stands outside too, the two outside belong together.
func TestAnAddressBesideAListOfOne(t *testing.T) {
	t.Parallel()
	const ana = `[{"nome":"Ana","email":"ana@x.com"}]`
	const mobile = `[{"nome":"Ana","email":"ana@x.com","telefone":"11987654321"}]`
	const two = `[{"nome":"Ana","email":"ana@x.com"},{"nome":"Bia","email":"bia@x.com"}]`
	for _, c := range []struct{ body, want string }{
		{`{"email":"dono@conta.com","leads":` + ana + `}`, "Ana ana@x.com  "},
		{`{"email":"dono@conta.com","contacts":` + ana + `}`, "Ana ana@x.com  "},
		{`{"email":"dono@conta.com","contatos":` + ana + `}`, "Ana ana@x.com  "},
		{`{"email":"dono@conta.com","pessoas":` + ana + `}`, "Ana ana@x.com  "},
		{`{"email":"dono@conta.com","records":` + ana + `}`, "Ana ana@x.com  "},
		{`{"email":"dono@conta.com","rows":` + ana + `}`, "Ana ana@x.com  "},
		{`{"email":"dono@conta.com","contacts":` + two + `}`, "Ana ana@x.com  ; Bia bia@x.com  "},
		{`{"email":"dono@conta.com","contacts":[{"first_name":"Ana","last_name":"Lima","email":"ana@x.com"}]}`,
			"Ana Lima ana@x.com  "},
		{`{"email":"dono@conta.com","telefone":"1133334444","contacts":` + mobile + `}`, "Ana ana@x.com +5511987654321 "},
		{`{"email":"dono@conta.com","telefone":"1133334444","leads":` + mobile + `}`, "Ana ana@x.com +5511987654321 "},
		{`{"email":"dono@conta.com","telefone":"1133334444","leads":` + ana + `}`, "Ana ana@x.com  "},
		{`{"email":"dono@conta.com","telefone":"1133334444","leads":` + two + `}`, "Ana ana@x.com  ; Bia bia@x.com  "},
		{`{"telefone":"1133334444","leads":` + ana + `}`, "Ana ana@x.com +551133334444 "},

		{`{"nome":"Rui","email":"rui@x.com","contacts":` + ana + `}`, "Rui rui@x.com  "},
		{`{"nome":"Rui","email":"rui@x.com","telefone":"1133334444","contatos":` + mobile + `}`, "Rui rui@x.com +551133334444 "},
		{`{"email":"ana@x.com","telefone":"1133334444","contacts":` + ana + `}`, "Ana ana@x.com +551133334444 "},
		{`{"email":"rui@x.com","contacts":[{"email":"ana@x.com"}]}`, " rui@x.com  "},
		// Of two people, as before there was a rule: whoever is outside has a document or a name.
		{`{"email":"rui@x.com","cpf":"529.982.247-25","contatos":` + ana + `}`, "Ana rui@x.com  52998224725"},
		{`{"email":"mae@x.com","responsavel":"Eva","whatsapp":"11987654321","alunos":` + ana + `}`,
			"Ana ana@x.com +5511987654321 "},
		{`{"email":"rui@x.com","customer":{"name":"Rui"},"members":` + ana + `}`, "Ana rui@x.com  "},
		{`{"email":"rui@x.com","billing_address":{"first_name":"Rui","email":"fin@x.com"}}`, "Rui rui@x.com  "},
		{`{"email":"rui@x.com","items":[{"titular":"Ana","email":"ana@x.com"}]}`, " rui@x.com  "},
	} {
		if got := contactsIn(t, "", c.body); got != c.want {
			t.Errorf("%s: %q, not %q", c.body, got, c.want)
		}
	}
}

// TestNamesOfOthers: who did something to a record, what a program names, and the account that advertises are not the
// contact's.
func TestNamesOfOthers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ body, want string }{
		{`{"data":{"action":"card.create","done_by":{"id":1,"name":"Rui","username":"rui","email":"rui@empresa.com"},` +
			`"card":{"id":55,"title":"Orçamento","fields":[{"name":"E-mail","value":"ana@x.com"}]}}}`, "|ana@x.com|"},
		{`{"data":{"done_by":{"name":"Rui","email":"rui@empresa.com"},"card":{"id":55,"title":"Orçamento"}}}`, "||"},
		{`{"objectId":51,"propertyName":"email","propertyValue":"ana@x.com"}`, "|ana@x.com|"},
		{`{"email":"ana@x.com","segment_name":"Quentes","nome_do_funil":"Vendas","etapa_nome":"Novo"}`, "|ana@x.com|"},
		{`{"email":"ana@x.com","nome_da_turma":"Manhã","aluno_nome":"Ana"}`, "Ana|ana@x.com|"},
		{`{"Email Address":"ana@x.com","First Name":"Ana","Company Name":"ACME","Account Name":"Agência"}`, "Ana|ana@x.com|ACME"},
		{`{"email":"ana@x.com","nome":"Ana","account_name":"Agência","empresa":"ACME"}`, "Ana|ana@x.com|ACME"},
		{`{"email":"ana@x.com","nome":"Ana","account_name":"ACME"}`, "Ana|ana@x.com|ACME"},
		{`{"email":"ana@x.com","nome":"Ana","employer_name":"ACME"}`, "Ana|ana@x.com|ACME"},
		{`{"sdr_email":"rui@empresa.com","sdr_nome":"Rui","Qual seu melhor e-mail?":"ana@x.com","Qual seu nome?":"Ana"}`,
			"Ana|ana@x.com|"},
		{`{"closer":{"name":"Rui","email":"rui@empresa.com"},"lead_email":"ana@x.com","lead_nome":"Ana"}`, "Ana|ana@x.com|"},
	} {
		d := mustRead(t, "", c.body)
		if got := d.Name + "|" + d.Email + "|" + d.Company; got != c.want {
			t.Errorf("%s: %q, not %q", c.body, got, c.want)
		}
	}
}

// TestThingsHaveNames of their own: what a person bought, watches or signed up to lends them no name, and makes nobody
// else of the "user" who did.
func TestThingsHaveNames(t *testing.T) {
	t.Parallel()
	for _, thing := range []string{
		"lesson", "chapter", "module", "class", "classroom", "bundle", "challenge", "venue", "newsletter", "popup",
		"membership_level", "sequence", "broadcast", "segment", "task", "aula", "turma", "desafio", "convenio", "proposta",
	} {
		for _, person := range []string{"user", "customer", "aluno"} {
			named := `{"payload":{"` + thing + `":{"id":3,"name":"Primeira"},"` + person + `":{"email":"ana@x.com"}}}`
			if got := contactsIn(t, "", named); got != " ana@x.com  " {
				t.Errorf("%s: %q", named, got)
			}
			named = `{"payload":{"` + thing + `":{"id":3,"name":"Primeira"},"` + person +
				`":{"email":"ana@x.com","first_name":"Ana","last_name":"Lima"}}}`
			if got := contactsIn(t, "", named); got != "Ana Lima ana@x.com  " {
				t.Errorf("%s: %q", named, got)
			}
		}
	}
	for body, want := range map[string]string{
		`{"email":"ana@x.com","nome_popup":"Ana"}`:                "Ana ana@x.com  ",
		`{"newsletter":{"nome":"Ana","email":"ana@x.com"}}`:       "Ana ana@x.com  ",
		`{"popup":{"nome":"Ana","campos":{"email":"ana@x.com"}}}`: "Ana ana@x.com  ",
	} {
		if got := contactsIn(t, "", body); strings.Join(strings.Fields(got), " ") != strings.Join(strings.Fields(want), " ") {
			t.Errorf("%s: %q, not %q", body, got, want)
		}
	}
}

// TestWhoseAddressTheKeySays: a key with a word for the lead beats one that says of nobody that they are it.
func TestWhoseAddressTheKeySays(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		pairs("payer_email", "ana@x.com", "receiver_email", "loja@x.com", "business", "loja@x.com"),
		pairs("notification_email", "loja@x.com", "buyer_email", "ana@x.com"),
		pairs("school_email", "loja@x.com", "student_email", "ana@x.com"),
	} {
		if d := mustRead(t, formType, body); d.Email != "ana@x.com" {
			t.Errorf("%s: %q", body, d.Email)
		}
	}
	if d := mustRead(t, formType, pairs("receiver_email", "ana@x.com")); d.Email != "ana@x.com" {
		t.Errorf("alone: %q", d.Email)
	}
}

// TestTheSenderSaysTest in many ways.
func TestTheSenderSaysTest(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]bool{
		`"IsTest":true`: true, `"test":true`: true, `"test_mode":true`: true, `"sandbox":true`: true, `"livemode":false`: true,
		`"live_mode":false`: true, `"mode":"test"`: true, `"environment":"sandbox"`: true, `"event":"test"`: true,
		`"type":"webhook.test"`: true, `"test_ipn":"1"`: true,
		`"test":"true"`: true, `"test":"test"`: false, `"ping":true`: true, `"ping":"12ms"`: false, `"test":"Test drive"`: false,
		`"is_test":false`: false, `"campaign":"teste"`: false, `"utm_campaign":"test"`: false, `"data":{"is_test":true}`: true,
		`"payload":{"livemode":false}`: true, `"data":{"event":"test"}`: false, `"answers":{"test":true}`: false,
		`"test":false`: false, `"test":"1"`: false, `"test":"Sim"`: false, `"livemode":true`: false, `"mode":"presencial"`: false,
		`"environment":"production"`: false, `"event":"Test drive"`: false, `"event":"contest.entry"`: false,
	} {
		if d := mustRead(t, "", `{"email":"a@b.c",`+body+`}`); d.Test != want {
			t.Errorf("%s: %v", body, d.Test)
		}
	}
}

// TestPartsOfPhonesByOtherNames: a prefix is an area code, and so is a "local code" that is no country.
func TestPartsOfPhonesByOtherNames(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`"payer_phone_prefix":"11","payer_phone":"987654321"`:  "11987654321 +5511987654321",
		`"phone_prefix":11,"phone":"987654321"`:                "11987654321 +5511987654321",
		`"phone_prefix":"+55","phone":"11987654321"`:           "11987654321 +5511987654321",
		`"phone_local_code":"11","phone_number":"987654321"`:   "11987654321 +5511987654321",
		`"phone_local_code":"351","phone_number":"912345678"`:  "+351 912345678 +351912345678",
		`"phone_local_code":"55","phone_number":"11987654321"`: "+55 11987654321 +5511987654321",
	} {
		if d := mustRead(t, "", `{"email":"a@b.c",`+body+`}`); d.Phone+" "+d.PhoneE164 != want {
			t.Errorf("%s: %s %s, not %s", body, d.Phone, d.PhoneE164, want)
		}
	}
}

// TestWhatStandsBesideAName: the real name is the name, and the furniture of a form's fields is no answer.
func TestWhatStandsBesideAName(t *testing.T) {
	t.Parallel()
	if d := mustRead(t, "", `{"email":"a@b.c","nickName":"Rosinha","realName":"Rosa Reis"}`); d.Name != "Rosa Reis" {
		t.Errorf("%q", d.Name)
	}
	d := mustRead(t, "", `{"rendered_data":[{"slug":"f1","type":"email","title":"E-mail","value":"a@b.c","json_key":null,
		"position":1,"raw_value":"a@b.c","admin_only":false,"max_length":255,"meta_key":"email_1"},{"slug":"f2",
		"type":"dropdown","title":"Qual plano?","value":"Ouro","raw_value":"Ouro","admin_only":false}],
		"readable_data":{"E-mail":"a@b.c","Qual plano?":"Ouro"}}`)
	if d.Note() != "Qual plano?: Ouro" {
		t.Errorf("%q", d.Note())
	}
	if d = mustRead(t, "", `{"email":"a@b.c","source":"urn:auth0:loja"}`); d.Origin != "" {
		t.Errorf("%q", d.Origin)
	}
	if d = mustRead(t, "", `{"email":"a@b.c","nin":"529.982.247-25"}`); len(d.Documents) != 1 {
		t.Errorf("%v", d.Fields)
	}
}

// TestPeopleWhomTheContactNames give no field, whatever stands beside them: a friend, who sent them, whom to call.
func TestPeopleWhomTheContactNames(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`"friend_name":"Bia","friend_email":"bia@x.com","friend_phone":"11912345678"`:                               " ana@x.com  ",
		`"referrer_name":"Caio","referrer_email":"caio@x.com","indicado_por_email":"d@x.com"`:                       " ana@x.com  ",
		`"emergency_contact_name":"Eva","emergency_contact_phone":"11922223333","telefone_emergencia":"1133334444"`: " ana@x.com  ",
		`"spouse_name":"Fabio","nome_do_conjuge":"Gil","mother_name":"Ida","partner_phone":"11922223333"`:           " ana@x.com  ",
		`"friend_name":"Bia","nome":"Ana","telefone_indicado":"1133334444","telefone":"11987654321"`:                "Ana ana@x.com +5511987654321 ",
	} {
		if got := contactsIn(t, "", `{"email":"ana@x.com",`+body+`}`); got != want {
			t.Errorf("%s: %q, not %q", body, got, want)
		}
	}
	if d := mustRead(t, "", `{"referrer_email":"caio@x.com","friend_email":"bia@x.com","phone":"11987654321"}`); d.Email != "" {
		t.Errorf("who is named is the contact: %q", d.Email)
	}
}

// TestTheOnlyOneAskedAbout is the contact, whoever they are to somebody else; what may be theirs too is.
func TestTheOnlyOneAskedAbout(t *testing.T) {
	t.Parallel()
	const ana = "Ana ana@x.com +5511987654321 "
	for body, want := range map[string]string{
		`"nome_indicado":"Ana","email_indicado":"ana@x.com","telefone_indicado":"11987654321"`:                                  ana,
		`"Nome do beneficiário":"Ana","E-mail do beneficiário":"ana@x.com","Telefone do beneficiário":"11987654321"`:            ana,
		`"mother_name":"Ana","mother_email":"ana@x.com","mother_phone":"11987654321"`:                                           ana,
		`"partner_name":"Ana","partner_email":"ana@x.com","partner_phone":"11987654321"`:                                        ana,
		`"beneficiary":{"name":"Ana","email":"ana@x.com"},"phone":"11987654321"`:                                                ana,
		`"friend":{"name":"Ana","email":"ana@x.com"},"referrer":{"name":"Rui","email":"rui@x.com"}`:                             "Ana ana@x.com  ",
		`"nome":"Rui","nome_amigo":"Ana","email_amigo":"ana@x.com"`:                                                             "Rui   ",
		`"email":"","nome_amigo":"Ana","email_amigo":"ana@x.com"`:                                                               "   ",
		`"nome":"Ana","email":"ana@x.com","Telefone (ou de um amigo)":"11987654321"`:                                            ana,
		`"nome":"Ana","email":"ana@x.com","fields":[{"label":"Seu telefone (ou do cônjuge)","value":"11987654321"}]`:            ana,
		`"email":"ana@x.com","fields":[{"label":"Telefone de familiar ou amigo","value":"11987654321"}]`:                        " ana@x.com  ",
		`"email":"ana@x.com","fields":[{"label":"Nome do cônjuge","value":"Bia"},{"label":"Sobrenome do cônjuge","value":"S"}]`: " ana@x.com  ",
		`"email":"ana@x.com","dependent":{"name":"Bia","phone":"11911112222"}`:                                                  " ana@x.com  ",
		`"email":"ana@x.com","dependents":{"first_name":"Bia","last_name":"Sá"}`:                                                " ana@x.com  ",
		`"email":"ana@x.com","friends":[{"name":"Eva","email":"eva@x.com"}]`:                                                    " ana@x.com  ",
		`"email":"ana@x.com","nome":"Ana Amigo","telefone":"11987654321"`:                                                       "Ana Amigo ana@x.com +5511987654321 ",
	} {
		if got := contactsIn(t, "", "{"+body+"}"); got != want {
			t.Errorf("%s: %q, not %q", body, got, want)
		}
	}
	other := `{"fields":[{"label":"E-mail","value":"ana@x.com"},{"label":"WhatsApp de emergência","value":"11922223333"},` +
		`{"label":"Telefone fixo","value":"1133334444"}]}`
	if got := contactsIn(t, "", other); got != " ana@x.com +551133334444 " {
		t.Errorf("the contact's own phone: %q", got)
	}
}

// TestWhoKeepsAPage of Notion's is not the contact.
func TestWhoKeepsAPage(t *testing.T) {
	t.Parallel()
	const people = `"Responsável":{"id":"as","type":"people","people":[{"object":"user","id":"u1","name":"Rui","type":"person",` +
		`"person":{"email":"rui@agencia.com"}}]},"Criado":{"type":"created_by","created_by":{"object":"user","name":"Rui",` +
		`"person":{"email":"rui@agencia.com"}}}`
	const ana = `,"E-mail":{"id":"e","type":"email","email":"ana@x.com"},"Nome":{"id":"title","type":"title","title":` +
		`[{"type":"text","text":{"content":"Ana"},"plain_text":"Ana"}]}`
	for more, want := range map[string]string{"": "   ", ana: "Ana ana@x.com  "} {
		if got := contactsIn(t, "", `{"data":{"object":"page","properties":{`+people+more+`}}}`); got != want {
			t.Errorf("%s: %q", more, got)
		}
	}
}

// TestThePrimaryOne of several addresses or phones is the contact's, wherever it stands.
func TestThePrimaryOne(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		`{"emails":[{"value":"velho@x.com","primary":false},{"value":"ana@x.com","primary":true}],` +
			`"phones":[{"value":"11911112222","label":"home"},{"value":"11987654321","primary":true,"label":"work"}]}`,
		`{"emails":[{"email":"velho@x.com","is_primary":false},{"email":"ana@x.com","is_primary":true}],` +
			`"phone_numbers":[{"phone":"11911112222","type":"work"},{"phone":"11987654321","type":"home","main":true}]}`,
		`{"email_addresses":[{"address":"velho@x.com"},{"address":"ana@x.com","default":true}],` +
			`"phone_numbers":[{"number":"11911112222"},{"number":"11987654321","is_default":true}]}`,
	} {
		if got := contactsIn(t, "", body); got != " ana@x.com +5511987654321 " {
			t.Errorf("%s: %q", body, got)
		}
	}
}

// TestAProgramsOwnKind is no origin where the body says where the contact came from.
func TestAProgramsOwnKind(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`"source_name":"web","utm_source":"google"`:                     "/google/",
		`"source_name":"web","landing_site":"/?utm_source=ig"`:          "/ig/landing_site: /?utm_source=ig",
		`"source_name":"web"`:                                           "web//",
		`"origem":"web","utm_source":"google"`:                          "web/google/",
		`"source_name":"Indicação","utm_source":"google"`:               "Indicação/google/",
		`"source_name":"pos","page_url":"https://x.com/?utm_source=ig"`: "/ig/page_url: https://x.com/?utm_source=ig",
	} {
		d := mustRead(t, "", `{"email":"ana@x.com",`+body+`}`)
		note, _, _ := strings.Cut(d.Note(), "utm_source: ")
		if got := d.Origin + "/" + d.FallbackOrigin + "/" + strings.TrimSpace(note); got != want {
			t.Errorf("%s: %q, not %q", body, got, want)
		}
	}
}

// TestTheCompanyThatWasAsked is not the contact's: whoever takes a booking, and whom a bot or a tracked number serves.
func TestTheCompanyThatWasAsked(t *testing.T) {
	t.Parallel()
	const ana = `"customer":{"name":"Ana","email":"ana@x.com"}`
	for body, want := range map[string]string{
		`{"appointment":{"id":1},"company":{"name":"Clínica"},` + ana + `}`:                               "",
		`{"booking":{"id":1},"organisation":{"name":"Clínica"},"name":"Ana","email":"ana@x.com"}`:         "Clínica",
		`{"booking":{"id":1},"company":"ACME",` + ana + `}`:                                               "ACME",
		`{"order":{"id":1},"company":{"name":"ACME"},` + ana + `}`:                                        "ACME",
		`{"business":{"businessID":"7","name":"Loja"},` + ana + `}`:                                       "",
		`{"company":{"name":"Loja","email":"oi@loja.com"},` + ana + `}`:                                   "",
		`{"company":{"name":"ACME","email":"oi@acme.com"},"contact":{"name":"Ana","email":"ana@x.com"}}`:  "ACME",
		`{"empresa":{"nome":"ACME","email":"oi@acme.com"},"cliente":{"nome":"Ana","email":"ana@x.com"}}`:  "ACME",
		`{"chatbot_name":"Zé","business_name":"Loja",` + ana + `}`:                                        "",
		`{"chatbot_name":"Zé","empresa":"ACME",` + ana + `}`:                                              "ACME",
		`{"bot_name":"Zé","company":"ACME","name":"Ana","email":"ana@x.com"}`:                             "ACME",
		`{"whatsappId":"5511978091111","nome_da_empresa":"ACME","email":"ana@x.com"}`:                     "ACME",
		`{"tracking_phone_number":"+551140040000","company_name":"Clínica","customer_email":"a@x.com"}`:   "",
		`{"booking":{"company":{"name":"ACME"}},"customer":{"email":"ana@x.com"}}`:                        "ACME",
		`{"email":"ana@x.com","Nome do responsável pela empresa":"Ana","Nome da empresa":"ACME"}`:         "ACME",
		`{"email":"ana@x.com","nome":"Ana","empresa_anterior":"Velha","empresa_concorrente":"Outra"}`:     "",
		`{"email":"ana@x.com","Nome do responsável da empresa":"Ana","Cidade onde a empresa atua":"Rio"}`: "",
	} {
		if d := mustRead(t, "", body); d.Company != want {
			t.Errorf("%s: %q, not %q", body, d.Company, want)
		}
	}
}

// TestTheFormsOwnWord before keys is no part of them; a word that means something is.
func TestTheFormsOwnWord(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		pairs("orc_nome", "Ana", "orc_email", "ana@x.com", "orc_detalhes", "Oi"):                   "Ana|ana@x.com|Oi",
		pairs("lp-nome", "Ana", "lp-email", "ana@x.com", "lp-obs", "Oi", "g", "1"):                 "Ana|ana@x.com|Oi",
		pairs("orc_email", "ana@x.com", "orc_detalhes", "Oi"):                                      "|ana@x.com|",
		pairs("evento_nome", "Feira", "evento_email", "a@x.com", "evento_detalhes", "Aqui"):        "|a@x.com|",
		pairs("nome", "Ana", "email", "ana@x.com", "zz_detalhes", "x", "zz_obs", "y", "zz_a", "z"): "Ana|ana@x.com|",
		pairs("frmNome", "Ana", "frmEmail", "ana@x.com", "frmObs", "Oi"):                           "Ana|ana@x.com|Oi",
		pairs("nm_cli", "Ana", "eml_cli", "ana@x.com", "obs_cli", "Oi", "nm_vend", "Zé"):           "Ana|ana@x.com|Oi",
		pairs("nomeTopo", "Ana", "emailTopo", "ana@x.com", "recadoTopo", "Oi"):                     "Ana|ana@x.com|Oi",
		pairs("nome-lp2", "Ana", "email-lp2", "ana@x.com", "recado-lp2", "Oi"):                     "Ana|ana@x.com|Oi",
		pairs("nomeEvento", "Feira", "emailEvento", "a@x.com", "recadoEvento", "Oi"):               "|a@x.com|Oi",
		pairs("pac_nome", "Ana", "pac_email", "ana@x.com", "pac_obs", "Oi", "med_nome", "Zé"):      "Ana|ana@x.com|Oi",
	} {
		d := mustRead(t, formType, body)
		if got := d.Name + "|" + d.Email + "|" + d.Message; got != want {
			t.Errorf("%s: %q, not %q", body, got, want)
		}
	}
}

// TestTheLeadsOwnWord in the keys of a record says no more than that they are the lead's, whatever else has an address.
func TestTheLeadsOwnWord(t *testing.T) {
	t.Parallel()
	const other = `,"secretaria":{"nome":"Obras","email":"obras@x.com","telefone":"(11) 3333-4444"}}`
	for body, want := range map[string]string{
		`{"cidadao":{"nomeCidadao":"Ana","emailCidadao":"ana@x.com","telCidadao":"(11) 98765-4321"}` + other:    "Ana|ana@x.com|(11) 98765-4321",
		`{"paciente":{"paciente_nome":"Ana","paciente_email":"ana@x.com","paciente_cel":"11987654321"}` + other: "Ana|ana@x.com|11987654321",
		`{"dados":{"nome_aluno":"Ana","email_aluno":"ana@x.com","fone_aluno":"1133334444"}` + other:             "Ana|ana@x.com|1133334444",
		`{"ClienteNome":"Ana","ClienteEmail":"ana@x.com","ClienteFone":"1133334444"` + other:                    "Ana|ana@x.com|1133334444",
	} {
		d := mustRead(t, "", body)
		if got := d.Name + "|" + d.Email + "|" + d.Phone; got != want {
			t.Errorf("%s: %q, not %q", body, got, want)
		}
	}
}

// TestANameBesideTheAddress is who has it, unless the record is a thing's or a place's.
func TestANameBesideTheAddress(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`{"indicacao":{"nome":"Ana","email":"ana@x.com"}}`:                              "Ana",
		`{"decisor":{"name":"Ana","email":"ana@x.com"},"pagina":{"name":"LP"}}`:         "Ana",
		`{"filial":{"nome":"Centro","email":"centro@x.com"}}`:                           "",
		`{"evento":{"nome":"Feira","email":"ana@x.com"}}`:                               "",
		`{"list":{"name":"Newsletter","email":"ana@x.com"}}`:                            "",
		`{"subscription":{"name":"Plano Ouro","email":"ana@x.com"}}`:                    "",
		`{"email":"ana@x.com","indicacao":{"nome":"Bia","email":"bia@x.com"}}`:          "",
		`{"email":"ana@x.com","nome":"Ana","indicacao":{"nome":"Bia","email":"b@x.c"}}`: "Ana",
	} {
		if d := mustRead(t, "", body); d.Name != want {
			t.Errorf("%s: %q, not %q", body, d.Name, want)
		}
	}
}

package intake

import (
	"strconv"
	"strings"
	"testing"
)

// readContact reads a JSON body, and returns the contact as "name|email|phone|company|amount|documents".
func readContact(t *testing.T, body string) string {
	t.Helper()
	d := mustRead(t, "", body)
	return strings.Join([]string{
		d.Name, d.Email, d.Phone, d.Company, strconv.FormatFloat(float64(d.Amount)/10000, 'f', -1, 64),
		strconv.Itoa(len(d.Documents)),
	}, "|")
}

// readsAs reads bodies whose contact is known.
func readsAs(t *testing.T, bodies map[string]string) {
	t.Helper()
	for body, want := range bodies {
		if got := readContact(t, body); got != want {
			t.Errorf("%s: %q, not %q", body, got, want)
		}
	}
}

// TestNamesOfCompanies: a key for the name of a company gives nobody's name, whatever stands around it.
func TestNamesOfCompanies(t *testing.T) {
	t.Parallel()
	readsAs(t, map[string]string{
		`{"email":"ana@x.com","x":{"business_name":"Padaria"}}`:                         "|ana@x.com|||0|0",
		`{"email":"ana@x.com","x":{"trade_name":"Padaria"}}`:                            "|ana@x.com|||0|0",
		`{"email":"ana@x.com","x":{"org_name":"Padaria"}}`:                              "|ana@x.com|||0|0",
		`{"email":"ana@x.com","x":{"employer_name":"Padaria","contact_name":"Ana"}}`:    "Ana|ana@x.com|||0|0",
		`{"email":"ana@x.com","business_name":"Padaria"}`:                               "|ana@x.com||Padaria|0|0",
		`{"email":"ana@x.com","x":{"company_name":"Padaria"}}`:                          "|ana@x.com||Padaria|0|0",
		`{"email":"ana@x.com","x":{"contact_name":"Ana Lima"}}`:                         "Ana Lima|ana@x.com|||0|0",
		`{"email":"ana@x.com","x":{"business_contact_name":"Ana Lima"}}`:                "Ana Lima|ana@x.com|||0|0",
		`{"email":"ana@x.com","x":{"business":{"name":"Ana Lima"}}}`:                    "Ana Lima|ana@x.com|||0|0",
		`{"email":"ana@x.com","business":{"name":"Padaria","owner":{"name":"Beto R"}}}`: "|ana@x.com||Padaria|0|0",
	})
}

// TestWrappedAnswers: where the address of a record stands inside an object of its own, so do its other answers; and a
// key for a name beside the address is the name, unless it is that of a thing or somebody else.
func TestWrappedAnswers(t *testing.T) {
	t.Parallel()
	readsAs(t, map[string]string{
		`{"data_collection_results":{"name":{"value":"Ana"},"email":{"value":"ana@x.com"}}}`: "Ana|ana@x.com|||0|0",
		`{"data_collection_results":{"caller_name":{"id":"caller_name","value":"Ana Lima","rationale":"disse"},` +
			`"email":{"id":"email","value":"ana@x.com","rationale":"soletrou"}}}`: "Ana Lima|ana@x.com|||0|0",
		`{"data_collection_results":{"caller_name":"Ana Lima","email":"ana@x.com"}}`:                       "Ana Lima|ana@x.com|||0|0",
		`{"r":{"friend_name":{"value":"Bia","note":"a"},"email":{"value":"a@x.c","note":"b"}}}`:            "|a@x.c|||0|0",
		`{"r":{"plan":{"value":"Pro","note":"a"},"email":{"value":"a@x.c","note":"b"}}}`:                   "|a@x.c|||0|0",
		`{"email":"a@x.c","owner":{"name":{"value":"B","note":"a"},"email":{"value":"b@x.c","note":"b"}}}`: "|a@x.c|||0|0",
		`{"email":"a@x.c","total":{"value":100,"installments":3},"name":{"value":"Ana","verified":true}}`:  "Ana|a@x.c|||100|0",
		`{"data_collection_results":{"product_name":"Bolo","email":"ana@x.com"}}`:                          "|ana@x.com|||0|0",
		`{"data_collection_results":{"host_name":"Beto Reis","email":"ana@x.com"}}`:                        "|ana@x.com|||0|0",
		`{"loja":{"responsible_name":"Beto Reis","email":"loja@x.com"}}`:                                   "|loja@x.com|||0|0",
		`{"subscription":{"holder_name":"Bia","email":"ana@x.com"},"nome":"Ana"}`:                          "Ana|ana@x.com|||0|0",
	})
}

// TestLinesOfATalk: of what was said in turns, only the lines of who asks may be the message.
func TestLinesOfATalk(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`"transcript":[{"role":"ai","message":"Boa tarde"},{"role":"user","message":"Quero um bolo"}]`: "Quero um bolo",
		`"x":{"turns":[{"role":"agent","message":"Boa tarde"},{"role":"caller","message":"Um bolo"}]}`: "Um bolo",
		`"mensagens":[{"role":"paciente","message":"Quero uma consulta"}]`:                             "Quero uma consulta",
		`"contatos":[{"role":"Diretora","message":"Quero um orçamento"}]`:                              "Quero um orçamento",
		`"role":"admin","message":"Quero testar"`:                                                      "Quero testar",
		`"x":[{"role":"Compradora","email":"ana@x.com","message":"Oi"},{"role":"user","message":"A"}]`: "Oi",
	} {
		if d := mustRead(t, "", `{"email":"ana@x.com",`+body+`}`); d.Message != want {
			t.Errorf("%s: %q, not %q", body, d.Message, want)
		}
	}
}

// TestWhoWasRecommended: what stands under the word for a recommendation, before or around a field of a person, is of
// who was recommended or who did it, and not the contact's; how somebody came says nothing of the kind.
func TestWhoWasRecommended(t *testing.T) {
	t.Parallel()
	readsAs(t, map[string]string{
		`{"email":"ana@x.com","indicacao.phone":"75991112222"}`:                              "|ana@x.com|||0|0",
		`{"email":"ana@x.com","indicacao_telefone":"75991112222"}`:                           "|ana@x.com|||0|0",
		`{"email":"ana@x.com","telefone_indicacao":"75991112222"}`:                           "|ana@x.com|||0|0",
		`{"email":"ana@x.com","Telefone da indicação":"75991112222"}`:                        "|ana@x.com|||0|0",
		`{"email":"ana@x.com","indicacao":{"phone":"75991112222"}}`:                          "|ana@x.com|||0|0",
		`{"email":"ana@x.com","indicação":{"nome":"Bia Souza","telefone":"75991112222"}}`:    "|ana@x.com|||0|0",
		`{"email":"ana@x.com","indicacoes":[{"nome":"Bia Souza","telefone":"75991112222"}]}`: "|ana@x.com|||0|0",
		`{"email":"ana@x.com","referral_phone":"75991112222"}`:                               "|ana@x.com|||0|0",
		`{"answers":[{"question":"E-mail","answer":"ana@x.com"},{"question":"Telefone da indicação",` +
			`"answer":"75991112222"}]}`: "|ana@x.com|||0|0",
		`{"email":"ana@x.com","indicacao":"Maria"}`:                                                      "|ana@x.com|||0|0",
		`{"email":"ana@x.com","por_indicacao":"sim","telefone":"11987654321"}`:                           "|ana@x.com|11987654321||0|0",
		`{"email":"ana@x.com","Telefone (ou da indicação)":"11987654321"}`:                               "|ana@x.com|11987654321||0|0",
		`{"email":"ana@x.com","Veio por indicação? Seu telefone":"11987654321"}`:                         "|ana@x.com|11987654321||0|0",
		`{"email":"ana@x.com","indicacao_valor":"100,00"}`:                                               "|ana@x.com|||100|0",
		`{"indicacao":{"nome":"Ana Lima","email":"ana@x.com","telefone":"11987654321"}}`:                 "Ana Lima|ana@x.com|11987654321||0|0",
		`{"indicacao_nome":"Ana Lima","indicacao_email":"ana@x.com","indicacao_telefone":"11987654321"}`: "Ana Lima|ana@x.com|11987654321||0|0",
	})
}

// TestTotals: the total of an order is the value where it surely is no cents: it has the mark of a currency, or the
// lines beside it add up to it.
func TestTotals(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]int64{
		`"total_price":"R$ 240"`:                                                             240,
		`"grand_total":"240 reais"`:                                                          240,
		`"total_gross":"US$ 240"`:                                                            240,
		`"booking_total_amount":"R$ 1.240"`:                                                  1240,
		`"payment":{"amount":"R$ 240"}`:                                                      240,
		`"order_total":240,"tax":5,"items":[{"price":120,"quantity":2}]`:                     240,
		`"order":{"total_gross":"240","order_items":[{"price":"120.00","quantity":2}]}`:      240,
		`"total_price":240,"subtotal_price":240,"items":[{"price":"120.00","quantity":"2"}]`: 240,

		`"total_price":240`:              0,
		`"order_total":"24000"`:          0,
		`"payment":{"amount":240}`:       0,
		`"total_tax":"R$ 24"`:            0,
		`"shipping_total":"R$ 24"`:       0,
		`"discount_total":"R$ 24"`:       0,
		`"net_value":"R$ 24"`:            0,
		`"monthly_income_total":"R$ 24"`: 0,
		`"price_range":"R$ 10 a R$ 20"`:  0,
		`"total_price":24000,"items":[{"price":"120.00","quantity":2}]`:                             0,
		`"order_total":235,"discount":5,"items":[{"price":120,"quantity":2}]`:                       0,
		`"total_before_additions":220,"total_gross":240,"order_items":[{"price":110,"quantity":2}]`: 0,
		`"subtotal_price":240,"items":[{"price":120,"quantity":2}]`:                                 0,
		`"total_items":240,"shipping":5,"items":[{"price":120,"quantity":2}]`:                       0,
		`"customer":{"total_value":240},"shipping":5,"items":[{"price":120,"quantity":2}]`:          0,
		`"order_total":240,"items":[{"price":120,"quantity":2}],"lines":[{"price":1,"qty":1}]`:      0,
	} {
		if d := mustRead(t, "", `{"email":"a@b.c",`+body+`}`); d.Amount != want*10000 {
			t.Errorf("%s: %d, not %d", body, d.Amount, want*10000)
		}
	}
}

// TestUserOfAProgram: who signs in to a program is who asks; the user beside a lead, a booking or a candidate without
// an address is ours, and the post has no address of the lead.
func TestUserOfAProgram(t *testing.T) {
	t.Parallel()
	const ana, beto = `"user":{"email":"ana@x.com","name":"Ana Lima"}`, `"user":{"email":"beto@x.com","name":"Beto Reis"}`
	for body, want := range map[string]string{
		`{"event":"PostRegister",` + ana + `,"application":{"id":"1","type":"SPA","name":"Portal do Cliente"}}`: "ana@x.com",
		`{"event":"signup",` + ana + `,"app":{"name":"Portal do Cliente"}}`:                                     "ana@x.com",
		`{` + ana + `,"tenant":{"name":"Escola Sol"}}`:                                                          "ana@x.com",

		`{` + beto + `,"application":{"name":"Ana Lima","phone":"11987654321"}}`:                     "",
		`{` + beto + `,"application":{"name":"Ana Lima","cpf":"529.982.247-25"}}`:                    "",
		`{` + beto + `,"application":{"name":"Ana Lima","candidate_id":3}}`:                          "",
		`{` + beto + `,"application":{"name":"Ana Lima"},"job":{"title":"Analista"}}`:                "",
		`{` + beto + `,"application":{"name":"Ana Lima"},"lead":{"name":"Ana Lima"}}`:                "",
		`{` + beto + `,"booking":{"name":"Ana Lima","start":"2026-01-01"}}`:                          "",
		`{` + beto + `,"contact":{"name":"Ana Lima"}}`:                                               "",
		`{` + beto + `,"patient":{"name":"Ana Lima"},"app":{"name":"Portal"}}`:                       "",
		`{` + beto + `,"call":{"caller_name":"Ana Lima"},"app":{"name":"Portal"}}`:                   "",
		`{` + beto + `,"name":"Ana Lima","phone":"11987654321","app":{"name":"Portal"}}`:             "",
		`{"owner":{"email":"beto@x.com","name":"Beto Reis"},"application":{"name":"Portal"}}`:        "",
		`{"agent":{"email":"beto@x.com","name":"Beto Reis"},"application":{"name":"Portal"}}`:        "",
		`{"seller":{"email":"beto@x.com"},"booking":{"customer":{"name":"Ana"}},"app":{"name":"P"}}`: "",
	} {
		if d := mustRead(t, "", body); d.Email != want {
			t.Errorf("%s: %q, not %q", body, d.Email, want)
		}
	}
	readsAs(t, map[string]string{
		`{"email":"ana@x.com","application":{"name":"Ana Lima"}}`:                        "Ana Lima|ana@x.com|||0|0",
		`{"application":{"name":"Ana Lima","contact":{"email":"ana@x.com"}}}`:            "Ana Lima|ana@x.com|||0|0",
		`{"email":"ana@x.com","job_application":{"name":"Ana Lima","candidate_id":"7"}}`: "Ana Lima|ana@x.com|||0|0",
	})
}

// TestNumberedAnswers: "items" that are ids and values, one of them an address, are a form's answers; goods are not.
func TestNumberedAnswers(t *testing.T) {
	t.Parallel()
	readsAs(t, map[string]string{
		`{"items":[{"id":"1","position":2,"value":"Ana Lima"},{"id":"2","position":3,"value":"ana@x.com"},` +
			`{"id":"3","value":"(11) 98213-2131"},{"id":"5","values":[{"position":0,"value":"Site"}]}]}`: "|ana@x.com|(11) 98213-2131||0|0",
		`{"itens":[{"id":"1","value":"ana@x.com"},{"id":"2","values":["a","b"]}]}`: "|ana@x.com|||0|0",

		`{"email":"ana@x.com","items":[{"id":"1","value":100},{"id":"2","value":200}]}`:              "|ana@x.com|||0|0",
		`{"email":"ana@x.com","items":[{"id":"1","value":"11999998888"},{"id":"2","value":"Bia"}]}`:  "|ana@x.com|||0|0",
		`{"items":[{"id":"1","title":"Ingresso","value":"bia@x.com"},{"id":"2","value":"a"}]}`:       "||||0|0",
		`{"items":[{"id":"1","name":"Curso","value":"bia@x.com"},{"id":"2","value":"a"}]}`:           "||||0|0",
		`{"items":[{"id":"1","price":10,"value":"bia@x.com"},{"id":"2","value":"a"}]}`:               "||||0|0",
		`{"items":[{"id":"1","sku":"x","value":"bia@x.com"},{"id":"2","value":"a"}]}`:                "||||0|0",
		`{"items":[{"id":"1","quantity":1,"value":"bia@x.com"},{"id":"2","value":"a"}]}`:             "||||0|0",
		`{"email":"ana@x.com","cart":{"items":[{"id":1,"value":"bia@x.com"},{"id":2,"value":"x"}]}}`: "|ana@x.com|||0|0",
	})
}

// TestRecipientOfABooking: whom a booking is confirmed to is who booked, where nobody else is named; the recipient of a
// mail, and one whom a form's hidden fields name, is ours.
func TestRecipientOfABooking(t *testing.T) {
	t.Parallel()
	const shop = `"recipient_email":"loja@x.com","recipient_name":"Loja"`
	for body, want := range map[string]string{
		`{"booking":{"recipient_email":"ana@x.com","recipient_name":"Ana Lima"}}`:           "ana@x.com",
		`{"agendamento":{"email_destinatario":"ana@x.com","nome_destinatario":"Ana Lima"}}`: "ana@x.com",
		`{"booking":{"recipient_email":"ana@x.com","recipient_name":"Ana Lima",` +
			`"additional_field_values":{"Qual é o seu telefone?":"11 97711-2200","Assunto":"Contrato"}}}`: "ana@x.com",
		`{"booking":{` + shop + `},"email":"ana@x.com"}`:       "ana@x.com",
		`{"booking":{` + shop + `,"guest_email":"ana@x.com"}}`: "ana@x.com",

		`{` + shop + `,"mensagem":"Quero"}`:                                                    "",
		`{"booking":{"recipient_email":"loja@x.com"}}`:                                         "",
		`{"message":{` + shop + `}}`:                                                           "",
		`{"booking":{` + shop + `,"customer_name":"Ana Lima","customer_phone":"11987654321"}}`: "",
		`{"booking":{` + shop + `,"telefone":"11987654321"}}`:                                  "",
		`{"booking":{` + shop + `},"customer":{"name":"Ana Lima"}}`:                            "",
		`{"booking":{` + shop + `},"nome":"Ana Lima","telefone":"11987654321"}`:                "",
		`{"booking":{` + shop + `},"paciente":"Ana Lima"}`:                                     "",
		`{"booking":{` + shop + `,"subject":"Nova reserva","body":"Ana reservou"}}`:            "",
		`{"booking":{` + shop + `,"sender":"sistema@x.com","text":"Ana reservou"}}`:            "",
	} {
		if d := mustRead(t, "", body); d.Email != want {
			t.Errorf("%s: %q, not %q", body, d.Email, want)
		}
	}
}

// TestPrimaryByID: a sibling that names the id of an address or a phone says which of a list is the one to use.
func TestPrimaryByID(t *testing.T) {
	t.Parallel()
	const emails = `"emails":[{"id":1,"email":"old@x.com"},{"id":2,"email":"lia@x.com"}]`
	readsAs(t, map[string]string{
		`{"first_name":"Lia","email_addresses":[{"id":"a","email_address":"old@x.com"},{"id":"b","email_address":"lia@x.com"}],` +
			`"phone_numbers":[{"id":"p","phone_number":"+5561999001122"},{"id":"q","phone_number":"+5561999001133"}],` +
			`"primary_email_address_id":"b","primary_phone_number_id":"q"}`: "Lia|lia@x.com|+5561999001133||0|0",
		`{"contact":{"name":"Lia",` + emails + `,"primary_email_id":2}}`: "Lia|lia@x.com|||0|0",
		`{"name":"Lia",` + emails + `,"primaryEmailId":"2"}`:             "Lia|lia@x.com|||0|0",

		`{"name":"Lia",` + emails + `,"primary_email_id":9}`:                                                      "Lia|old@x.com|||0|0",
		`{"name":"Lia",` + emails + `,"primary_email_id":null}`:                                                   "Lia|old@x.com|||0|0",
		`{"name":"Lia",` + emails + `,"primary_phone_id":2}`:                                                      "Lia|old@x.com|||0|0",
		`{"name":"Lia",` + emails + `,"primary_contact_id":2}`:                                                    "Lia|old@x.com|||0|0",
		`{"email":"lia@x.com","owners":[{"id":1,"email":"b@x.c"},{"id":2,"email":"c@x.c"}],"primary_owner_id":2}`: "|lia@x.com|||0|0",
	})
}

// TestKeysOfShops: the company on an order's address, a misspelt UTM, and the cents of Payhip.
func TestKeysOfShops(t *testing.T) {
	t.Parallel()
	readsAs(t, map[string]string{
		`{"email":"a@x.c","address_company":"Brito Idiomas"}`:                 "|a@x.c||Brito Idiomas|0|0",
		`{"email":"a@x.c","empresa":"Sol","address_company":"Brito Idiomas"}`: "|a@x.c||Sol|0|0",
		`{"email":"a@x.c","company_address":"Rua 1"}`:                         "|a@x.c|||0|0",
		`{"email":"a@x.c","address":{"company":"Brito"}}`:                     "|a@x.c|||0|0",
		`{"email":"a@x.c","seller_address_company":"Brito"}`:                  "|a@x.c|||0|0",

		`{"email":"a@x.c","price":19900,"payhip_fee":330}`:       "|a@x.c|||199|0",
		`{"email":"a@x.c","price":19900,"stripe_fee":330}`:       "|a@x.c|||19900|0",
		`{"email":"a@x.c","price":"199.00","payhip_fee":"3.30"}`: "|a@x.c|||199|0",
		`{"email":"a@x.c","price":0,"payhip_fee":0}`:             "|a@x.c|||0|0",
	})
	for body, want := range map[string]string{
		`"utm_campaing":"m"`:                    "m",
		`"utm_campain":"m"`:                     "m",
		`"utm":{"campaing":"m"}`:                "m",
		`"url":"https://x.com/?utm_campaing=m"`: "m",
		`"utm_campaign":"n"`:                    "n",
		`"campaing":"m"`:                        "",
		`"utm_camping":"m"`:                     "",
	} {
		if d := mustRead(t, "", `{"email":"a@x.c",`+body+`}`); d.attributionText("utm_campaign") != want {
			t.Errorf("%s: %v", body, d.Attribution)
		}
	}
}

// TestDefinitionBesideTheValue: what defines a field may stand in an object beside its value; an object of a thing or a
// person does not.
func TestDefinitionBesideTheValue(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`"custom_fields":[{"custom_field":{"id":"5","name":"Estação","type":"select_box","position":2,` +
			`"choices":["Primavera","Verão"]},"value":"Verão"}]`: "Estação: Verão",
		`"custom_fields":[{"definition":{"id":"5","title":"Cargo"},"value":"Diretora"}]`: "Cargo: Diretora",
		`"x":[{"attribute":{"name":"Cargo"},"value":"Diretora"}]`:                        "Cargo: Diretora",
		`"x":[{"custom_field":{"name":"E-mail do cônjuge"},"value":"b@x.c"}]`:            "E-mail do cônjuge: b@x.c",

		`"discounts":[{"coupon":{"id":"5","name":"BLACK"},"value":10}]`: "discounts coupon name: BLACK\ndiscounts value: 10",
		`"items":[{"product":{"id":"5","name":"Curso"},"value":10}]`:    "items product name: Curso\nitems value: 10",
		`"payments":[{"method":{"name":"Pix"},"value":"50"}]`:           "payments method name: Pix\npayments value: 50",
		`"x":[{"property":{"name":"Casa"},"value":"100000"}]`:           "x value: 100000\nx property name: Casa",
	} {
		if d := mustRead(t, "", `{"email":"a@x.c",`+body+`}`); d.Note() != want || d.Name != "" || d.Amount != 0 {
			t.Errorf("%s: %q, not %q (%v)", body, d.Note(), want, d.Fields)
		}
	}
	readsAs(t, map[string]string{
		`{"email":"a@x.c","custom_fields":[{"custom_field":{"id":"5","name":"Celular"},"value":"11987654321"}]}`: "|a@x.c|11987654321||0|0",
	})
}

// TestSiteOfTheCompany: the address of the contact's company is not the page that they were on.
func TestSiteOfTheCompany(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`"company":{"name":"Sol","url":"https://sol.x"}`:                      "",
		`"organization":{"url":"https://sol.x"}`:                              "",
		`"company":{"url":"https://sol.x"},"url":"https://x.com/lp"`:          "https://x.com/lp",
		`"url":"https://x.com/lp"`:                                            "https://x.com/lp",
		`"page":{"url":"https://x.com/lp"}`:                                   "https://x.com/lp",
		`"contexto":{"page_url":"https://x.com/lp","company":{"name":"Sol"}}`: "https://x.com/lp",
	} {
		if d := mustRead(t, "", `{"email":"a@x.c",`+body+`}`); d.attributionText("page_url") != want {
			t.Errorf("%s: %v", body, d.Attribution)
		}
	}
}

// TestDistantTitles: an answer has the title of the question whose id it names, wherever the questions stand; a
// friend's name is not taken for the contact's, as that of an answer without its title would be.
func TestDistantTitles(t *testing.T) {
	t.Parallel()
	const answers = `"answers":[{"question_id":"q-17","answer":"Bia Souza"},{"question_id":"q-18","answer":"bia@x.com"},` +
		`{"question_id":"q-19","answer":"ana@x.com"}]`
	readsAs(t, map[string]string{
		`{` + answers + `,"form":{"questions":[{"id":"q-17","title":"Nome do amigo"},{"id":"q-18","title":"E-mail do amigo"},` +
			`{"id":"q-19","title":"Seu e-mail"}]}}`: "|ana@x.com|||0|0",
		`{"contact":{"email":"ana@x.com","answers":[{"question_id":"q-17","answer":"Ana Lima"},{"question_id":"q-19",` +
			`"answer":"Padaria"}]},"form":{"questions":[{"question_id":"q-17","title":"Qual é o seu nome?"},` +
			`{"question_id":"q-19","metadata":{"text":"Empresa"}}]}}`: "Ana Lima|ana@x.com||Padaria|0|0",
		`{"responses":[{"question":{"id":"q-17"},"answer":"Ana Lima"},{"question":{"id":"q-18"},"answer":"ana@x.com"}],` +
			`"survey":{"fields":[{"id":"q-17","label":"Seu nome"},{"id":"q-18","label":"E-mail"}]}}`: "Ana Lima|ana@x.com|||0|0",

		`{"email":"ana@x.com","answers":[{"question_id":"q-1","answer":"Bia Souza"}],` +
			`"form":{"questions":[{"id":"q-9","title":"Seu nome"}]}}`: "|ana@x.com|||0|0",
		`{"email":"ana@x.com","q-9":"Bia Souza","form":{"questions":[{"id":"q-9","title":"Seu nome"}]}}`: "|ana@x.com|||0|0",
		`{"email":"ana@x.com","tickets":[{"id":"q-9","answer":"Bia Souza"}],` +
			`"form":{"questions":[{"id":"q-9","title":"Seu nome"}]}}`: "|ana@x.com|||0|0",
		`{"email":"ana@x.com","answers":[{"question_id":"q-9","answer":"Bia Souza"}],` +
			`"form":{"name":"Seu nome","id":"q-9"}}`: "|ana@x.com|||0|0",
	})
}

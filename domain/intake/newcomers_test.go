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
		`{"name":"Lia","users":[{"id":1,"email":"lia@x.com"},{"id":2,"email":"c@x.c"}],"primary_user_id":2}`:      "Lia|lia@x.com|||0|0",
		`{"name":"Lia","email":"lia@x.com","addresses":[{"id":1,"street":"A","phone":"11987654321"},` +
			`{"id":2,"street":"B","phone":"1133334444"}],"primary_address_id":2}`: "Lia|lia@x.com|11987654321||0|0",
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

// TestNamesOfCompanies: the key of a company's name is nobody's name, whatever it stands in; a legal name may be.
func TestNamesOfCompanies(t *testing.T) {
	t.Parallel()
	readsAs(t, map[string]string{
		`{"email":"a@x.c","x":{"business_name":"Padaria"}}`:                          "|a@x.c|||0|0",
		`{"email":"a@x.c","dynamic_variables":{"trade_name":"Padaria"}}`:             "|a@x.c|||0|0",
		`{"email":"a@x.c","business_name":"Padaria"}`:                                "|a@x.c||Padaria|0|0",
		`{"email":"a@x.c","x":{"business_contact_name":"Ana Lima"}}`:                 "Ana Lima|a@x.c|||0|0",
		`{"email":"a@x.c","x":{"business":{"name":"Ana Lima"}}}`:                     "Ana Lima|a@x.c|||0|0",
		`{"name":"Ana","email":"a@x.c","x":{"business_name":"Padaria"}}`:             "Ana|a@x.c|||0|0",
		`{"email":"a@x.c","cadastro":{"legal_name":"Ana Paula Lima"}}`:               "Ana Paula Lima|a@x.c|||0|0",
		`{"email":"a@x.c","kyc":{"legal_name":"Ana Lima","birthdate":"2000-01-02"}}`: "Ana Lima|a@x.c|||0|0",
	})
}

// TestKeysOfTables: a column's kind before its name, in one piece: NM of a name, NR of a number, DS of a text.
func TestKeysOfTables(t *testing.T) {
	t.Parallel()
	readsAs(t, map[string]string{
		`{"NMCLIENTE":"Ana Lima","DSEMAIL":"a@x.c","NRDDDCEL":11,"NRCELULAR":987654321}`: "Ana Lima|a@x.c|11987654321||0|0",
		`{"NMPESSOA":"Ana Lima","DSEMAIL":"a@x.c","NUCELULAR":"11987654321"}`:            "Ana Lima|a@x.c|11987654321||0|0",

		`{"NMCLIENTE":"Ana Lima","DSEMAIL":"a@x.c","NMVENDEDOR":"Beto Reis","NMPRODUTO":"Tinta"}`: "Ana Lima|a@x.c|||0|0",
		`{"nome":"Ana Lima","DSEMAIL":"a@x.c","DSCONTATO":"Ligar à tarde","NRPEDIDO":"123456"}`:   "Ana Lima|a@x.c|||0|0",
	})
	if d := mustRead(t, "", `{"DSEMAIL":"a@x.c","DSOBSERVACAO":"Quero um teste","NRPEDIDO":"123456"}`); d.Message != "Quero um teste" {
		t.Errorf("message %q", d.Message)
	}
}

// TestVariablesOfASubscriber: what a list knows of whom it names, and not what a template says of the shop.
func TestVariablesOfASubscriber(t *testing.T) {
	t.Parallel()
	readsAs(t, map[string]string{
		`[{"event":"new_emails","email":"a@x.c","variables":{"Nome":"Ana Lima","Phone":"+5511987654321"}}]`: "Ana Lima|a@x.c|" +
			"+5511987654321||0|0",

		`{"email":"a@x.c","template":{"variables":{"phone":"1140028922","company":"Loja"}}}`:                     "|a@x.c|||0|0",
		`{"nome":"Ana","email":"a@x.c","variables":{"store_phone":"1140028922","store_name":"Loja"}}`:            "Ana|a@x.c|||0|0",
		`{"nome":"Ana","email":"a@x.c","telefone":"11987654321","variables":{"phone":"1140028922","name":"Bo"}}`: "Ana|a@x.c|11987654321||0|0",
	})
}

// TestWhatIsNoName: an event's code, another name beside the first, and the driver before who holds the policy. The
// name of a user may look like a code.
func TestWhatIsNoName(t *testing.T) {
	t.Parallel()
	readsAs(t, map[string]string{
		`{"name":"phone.subscribe","data":{"phone":"11987654321"}}`: "||11987654321||0|0",
		`{"name":"joao.silva","email":"a@x.c","data":{"x":"y"}}`:    "joao.silva|a@x.c|||0|0",
		`{"event":"contact.created","data":{"name":"Ana Lima","alternativeName":"Aninha","data":{"number":"5511987654321"}}}`: "Ana Lima||" +
			"5511987654321||0|0",
		`{"data":{"drivers":[{"name":"Cris Lima","relationship_to_policyholder":"Spouse"}],"policyholder":{"name":"Ana Lima",` +
			`"contact":{"email":"a@x.c"}},"insurer_information":{"agent":{"email":"b@x.c"}}}}`: "Ana Lima|a@x.c|||0|0",
	})
	for said, is := range map[string]bool{
		"019DCEB3E93B7077B2447616B6DC8B91": false, "00000000-0000-0000-0000-000000000000": false,
		"Proparoxítonasšć202612011234": true, "quero-um-orçamento-até-2026-12-01": true,
	} {
		if d := mustRead(t, "", `{"email":"a@x.c","message":{"tenant":"`+said+`"}}`); (d.Message != "") != is {
			t.Errorf("%s: message %q", said, d.Message)
		}
	}
}

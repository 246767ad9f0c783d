package intake

import (
	"strings"
	"testing"
)

// TestUnfilledTemplates: a variable that a template did not fill is not a name; what a person writes in brackets is.
func TestUnfilledTemplates(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"[your-name]": true, "*|FNAME|*": true, "%NOME%": true, "%%nome%%": true, "{{contact.name}}": true, "{nome}": true,
		"#NOME#": true, "##nome##": true, "<%= nome %>": true, "${nome}": true,
		"[field id=\"name\"]": true, "null null": true,
		"[Ana Lima]": false, "#9999": false, "100%": false, "%": false, "[]": false, "{a, b}": false, "": false, "Ana": false,
		"*Ana*": false, "<3": false, "#": false, "[1]": false,
	} {
		if saysNone(text) != want {
			t.Errorf("%q: %v", text, !want)
		}
	}
}

// TestNamesBesideTheEmail: a name in the record that gave the e-mail is the person's.
func TestNamesBesideTheEmail(t *testing.T) {
	t.Parallel()
	const email = `"email":"ana@x.com"`
	for _, c := range [][2]string{
		{`{"title_name":"Ficha","form_answers":{"Nome completo":"Ana Lima",` + email + `}}`, "Ana Lima"},
		{`{"name":"Negócio 7","x":{"contato":{"name":"Ana Lima",` + email + `}}}`, "Ana Lima"},
		{`{"contact":{"name":"Ana Lima","emails":[{"value":"ana@x.com"}]},"caixa":{"full_name":"B"}}`, "Ana Lima"},
		{`{"first_name":"Conta","last_name":"B","lead":{"first_name":"Ana","last_name":"Lima",` + email + `}}`, "Ana Lima"},
		{`{` + email + `,"cliente":"Loja X","contact":{"name":"Ana Lima"}}`, "Ana Lima"},
		{`{"data":{"person":{"nickname":"Ana Lima"},` + email + `}}`, "Ana Lima"},
	} {
		if d := mustRead(t, "", c[0]); d.Name != c[1] {
			t.Errorf("%s: %q", c[0], d.Name)
		}
	}
}

// TestCents: an integer is cents where the product's envelope says so, and only there.
func TestCents(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]int64{
		`"livemode":true,"object":"charge","amount":4990,"currency":"brl"`:                              4990,
		`"closed":true,"amount":4990,"currency":"BRL","items":[{"amount":4990}]`:                        4990,
		`"webhook_event_type":"order_approved","Commissions":{"charge_amount":"4990","currency":"BRL"}`: 4990,
		`"reference_id":"r","charges":[{"amount":{"value":4990,"currency":"BRL"}}]`:                     4990,
		`"seller_id":"s","permalink":"p","price":"4990","currency":"brl"`:                               4990,
		`"total_amount":4990,"net_amount":4900,"currency":"brl"`:                                        4990,
		`"amount":4990,"currency":"BRL"`:                                                                499000,
		`"livemode":true,"object":"charge","amount":49.90`:                                              4990,
		`"order":{"total":"49.90","line_items":[{"price":4990}]}`:                                       4990,
	} {
		if d := mustRead(t, "", `{"email":"a@b.c",`+body+`}`); d.Amount != want*100 {
			t.Errorf("%s: %d", body, d.Amount)
		}
	}
	d := mustRead(t, "",
		`{"email":"a@b.c","closed":true,"amount":4990,"currency":"BRL","items":[{"amount":4990,"nome":"X"}]}`)
	if !strings.Contains(d.Note(), "items amount_cents: 4990") {
		t.Error(d.Note())
	}
}

// TestContactInParts: Formbricks sends its contact question as a list of five.
func TestContactInParts(t *testing.T) {
	t.Parallel()
	d := mustRead(t, "", `{"data":{"k1":["Ana","Lima","ana@x.com","11987654321","Casa Azul"],"k2":["a","b","c@x.com"]}}`)
	if d.Email != "ana@x.com" || d.Name != "Ana Lima" || d.Phone != "11987654321" || d.Company != "Casa Azul" {
		t.Errorf("%+v", d)
	}
	if d := mustRead(t, "", `{"data":{"k1":["","","ana@x.com","",""]}}`); d.Email != "ana@x.com" || d.Note() != "" {
		t.Errorf("%+v", d)
	}
}

package bureau_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"fichario/adapters/bureau"
	"fichario/domain/catalog"
	"fichario/ports"
)

// billing is a file whose bureau puts the bill into the answer; %s stands for the base URL, more keys, and more keys of
// the product.
const billing = `name: teste
base_url: %s
failed: .code != 200
%s
products:
  cpf:
    price: { max: "0.45", from: '.headers["x-price"] // .body.price' }
    %s
    request: { method: GET, path: "/{documento}" }
    found: .data != null
    fields: { nome: .data.nome }
`

// bill answers as a bureau that names its price in a header, unless that is empty.
func bill(status int, price, text string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if price != "" {
			w.Header().Set("X-Price", price)
		}
		body(status, text)(w, r)
	}
}

// TestTheBillIsInTheAnswer: what the bureau says that a call cost is exact, and what it does not say costs the most,
// which the ledger takes where Amount is nil.
func TestTheBillIsInTheAnswer(t *testing.T) {
	t.Parallel()
	const answered ports.BureauOutcome = ""
	charged := "charged: .body.billable"
	for _, c := range []struct {
		name, keys string
		answer     http.HandlerFunc
		outcome    ports.BureauOutcome
		amount     string // empty: the most
	}{
		{"a number", charged, bill(200, "", `{"code":200,"billable":true,"price":0.2,"data":{}}`), answered, "0.2"},
		{"a text", charged, bill(200, "", `{"code":200,"billable":true,"price":"0.2075","data":{}}`), answered, "0.2075"},
		{"needless zeros", charged, bill(200, "", `{"code":200,"billable":true,"price":2.5000000E-1}`), answered, "0.25"},
		{"more than the most", charged, bill(200, "", `{"code":200,"billable":true,"price":12}`), answered, "12"},
		{"a header", charged, bill(200, "0.31", `{"code":200,"billable":true,"price":9}`), answered, "0.31"},
		{"no record", charged, bill(200, "", `{"code":200,"billable":true,"price":0.1,"data":null}`), answered, "0.1"},
		{"an answer for nothing", charged, bill(200, "", `{"code":200,"billable":false,"price":0.2,"data":{}}`), answered, "0"},
		{"no amount", charged, bill(200, "", `{"code":200,"billable":true}`), answered, ""},
		{"no number", charged, bill(200, "", `{"code":200,"price":"R$ 0,20"}`), answered, ""},
		{"finer than a ledger", charged, bill(200, "", `{"code":200,"price":0.20001}`), answered, ""},
		{"below zero", charged, bill(200, "", `{"code":200,"price":-0.2}`), answered, ""},
		{"nothing about billing", charged, bill(200, "", `{"code":200,"price":0.2}`), answered, "0.2"},
		{"`charged` gives a text", "charged: '\"false\"'", bill(200, "", `{"code":200,"price":0.2}`), answered, "0.2"},
		{"`charged` fails", "charged: '.body | error'", bill(200, "", `{"code":200,"price":0.2}`), answered, "0.2"},
		{"a failure that is billed", charged, bill(200, "", `{"code":612,"billable":true,"price":0.12}`), ports.Failed, "0.12"},
		{"a failure that is not", charged, bill(200, "", `{"code":605,"billable":false,"price":0.12}`), ports.NotCharged, ""},
		{"a failure for nothing", "", bill(200, "", `{"code":500,"price":0}`), ports.NotCharged, ""},
		{"an error status that is billed", charged, bill(500, "", `{"billable":true,"price":0.12}`), ports.Failed, "0.12"},
		{"an error status that is not", charged, bill(500, "", `{"billable":false}`), ports.NotCharged, ""},
		{"by status", "charged: .status < 500", bill(500, "", `{}`), ports.NotCharged, ""},
		{"no body to read", "charged: .status < 500", bill(500, "0.12", `<h1>500</h1>`), ports.Failed, ""},
		{"no body", "charged: .body.billable == true", bill(500, "0.12", ``), ports.Failed, ""},
		{"missing, billed", charged, bill(404, "", `{"billable":true,"price":0.05}`), answered, "0.05"},
		{"missing, not billed", charged, bill(404, "", `{"billable":false}`), answered, "0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			url, _ := serve(t, c.answer)
			for place, src := range map[string]string{
				"of the product": fmt.Sprintf(billing, url, "", c.keys), "at the top": fmt.Sprintf(billing, url, c.keys, ""),
				"of both": fmt.Sprintf(billing, url, "charged: 'true'", c.keys),
			} {
				a, err := ask(t, client(t, src))
				amount := a.Amount
				if c.outcome != answered {
					amount = failureOf(t, err, c.outcome, "").Amount
				} else if err != nil {
					t.Fatal(err)
				}
				said := ""
				if amount != nil {
					said = amount.String()
				}
				if said != c.amount {
					t.Errorf("%s: the amount is %q, want %q", place, said, c.amount)
				}
			}
		})
	}
}

// TestNotBilledAndToWait: a bureau that does not bill a refusal is left alone for as long as it says.
func TestNotBilledAndToWait(t *testing.T) {
	t.Parallel()
	url, calls := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Retry-After", "7")
		body(429, `{"billable":false}`)(w, r)
	})
	c := client(t, fmt.Sprintf(billing, url, "charged: .body.billable", ""))
	_, err := ask(t, c)
	wantError(t, err, ports.NotCharged, "status 429")
	_, err = ask(t, c)
	wantError(t, err, ports.NotSent, "asked to wait")
	if calls.Load() != 1 {
		t.Errorf("%d calls", calls.Load())
	}
}

// TestTheBillOfASavedAnswer: whoever writes a file sees what an answer would cost, and that its keys are read.
func TestTheBillOfASavedAnswer(t *testing.T) {
	t.Parallel()
	c := client(t, fmt.Sprintf(billing, "http://x.invalid", "charged: .body.billable", ""))
	var got bureau.Trial
	got, err := c.Examine(t.Context(), question(t, c, "cpf", cpf),
		[]byte(`{"code":200,"billable":true,"price":0.2,"preco":1,"data":{"nome":"ANA"}}`))
	if err != nil {
		t.Fatal(err)
	}
	if got.Amount == nil || *got.Amount != catalog.Real/5 || fmt.Sprint(got.Unread) != "[.preco]" {
		t.Errorf("amount %v, not read: %v", got.Amount, got.Unread)
	}
}

// TestRefusedUnderACondition: one status may be free or not, and may also mean that no credit is left, by what is with
// it.
func TestRefusedUnderACondition(t *testing.T) {
	t.Parallel()
	const keys = `not_charged: [429, {status: 402, when: .body.code == 11}, {status: 200, when: .body.code == 13},
  {status: 402, when: '.headers["x-price"] == "0"'}, {status: 500, when: 'true'}]
exhausted: {status: 402, when: .body.code == 12, until: %s}`
	for _, c := range []struct {
		answer  http.HandlerFunc
		outcome ports.BureauOutcome
		reason  string
	}{
		{bill(402, "", `{"code":11}`), ports.NotCharged, "status 402"},
		{bill(402, "", `{"code":12}`), ports.Exhausted, "no credit"},
		{bill(402, "0", `{"code":10}`), ports.NotCharged, "status 402"},
		{bill(402, "", `{"code":10}`), ports.Failed, "status 402"},
		{bill(402, "", `code 12`), ports.Failed, "status 402"},
		{bill(402, "", ``), ports.Failed, "status 402"},
		{bill(400, "", `{"code":11}`), ports.Failed, "status 400"},
		{bill(200, "", `{"code":13}`), ports.NotCharged, "status 200"},
		{bill(200, "", `{"code":11}`), ports.Failed, "reports a failure"},
		{bill(500, "", `<h1>500</h1>`), ports.Failed, "status 500"},
	} {
		url, calls := serve(t, c.answer)
		for until, renews := range map[string]bool{"month": true, "manual": false} {
			cl := client(t, fmt.Sprintf(billing, url, fmt.Sprintf(keys, until), ""))
			for range 2 {
				_, err := ask(t, cl)
				if got := failureOf(t, err, c.outcome, c.reason); got.Renews != (renews && c.outcome == ports.Exhausted) {
					t.Errorf("%s: renews %t", until, got.Renews)
				}
			}
		}
		// The client holds nothing back: whoever routes calls knows that the bureau is out, on every instance.
		if calls.Load() != 4 {
			t.Errorf("%d calls", calls.Load())
		}
	}
}

// TestExhaustedBeatsAPause: with a 429 that means no credit, nobody is told to come back in a second.
func TestExhaustedBeatsAPause(t *testing.T) {
	t.Parallel()
	url, calls := serve(t, refuse(429, ""))
	c := client(t, fmt.Sprintf(basic, url, "not_charged: [429]\nexhausted: {status: 429, until: manual}"))
	for range 2 {
		_, err := ask(t, c)
		if got := failureOf(t, err, ports.Exhausted, "no credit"); got.RetryAfter != 0 {
			t.Errorf("to be asked again in %s", got.RetryAfter)
		}
	}
	if calls.Load() != 2 {
		t.Errorf("%d calls", calls.Load())
	}
}

// TestAnAmountAsPeopleWriteIt is exact by `reais`; a fraction that jq computed is no amount.
func TestAnAmountAsPeopleWriteIt(t *testing.T) {
	t.Parallel()
	url, _ := serve(t, body(200, `{"preco":"R$ 0,2075","centavos":21}`))
	for from, want := range map[string]string{
		".body.preco | reais": "0.2075", ".body.centavos / 100": "", ".body.centavos": "21", ".body.centavos - 20": "1",
	} {
		src := strings.Replace(fmt.Sprintf(basic, url, ""), `price: "0.45"`, `price: { max: "0.45", from: '`+from+`' }`, 1)
		a, err := ask(t, client(t, src))
		if err != nil || moneyOf(a.Amount) != want {
			t.Errorf("%s: %q, %v, want %q", from, moneyOf(a.Amount), err, want)
		}
	}
}

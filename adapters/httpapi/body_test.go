package httpapi

import (
	"fmt"
	"testing"

	"fichario/app"
)

// TestACeiling is a JSON number however it is written, and exact.
func TestACeiling(t *testing.T) {
	t.Parallel()
	for sent, want := range map[string]string{
		"1.0E0": "1", "1.0E7": "10000000", "0.45": "0.45", "0": "0", "4.5e-1": "0.45", "123456789012.3456": "123456789012.3456",
		`"1"`: "O campo teto deve ser um número.", `"x"`: "O campo teto deve ser um número.", "true": "O campo teto deve ser um número.",
		"-1":      "O teto deve ser um número em reais, com até quatro casas decimais, como 0.45.",
		"0.00001": "O teto deve ser um número em reais, com até quatro casas decimais, como 0.45.",
	} {
		var b ConfirmBatchJSONRequestBody
		err := decodeStrict([]byte(`{"teto":`+sent+`}`), &b)
		got := ""
		if err == nil {
			m, wrong := ceilingOf(b.Ceiling)
			if err = wrong; err == nil {
				got = m.String()
			}
		}
		if err != nil {
			f := app.FaultOf(err)
			if got = f.Message; f.Field != "teto" {
				t.Errorf("%s: at %q", sent, f.Field)
			}
		}
		if got != want {
			t.Errorf("%s: %q; want %q", sent, got, want)
		}
	}
}

// TestInputsOfABody are one object of texts and numbers, each name once; a refusal repeats no name, which may be
// anything.
func TestInputsOfABody(t *testing.T) {
	t.Parallel()
	const once = "Há um nome em entradas que veio mais de uma vez."
	const kind = "Cada valor em entradas deve ser um texto ou um número."
	for sent, want := range map[string]string{
		`{"nascimento":"1980-02-29","renda":1234.50,"uf":""}`: "map[nascimento:1980-02-29 renda:1234.50]",
		`{}`: "map[]",
		`{"nascimento":"1980-02-29","nascimento":"1981-02-28"}`: once, `{"a":"","\u0061":"1"}`: once,
		`{"529.982.247-25":["x"]}`: kind, `{"a":true}`: kind, `{"a":null}`: kind, `{"a":{"b":1}}`: kind,
		`["x"]`: "O campo entradas deve ser um objeto.", `"x"`: "O campo entradas deve ser um objeto.",
	} {
		var b LookupJSONRequestBody
		err := decodeStrict([]byte(`{"produto":"cpf","documento":"52998224725","entradas":`+sent+`}`), &b)
		got := ""
		if err == nil {
			got = fmt.Sprint(b.Entradas)
		} else if f := app.FaultOf(err); f.Field == "entradas" {
			got = f.Message
		}
		if got != want {
			t.Errorf("%s: %q; want %q", sent, got, want)
		}
	}
}

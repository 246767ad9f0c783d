package httpapi

import (
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

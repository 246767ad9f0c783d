package document_test

import (
	"strings"
	"testing"

	"fichario/domain/document"
)

func TestRecognise(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		in    string
		typ   document.Type
		want  string // the document
		why   document.Reason
		short bool
	}{
		{"52998224725", document.CPF, "52998224725", "", false},
		{" 529.982.247-25 ", document.CPF, "52998224725", "", false},
		{"529 982 247 25", document.CPF, "52998224725", "", false},
		{"529.982.247–25", document.CPF, "52998224725", "", false},
		{"\u202a529.982.247\u201125\u202c\n", document.CPF, "52998224725", "", false},
		{"\ufeff529.982.247-25", document.CPF, "52998224725", "", false},
		{"529.982.247-52", document.CPF, "", document.BadDigit, false},
		{"111.111.111-11", document.CPF, "", document.Repeated, false},
		{"529.982", document.CPF, "", document.BadLength, true},
		{"5299822472", document.CPF, "", document.BadLength, true},
		{"11.222.333/0001-81", document.CNPJ, "11222333000181", "", false},
		{"12.abc.345/01de-35", document.CNPJ, "12ABC34501DE35", "", false},
		{"12ABC34501DE35", document.CNPJ, "12ABC34501DE35", "", false},
		{"abcdefghijkl80", document.CNPJ, "ABCDEFGHIJKL80", "", false},
		{"11.222.333/0001-82", document.CNPJ, "", document.BadDigit, false},
		{"11.222.333/00", document.CNPJ, "", document.BadLength, true},
		{"112223330001811", document.CNPJ, "", document.BadLength, false},
		{"112223330001", document.CNPJ, "", document.BadLength, true},
		{"bra2e19", document.Plate, "BRA2E19", "", false},
		{"ABC-1234", document.Plate, "ABC1234", "", false},
		{"abc 1d23", document.Plate, "ABC1D23", "", false},
		{"ABC-12", document.Plate, "", document.BadLength, true},
		{"ABC12DE", document.Plate, "", document.BadForm, false},
		{"Ana@Exemplo.com.br", document.Email, "ana@exemplo.com.br", "", false},
		{"mailto:ana@exemplo.com", document.Email, "ana@exemplo.com", "", false},
		{"ana@exemplo", document.Email, "", document.BadForm, true},
		{"ana@", document.Email, "", document.BadForm, true},
		{"ana silva@exemplo.com", document.Email, "", document.BadForm, false},
		{"Maria da Silva", "", "", document.BadForm, false},
		{"(31) 90012-0148", "", "", document.BadForm, false},
		{"<script>alert(1)</script>", "", "", document.BadForm, false},
		{"", "", "", document.Empty, true},
		{"   ", "", "", document.Empty, true},
		{strings.Repeat("9", 100_000), document.CNPJ, "", document.BadLength, false},
	} {
		r := document.Recognise(c.in)
		if r.Type != c.typ || r.Document.Value() != c.want || r.Reason != c.why || r.Short != c.short {
			t.Errorf("Recognise(%.40q) = %s %q %q short %t", c.in, r.Type, r.Document.Value(), r.Reason, r.Short)
		}
	}
}

// TestRecogniseInText: a label, a sentence, several at once.
func TestRecogniseInText(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"CPF: 529.982.247-25":                           "52998224725",
		"cpf 52998224725, por favor":                    "52998224725",
		"Cliente Ana (529.982.247-25) pediu":            "52998224725",
		"CNPJ:12.abc.345/01de-35":                       "12ABC34501DE35",
		"e-mail: <ana@exemplo.com.br>":                  "ana@exemplo.com.br",
		"529 982 247 25":                                "52998224725",
		"529.982.247-25 529.982.247-25":                 "52998224725",
		"529.982.247-25\n111.444.777-35;BRA2E19":        "52998224725 11144477735 BRA2E19",
		"529.982.247-25 e 111.444.777-35, e 1 inválido": "52998224725 11144477735",
		"CPF: 529.982.247-52":                           string(document.BadDigit),
		"ana silva@exemplo.com":                         string(document.BadForm),
		"ana@exemplo.com bia@exemplo.com":               "ana@exemplo.com bia@exemplo.com",
		"nada aqui":                                     string(document.BadForm),
	} {
		r := document.RecogniseIn(text)
		got := string(r.Reason)
		if !r.Document.IsZero() {
			got = r.Document.Value()
		} else if len(r.Several) > 0 {
			var all []string
			for _, d := range r.Several {
				all = append(all, d.Value())
			}
			got = strings.Join(all, " ")
		}
		if got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func FuzzRecognise(f *testing.F) {
	f.Add("529.982.247-25")
	f.Add("12.abc.345/01de-35")
	f.Add("\u202aana@exemplo.com")
	f.Fuzz(func(t *testing.T, s string) {
		in := document.RecogniseIn(s).Document
		if !in.IsZero() && document.Recognise(in.Value()).Document != in {
			t.Error("a document found in a text is not recognised by itself")
		}
		r := document.Recognise(s)
		if r.Document.IsZero() != (r.Reason != "") {
			t.Error("it is a document and something is wrong with it, or neither")
		}
		if again := document.Recognise(r.Document.Value()); !r.Document.IsZero() && again.Document != r.Document {
			t.Error("a recognised document is not recognised again")
		}
	})
}

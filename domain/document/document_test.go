package document_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"fichario/domain/document"
)

func TestParse(t *testing.T) {
	t.Parallel()
	valid := map[document.Type][]string{
		document.CPF: {"52998224725", "11144477735", "00000000191", "40442820135"},
		document.CNPJ: {
			"12ABC34501DE35", "1345C3A5000106", "R55231B3000757", "ABCDEFGHIJKL80", "00000000000191",
			"90021382000122", "90024778000123", "90025108000121", "90025255000100", "90024420000109",
			"A1B2C3D4E5F668", "ZZ999YY888XX24", "00000000E08G12", "11222333000181",
		},
		document.Plate: {"ABC1234", "ABC1D23"},
		document.Email: {"ana@exemplo.com.br", "a+b.c@x-y.io", "ana@163.com", "ana@xn--ita-goa.com.br", "ana@exemplo.xn--p1ai"},
	}
	for typ, values := range valid {
		for _, v := range values {
			d, err := document.Parse(typ, v)
			if err != nil {
				t.Errorf("Parse(%s, %q): %v", typ, v, err)
			} else if d.Value() != v || d.Type() != typ {
				t.Errorf("Parse(%s, %q) = %q", typ, v, d.Value())
			}
		}
	}
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		typ  document.Type
		in   string
		want document.Reason
	}{
		{document.CPF, "", document.Empty},
		{document.CPF, "529.982.247-25", document.HasMask},
		{document.CPF, " 52998224725", document.HasMask},
		{document.CPF, "52998224726", document.BadDigit},
		{document.CPF, "52998224715", document.BadDigit},
		{document.CPF, "5299822472", document.BadLength},
		{document.CPF, "529982247255", document.BadLength},
		{document.CPF, "11111111111", document.Repeated},
		{document.CPF, "00000000000", document.Repeated},
		{document.CPF, "5299822472A", document.BadChar},
		{document.CPF, "٥٢٩٩٨٢٢٤٧٢٥", document.BadChar},
		{document.CPF, "５２９９８２２４７２５", document.BadChar},
		{document.CPF, "52998224725\x00", document.BadChar},
		{document.CPF, "\xff\xfe", document.BadChar},
		{document.CNPJ, "R55231B3000700", document.BadDigit},
		{document.CNPJ, "1345c3A5000106", document.LowerCase},
		{document.CNPJ, "00000000000000", document.Repeated},
		{document.CNPJ, "90025108000101", document.BadDigit},
		{document.CNPJ, "12.ABC.345/01DE-35", document.HasMask},
		{document.CNPJ, "12ABC34501DEA5", document.BadDigit},
		{document.CNPJ, "12ABC34501DE3", document.BadLength},
		{document.CNPJ, "ÁBCDEFGHIJKL80", document.BadChar},
		{document.Plate, "ABC-1234", document.HasMask},
		{document.Plate, "abc1234", document.LowerCase},
		{document.Plate, "ABC12345", document.BadLength},
		{document.Plate, "AB11234", document.BadForm},
		{document.Plate, "ABC1DE3", document.BadForm},
		{document.Email, "ana", document.BadForm},
		{document.Email, "ana@", document.BadForm},
		{document.Email, "@exemplo.com", document.BadForm},
		{document.Email, "ana@exemplo", document.BadForm},
		{document.Email, "ana@@exemplo.com", document.BadForm},
		{document.Email, "ana@exemplo.com, bia@exemplo.com", document.BadForm},
		{document.Email, "Ana <ana@exemplo.com>", document.BadForm},
		{document.Email, "ana..b@exemplo.com", document.BadForm},
		{document.Email, "ana@-exemplo.com", document.BadForm},
		{document.Email, "ana@exemplo.com\r\nBcc: x", document.BadForm},
		{document.Email, strings.Repeat("a", 65) + "@exemplo.com", document.BadForm},
		{document.Email, "a@" + strings.Repeat("a.", 130) + "com", document.BadLength},
		{document.Email, "\u212Aelvin@exemplo.com", document.BadForm}, // a Kelvin sign
		{document.Email, "ana@\u0130tau.com", document.BadForm},
		{document.Email, "ana@1.2", document.BadForm},
		{document.Email, "ana@127.0.0.1", document.BadForm},
		{document.Email, "ana@itaú.com.br", document.BadForm},
		{"rg", "123", document.UnknownType},
	} {
		d, err := document.Parse(c.typ, c.in)
		var invalid *document.Invalid
		if !errors.As(err, &invalid) || invalid.Reason != c.want || !d.IsZero() {
			t.Errorf("Parse(%s, %q) = %v, want %q", c.typ, c.in, err, c.want)
			continue
		}
		if c.in != "" && strings.Contains(err.Error(), c.in) {
			t.Errorf("Parse(%s, …): the error quotes the input", c.typ)
		}
	}
}

// TestAnAddressWithAccents is refused with what to send in its place.
func TestAnAddressWithAccents(t *testing.T) {
	t.Parallel()
	if _, err := document.Parse(document.Email, "ana@itaú.com.br"); err == nil || !strings.Contains(err.Error(), "xn--") {
		t.Errorf("%v", err)
	}
}

// TestCheckDigitsCatchEverySlip changes each single character of valid documents:
// one wrong digit must never pass.
func TestCheckDigitsCatchEverySlip(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		typ      document.Type
		value    string
		alphabet string
	}{
		{document.CPF, "52998224725", "0123456789"},
		{document.CNPJ, "11222333000181", "0123456789"},
	} {
		for i := range len(c.value) {
			for _, r := range c.alphabet {
				if byte(r) == c.value[i] {
					continue
				}
				s := c.value[:i] + string(r) + c.value[i+1:]
				if _, err := document.Parse(c.typ, s); err == nil {
					t.Errorf("%s with position %d changed to %c passes", c.typ, i, r)
				}
			}
		}
	}
}

func TestNormalize(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		typ      document.Type
		in, want string
	}{
		{document.CPF, " 529.982.247-25 ", "52998224725"},
		{document.CNPJ, "12.abc.345/01de-35", "12ABC34501DE35"},
		{document.CNPJ, "11.222.333/0001-81", "11222333000181"},
		{document.CPF, "529.982.247\u201325\u200b", "52998224725"},
		{document.CNPJ, "11\u00a0222\u00a0333/0001\u221281", "11222333000181"},
		{document.CPF, "529\u2011982\u2011247\u201425", "52998224725"},
		{document.Plate, "abc\u20131d23", "ABC1D23"},
		{document.Plate, "abc-1d23", "ABC1D23"},
		{document.Email, " Ana@Exemplo.com.br", "ana@exemplo.com.br"},
	} {
		d, err := document.Normalize(c.typ, c.in)
		if err != nil || d.Value() != c.want {
			t.Errorf("Normalize(%s, %q) = %q, %v; want %q", c.typ, c.in, d.Value(), err, c.want)
		}
	}
}

// TestLettersOfOtherAlphabets: some have an ASCII letter as their other case, and are not that letter.
func TestLettersOfOtherAlphabets(t *testing.T) {
	t.Parallel()
	for typ, in := range map[document.Type]string{
		document.Plate: "ab\u017f1d23", document.CNPJ: "12.ab\u0131.345/01de-42", document.Email: "\u212aelvin@exemplo.com",
	} {
		if d, err := document.Normalize(typ, in); err == nil {
			t.Errorf("Normalize(%s, %q) = %q", typ, in, d.Value())
		}
		if r := document.Recognise(in); !r.Document.IsZero() {
			t.Errorf("Recognise(%q) = %q", in, r.Document.Value())
		}
	}
}

func TestDocumentsHideThemselves(t *testing.T) {
	t.Parallel()
	for typ, v := range map[document.Type]string{
		document.CPF: "52998224725", document.CNPJ: "12ABC34501DE35", document.Plate: "ABC1D23",
		document.Email: "ana.maria@exemplo.com.br",
	} {
		d, err := document.Parse(typ, v)
		if err != nil {
			t.Fatal(err)
		}
		for _, verb := range []string{"%v", "%+v", "%#v", "%s"} {
			if got := fmt.Sprintf(verb, d); strings.Contains(got, v) {
				t.Errorf("%s of a %s shows it", verb, typ)
			}
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("52998224725")
	f.Add("12ABC34501DE35")
	f.Add("ana@exemplo.com.br")
	f.Fuzz(func(t *testing.T, s string) {
		for _, typ := range document.Types() {
			d, err := document.Parse(typ, s)
			if err != nil {
				continue
			}
			if again, err := document.Normalize(typ, d.Value()); err != nil || again != d {
				t.Errorf("a parsed %s does not parse again", typ)
			}
			_ = d.Masked()
		}
	})
}

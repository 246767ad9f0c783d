package document_test

import (
	"errors"
	"testing"

	"fichario/domain/document"
)

func TestFromCell(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		typ        document.Type
		cell, want string
		reason     document.Reason
	}{
		{document.CPF, "52998224725", "52998224725", ""},
		{document.CPF, " 529.982.247-25\u00a0", "52998224725", ""},
		{document.CPF, "'02345678992", "02345678992", ""},
		{document.CPF, "2345678992", "02345678992", ""},
		{document.CPF, "191", "00000000191", ""},
		{document.CPF, "52998224725.0", "52998224725", ""},
		{document.CPF, "52998224725,00", "52998224725", ""},
		{document.CPF, "5.2998224725E+10", "52998224725", ""},
		{document.CPF, "2,345678992E+09", "02345678992", ""},
		{document.CPF, "5.29982E+10", "", document.LostDigits},
		{document.CPF, "5,3E+10", "", document.LostDigits},
		{document.CPF, "5E+10", "", document.LostDigits},
		{document.CPF, "2345678993", "", document.BadLength},
		{document.CPF, "52998224726", "", document.BadDigit},
		{document.CPF, "", "", document.Empty},
		{document.CPF, "Fulano", "", document.BadChar},
		{document.CNPJ, "11.222.333/0001-81", "11222333000181", ""},
		{document.CNPJ, "191", "00000000000191", ""},
		{document.CNPJ, "1,1222333000181E+13", "11222333000181", ""},
		{document.CNPJ, "1,12223E+13", "", document.LostDigits},
		{document.Plate, "abc-1d23", "ABC1D23", ""},
		{document.Email, "ana@example.com", "ana@example.com", ""},
	} {
		got, err := document.FromCell(c.typ, c.cell)
		var invalid *document.Invalid
		if errors.As(err, &invalid); got.Value() != c.want || (invalid == nil) != (c.reason == "") ||
			invalid != nil && invalid.Reason != c.reason {
			t.Errorf("%s %q: %q, %v", c.typ, c.cell, got.Value(), err)
		}
	}
}

package catalog_test

import (
	"slices"
	"strings"
	"testing"

	"fichario/domain/catalog"
)

func TestInputs(t *testing.T) {
	t.Parallel()
	for typ, values := range map[catalog.InputType]struct{ good, bad []string }{
		catalog.InputDate:   {[]string{"1980-02-29"}, []string{"", "29/02/1980", "1981-02-29", "1980-02-29T00:00:00Z"}},
		catalog.InputNumber: {[]string{"0", "-1.5", "123456789012345.1234"}, []string{"", "1,5", "1e3", "+1", "1.12345", ".5", "NaN"}},
		catalog.InputState:  {[]string{"SP", "DF", "TO"}, []string{"", "sp", "XX", "EX", "São Paulo"}},
		catalog.InputText: {[]string{"Ana", "JOÃO D'ÁVILA", strings.Repeat("é", 120)},
			[]string{"", " ", "a\nb", "a\x00", "\xff", strings.Repeat("é", 121)}},
		"": {nil, []string{"", "a"}},
	} {
		in := catalog.Input{Name: "x", Type: typ}
		for _, v := range values.good {
			if !in.Accepts(v) {
				t.Errorf("%s: %q is refused", typ, v)
			}
		}
		for _, v := range values.bad {
			if in.Accepts(v) {
				t.Errorf("%s: %q is accepted", typ, v)
			}
		}
	}
	for _, c := range []struct {
		typ           catalog.InputType
		written, want string // "" for none of the type
	}{
		{catalog.InputDate, " 1980-02-29 ", "1980-02-29"}, {catalog.InputDate, "29/02/1980", "1980-02-29"},
		{catalog.InputDate, "1/2/1980", "1980-02-01"}, {catalog.InputDate, "01.02.1980", "1980-02-01"},
		{catalog.InputDate, "1980-02-29T00:00:00", "1980-02-29"}, {catalog.InputDate, "1980-02-29 00:00:00", "1980-02-29"},
		{catalog.InputDate, "29/02/1981", ""}, {catalog.InputDate, "02/29/1980", ""}, {catalog.InputDate, "29/02/80", ""},
		{catalog.InputNumber, "1.234,56", "1234.56"}, {catalog.InputNumber, "1234.56", "1234.56"}, {catalog.InputNumber, "1,2,3", ""},
		{catalog.InputState, "sp", "SP"}, {catalog.InputState, "São Paulo", ""}, {catalog.InputText, " Bia ", "Bia"},
	} {
		got, ok := catalog.Input{Type: c.typ}.Read(c.written)
		if ok != (c.want != "") || ok && got != c.want {
			t.Errorf("%s %q: %q, %v", c.typ, c.written, got, ok)
		}
	}
	if got, ok := (catalog.Input{Type: catalog.InputDate}).Read("  "); got != "" || !ok {
		t.Errorf("nothing is %q, %v", got, ok)
	}
	p := catalog.Product{Inputs: []catalog.Input{
		{Name: "nascimento", Type: catalog.InputDate, Required: true}, {Name: "uf", Type: catalog.InputState},
		{Name: "nomeDaMae", Type: catalog.InputText, Required: true, Label: "Nome da mãe"},
	}}
	for _, c := range []struct {
		values map[string]string
		want   []string
	}{
		{nil, []string{"nascimento", "nomeDaMae"}},
		{map[string]string{"nascimento": "1980-02-29", "nomeDaMae": "Bia"}, nil},
		{map[string]string{"nascimento": "29/02/1980", "nomeDaMae": "Bia", "uf": "xx", "outra": "1"}, []string{"nascimento", "uf"}},
	} {
		if got := p.Lacking(c.values); !slices.Equal(got, c.want) {
			t.Errorf("%v: lacking %v, want %v", c.values, got, c.want)
		}
	}
	if p.Inputs[1].Called() != "Uf" || p.Inputs[2].Called() != "Nome da mãe" {
		t.Errorf("called %s and %s", p.Inputs[1].Called(), p.Inputs[2].Called())
	}
}

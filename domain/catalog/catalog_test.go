package catalog_test

import (
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"

	"fichario/domain/catalog"
	"fichario/domain/document"
)

func TestMoney(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]catalog.Money{
		"0": 0, "0.45": 4500, "2.075": 20750, "12": 120000, "0.0001": 1, "1.50": 15000, "999999999999.9999": 9999999999999999,
	} {
		got, err := catalog.ParseMoney(in)
		if err != nil || got != want {
			t.Errorf("ParseMoney(%q) = %d, %v; want %d", in, got, err, want)
		}
		if back, err := catalog.ParseMoney(got.String()); err != nil || back != got {
			t.Errorf("%d prints as %q, which reads as %d, %v", got, got.String(), back, err)
		}
	}
	for _, in := range []string{
		"", ".", "1.", ".5", "-1", "+1", "1,5", "1.00001", "1e3", "R$ 1", " 1", "1 ", "1.2.3", "9999999999999", "٣",
	} {
		if got, err := catalog.ParseMoney(in); !errors.Is(err, catalog.ErrMoney) {
			t.Errorf("ParseMoney(%q) = %d, %v; want an error", in, got, err)
		}
	}
	for in, want := range map[string]catalog.Money{
		"0": 0, "0.45": 4500, "1.0E0": 10000, "1.0E7": 100000000000, "1e3": 10000000, "4.5E-1": 4500, "1.00000": 10000,
		"0.00001e+1": 1, "12e0": 120000, "0e5": 0, "1.5e+1": 150000, "100e-2": 10000,
	} {
		if got, err := catalog.ParseNumber(in); err != nil || got != want {
			t.Errorf("ParseNumber(%q) = %d, %v; want %d", in, got, err, want)
		}
	}
	for _, in := range []string{
		"", ".", "1.", ".5", "-1", "+1", "1,5", "1.00001", "1e", "e3", "1e13", "1e31", "1e-31", "1e9999999999999999999", "1e-5", "1e1.5",
		"NaN", "0x1", "1e3e3", " 1", "-0", "1_0", "1e1_0",
	} {
		if got, err := catalog.ParseNumber(in); !errors.Is(err, catalog.ErrMoney) {
			t.Errorf("ParseNumber(%q) = %d, %v; want an error", in, got, err)
		}
	}
	for m, want := range map[catalog.Money]string{
		0: "0", 4500: "0.45", 20750: "2.075", 1: "0.0001", 120000: "12", -15000: "-1.5",
	} {
		if m.String() != want {
			t.Errorf("%d prints as %q, want %q", int64(m), m.String(), want)
		}
	}
}

func TestStandardProducts(t *testing.T) {
	t.Parallel()
	want := map[string]string{
		"cpf": "cpf", "cnpj": "cnpj", "situacao_cadastral": "cpf,cnpj", "obito": "cpf", "participacao_societaria": "cpf,cnpj",
		"protestos": "cpf,cnpj", "score": "cpf,cnpj", "veiculo": "placa", "validacao_email": "email",
	}
	schemas := map[string]string{}
	for _, p := range catalog.Standard() {
		types := []string{}
		for _, d := range p.Documents {
			types = append(types, string(d))
		}
		if got := strings.Join(types, ","); got != want[p.ID] {
			t.Errorf("%s takes %s, want %s", p.ID, got, want[p.ID])
		}
		delete(want, p.ID)
		if other, dup := schemas[p.Schema()]; dup {
			t.Errorf("%s and %s have one schema", p.ID, other)
		}
		schemas[p.Schema()] = p.ID
		for _, f := range p.Fields {
			if f.Description == "" || !f.Kind.Valid() {
				t.Errorf("%s.%s lacks a description or a kind", p.ID, f.Name)
			}
		}
	}
	if len(want) > 0 {
		t.Errorf("missing products: %v", want)
	}
}

func product(t *testing.T, id string) catalog.Product {
	t.Helper()
	p, ok := catalog.Standard().Find(id)
	if !ok {
		t.Fatalf("no product %s", id)
	}
	return p
}

func TestProductParse(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		product, in string
		want        document.Type
		message     string
	}{
		{"score", "52998224725", document.CPF, ""},
		{"score", "12ABC34501DE35", document.CNPJ, ""},
		{"score", "52998224726", "", "CPF"},
		{"score", "529.982.247-25", "", "CPF"},
		{"score", "11222333000180", "", "CNPJ"},
		{"score", "11.222.333/0001-81", "", "CNPJ"},
		{"cpf", "12ABC34501DE35", "", "CPF"},
		{"veiculo", "52998224725", "", "placa"},
		{"validacao_email", "52998224725", "", "e-mail"},
	} {
		d, err := product(t, c.product).Parse(c.in)
		if c.want != "" {
			if err != nil || d.Type() != c.want {
				t.Errorf("%s: Parse = %v, %v", c.product, d.Type(), err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), c.message) {
			t.Errorf("%s: error %v does not speak of %s", c.product, err, c.message)
		}
	}
}

func TestProject(t *testing.T) {
	t.Parallel()
	p := product(t, "cpf")
	got, dropped := p.Project(map[string]any{
		"nome":       "Ana <b> & Cia \u2028",
		"nomeMae":    "   ",
		"nascimento": "31/12/1980",
		"sexo":       7,
		"emails":     []any{"a@x.com", "", nil, 3},
		"telefones": []any{
			map[string]any{"ddd": "11", "numero": "987654321", "whatsapp": false, "operadora": "X"},
			map[string]any{"ddd": "", "numero": nil},
			"11 98765-4321",
			map[string]any{"numero": "1", "whatsapp": "sim"},
		},
		"enderecos": []any{},
		"intruso":   1,
	})
	want := `{"nome":"Ana <b> & Cia ` + `\u2028` + `","nomeMae":null,"nascimento":null,"sexo":null,` +
		`"situacaoCadastral":null,` +
		`"emails":["a@x.com"],"telefones":[{"ddd":"11","numero":"987654321","tipo":null,"whatsapp":false},` +
		`{"ddd":null,"numero":"1","tipo":null,"whatsapp":null}],"enderecos":null}`
	if string(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	wantDropped := []string{"nascimento", "sexo", "emails[]", "telefones[]", "telefones[].whatsapp"}
	if !reflect.DeepEqual(dropped, wantDropped) {
		t.Errorf("dropped %v, want %v", dropped, wantDropped)
	}
}

func TestProjectOfNothingIsAllNull(t *testing.T) {
	t.Parallel()
	for _, p := range catalog.Standard() {
		got, dropped := p.Project(nil)
		var m map[string]any
		if err := json.Unmarshal(got, &m); err != nil || len(m) != len(p.Fields) || len(dropped) > 0 {
			t.Fatalf("%s: %s, %v", p.ID, got, err)
		}
		for k, v := range m {
			if v != nil {
				t.Errorf("%s.%s = %v", p.ID, k, v)
			}
		}
	}
}

func TestProjectTwinsAndNumbers(t *testing.T) {
	t.Parallel()
	p := product(t, "cnpj")
	for _, values := range []map[string]any{{"nome": "ACME"}, {"razaoSocial": "ACME", "nome": " "}} {
		got, _ := p.Project(values)
		if !strings.HasPrefix(string(got), `{"nome":"ACME","razaoSocial":"ACME",`) {
			t.Errorf("got %s", got)
		}
	}
	got, dropped := p.Project(map[string]any{
		"capitalSocial": json.Number("1234567.89"), "atividadePrincipal": map[string]any{"codigo": ""},
	})
	if !strings.Contains(string(got), `"capitalSocial":1234567.89,"atividadePrincipal":null`) || len(dropped) > 0 {
		t.Errorf("got %s, dropped %v", got, dropped)
	}
	got, dropped = p.Project(map[string]any{"capitalSocial": math.NaN()})
	if !strings.Contains(string(got), `"capitalSocial":null`) || len(dropped) != 1 {
		t.Errorf("got %s, dropped %v", got, dropped)
	}
}

func TestCompleteAddsNewFields(t *testing.T) {
	t.Parallel()
	p := product(t, "obito")
	old, _ := p.Project(map[string]any{"obito": false})
	p.Fields = append(p.Fields, catalog.Field{Name: "cartorio", Kind: catalog.String})
	got, err := p.Complete(old)
	if err != nil || string(got) != `{"obito":false,"obitoEm":null,"cartorio":null}` {
		t.Errorf("got %s, %v", got, err)
	}
}

// TestReais: the output of Exact is read back unchanged, whatever the fraction, and so are people's own spellings.
func TestReais(t *testing.T) {
	t.Parallel()
	for _, m := range []catalog.Money{0, 1, 450, 4500, 20750, 2_0750, 2075_0000, 99_9999, 1_234_567_8901, -20750} {
		if got, err := catalog.ParseReais(m.Exact()); got != m || err != nil {
			t.Errorf("%s is read as %d, %v", m.Exact(), got, err)
		}
	}
	for in, want := range map[string]catalog.Money{
		"50": 50_0000, "r$ 50,5": 50_5000, "1.234": 1234_0000, "1.234,5": 1234_5000, "1234.5": 1234_5000, "1234,5678": 1234_5678,
		"0.500": 5000, "12.5": 12_5000, " 1.000.000 ": 1_000_000_0000, "0": 0, "-3,10": -3_1000,
	} {
		if got, err := catalog.ParseReais(in); got != want || err != nil {
			t.Errorf("%q: %d, %v, want %d", in, got, err, want)
		}
	}
	for _, in := range []string{"", "R$", "x", "1,23456", "1.23,4", "1.2.3", "1,2,3", "50 mil", "--1", "1.2345.678"} {
		if got, err := catalog.ParseReais(in); !errors.Is(err, catalog.ErrMoney) {
			t.Errorf("%q: %d, %v, want an error", in, got, err)
		}
	}
}

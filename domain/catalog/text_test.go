package catalog_test

import (
	"encoding/json"
	"strings"
	"testing"

	"fichario/domain/catalog"
)

func TestValuesInOneCell(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ product, field, value, want string }{
		{"cpf", "nome", `"Ana"`, "Ana"},
		{"cpf", "nome", `null`, ""},
		{"cpf", "emails", `["a@x.example", null, "b@x.example"]`, "a@x.example; b@x.example"},
		{"cpf", "telefones", `[{"ddd":"11","numero":"987654321","tipo":"celular","whatsapp":true},{"ddd":null,"numero":"1","whatsapp":null}]`,
			"11 987654321 (WhatsApp); 1"},
		{"cnpj", "socios", `[{"nome":"Bia","documento":"***.982.247-**","qualificacao":"Sócia","entrada":null}]`,
			"Bia, ***.982.247-**, Sócia"},
		{"cnpj", "capitalSocial", `1000000.50`, "1000000.50"},
		{"obito", "obito", `false`, "não"},
	} {
		p, _ := catalog.Standard().Find(c.product)
		f, ok := p.Field(c.field)
		if !ok {
			t.Fatal(c.field)
		}
		dec := json.NewDecoder(strings.NewReader(c.value))
		dec.UseNumber()
		var v any
		if err := dec.Decode(&v); err != nil {
			t.Fatal(err)
		}
		if got := f.Text(v); got != c.want {
			t.Errorf("%s of %s: got %q, want %q", c.field, c.value, got, c.want)
		}
	}
}

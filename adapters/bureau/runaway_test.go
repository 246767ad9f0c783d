package bureau_test

import (
	"fmt"
	"strings"
	"testing"

	"fichario/ports"
)

// TestRunawayMapping: a mapping that does not end loses its own field, and no other.
func TestRunawayMapping(t *testing.T) {
	t.Parallel()
	url, _ := serve(t, body(200, `{"a":"0123456789","n":1000000000,"nome":"ANA","longo":`+strings.Repeat("9", 1<<20)+`}`))
	bad := []string{
		`"def f: f; f"`, `'[limit(2000000; repeat(.a))] | join("")'`, `.a * .n`, `'reduce range(60) as $i (1; [., .])'`,
		`'[range(1e12)] | tojson'`, `'.[500000000] = 1'`, `'try (.a * .n) catch "x"'`,
	}
	var fields strings.Builder
	for i, name := range strings.Fields("nomeMae nascimento sexo situacaoCadastral emails telefones enderecos") {
		fmt.Fprintf(&fields, ", %s: %s", name, bad[i])
	}
	for _, end := range []string{"", ", nome: .nome"} {
		src := strings.Replace(fmt.Sprintf(basic, url, ""), ", sexo: .sexo", fields.String()+end, 1)
		if end != "" {
			src = strings.Replace(src, "{ nome: .nome, ", "{ ", 1)
		}
		a, err := ask(t, client(t, src))
		if err != nil || len(a.Dropped) != len(bad) || !strings.Contains(string(a.Fields), `{"nome":"ANA","nomeMae":null`) {
			t.Errorf("dropped %v, %v, %.200s", a.Dropped, err, a.Fields)
		}
	}
	for _, failed := range bad {
		if strings.HasPrefix(failed, ".") {
			failed = "'" + failed + "'"
		}
		_, err := ask(t, client(t, fmt.Sprintf(basic, url, "failed: "+failed)))
		wantError(t, err, ports.Failed, "cannot read")
	}
}

func TestLongNumbers(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("9", 1<<20)
	raw := `{"nome":"` + long + `","n":` + long + `,"l":[1.50,` + long + `]}`
	url, _ := serve(t, body(200, raw))
	a, err := ask(t, client(t, strings.Replace(fmt.Sprintf(basic, url, ""), ".sexo", `'"\(.n) \(.l)"'`, 1)))
	if err != nil || string(a.Raw) != raw || !strings.Contains(string(a.Fields), `"sexo":"null [1.50,null]"`) {
		t.Errorf("%v, %d bytes, dropped %v", err, len(a.Raw), a.Dropped)
	}
}

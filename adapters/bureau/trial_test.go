package bureau_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"fichario/adapters/bureau"
	"fichario/ports"
)

const tried = `name: teste
base_url: %s
not_found: %s
failed: '.cpf != $documento'
products:
  cpf:
    price: "0.45"
    request: { method: GET, path: "/pessoas/{documento}" }
    fields:
      nome: .pessoa.nome
      nomeMae: .pessoa.mae.nome
      nascimento: .pessoa.nacimento
      sexo: 'if .pessoa.genero == "2" then "F" else null end'
      situacaoCadastral: 'null'
      emails: '[.pessoa.email | strings | select(contains("@"))]'
      telefones: '[.pessoa.fones[]? | {ddd, numero, whatsap: .zap}]'
`

const person = `{"cpf":"` + cpf + `","pessoa":{"nome":"ANA","nascimento":"1990-01-31","genero":"1","email":"",
	"mae":{"name":"EVA","cpf":"11144477735"},"fones":[{"ddd":"11","numero":"987654321","tipo":"M","zap":null},
	{"ddd":"21","numero":"33334444","zap":true,"rede":{"nome":"X"}}]},"pagina":{"de":1,"total":1},"um-só":1}`

// TestKeysThatNoMappingReads: a misspelt key is null without a word, so whoever writes the file is told.
func TestKeysThatNoMappingReads(t *testing.T) {
	t.Parallel()
	wantUnread := []string{
		`.pagina`, `.pessoa.fones[].rede`, `.pessoa.fones[].tipo`, `.pessoa.fones[].zap`, `.pessoa.mae`, `.pessoa.nascimento`,
		`["um-só"]`,
	}
	wantIdle := []string{"nascimento", "nomeMae"}
	url, _ := serve(t, body(200, person))
	c := client(t, fmt.Sprintf(tried, url, "[404]"))
	asked, err := c.Try(t.Context(), question(t, c, "cpf", cpf), nil)
	if err != nil || asked.Undescribed != 0 {
		t.Fatal(asked.Undescribed, err)
	}
	saved, err := c.Examine(t.Context(), question(t, c, "cpf", cpf), []byte(person))
	if err != nil {
		t.Fatal(err)
	}
	for name, got := range map[string]bureau.Trial{"asked": asked, "saved": saved} {
		if slices.Sort(got.Unread); !slices.Equal(got.Unread, wantUnread) {
			t.Errorf("%s: not read: %v", name, got.Unread)
		}
		if slices.Sort(got.Idle); !slices.Equal(got.Idle, wantIdle) {
			t.Errorf("%s: idle: %v", name, got.Idle)
		}
	}
	_, err = c.Examine(t.Context(), question(t, c, "cpf", "11144477735"), []byte(person))
	if err == nil || !strings.Contains(err.Error(), "reports a failure") {
		t.Errorf("somebody else's answer: %v", err)
	}
}

// TestShippedFilesReadTheirAnswers: what the search reports about a good file is true.
func TestShippedFilesReadTheirAnswers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		file, answer, product, document string
		read                            []string
	}{
		{"brasilapi", "brasilapi_cnpj_placeholders.json", "cnpj", "11222333000181", []string{
			".cnpj", ".natureza_juridica", ".cnae_fiscal", ".cep", ".ddd_telefone_2", ".email", ".qsa", ".uf",
		}},
		{"serpro", "serpro_cpf.json", "obito", cpf, []string{".ni", ".situacao.codigo"}},
	} {
		cl := shippedBureau(t, c.file, 200, "{}", nil)
		raw, err := os.ReadFile("testdata/" + c.answer)
		if err != nil {
			t.Fatal(err)
		}
		p := product(t, cl, c.product)
		d, err := p.Parse(c.document)
		if err != nil {
			t.Fatal(err)
		}
		got, err := cl.Examine(t.Context(), ports.Question{Product: p, Document: d}, raw)
		if err != nil {
			t.Fatal(err)
		}
		if len(got.Idle) > 0 {
			t.Errorf("%s: %v are said to read nothing", c.answer, got.Idle)
		}
		for _, key := range c.read {
			if slices.Contains(got.Unread, key) {
				t.Errorf("%s: %s is said to be unread", c.answer, key)
			}
		}
	}
}

// TestNoRecordThatTheFileDoesNotDescribe: a mistyped path gives 404 too.
func TestNoRecordThatTheFileDoesNotDescribe(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		notFound string
		status   int
		want     int
	}{
		{"[404]", 404, 404},
		{"[204]", 204, 204},
		{`{status: [404], when: '.erro == "nada consta"'}`, 404, 0},
	} {
		url, _ := serve(t, body(c.status, `{"erro":"nada consta"}`))
		cl := client(t, fmt.Sprintf(tried, url, c.notFound))
		got, err := cl.Try(t.Context(), question(t, cl, "cpf", cpf), nil)
		if err != nil || got.Found || got.Undescribed != c.want {
			t.Errorf("%s: found %t, undescribed %d, %v", c.notFound, got.Found, got.Undescribed, err)
		}
	}
}

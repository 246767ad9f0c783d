package bureau_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"fichario/adapters/bureau"
	"fichario/domain/catalog"
	"fichario/ports"
)

// proposal is what a proposed file makes of its own example.
func proposal(t *testing.T, id, example string) (trial bureau.Trial, missing []string, file string) {
	t.Helper()
	p, _ := catalog.Standard().Find(id)
	src, missing, err := bureau.Propose(t.Context(), p, []byte(example))
	if err != nil {
		t.Fatal(err)
	}
	c := client(t, string(src))
	p = product(t, c, id)
	about := ports.Question{Product: p, Document: bureau.Sample(p.Documents[0])}
	got, err := c.Examine(t.Context(), about, []byte(example))
	if err != nil {
		t.Fatalf("%v\n%s", err, src)
	}
	if len(got.Dropped)+len(got.Idle) > 0 {
		t.Errorf("dropped %v, idle %v\n%s", got.Dropped, got.Idle, src)
	}
	return got, missing, string(src)
}

// TestPropose: answers of several bureaus, and what a proposed file reads of them.
func TestPropose(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ product, example, fields, missing string }{
		"as the fields are called": {"cpf", `{"nome":"ANA","nomeMae":"BIA","nascimento":"1980-02-29","telefones":[{"ddd":"11","numero":"987654321","tipo":"M","whatsapp":true}]}`,
			`{"nome":"ANA","nomeMae":"BIA","nascimento":"1980-02-29","sexo":null,"situacaoCadastral":null,"emails":null,` +
				`"telefones":[{"ddd":"11","numero":"987654321","tipo":"M","whatsapp":true}],"enderecos":null}`,
			"sexo situacaoCadastral emails enderecos"},
		"deep, and in other words": {"cpf", `{"meta":{"ok":true},"retorno":[{"cpf":"529.982.247-25","Nome completo":"ANA","mãe":"BIA","data_nascimento":"29/02/1980 00:00:00",
			"gênero":"F","situacao":{"codigo":"0","descricao":"REGULAR"},"fones":[{"telefoneComDDD":"(11) 98765-4321","tipoTelefone":"M","zap":"S"},
			{"telefoneComDDD":null,"zap":null}],"contatos":{"emails":[{"enderecoEmail":"ana@correio.example"}]},
			"enderecos":[{"rua":"R A","número":10,"municipio":"SAO PAULO","estado":"SP","cep":"01001000"},{"rua":"R B","número":null}]}]}`,
			`{"nome":"ANA","nomeMae":"BIA","nascimento":"1980-02-29","sexo":"F","situacaoCadastral":"REGULAR","emails":["ana@correio.example"],` +
				`"telefones":[{"ddd":"11","numero":"987654321","tipo":"M","whatsapp":true}],` +
				`"enderecos":[{"tipo":null,"logradouro":"R A","numero":"10","complemento":null,"bairro":null,"cidade":"SAO PAULO","uf":"SP","cep":"01001000"},` +
				`{"tipo":null,"logradouro":"R B","numero":null,"complemento":null,"bairro":null,"cidade":null,"uf":null,"cep":null}]}`, ""},
		"flat": {"cnpj", `{"cnpj":"11.222.333/0001-81","razao_social":"ACME","nome_fantasia":"","data_inicio_atividade":"17/05/2004","capital_social":"R$ 1.500,50",
			"ddd_telefone_1":"1123851939","ddd_telefone_2":"11987654321","email":"a@acme.example","logradouro":"AV","bairro":"B","uf":"SP",
			"cnae_principal":{"code":"6204000","text":"TI"},"qsa":[{"nome_socio":"X","nome":"BIA","cpf":"529.982.247-25","qual":"49","data_entrada":"17/05/2004"}]}`,
			`{"nome":"ACME","razaoSocial":"ACME","nomeFantasia":null,"abertura":"2004-05-17","situacaoCadastral":null,"naturezaJuridica":null,"porte":null,"capitalSocial":1500.5,` +
				`"atividadePrincipal":{"codigo":"6204000","descricao":"TI"},"atividadesSecundarias":null,"emails":["a@acme.example"],` +
				`"telefones":[{"ddd":"11","numero":"23851939","tipo":null,"whatsapp":null},{"ddd":"11","numero":"987654321","tipo":null,"whatsapp":null}],` +
				`"enderecos":[{"tipo":null,"logradouro":"AV","numero":null,"complemento":null,"bairro":"B","cidade":null,"uf":"SP","cep":null}],` +
				`"socios":[{"nome":"BIA","documento":"52998224725","qualificacao":"49","entrada":"2004-05-17"}]}`,
			"situacaoCadastral naturezaJuridica porte atividadesSecundarias"},
		"XML": {"score", `<r><Consulta><Score>712</Score><Faixa>bom</Faixa></Consulta></r>`,
			`{"score":712,"faixa":"bom","probabilidadeInadimplencia":null}`, "probabilidadeInadimplencia"},
		"odd keys": {"obito", `{"a-b":{"c d":{"possui óbito":"Não","data óbito":"01/02/2020"}}}`, `{"obito":false,"obitoEm":"2020-02-01"}`, ""},
		"a list":   {"obito", `[{"obito":"1","falecido":true}]`, `{"obito":true,"obitoEm":null}`, "obitoEm"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, missing, file := proposal(t, c.product, c.example)
			if string(got.Fields) != c.fields || strings.Join(missing, " ") != c.missing {
				t.Errorf("missing %v, got\n%s\nwant\n%s\nby\n%s", missing, got.Fields, c.fields, file)
			}
			for _, name := range missing {
				if !strings.Contains(file, "Not recognised in the example: "+strings.Join(missing, ", ")) {
					t.Errorf("the file does not say that %s is missing:\n%s", name, file)
				}
			}
		})
	}
}

// TestProposeForRealAnswers: most named fields of the shipped bureaus' answers are recognised.
func TestProposeForRealAnswers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		product, example string
		missing          []string
	}{
		{"cnpj", "brasilapi_cnpj.json", []string{"atividadePrincipal"}},                             // of two keys that stand alone,
		{"cnpj", "serpro_cnpj.json", []string{"situacaoCadastral"}},                                 // a code without a text,
		{"cpf", "serpro_cpf.json", []string{"nomeMae", "sexo", "emails", "telefones", "enderecos"}}, // not there,
		{"cpf", "bigdatacorp_pessoas.json", nil},
	} {
		example, err := os.ReadFile("testdata/" + c.example)
		if err != nil {
			t.Fatal(err)
		}
		_, missing, file := proposal(t, c.product, string(example))
		if !slices.Equal(missing, c.missing) {
			t.Errorf("%s: missing %v\n%s", c.example, missing, file)
		}
	}
}

func TestProposeNothing(t *testing.T) {
	t.Parallel()
	p, _ := catalog.Standard().Find("cpf")
	for example, want := range map[string]string{
		"": "the example is empty", "ola": "the example is not JSON", "<r>": "the example is not XML", `{"a":1}`: "no named field",
		`{"nome":7e999,"nascimento":"ontem","telefones":[]}`: "",
	} {
		_, _, err := bureau.Propose(t.Context(), p, []byte(example))
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", example, err)
		}
	}
}

// FuzzPropose: what is proposed for any example is a valid file that suits it.
func FuzzPropose(f *testing.F) {
	for _, s := range []string{
		`{"nome":"ANA","nascimento":"29/02/1980","telefones":["11987654321"],"a'b\"c":{"email":"a@b.example"}}`, `[[{"nome":"A"}]]`,
		`<r><nome>ANA</nome><sexo a="1">F</sexo></r>`, `{"Nome":{"text":"A","nome":{}},"enderecos":{"rua":"A","uf":null}}`,
	} {
		f.Add(s)
	}
	p, _ := catalog.Standard().Find("cpf")
	f.Fuzz(func(t *testing.T, example string) {
		if src, _, err := bureau.Propose(t.Context(), p, []byte(example)); err == nil {
			if _, err := bureau.Parse("x", src, noEnv); err != nil {
				t.Errorf("%q: %v\n%s", example, err, src)
			}
		} else if !strings.Contains(err.Error(), "the example") {
			t.Errorf("%q: %v", example, err)
		}
	})
}

package bureau_test

import (
	"io"
	"net/http"
	"os"
	"strings"
	"testing"

	"fichario/adapters/bureau"
	"fichario/ports"
)

// shippedBureau serves one fixture in place of a shipped file's bureau, and a token beside it.
func shippedBureau(
	t *testing.T, name string, status int, fixture string, seen func(r *http.Request, body string),
) *bureau.Client {
	t.Helper()
	src, ok := bureau.Shipped(name)
	if !ok {
		t.Fatalf("%s is not shipped", name)
	}
	answer := []byte(fixture)
	if strings.HasSuffix(fixture, ".json") {
		b, err := os.ReadFile("testdata/" + fixture)
		if err != nil {
			t.Fatal(err)
		}
		answer = b
	}
	url, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		if r.URL.Path == "/token" {
			_, _ = io.WriteString(w, `{"scope":"default","token_type":"Bearer","expires_in":3295,"access_token":"tok"}`)
			return
		}
		if seen != nil {
			seen(r, string(b))
		}
		w.WriteHeader(status)
		_, _ = w.Write(answer)
	})
	text := strings.NewReplacer("https://brasilapi.com.br", url,
		"https://gateway.apiserpro.serpro.gov.br", url, "https://plataforma.bigdatacorp.com.br", url).Replace(string(src))
	c := bureau.New(parse(t, text, "SERPRO_CONSUMER_KEY", "k", "SERPRO_CONSUMER_SECRET", "s", "BIGDATACORP_ACCESS_TOKEN",
		"acc", "BIGDATACORP_TOKEN_ID", "tid"))
	t.Cleanup(c.Close)
	return c
}

func TestShippedFiles(t *testing.T) {
	t.Parallel()
	const company, other = "11222333000181", "90024420000109"
	for name, c := range map[string]struct {
		file, product, document, fixture, want string
	}{
		"brasilapi": {"brasilapi", "cnpj", company, "brasilapi_cnpj.json", `{"nome":"ACME COMERCIO S.A.","razaoSocial":"ACME COMERCIO S.A.","nomeFantasia":null,"abertura":"2004-05-17",` +
			`"situacaoCadastral":"ATIVA","naturezaJuridica":"Sociedade Anônima Fechada","porte":"DEMAIS","capitalSocial":1234567890.12,` +
			`"atividadePrincipal":{"codigo":"0111301","descricao":"Cultivo de arroz"},` +
			`"atividadesSecundarias":[{"codigo":"9430800","descricao":"Atividades de associações de defesa de direitos sociais"},{"codigo":"0112101","descricao":"Cultivo de algodão herbáceo"}],` +
			`"emails":["contato@acme.example"],"telefones":[{"ddd":"11","numero":"23851939","tipo":null,"whatsapp":null},{"ddd":"11","numero":"987654321","tipo":null,"whatsapp":null}],` +
			`"enderecos":[{"tipo":"MATRIZ","logradouro":"AVENIDA PAULISTA","numero":"37","complemento":"ANDAR 4","bairro":"BELA VISTA","cidade":"SAO PAULO","uf":"SP","cep":"01311902"}],` +
			`"socios":[{"nome":"BIA SOUZA MARTINS","documento":"***982247**","qualificacao":"Sócio-Administrador","entrada":"2004-05-17"},` +
			`{"nome":"ACME PARTICIPAÇÕES LTDA","documento":"90024420000109","qualificacao":null,"entrada":null}]}`},
		"brasilapi, little known": {"brasilapi", "cnpj", other, "brasilapi_cnpj_vazio.json", `{"nome":"FULANO DE TAL","razaoSocial":"FULANO DE TAL","nomeFantasia":null,"abertura":null,` +
			`"situacaoCadastral":"BAIXADA","naturezaJuridica":null,"porte":null,"capitalSocial":0,"atividadePrincipal":null,"atividadesSecundarias":null,"emails":null,"telefones":null,` +
			`"enderecos":[{"tipo":"MATRIZ","logradouro":null,"numero":null,"complemento":null,"bairro":null,"cidade":null,"uf":null,"cep":null}],"socios":null}`},
		"brasilapi, placeholders": {"brasilapi", "cnpj", company, "brasilapi_cnpj_placeholders.json", `{"nome":"ACME COMERCIO S.A.","razaoSocial":"ACME COMERCIO S.A.","nomeFantasia":null,"abertura":"2004-05-17",` +
			`"situacaoCadastral":"ATIVA","naturezaJuridica":null,"porte":null,"capitalSocial":1234567890.12,"atividadePrincipal":null,` +
			`"atividadesSecundarias":[{"codigo":"0112101","descricao":"Cultivo de algodão herbáceo"}],"emails":null,` +
			`"telefones":[{"ddd":"11","numero":"23851939","tipo":null,"whatsapp":null}],` +
			`"enderecos":[{"tipo":"MATRIZ","logradouro":null,"numero":"S/N","complemento":null,"bairro":null,"cidade":"SAO PAULO","uf":"SP","cep":null}],` +
			`"socios":[{"nome":"CARLA DIAS","documento":null,"qualificacao":null,"entrada":"2004-05-17"}]}`},
		"brasilapi, abroad": {"brasilapi", "cnpj", company, "brasilapi_cnpj_exterior.json", `{"nome":"ACME COMERCIO S.A.","razaoSocial":"ACME COMERCIO S.A.","nomeFantasia":null,"abertura":"2004-05-17",` +
			`"situacaoCadastral":"ATIVA","naturezaJuridica":"Sociedade Anônima Fechada","porte":"DEMAIS","capitalSocial":1234567890.12,` +
			`"atividadePrincipal":{"codigo":"0111301","descricao":"Cultivo de arroz"},"atividadesSecundarias":null,"emails":["contato@acme.example"],` +
			`"telefones":[{"ddd":null,"numero":"351210001234","tipo":null,"whatsapp":null}],` +
			`"enderecos":[{"tipo":"FILIAL","logradouro":"AVENIDA DA LIBERDADE","numero":"37","complemento":null,"bairro":null,"cidade":"LISBOA","uf":"EX","cep":null}],"socios":null}`},
		"brasilapi, reason not known": {"brasilapi", "situacao_cadastral", company, "brasilapi_cnpj_placeholders.json",
			`{"nome":"ACME COMERCIO S.A.","situacao":"ATIVA","situacaoEm":"2005-11-03","motivo":null}`},
		"brasilapi, situation": {"brasilapi", "situacao_cadastral", company, "brasilapi_cnpj.json",
			`{"nome":"ACME COMERCIO S.A.","situacao":"ATIVA","situacaoEm":"2005-11-03","motivo":null}`},
		"brasilapi, closed": {"brasilapi", "situacao_cadastral", other, "brasilapi_cnpj_vazio.json",
			`{"nome":"FULANO DE TAL","situacao":"BAIXADA","situacaoEm":"2015-02-09","motivo":"OMISSÃO CONTUMAZ"}`},
		"serpro": {"serpro", "cpf", cpf, "serpro_cpf.json",
			`{"nome":"ANA SOUZA LIMA","nomeMae":null,"nascimento":"1961-03-05","sexo":null,"situacaoCadastral":"Titular Falecido","emails":null,"telefones":null,"enderecos":null}`},
		"serpro, death":    {"serpro", "obito", cpf, "serpro_cpf.json", `{"obito":true,"obitoEm":null}`},
		"serpro, no death": {"serpro", "obito", cpf, "serpro_cpf_suspensa.json", `{"obito":null,"obitoEm":null}`},
		"serpro, situation": {"serpro", "situacao_cadastral", cpf, "serpro_cpf.json",
			`{"nome":"ANA SOUZA LIMA","situacao":"Titular Falecido","situacaoEm":null,"motivo":null}`},
		"serpro, company": {"serpro", "cnpj", company, "serpro_cnpj.json", `{"nome":"ACME COMERCIO S.A.","razaoSocial":"ACME COMERCIO S.A.","nomeFantasia":"ACME","abertura":"2004-05-17",` +
			`"situacaoCadastral":"ATIVA","naturezaJuridica":"Sociedade Anônima Fechada","porte":"DEMAIS","capitalSocial":1500.50,` +
			`"atividadePrincipal":{"codigo":"6204000","descricao":"Consultoria em tecnologia da informação"},"atividadesSecundarias":[{"codigo":"6201501","descricao":"Desenvolvimento de programas"}],` +
			`"emails":["contato@acme.example"],"telefones":[{"ddd":"11","numero":"23851939","tipo":null,"whatsapp":null}],` +
			`"enderecos":[{"tipo":null,"logradouro":"AVENIDA PAULISTA","numero":"37","complemento":null,"bairro":"BELA VISTA","cidade":"SAO PAULO","uf":"SP","cep":"01311902"}],` +
			`"socios":[{"nome":"BIA MARTINS","documento":"11144477735","qualificacao":"49","entrada":"2004-05-17"}]}`},
		"bigdatacorp": {"bigdatacorp", "cpf", cpf, "bigdatacorp_pessoas.json", `{"nome":"ANA SOUZA LIMA","nomeMae":"BIA SOUZA","nascimento":"1961-03-05","sexo":"F","situacaoCadastral":"REGULAR",` +
			`"emails":["ana@correio.example"],"telefones":[{"ddd":"11","numero":"901234567","tipo":"MOBILE","whatsapp":null},{"ddd":"11","numero":"20001234","tipo":"HOME","whatsapp":null}],` +
			`"enderecos":[{"tipo":"HOME","logradouro":"R DAS ACACIAS","numero":"10","complemento":null,"bairro":"CENTRO","cidade":"SAO PAULO","uf":"SP","cep":"01001000"}]}`},
		"bigdatacorp, death":     {"bigdatacorp", "obito", cpf, "bigdatacorp_pessoas.json", `{"obito":false,"obitoEm":null}`},
		"bigdatacorp, situation": {"bigdatacorp", "situacao_cadastral", cpf, "bigdatacorp_pessoas.json", `{"nome":"ANA SOUZA LIMA","situacao":"REGULAR","situacaoEm":null,"motivo":null}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cl := shippedBureau(t, c.file, 200, c.fixture, func(r *http.Request, body string) {
				if c.file == "serpro" && r.Header.Get("Authorization") != "Bearer tok" {
					t.Errorf("authorization %q", r.Header.Get("Authorization"))
				}
				if c.file == "bigdatacorp" &&
					(r.Header.Get("AccessToken") != "acc" || r.Header.Get("TokenId") != "tid" || !strings.Contains(body,
						`"q":"doc{52998224725}"`)) {
					t.Errorf("got %s %v", body, r.Header)
				}
				if c.file == "brasilapi" && r.URL.Path != "/api/cnpj/v1/"+c.document {
					t.Errorf("path %s", r.URL.Path)
				}
			})
			p := product(t, cl, c.product)
			d, err := p.Parse(c.document)
			if err != nil {
				t.Fatal(err)
			}
			a, err := cl.Ask(t.Context(), ports.Question{Product: p, Document: d})
			if err != nil {
				t.Fatal(err)
			}
			if !a.Found || string(a.Fields) != c.want || len(a.Dropped) > 0 {
				t.Errorf("dropped %v, got\n%s\nwant\n%s", a.Dropped, a.Fields, c.want)
			}
		})
	}
}

// TestPhonesOfTheReceita: the shipped file splits area code and number, which come as one text.
func TestPhonesOfTheReceita(t *testing.T) {
	t.Parallel()
	phone := func(ddd, number string) string {
		return `"telefones":[{"ddd":` + ddd + `,"numero":"` + number + `","tipo":null,"whatsapp":null}]`
	}
	for came, want := range map[string]string{
		"1123851939": phone(`"11"`, "23851939"), "11987654321": phone(`"11"`, "987654321"),
		"01123851939": phone(`"11"`, "23851939"), "011987654321": phone(`"11"`, "987654321"),
		"0011023851939": phone(`"11"`, "23851939"), "(011) 2385-1939": phone(`"11"`, "23851939"),
		"551123851939": phone(`"11"`, "23851939"), "5511987654321": phone(`"11"`, "987654321"),
		"5523851939": phone(`"55"`, "23851939"), "55987654321": phone(`"55"`, "987654321"),
		"23851939": phone(`null`, "23851939"), "987654321": phone(`null`, "987654321"), "0023851939": phone(`null`, "23851939"),
		"": `"telefones":null`, "0000000000": `"telefones":null`, "3851939": `"telefones":null`, "1023851939": `"telefones":null`,
		"112385193": `"telefones":null`, "11238519391": `"telefones":null`, "11111123851939": `"telefones":null`,
	} {
		c := shippedBureau(t, "brasilapi", 200, `{"uf":"SP","ddd_telefone_1":"`+came+`","ddd_telefone_2":""}`, nil)
		a, err := c.Ask(t.Context(), question(t, c, "cnpj", "11222333000181"))
		if err != nil || !strings.Contains(string(a.Fields), want) || len(a.Dropped) > 0 {
			t.Errorf("%s: got %s, %v, want %s", came, a.Fields, err, want)
		}
	}
}

func TestShippedFilesAndBadAnswers(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		file, product, document, fixture string
		status                           int
		reason                           string // "" for "no record"
	}{
		"brasilapi: its database is down": {"brasilapi", "cnpj", "11222333000181", `{"message":"CNPJ 11.222.333/0001-81 não encontrado."}`, 404, "status 404"},
		"brasilapi: another company": {"brasilapi", "cnpj", "90024420000109", "brasilapi_cnpj.json", 200,
			"reports a failure"},
		"serpro: no record":      {"serpro", "cpf", cpf, "", 404, ""},
		"serpro: another person": {"serpro", "cpf", "11144477735", "serpro_cpf.json", 200, "reports a failure"},
		"bigdatacorp: no record": {"bigdatacorp", "cpf", cpf, "bigdatacorp_nada.json", 200, ""},
		"bigdatacorp: token": {
			"bigdatacorp", "cpf", cpf, "bigdatacorp_token.json", 200, "reports a failure",
		},
		"bigdatacorp: something else entirely": {"bigdatacorp", "cpf", cpf, "bigdatacorp_outra.json", 200,
			"reports a failure"},
		"bigdatacorp: another person": {"bigdatacorp", "cpf", "11144477735", "bigdatacorp_pessoas.json", 200,
			"reports a failure"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cl := shippedBureau(t, c.file, c.status, c.fixture, nil)
			p := product(t, cl, c.product)
			d, err := p.Parse(c.document)
			if err != nil {
				t.Fatal(err)
			}
			a, err := cl.Ask(t.Context(), ports.Question{Product: p, Document: d})
			if c.reason != "" {
				wantError(t, err, ports.Failed, c.reason)
			} else if err != nil || a.Found {
				t.Errorf("got %v, %v", a.Found, err)
			}
		})
	}
}

func TestShippedNames(t *testing.T) {
	t.Parallel()
	if _, ok := bureau.Shipped("../files/serpro"); ok {
		t.Error("a path is shipped")
	}
	for _, name := range bureau.ShippedNames() {
		src, _ := bureau.Shipped(name)
		_, err := bureau.Parse(name, src, noEnv)
		if name != "brasilapi" && (err == nil || !strings.Contains(err.Error(), "is not set")) {
			t.Errorf("%s without its variables: %v", name, err)
		}
		if name == "brasilapi" && err != nil {
			t.Error(err)
		}
	}
}

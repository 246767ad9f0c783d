package bureau_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"

	"fichario/adapters/bureau"
	"fichario/domain/catalog"
	"fichario/ports"
)

const company, otherCompany = "11222333000181", "90024420000109"

// vendor is a client of a shipped file whose bureau is a fake, with the variables that the file needs.
func vendor(t *testing.T, name string, fake http.HandlerFunc) *bureau.Client {
	t.Helper()
	src, ok := bureau.Shipped(name)
	if !ok {
		t.Fatalf("%s is not shipped", name)
	}
	url, _ := serve(t, fake)
	text := regexp.MustCompile(`https://[a-z0-9.]+|\$\{MINHA_RECEITA_URL\}`).ReplaceAllString(string(src), url)
	c := bureau.New(parse(t, text, "INFOSIMPLES_TOKEN", "tok", "CNPJA_KEY", "tok", "RECEITAWS_TOKEN", "tok", "DIRECTDATA_TOKEN", "tok"))
	t.Cleanup(c.Close)
	return c
}

// wanted is what a question to a fake must bring.
type wanted struct {
	product, document string
	inputs            map[string]string
	fields            string // "null" for no record
	outcome           ports.BureauOutcome
	reason            string
	amount            string
}

func (w wanted) check(t *testing.T, c *bureau.Client) {
	t.Helper()
	p := product(t, c, w.product)
	d, err := p.Parse(w.document)
	if err != nil {
		t.Fatal(err)
	}
	a, err := c.Ask(t.Context(), ports.Question{Product: p, Document: d, Inputs: w.inputs})
	amount := a.Amount
	switch {
	case w.outcome != "":
		amount = failureOf(t, err, w.outcome, w.reason).Amount
	case err != nil:
		t.Fatalf("%s %s: %v", w.product, w.document, err)
	case a.Found != (w.fields != "null") || a.Found && string(a.Fields) != w.fields || len(a.Dropped) > 0:
		t.Errorf("%s %s: found %t, dropped %v, got\n%s\nwant\n%s", w.product, w.document, a.Found, a.Dropped, a.Fields, w.fields)
	}
	if got := moneyOf(amount); got != w.amount {
		t.Errorf("%s %s: the amount is %q, want %q", w.product, w.document, got, w.amount)
	}
}

func moneyOf(m *catalog.Money) string {
	if m == nil {
		return ""
	}
	return m.String()
}

// TestInfosimples against a fake that bills as the documentation says: 200, 611 and 612 cost, other failures do not.
func TestInfosimples(t *testing.T) {
	t.Parallel()
	answer := func(code int, billable bool, data string) string {
		return fmt.Sprintf(`{"code":%d,"code_message":"…","errors":[],"header":{"api_version":"v2","product":"Consultas","service":"…",
			"parameters":{},"client_name":"Minha Empresa","token_name":"Produção","billable":%t,"price":%q,
			"requested_at":"2026-11-01T10:00:00.000-03:00","elapsed_time_in_milliseconds":522,"signature":"…"},"data_count":1,
			"data":[%s],"site_receipts":[]}`, code, billable, map[bool]string{true: "0.24", false: "0.0"}[billable], data)
	}
	c := vendor(t, "infosimples", func(w http.ResponseWriter, r *http.Request) {
		reply := func(code int, billable bool, data string) { _, _ = io.WriteString(w, answer(code, billable, data)) }
		switch {
		case r.Method != "POST" || r.PostFormValue("timeout") != "60":
			w.WriteHeader(404)
		case r.PostFormValue("token") != "tok":
			reply(601, false, "")
		case r.URL.Path == "/api/v2/consultas/receita-federal/cnpj" && r.PostFormValue("cnpj") == company:
			reply(200, true, `{"cnpj":"11.222.333/0001-81","normalizado_cnpj":"11222333000181","razao_social":"ACME COMERCIO S.A.",
				"nome_fantasia":"********","abertura_data":"17/05/2004","situacao_cadastral":"ATIVA","porte":"DEMAIS",
				"natureza_juridica":"205-4 - Sociedade Anônima Fechada","capital_social":"R$ 1.500,50 (Mil e quinhentos reais)",
				"normalizado_capital_social":1500.50,"atividade_economica":"62.04-0-00 - Consultoria em TI - geral",
				"atividade_economica_secundaria_lista":["62.01-5-01 - Programas","Não informada"],"email":"CONTATO@ACME.EXAMPLE",
				"telefone":"(11) 2385-1939/ (11) 98765-4321","endereco_logradouro":"AV PAULISTA","endereco_numero":"37",
				"endereco_complemento":"","endereco_bairro":"BELA VISTA","endereco_municipio":"SAO PAULO","endereco_uf":"SP",
				"endereco_cep":"01.311-902","qsa":[{"nome":"BIA MARTINS","qualificacao":"49-Sócio-Administrador"}]}`)
		case r.URL.Path == "/api/v2/consultas/receita-federal/cnpj" && r.PostFormValue("cnpj") == otherCompany:
			reply(615, false, "")
		case r.URL.Path != "/api/v2/consultas/receita-federal/cpf" || r.PostFormValue("birthdate") == "":
			reply(606, false, "")
		case r.PostFormValue("cpf") == cpf && r.PostFormValue("birthdate") == "1961-03-05":
			reply(200, true, `{"cpf":"529.982.247-25","nome":"ANA SOUZA LIMA","nome_social":null,"situacao_cadastral":"TITULAR FALECIDO",
				"data_nascimento":"05/03/1961","ano_obito":"2014"}`)
		case r.PostFormValue("cpf") == cpf:
			reply(608, false, "")
		case r.PostFormValue("birthdate") == "1999-01-01":
			reply(200, true, `{"cpf":"529.982.247-25","nome":"ANA"}`) // somebody else
		case r.PostFormValue("birthdate") == "1999-01-02":
			reply(611, true, "")
		default:
			reply(612, true, "")
		}
	})
	born := func(day string) map[string]string { return map[string]string{"nascimento": day} }
	const nobody = "11144477735"
	for _, w := range []wanted{
		{product: "situacao_cadastral", document: cpf, inputs: born("1961-03-05"), amount: "0.24",
			fields: `{"nome":"ANA SOUZA LIMA","situacao":"TITULAR FALECIDO","situacaoEm":null,"motivo":null}`},
		{product: "obito", document: cpf, inputs: born("1961-03-05"), amount: "0.24", fields: `{"obito":true,"obitoEm":null}`},
		{product: "situacao_cadastral", document: cpf, inputs: born("1961-03-06"), outcome: ports.NotCharged, reason: "reports a failure"},
		{product: "situacao_cadastral", document: cpf, outcome: ports.NotSent, reason: "nascimento"},
		{product: "situacao_cadastral", document: nobody, inputs: born("1980-02-29"), amount: "0.24", fields: "null"},
		{product: "situacao_cadastral", document: nobody, inputs: born("1999-01-01"), amount: "0.24", outcome: ports.Failed},
		{product: "situacao_cadastral", document: nobody, inputs: born("1999-01-02"), amount: "0.24", outcome: ports.Failed},
		{product: "cnpj", document: otherCompany, outcome: ports.NotCharged, reason: "reports a failure"},
		{product: "cnpj", document: company, amount: "0.24", fields: `{"nome":"ACME COMERCIO S.A.","razaoSocial":"ACME COMERCIO S.A.","nomeFantasia":null,` +
			`"abertura":"2004-05-17","situacaoCadastral":"ATIVA","naturezaJuridica":"205-4 - Sociedade Anônima Fechada","porte":"DEMAIS","capitalSocial":1500.50,` +
			`"atividadePrincipal":{"codigo":"6204000","descricao":"Consultoria em TI - geral"},"atividadesSecundarias":[{"codigo":"6201501","descricao":"Programas"}],` +
			`"emails":["contato@acme.example"],"telefones":[{"ddd":"11","numero":"23851939","tipo":null,"whatsapp":null},{"ddd":"11","numero":"987654321","tipo":null,"whatsapp":null}],` +
			`"enderecos":[{"tipo":null,"logradouro":"AV PAULISTA","numero":"37","complemento":null,"bairro":"BELA VISTA","cidade":"SAO PAULO","uf":"SP","cep":"01311902"}],` +
			`"socios":[{"nome":"BIA MARTINS","documento":null,"qualificacao":"49-Sócio-Administrador","entrada":null}]}`},
	} {
		w.check(t, c)
	}
}

// TestCNPJa against a fake of its guide: a 429 says that the credits are used up, or that calls came too fast.
func TestCNPJa(t *testing.T) {
	t.Parallel()
	credits := 4
	fake := func(w http.ResponseWriter, r *http.Request) {
		switch id := strings.TrimPrefix(r.URL.Path, "/office/"); {
		case r.Header.Get("Authorization") != "tok":
			body(401, `{"code":401,"message":"invalid authentication"}`)(w, r)
		case credits == 0:
			body(429, `{"code":429,"message":"not enough credits","required":1,"remaining":0}`)(w, r)
		case id == "34238864000168":
			body(404, `{"code":404,"message":"not found"}`)(w, r)
		case id != company:
			body(429, `{"code":429,"message":"rate limit exceeded"}`)(w, r)
		default:
			credits--
			body(200, `{"updated":"2026-11-01T00:00:00.000Z","taxId":"11222333000181","alias":null,"founded":"2004-05-17","head":true,
				"company":{"id":11222333,"name":"ACME COMERCIO S.A.","equity":1234567890.12,"nature":{"id":2054,"text":"Sociedade Anônima Fechada"},
				"size":{"id":5,"acronym":"DEMAIS","text":"Demais"},"members":[{"since":"2004-05-17","person":{"id":"x","type":"NATURAL",
				"name":"Bia Martins","taxId":"***982247**","age":"41-50"},"role":{"id":49,"text":"Sócio-Administrador"}}]},
				"statusDate":"2005-11-03","status":{"id":2,"text":"Ativa"},"address":{"municipality":3550308,"street":"Avenida Paulista",
				"number":"37","district":"Bela Vista","city":"São Paulo","state":"SP","details":"Andar 4","zip":"01311902","country":{"id":76}},
				"phones":[{"type":"LANDLINE","area":"11","number":"23851939"}],"emails":[{"ownership":"CORPORATE",
				"address":"contato@acme.example","domain":"acme.example"}],"mainActivity":{"id":111301,"text":"Cultivo de arroz"},
				"sideActivities":[{"id":6204000,"text":"Consultoria"}]}`)(w, r)
		}
	}
	c := vendor(t, "cnpja", fake)
	for _, w := range []wanted{
		{product: "cnpj", document: company, fields: `{"nome":"ACME COMERCIO S.A.","razaoSocial":"ACME COMERCIO S.A.","nomeFantasia":null,"abertura":"2004-05-17",` +
			`"situacaoCadastral":"Ativa","naturezaJuridica":"Sociedade Anônima Fechada","porte":"Demais","capitalSocial":1234567890.12,` +
			`"atividadePrincipal":{"codigo":"0111301","descricao":"Cultivo de arroz"},"atividadesSecundarias":[{"codigo":"6204000","descricao":"Consultoria"}],` +
			`"emails":["contato@acme.example"],"telefones":[{"ddd":"11","numero":"23851939","tipo":"LANDLINE","whatsapp":null}],` +
			`"enderecos":[{"tipo":null,"logradouro":"Avenida Paulista","numero":"37","complemento":"Andar 4","bairro":"Bela Vista","cidade":"São Paulo","uf":"SP","cep":"01311902"}],` +
			`"socios":[{"nome":"Bia Martins","documento":"***982247**","qualificacao":"Sócio-Administrador","entrada":"2004-05-17"}]}`},
		{product: "situacao_cadastral", document: company,
			fields: `{"nome":"ACME COMERCIO S.A.","situacao":"Ativa","situacaoEm":"2005-11-03","motivo":null}`},
		{product: "cnpj", document: "34238864000168", fields: "null"},
		{product: "cnpj", document: otherCompany, outcome: ports.NotCharged, reason: "status 429"},
		{product: "cnpj", document: company, outcome: ports.NotSent, reason: "asked to wait"},
	} {
		w.check(t, c)
	}
	c, credits = vendor(t, "cnpja", fake), 0
	_, err := c.Ask(t.Context(), ports.Question{Product: product(t, c, "cnpj"), Document: doc(t, "cnpj", company)})
	if f := failureOf(t, err, ports.Exhausted, "no credit"); !f.Renews {
		t.Error("the credits of a month do not come back")
	}
}

// TestReceitaWS against a fake of its commercial API.
func TestReceitaWS(t *testing.T) {
	t.Parallel()
	c := vendor(t, "receitaws", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer tok" {
			w.WriteHeader(401)
			return
		}
		answer := func(cnpj string, free bool) {
			_, _ = fmt.Fprintf(w, `{"abertura":"17/05/2004","situacao":"ATIVA","tipo":"MATRIZ","nome":"ACME COMERCIO S.A.","fantasia":"","porte":"DEMAIS",
				"natureza_juridica":"205-4 - Sociedade Anônima Fechada","atividade_principal":[{"code":"62.04-0-00","text":"********"}],
				"atividades_secundarias":[{"code":"00.00-0-00","text":"Não informada"}],"qsa":[{"nome":"BIA MARTINS","qual":"49-Sócio-Administrador"}],
				"logradouro":"AV PAULISTA","numero":"37","complemento":"ANDAR 4","municipio":"SAO PAULO","bairro":"BELA VISTA","uf":"SP",
				"cep":"01.311-902","email":"contato@acme.example","telefone":"(11) 2385-1939 / (11) 98765-4321","data_situacao":"03/11/2005",
				"cnpj":%q,"ultima_atualizacao":"2026-11-01T23:59:59.000Z","status":"OK","efr":"","motivo_situacao":"","situacao_especial":"",
				"data_situacao_especial":"","capital_social":"1234567890.12","extra":{},"billing":{"free":%t,"database":true}}`, cnpj, free)
		}
		switch r.URL.Path {
		case "/v1/cnpj/" + company + "/days/30":
			answer("11.222.333/0001-81", false)
		case "/v1/cnpj/34238864000168/days/30":
			answer("34.238.864/0001-68", true)
		case "/v1/cnpj/" + otherCompany + "/days/30":
			body(200, `{"status":"ERROR","message":"CNPJ rejeitado pela Receita Federal"}`)(w, r)
		case "/v1/cnpj/00000000000191/days/30":
			body(200, `{"status":"ERROR","message":"Sistema indisponível"}`)(w, r)
		case "/v1/cnpj/33000167000101/days/30":
			answer("11.222.333/0001-81", false) // another company
		default:
			w.WriteHeader(504)
		}
	})
	const situation = `{"nome":"ACME COMERCIO S.A.","situacao":"ATIVA","situacaoEm":"2005-11-03","motivo":null}`
	for _, w := range []wanted{
		{product: "cnpj", document: company, fields: `{"nome":"ACME COMERCIO S.A.","razaoSocial":"ACME COMERCIO S.A.","nomeFantasia":null,"abertura":"2004-05-17",` +
			`"situacaoCadastral":"ATIVA","naturezaJuridica":"205-4 - Sociedade Anônima Fechada","porte":"DEMAIS","capitalSocial":1234567890.12,` +
			`"atividadePrincipal":{"codigo":"6204000","descricao":null},"atividadesSecundarias":null,"emails":["contato@acme.example"],` +
			`"telefones":[{"ddd":"11","numero":"23851939","tipo":null,"whatsapp":null},{"ddd":"11","numero":"987654321","tipo":null,"whatsapp":null}],` +
			`"enderecos":[{"tipo":"MATRIZ","logradouro":"AV PAULISTA","numero":"37","complemento":"ANDAR 4","bairro":"BELA VISTA","cidade":"SAO PAULO","uf":"SP","cep":"01311902"}],` +
			`"socios":[{"nome":"BIA MARTINS","documento":null,"qualificacao":"Sócio-Administrador","entrada":null}]}`},
		{product: "situacao_cadastral", document: company, fields: situation},
		{product: "situacao_cadastral", document: "34238864000168", fields: situation, amount: "0"},
		{product: "cnpj", document: otherCompany, fields: "null"},
		{product: "cnpj", document: "00000000000191", outcome: ports.Failed, reason: "reports a failure"},
		{product: "cnpj", document: "33000167000101", outcome: ports.Failed, reason: "reports a failure"},
		{product: "cnpj", document: "60746948000112", outcome: ports.Failed, reason: "status 504"},
	} {
		w.check(t, c)
	}
}

// TestDirectData against a fake of its pages, with the same key as an object and as a list.
func TestDirectData(t *testing.T) {
	t.Parallel()
	c := vendor(t, "directdata", func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		reply := func(result, back string) {
			_, _ = fmt.Fprintf(w, `{"metaDados":{"consultaNome":"…","resultadoId":1,"resultado":%q,"mensagem":"…","assincrono":false},"retorno":%s}`, result, back)
		}
		const person = `{"cpf":"529.982.247-25","nome":"ANA SOUZA LIMA","sexo":"Feminino","dataNascimento":"05/03/1961 00:00:00","nomeMae":"BIA SOUZA",
			"idade":65,"telefones":[{"telefoneComDDD":"(11) 98765-4321","operadora":"Vivo","tipoTelefone":"TELEFONE MÓVEL","whatsApp":true},
			{"telefoneComDDD":"1120001234","tipoTelefone":"TELEFONE RESIDENCIAL","whatsApp":null},{"telefoneComDDD":""}],
			"enderecos":[{"logradouro":"R DAS ACACIAS","numero":"10","complemento":null,"bairro":"CENTRO","cidade":"SAO PAULO","uf":"SP","cep":"01001000"}],
			"emails":[{"enderecoEmail":"ANA@CORREIO.EXAMPLE"}]}`
		switch {
		case q.Get("TOKEN") != "tok":
			w.WriteHeader(401)
		case q.Get("CPF") == cpf:
			reply("Sucesso", person)
		case q.Get("CPF") == "11144477735":
			reply("Nenhum registro encontrado", "null")
		case q.Get("CPF") == "12345678909":
			reply("Sucesso", "["+person+"]")
		case q.Get("CNPJ") == company:
			reply("Sucesso", `[{"cnpj":"11222333000181","razaoSocial":"ACME COMERCIO S.A.","nomeFantasia":"ACME","dataFundacao":"17/05/2004",
				"cnaeCodigo":111301,"cnaeDescricao":"Cultivo de arroz","cnaEsSecundarios":[{"codigo":6204000,"descricao":"Consultoria"}],
				"situacaoCadastral":"ATIVA","naturezaJuridicaDescricao":"Sociedade Anônima Fechada","porte":"DEMAIS","telefones":[],"enderecos":[],
				"emails":null,"socios":[{"documento":"11144477735","nome":"BIA MARTINS","percentualParticipacao":50,"dataEntrada":"17/05/2004","cargo":"SÓCIO"}]}]`)
		case q.Get("CNPJ") == otherCompany:
			reply("Erro interno", "null")
		default:
			w.WriteHeader(400)
		}
	})
	for _, w := range []wanted{
		{product: "cpf", document: cpf, fields: `{"nome":"ANA SOUZA LIMA","nomeMae":"BIA SOUZA","nascimento":"1961-03-05","sexo":"Feminino","situacaoCadastral":null,` +
			`"emails":["ana@correio.example"],"telefones":[{"ddd":"11","numero":"987654321","tipo":"TELEFONE MÓVEL","whatsapp":true},` +
			`{"ddd":"11","numero":"20001234","tipo":"TELEFONE RESIDENCIAL","whatsapp":null}],` +
			`"enderecos":[{"tipo":null,"logradouro":"R DAS ACACIAS","numero":"10","complemento":null,"bairro":"CENTRO","cidade":"SAO PAULO","uf":"SP","cep":"01001000"}]}`},
		{product: "cpf", document: "11144477735", fields: "null"},
		{product: "cpf", document: "12345678909", outcome: ports.Failed, reason: "reports a failure"}, // somebody else
		{product: "cnpj", document: company, fields: `{"nome":"ACME COMERCIO S.A.","razaoSocial":"ACME COMERCIO S.A.","nomeFantasia":"ACME","abertura":"2004-05-17",` +
			`"situacaoCadastral":"ATIVA","naturezaJuridica":"Sociedade Anônima Fechada","porte":"DEMAIS","capitalSocial":null,` +
			`"atividadePrincipal":{"codigo":"0111301","descricao":"Cultivo de arroz"},"atividadesSecundarias":[{"codigo":"6204000","descricao":"Consultoria"}],` +
			`"emails":null,"telefones":null,"enderecos":null,` +
			`"socios":[{"nome":"BIA MARTINS","documento":"11144477735","qualificacao":"SÓCIO","entrada":"2004-05-17"}]}`},
		{product: "cnpj", document: otherCompany, outcome: ports.Failed, reason: "reports a failure"},
	} {
		w.check(t, c)
	}
}

// TestMinhaReceita against a fake server: a company that does not exist is "no record" while the database is up.
func TestMinhaReceita(t *testing.T) {
	t.Parallel()
	answer, err := os.ReadFile("testdata/brasilapi_cnpj.json")
	if err != nil {
		t.Fatal(err)
	}
	up := true
	c := vendor(t, "minhareceita", func(w http.ResponseWriter, r *http.Request) {
		switch {
		case !up && r.URL.Path == "/updated":
			body(500, `{"message":"Erro buscando data de atualização."}`)(w, r)
		case r.URL.Path == "/updated":
			body(200, `{"message":"2026-11-01"}`)(w, r)
		case r.URL.Path == "/"+company && up:
			_, _ = w.Write(answer)
		default:
			id := strings.TrimPrefix(r.URL.Path, "/")
			body(404, fmt.Sprintf(`{"message":"CNPJ %s.%s.%s/%s-%s não encontrado."}`, id[:2], id[2:5], id[5:8], id[8:12], id[12:]))(w, r)
		}
	})
	situation := wanted{product: "situacao_cadastral", document: company,
		fields: `{"nome":"ACME COMERCIO S.A.","situacao":"ATIVA","situacaoEm":"2005-11-03","motivo":null}`}
	situation.check(t, c)
	wanted{product: "cnpj", document: otherCompany, fields: "null"}.check(t, c)
	up = false
	wanted{product: "cnpj", document: company, outcome: ports.Failed, reason: "check fails"}.check(t, c)

	// The two have one mapping.
	ours, _ := bureau.Shipped("minhareceita")
	theirs, _ := bureau.Shipped("brasilapi")
	_, ourProducts, _ := bytes.Cut(ours, []byte("\nproducts:\n"))
	_, theirProducts, _ := bytes.Cut(theirs, []byte("\nproducts:\n"))
	if len(ourProducts) == 0 || !bytes.Equal(ourProducts, theirProducts) {
		t.Error("minhareceita and brasilapi map differently")
	}
}

// TestShippedFilesSayWhatWasNotTried, in the comment that they begin with.
func TestShippedFilesSayWhatWasNotTried(t *testing.T) {
	t.Parallel()
	for _, name := range bureau.ShippedNames() {
		src, _ := bureau.Shipped(name)
		head, _, _ := strings.Cut(string(src), "\nname: ")
		if !strings.Contains(head, "ever tried") && name != "brasilapi" {
			t.Errorf("%s does not say what was never tried", name)
		}
	}
}

package intake

import (
	"fmt"
	"strings"
	"testing"
)

// TestOwnNames: the contract's names, written exactly, beat any alias, wherever they stand and whichever comes first.
func TestOwnNames(t *testing.T) {
	t.Parallel()
	values := map[field]struct{ own, other string }{
		fieldEmail:   {"ana@exemplo.com.br", "outra@exemplo.com.br"},
		fieldName:    {"Ana Lima", "Outra Pessoa"},
		fieldPhone:   {"(11) 98765-4321", "(21) 91234-5678"},
		fieldCompany: {"Casa Azul", "Casa Verde"},
		fieldAmount:  {"R$ 10,00", "R$ 99,00"},
		fieldMessage: {"Bom dia", "Boa noite"},
		fieldOrigin:  {"Feira", "Rádio"},
	}
	for f, v := range values {
		name := fieldNames[f]
		for alias := range strings.FieldsSeq(aliases[f]) {
			if alias = strings.TrimSuffix(alias, "*"); alias == name {
				continue
			}
			own, other := fmt.Sprintf(`%q:%q`, name, v.own), fmt.Sprintf(`%q:%q`, alias, v.other)
			for _, body := range []string{
				`{` + own + `,` + other + `}`, `{` + other + `,` + own + `}`, `{` + other + `,"data":{"lead":{` + own + `}}}`,
				`{"dados":{` + other + `},` + own + `}`, `{"contact":{` + other + `,"email":"ana@exemplo.com.br"},` + own + `}`,
				`{"fields":[{"name":"` + alias + `","value":"` + v.other + `"},{"name":"cidade","value":"Recife"}],` + own + `}`,
				`{"fields":[{"name":"` + alias + `","value":"` + v.other + `"},{"name":"` + name + `","value":"` + v.own + `"}]}`,
			} {
				d := mustRead(t, "", body)
				if got := d.fieldText(f); got != v.own {
					t.Errorf("%s: %s = %q, want %q", body, name, got, v.own)
				}
			}
		}
	}
}

// TestTheNameInsideIsThePersons: where the own name stands both around and among the answers, the one among them is
// the person's.
func TestTheNameInsideIsThePersons(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		`{"nome":"Contato do site","dados":{"nome":"Ana Lima","email":"ana@exemplo.com.br"}}`,
		`{"nome":"Contato do site","fields":[{"name":"nome","value":"Ana Lima"},{"name":"email","value":"ana@exemplo.com.br"}]}`,
		`{"nome":"Contato do site","campos":{"nome_completo":"Ana Lima","email":"ana@exemplo.com.br"}}`,
		`{"nome":"Landing page","lead":{"full_name":"Ana Lima","email":"ana@exemplo.com.br"}}`,
		`{"nome":"Contato do site","respostas":[{"pergunta":"Nome","resposta":"Ana Lima"},` +
			`{"pergunta":"E-mail","resposta":"ana@exemplo.com.br"}]}`,
		`{"nome":"ana lima","campos":{"cidade":"Recife","email":"ana@exemplo.com.br"}}`,
	} {
		if d := mustRead(t, "", body); !strings.EqualFold(d.Name, "Ana Lima") {
			t.Errorf("%s: %q", body, d.Name)
		}
	}
}

// TestTheNameOfAFormHidesNobody: where the contact stands in what else describes an entry, the form's name is no
// contact without an address.
func TestTheNameOfAFormHidesNobody(t *testing.T) {
	t.Parallel()
	d := mustRead(t, "", `{"form_id":"3","item_key":"x1","nome":"Contato do site",`+
		`"meta":{"nome_completo":"Ana Lima","e_mail":"ana@exemplo.com.br"}}`)
	if d.Email != "ana@exemplo.com.br" || d.Name != "Ana Lima" {
		t.Errorf("%q, %q", d.Email, d.Name)
	}
}

// fieldText is the content of a field, as the test wrote it.
func (d Draft) fieldText(f field) string {
	switch f {
	case fieldEmail:
		return d.Email
	case fieldName:
		return d.Name
	case fieldPhone:
		return d.Phone
	case fieldCompany:
		return d.Company
	case fieldMessage:
		return d.Message
	case fieldOrigin:
		return d.Origin
	case fieldAmount:
		return fmt.Sprintf("R$ %d,00", d.Amount/10000)
	}
	return ""
}

// TestOwnNamesOfOthers: the same words beside somebody else's name are not the contract's.
func TestOwnNamesOfOthers(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		`{"contact_email":"ana@exemplo.com.br","full_name":"Ana Lima","owner":{"email":"dono@exemplo.com.br","nome":"Dono"}}`,
		`{"contact_email":"ana@exemplo.com.br","full_name":"Ana Lima","responsavel":{"email":"v@exemplo.com.br","nome":"V"}}`,
		`{"contact_email":"ana@exemplo.com.br","full_name":"Ana Lima","usuario":{"email":"v@exemplo.com.br","nome":"V"}}`,
		`{"contact_email":"ana@exemplo.com.br","full_name":"Ana Lima","pet":{"nome":"Rex"}}`,
		`{"contact_email":"ana@exemplo.com.br","full_name":"Ana Lima","sender":{"email":"v@exemplo.com.br","nome":"V"}}`,
	} {
		d := mustRead(t, "", body)
		if d.Email != "ana@exemplo.com.br" || d.Name != "Ana Lima" {
			t.Errorf("%s: %q %q", body, d.Email, d.Name)
		}
	}
}

// TestOwnOriginInUnknownObjects: "origem" is read in an object that no table knows, as the other own names are.
func TestOwnOriginInUnknownObjects(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`{"informacoes":{"nome":"Ana","email":"a@x.com","valor":500,"origem":"Instagram"}}`: "Instagram",
		`{"email":"a@x.com","ficha":{"origem":"Instagram"}}`:                                "Instagram",
		`{"email":"a@x.com","ficha":{"extra":{"origem":"Instagram"}}}`:                      "Instagram",
		`{"email":"a@x.com","ficha":{"origem":"Instagram"},"source":"api","canal":"Site"}`:  "Instagram",
		`{"email":"a@x.com","ficha":{"origem":"Instagram"},"lead_source":"Site"}`:           "Instagram",
		`{"email":"a@x.com","ficha":{"origem":"Instagram"},"origem":"Feira"}`:               "Feira",
		`{"email":"a@x.com","utm_source":"ig","ficha":{"origem":"Feira"}}`:                  "Feira",
		// Not written exactly, or about something else.
		`{"email":"a@x.com","ficha":{"Origem do produto":"China"}}`:            "",
		`{"email":"a@x.com","produto":{"nome":"Bolsa","origem":"China"}}`:      "",
		`{"email":"a@x.com","pet":{"nome":"Rex","origem":"Canil"}}`:            "",
		`{"email":"a@x.com","viagem":{"origem":"São Paulo"}}`:                  "",
		`{"email":"a@x.com","servico":{"origem":"São Paulo","destino":"Rio"}}`: "",
		`{"email":"a@x.com","metadata":{"origem":"site"}}`:                     "",
		`{"email":"a@x.com","vendedor":{"nome":"Vera","origem":"Filial"}}`:     "",
	} {
		if d := mustRead(t, "", body); d.Origin != want {
			t.Errorf("%s: %q, want %q (%q)", body, d.Origin, want, d.Note())
		}
	}
}

// TestOwnNamesOfCompanies: inside a company, or a list of people who come along, the contract's names do not beat the
// lead's own fields; where the lead has none, they serve.
func TestOwnNamesOfCompanies(t *testing.T) {
	t.Parallel()
	const ana = `"customer_name":"Ana Lima","customer_email":"ana@x.com","customer_phone":"11987654321"`
	const beto = `{"nome":"Beto Sá","name":"Beto Sá","email":"beto@x.com","telefone":"21912345678"}`
	for _, c := range [][2]string{
		{`{"nome":"Ana","email":"ana@x.com","celular":"11987654321","empresa":{"nome":"ACME","telefone":"1133334444"}}`,
			"Ana ana@x.com 11987654321 ACME"},
		{`{"nome":"Ana","email":"ana@x.com","whatsapp":"11987654321","company":{"name":"ACME","telefone":"1133334444"}}`,
			"Ana ana@x.com 11987654321 ACME"},
		{`{"full_name":"Ana","email_address":"ana@x.com","company":{"name":"ACME","email":"contato@acme.com"}}`,
			"Ana ana@x.com ACME"},
		{`{"nombre":"Ana","email_address":"ana@x.com","dados_da_empresa":{"nome":"ACME","email":"contato@acme.com"}}`,
			"Ana ana@x.com ACME"},
		{`{"nome":"Ana","email":"ana@x.com","empresa":{"nome":"ACME","telefone":"1133334444"}}`,
			"Ana ana@x.com 1133334444 ACME"},
		{`{"nome":"Ana","company":{"name":"ACME","email":"contato@acme.com"}}`, "Ana contato@acme.com ACME"},
		{`{"nome":"Ana","email":"ana@x.com","celular":"11987654321","indicacoes":[{"telefone":"21912345678"}]}`,
			"Ana ana@x.com 11987654321"},
		{`{"nome":"Ana","email":"ana@x.com","celular":"11987654321","referencias":[{"fone":"1","telefone":"2133334444"}]}`,
			"Ana ana@x.com 11987654321"},
		{`{` + ana + `,"guests":[` + beto + `]}`, "Ana Lima ana@x.com 11987654321"},
		{`{` + ana + `,"participantes":[` + beto + `]}`, "Ana Lima ana@x.com 11987654321"},
		{`{` + ana + `,"socios":[` + beto + `]}`, "Ana Lima ana@x.com 11987654321"},
		{`{` + ana + `,"invitados":[` + beto + `]}`, "Ana Lima ana@x.com 11987654321"},
		{`{"data":{` + ana + `,"guests":[` + beto + `]}}`, "Ana Lima ana@x.com 11987654321"},
		{`{"guests":[` + beto + `]}`, "Beto Sá beto@x.com 21912345678"},
		{`{"inscricoes":[` + beto + `],"evento":"Feira"}`, "Beto Sá beto@x.com 21912345678"},
	} {
		body, want := c[0], c[1]
		if d := mustRead(t, "", body); join(d.Name, d.Email, d.Phone, d.Company) != want {
			t.Errorf("%s: %s, want %s", body, join(d.Name, d.Email, d.Phone, d.Company), want)
		}
	}
}

// TestTheLeadAmongOthers: who wrote, approved or made a record is not the lead, whose own names are less exact; and the
// lead of a deal, an order or a bot is found in its record.
func TestTheLeadAmongOthers(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		`{"Name":"Ana Lima","Email":"ana@exemplo.com.br","Criado por":{"name":"Robô","email":"robo@minha.com.br"}}`,
		`{"Approver":{"name":"Carlos","email":"c@minha.com.br"},"Name":"Ana Lima","Email":"ana@exemplo.com.br"}`,
		`{"post":{"author":{"name":"Cris","email":"c@minha.com.br"}},"your-name":"Ana Lima","your-email":"ana@exemplo.com.br"}`,
		`{"object":{"author":{"name":"Xavier","email":"x@minha.com.br"},"user":{"name":"Ana Lima","email":"ana@exemplo.com.br"}}}`,
		`{"Correo del asesor":"lupe@minha.com.br","Nombre":"Ana Lima","Correo electrónico":"ana@exemplo.com.br"}`,
		`{"aluno":{"nome":"Pedrinho"},"responsavel":{"nome":"Ana Lima","email":"ana@exemplo.com.br"}}`,
		`{"order":{"id":7,"total":"10","purchaser":{"name":"Ana Lima","email":"ana@exemplo.com.br"}}}`,
		`{"deal":{"title":"Plano","primary_contact":{"name":"Ana Lima","email":"ana@exemplo.com.br"}}}`,
		`{"contact":{"name":"Ana Lima","email":null,"variables":{"Email":"ana@exemplo.com.br","Empresa":"Cruz"}}}`,
		`{"nome":"Ana Lima","email":"ana@exemplo.com.br","zap_meta_human_now":"01/02/24 10:00AM"}`,
	} {
		d := mustRead(t, "", body)
		if d.Email != "ana@exemplo.com.br" || d.Name != "Ana Lima" || d.Phone != "" {
			t.Errorf("%s: %q %q %q", body, d.Email, d.Name, d.Phone)
		}
	}
	d := mustRead(t, "", `{"cliente":{"nome":"Ana Lima","email":"ana@exemplo.com.br"},"transporte":{"cnpj":"11222333000181"},
		"messageStub":"3f2a8a52-0d5c-4b1e-9a57-2f1f0e6a7b11","utm__utm_source":"feira"}`)
	if len(d.Documents) > 0 || d.Message != "" || d.FallbackOrigin != "feira" {
		t.Errorf("%d documents, %q, from %q", len(d.Documents), d.Message, d.FallbackOrigin)
	}
}

// TestEntitiesAreRead: a form that sends what its page would show.
func TestEntitiesAreRead(t *testing.T) {
	t.Parallel()
	d := mustRead(t, "", `{"nome":"Jo&atilde;o","email":"joao@exemplo.com.br","empresa":"Tran&ccedil;as &amp; Cia",
		"telefone":"(11)&nbsp;97000-1111","pagina":"https://x.example/?a=1&copy=2"}`)
	if d.Name != "João" || d.Company != "Tranças & Cia" || d.PhoneE164 != "+5511970001111" ||
		!strings.Contains(d.Note()+fmt.Sprint(d.Attribution), "?a=1&copy=2") {
		t.Errorf("%q %q %q %q", d.Name, d.Company, d.PhoneE164, d.Note())
	}
}

package intake

import (
	"errors"
	"strings"
	"testing"

	"fichario/domain/fault"
	"fichario/domain/text"
)

// TestAliases reads every listed name of every field.
func TestAliases(t *testing.T) {
	sample := map[field]string{
		fieldEmail: "ana@exemplo.com.br", fieldPhone: "(11) 98765-4321", fieldCompany: "Casa Azul", fieldName: "Ana Lima", fieldAmount: "R$ 10,00",
		fieldMessage: "Bom dia", fieldOrigin: "Feira", fieldFirst: "Ana", fieldLast: "Lima",
	}
	for f, list := range aliases {
		want, ok := sample[f]
		if !ok {
			continue
		}
		for w := range strings.FieldsSeq(list) {
			key := strings.TrimSuffix(w, "*")
			body := `{"` + key + `":"` + want + `","e_mail":"x@exemplo.com.br"}`
			if f == fieldEmail {
				body = `{"` + key + `":"` + want + `"}`
			}
			d := mustRead(t, "", body)
			got := map[field]string{fieldEmail: d.Email, fieldPhone: d.Phone, fieldCompany: d.Company, fieldName: d.Name, fieldMessage: d.Message, fieldOrigin: d.Origin,
				fieldFirst: d.Name, fieldLast: d.Name, fieldAmount: ""}[f]
			if f == fieldAmount && d.Amount == 100000 {
				got = want
			}
			if got != want {
				t.Errorf("%q: %q, want %q (%+v)", key, got, want, d)
			}
		}
	}
}

// TestKeys reads keys and titles as products and people write them.
func TestKeys(t *testing.T) {
	value := map[string]string{"email": "ana@exemplo.com.br", "telefone": "(11) 98765-4321", "empresa": "Casa Azul", "nome": "Ana Lima", "valor": "1500", "mensagem": "Bom dia",
		"origem": "Feira", "": "resposta 7"}
	for want, keys := range map[string][]string{
		"email": {"E-mail", "E-MAIL", "e_mail", "eMail", "Email *", "Qual é o seu melhor e-mail?", "seu e-mail", "your-email", "q4_email", "field:email_ab12", "cf_email", "No Label email",
			"Endereço de e-mail", "E-mail (corporativo)", "2. E-mail", "Correo electrónico", "📧 E-mail", "email_1", "input_email", "Digite seu e-mail", "E-mail para contato:", "emailAddress"},
		"telefone": {"Telefone", "TEL", "Celular/WhatsApp", "Telefone / WhatsApp", "Qual o seu telefone para contato? (DDD) + Whatsapp",
			"Qual é o melhor WhatsApp para falarmos sobre essa análise?", "your-tel", "phone_number", "Phone Number", "Seu WhatsApp com DDD", "q5_telefone", "Nº de telefone", "field:phone_77aa", "3. Celular", "teléfono", "Número de móvil", "telephone1"},
		"empresa": {"Nome da empresa", "Qual é o nome da sua empresa?", "Em qual empresa você trabalha?", "Sua empresa", "company_name", "Empresa/Organização", "Razão Social", "Empresa / CNPJ", "4) Empresa", "Compañía", "Nombre de la empresa", "corporateName"},
		"nome":    {"Nome", "NOME COMPLETO", "Qual é o seu nome?", "nome_completo", "fullName", "Seu nome", "q3_nomeCompleto", "Nome e sobrenome", "Nome (completo)", "your-name", "1. Nome completo", "Nombre y apellidos", "Cuál es tu nombre?"},
		"valor": {"Valor", "Qual o valor que pretende investir?", "Orçamento (R$)", "Deal Value", "Quanto você pretende investir neste projeto?", "budget", "valor_estimado", "Investimento mensal", "5) Investimento previsto", "Qual verba disponível para o projeto?", "Presupuesto",
			"Qual o investimento disponível?"},
		"mensagem": {"Mensagem", "Deixe uma mensagem", "your-message", "Dúvidas ou comentários", "Observações", "comments", "Alguma observação adicional?", "6 - Mensagem", "mensaje", "textarea-1", "customer_note"},
		"origem":   {"Origem", "Como nos conheceu?", "Como ficou sabendo de nós?", "Onde você nos encontrou?", "lead_source", "How did you hear about us?", "q8_comoConheceu", "lead_origem", "¿Cómo nos conociste?"},
		"": {"Aceita receber e-mail?", "Autorização de contato", "Em qual cidade e estado sua empresa atua?", "Qual o faturamento médio mensal da sua empresa?",
			"Quanto sua empresa investe atualmente em marketing por mês?", "Nome do pet", "Nome do produto", "form_name", "formName", "page_name", "Nome da mãe", "Quantos telefones a empresa tem?",
			"Segmento da empresa", "Site da empresa", "Nome da campanha", "Nome fantasia do evento?", "CNPJ da empresa", "Qual o melhor horário para telefone?", "Cargo na empresa", "event_name",
			"Tempo de empresa", "Modelo do celular", "utm", "Nombre de la mascota", "Sobrenome da mãe", "lastMessageDate", "Nome do indicado", "Telefone do indicado",
			"E-mail do amigo", "Valor da conta de luz", "Investimento atual em anúncios", "Quando pretende investir?"},
	} {
		for _, key := range keys {
			body := `{"` + key + `":"` + value[want] + `"}`
			d := mustRead(t, "", body)
			got := map[string]string{"email": d.Email, "telefone": d.Phone, "empresa": d.Company, "nome": d.Name, "mensagem": d.Message, "origem": d.Origin}
			if d.Amount != 0 {
				got["valor"] = "1500"
			}
			for field, v := range got {
				if field == want && v != value[want] || field != want && v != "" {
					t.Errorf("%q: %s = %q", key, field, v)
				}
			}
			if want == "" && len(d.Leftover) != 1 {
				t.Errorf("%q: left over %v", key, d.Leftover)
			}
		}
	}
}

func TestCheckEmail(t *testing.T) {
	d := mustRead(t, "", `{"nome":"Ana","fone":"11 99999-0000"}`)
	err := d.CheckEmail()
	var f *fault.Error
	if !errors.As(err, &f) || f.Code != fault.InvalidEmail || f.Field != "email" || !strings.Contains(f.Message, "nome, fone") || strings.Contains(f.Message, "Ana") {
		t.Errorf("%+v", f)
	}
	for _, body := range []string{`{"nome":"Ana","E-mail":"não tenho"}`, `{"nome":"Ana","E-mail":""}`, `{"E-mail":null,"nome":"Ana"}`,
		`{"answers":[{"type":"email","email":"nada","field":{"id":"a","type":"email"}}],"definition":{"fields":[{"id":"a","title":"E-mail"}]}}`} {
		if !errors.As(mustRead(t, "", body).CheckEmail(), &f) || !strings.Contains(f.Message, `"E-mail"`) || strings.Contains(f.Message, "tenho") {
			t.Errorf("%s: %+v", body, f)
		}
	}
	if err := (Draft{Email: "a@b"}).CheckEmail(); err != nil {
		t.Error(err)
	}
}

func TestEmails(t *testing.T) {
	for text, want := range map[string]string{
		" Ana@Exemplo.com ": "Ana@Exemplo.com", "Ana <ana@x.com>": "ana@x.com", "mailto:ana@x.com": "ana@x.com", "<ana@x.com>": "ana@x.com", "a@x.com, b@x.com": "a@x.com",
		"a@x.com;b@x.com": "a@x.com", "meu é ana@x.com": "ana@x.com", "@": "@", "ana@": "ana@", "mailto:ana@x.com?subject=oi": "ana@x.com", "<mailto:ana@x.com|ana@x.com>": "ana@x.com", "'ana@x.com'": "ana@x.com", "' ana@x.com '": "ana@x.com", "\u200bana@x.com": "ana@x.com",
		strings.Repeat("a", 320) + "@x.com": "", "ana@x": "ana@x",
	} {
		if d := mustRead(t, "", `{"email":"`+text+`"}`); d.Email != want {
			t.Errorf("%q: %q, want %q", text, d.Email, want)
		}
	}
	for _, body := range []string{`{"user":"dono@x.com","nome":"A"}`, `{"contact_owner_email":"dono@x.com"}`, `{"Entry":{"User":{"Email":"dono@x.com"}},"$version":1}`,
		`{"charge":{"receipt_email":"dono@x.com"}}`, `{"receipt_email":"dono@x.com"}`, `{"producer":{"email":"dono@x.com"}}`, `{"username":"dono@x.com"}`, `{"to":"dono@x.com"}`, `{"conjuge":{"email":"dono@x.com"}}`,
		`{"jid":"5511988887777@s.whatsapp.net"}`, `{"identity":"5511988887777@wa.gw.msging.net"}`} {
		if d := mustRead(t, "", body); d.Email != "" {
			t.Errorf("%s: the owner's %q", body, d.Email)
		}
	}
}

func TestLongCandidatesStayInTheNote(t *testing.T) {
	long := strings.Repeat("á", 201)
	d := mustRead(t, "", `{"email":"a@b.c","nome":"`+long+`","empresa":"`+long+`","origem":"`+long+`","telefone":"`+strings.Repeat("1", 61)+`","company":"Casa"}`)
	if d.Name != "" || d.Origin != "" || d.Phone != "" || d.Company != "Casa" || strings.Count(d.Note(), long) != 3 || !strings.Contains(d.Note(), strings.Repeat("1", 61)) {
		t.Errorf("%+v", d)
	}
}

func TestSeconds(t *testing.T) {
	d := mustRead(t, "", `{"email":"a@b.c","email_2":"z@b.c","telefone":"11 3333-4444","celular":"11 98888-7777","whatsapp":"(11) 988887777","company":"Um","empresa":"Um"}`)
	if d.Email != "a@b.c" || d.Phone != "11 98888-7777" || d.Note() != "email_2: z@b.c\ntelefone: 11 3333-4444" {
		t.Errorf("%+v", d)
	}
}

// TestParts reads names and phones that come in parts, under the keys and titles that forms and shops use.
func TestParts(t *testing.T) {
	for body, want := range map[string][3]string{ // name, phone, note
		`"Qual o seu nome?":"Ana","Qual o seu sobrenome?":"Lima"`:                  {"Ana Lima"},
		`"nombre":"Ana","apellido":"Lima"`:                                         {"Ana Lima"},
		`"name-1-first-name":"Ana","name-1-last-name":"Lima"`:                      {"Ana Lima"},
		`"Name":{"Name_First":"Ana","Name_Last":"Lima"}`:                           {"Ana Lima"},
		`"billing_last_name":"Lima","billing_first_name":"Ana"`:                    {"Ana Lima"},
		`"Nome e sobrenome":"Ana Lima"`:                                            {"Ana Lima"},
		`"owner_first_name":"Ana"`:                                                 {"", "", "owner_first_name: Ana"},
		`"ddi":55,"ddd":11,"telefone":988887777`:                                   {"", "+55 11988887777"},
		`"ddi":"55","ddd":"11","numero":"988887777"`:                               {"", "+55 11988887777"},
		`"numero":"988887777"`:                                                     {"", "", "numero: 988887777"},
		`"ddd":"11","rua":"A","numero":"120"`:                                      {"", "", "ddd: 11\nrua: A\nnumero: 120"},
		`"countryCode":"+351","phone":"912345678"`:                                 {"", "+351 912345678"},
		`"country_code":"+55","phone":"+5511988887777"`:                            {"", "+5511988887777"},
		`"country_code":"00","phone":"11988887777"`:                                {"", "11988887777", "country_code: 00"},
		`"country_code":"BR","phone":"11988887777"`:                                {"", "11988887777", "country_code: BR"},
		`"DDD Celular":"11","Celular":"98888-7777"`:                                {"", "1198888-7777"},
		`"phone_extension":"55","phone_area_code":"11","phone_number":"988887777"`: {"", "+55 11988887777"},
		`"cus_tel":"1133334444","cus_cel":"11955443322"`:                           {"", "11955443322", "cus_tel: 1133334444"},
		`"telefone":11988887777.0`:                                                 {"", "11988887777"},
		`"phones":{"home_phone":{"area_code":"11","number":"33334444"},"mobile_phone":{"area_code":"11","number":"988887777"}}`:    {"", "(11) 988887777", "phones home_phone: (11) 33334444"},
		`"phones":[{"country":"55","area":"11","number":"988887777","type":"MOBILE"}]`:                                             {"", "55 (11) 988887777"},
		`"nome":"Ana","emails":["x@b.c"],"responsavel":{"nome":"Vera"}`:                                                            {"Ana", "", "emails: x@b.c\nnome: Vera"},
		`"variables":[{"name":"Nome","value":"Ana"},{"name":"Phone","value":"11988887777"}]`:                                       {"Ana", "11988887777"},
		`"contatos":[{"tipo":"telefone","valor":"11988887777"},{"tipo":"email","valor":"x@b.c"}]`:                                  {"", "11988887777", "email: x@b.c"},
		`"telefones":[{"tipo":"celular","numero":"11988887777"},{"tipo":"fixo","numero":"1133334444"}]`:                            {"", "11988887777", "telefones: 1133334444"},
		`"Name (First)":"Ana","Name (Last)":"Lima"`:                                                                                {"Ana Lima"},
		`"Response ID":"r1","Discord ID":"ana","Seu ID":"7"`:                                                                       {"", "", "Discord ID: ana\nSeu ID: 7"},
		`"formulario":{"nome":"Contato"},"perguntas":{"Nome":"Ana"}`:                                                               {"Ana", "", "formulario nome: Contato"},
		`"dados_lead":{"nome":"Ana"},"campanha":{"nome":"Verão"}`:                                                                  {"Ana", "", "campanha nome: Verão"},
		`"vendedor":{"nome":"Vera","sobrenome":"Dias"}`:                                                                            {"", "", "vendedor: Vera Dias"},
		`"cliente":"Ana","contato":"11988887777"`:                                                                                  {"Ana", "11988887777"},
		`"Telefone da loja":"1133334444","Telefone do contato":"1133335555"`:                                                       {"", "1133335555", "Telefone da loja: 1133334444"},
		`"lead_nome":"Ana","lead_fone":"11988887777"`:                                                                              {"Ana", "11988887777"},
		`"cv":{"field":"x"},"fields":[{"type":"file","label":"Currículo","value":{"url":"https://x/cv.pdf","filename":"cv.pdf"}}]`: {"", "", "Currículo: cv.pdf https://x/cv.pdf\ncv field: x"},
		`"endUser":{"attributes":{"name":"Ana"}}`:                                                                                  {"Ana"},
		`"email_id":"x@b.c","phone_id":"7"`:                                                                                        {"", "", "email_id: x@b.c"},
		`"session":{"utm_json":{"source":"ig"}}`:                                                                                   {"", "", "session utm_json source: ig"},
		`"phones":[{"number":"11988887777"}]`:                                                                                      {"", "11988887777"},
		`"nome":"{{nome}}","telefone":"{{contact.phone}}","empresa":"undefined","origem":"-","mensagem":"N/A"`: {"", "",
			"nome: {{nome}}\ntelefone: {{contact.phone}}\norigem: -\nmensagem: N/A"},
	} {
		d := mustRead(t, "", `{"email":"a@b.c",`+body+`}`)
		if got := [3]string{d.Name, d.Phone, d.Note()}; got != want {
			t.Errorf("%s: %q, want %q", body, got, want)
		}
	}
	if d := mustRead(t, "", `{"telefone":"11988887777.0"}`); d.PhoneE164 != "+5511988887777" {
		t.Errorf("%+v", d)
	}
	if d := mustRead(t, "", `{"from":"Ana Lima <ana@b.c>","to":"nos@b.c","subject":"Preço","text":"Quanto custa?"}`); d.Email != "ana@b.c" || d.Name != "Ana Lima" || d.Message != "Quanto custa?" {
		t.Errorf("%+v", d)
	}
}

func TestNumberQuestions(t *testing.T) {
	form := func(fields string) string {
		return `{"data":{"fields":[{"label":"Email","type":"INPUT_EMAIL","value":"a@b.c"},` + fields + `]}}`
	}
	for body, want := range map[string]int64{
		form(`{"label":"Quanto?","type":"INPUT_NUMBER","value":500}`):                                                       5000000,
		form(`{"label":"Quantos?","type":"INPUT_NUMBER","value":500}`):                                                      0,
		form(`{"label":"Idade","type":"INPUT_NUMBER","value":50}`):                                                          0,
		form(`{"label":"Quanto?","type":"INPUT_NUMBER","value":5},{"label":"Peças","type":"INPUT_NUMBER","value":6}`):       0,
		form(`{"label":"Preço alvo","type":"INPUT_NUMBER","value":5},{"label":"Peças","type":"INPUT_NUMBER","value":6}`):    50000,
		form(`{"label":"Faturamento anual","type":"INPUT_NUMBER","value":5}`):                                               0,
		form(`{"label":"Quanto?","type":"INPUT_TEXT","value":"500"}`):                                                       0,
		form(`{"label":"Quanto investe hoje?","type":"INPUT_NUMBER","value":500}`):                                          0,
		form(`{"label":"Orçamento","type":"INPUT_TEXT","value":"500"},{"label":"Quanto?","type":"INPUT_NUMBER","value":7}`): 5000000,
		`{"email":"a@b.c","quanto":500}`:                                                                                    0,
	} {
		for _, k := range []Kind{Generic, FormService} {
			if d, err := Read(Options{Kind: k}, "", []byte(body)); err != nil || d.Amount != want {
				t.Errorf("%s %s: %d, %v", k, body, d.Amount, err)
			}
		}
	}
}

// TestNamesAreTakenAsSent: whatever stands in a field that is the name's is the name, unless something else looks more like one.
func TestNamesAreTakenAsSent(t *testing.T) {
	for sent, want := range map[string]string{
		`"Ana @ ACME"`: "Ana @ ACME", `"12345"`: "12345", `123`: "123", `"ana@x.com"`: "ana@x.com", `"Ana\r\nSouza"`: "Ana Souza", `"R2-D2"`: "R2-D2",
		`"12345","nome_completo":"Ana Souza"`: "Ana Souza", `true`: "", `" "`: "", `null`: "", `"{{nome}}"`: "", `"https://x.com"`: "", `"(11) 98765-4321"`: "",
	} {
		if d, err := Read(Options{}, "", []byte(`{"email":"n@b.com","nome":`+sent+`}`)); err != nil || d.Name != want {
			t.Errorf("%s: %q, %v", sent, d.Name, err)
		}
	}
}

func TestNoteAndNames(t *testing.T) {
	d := Draft{Email: "ana.b@x.com", Message: "Oi\ntudo?", Test: true, Leftover: []Pair{{"Plano:", "Ouro"}, {"Obs", "um\ndois"}, {"", "x"}}}
	if got := d.Note(); got != "Oi\ntudo?\n\nEnvio de teste: quem enviou marcou este contato como teste.\n\nPlano: Ouro\nObs:\n  um\n  dois\nCampo sem nome: x" {
		t.Errorf("%q", got)
	}
	if d.DisplayName(Generic) != "Lead sem nome" || d.DisplayName(FormService) != "ana.b" || (Draft{Email: "@x"}).DisplayName(FormService) != "Lead sem nome" ||
		(Draft{Name: "N"}).DisplayName(Generic) != "N" || (Draft{}).Note() != "" {
		t.Error("DisplayName")
	}
}

func TestFold(t *testing.T) {
	for _, c := range [][2]string{{" Indicação  de\tAmigo ", "indicacao de amigo"}, {"GOOGLE Ads", "google ads"}, {"ΣΊΣΥΦΟΣ", "σισυφος"}, {"Straße", "STRASSE"}, {"İstanbul", "istanbul"}, {"É", "é"}, {"a\u00a0b", "A B"}} {
		if text.Fold(c[0]) != text.Fold(c[1]) {
			t.Errorf("%q and %q differ: %q %q", c[0], c[1], text.Fold(c[0]), text.Fold(c[1]))
		}
	}
	if text.Fold("Abc") == text.Fold("Abd") {
		t.Error("different texts are equal")
	}
}

func TestSecretsStayOut(t *testing.T) {
	d := mustRead(t, "", `{"email":"a@b.c","google_key":"s3gredo","g-recaptcha-response":"s3gredo","_wpnonce":"s3gredo","csrf_token":"s3gredo","cf-turnstile-response":"s3gredo",
		"meta":{"nonce":"s3gredo","captcha":{"token":"s3gredo"}},"fields":[{"label":"google_key","value":"s3gredo"}],"user_agent":"s3gredo","access_token":"s3gredo","contact":{"google_key":"s3gredo"}}`)
	if strings.Contains(d.Note(), "s3gredo") {
		t.Error(d.Note())
	}
}

// TestNoteOrder: what a person was asked stands first; then what came with it, the way that it came, and what is about something else.
func TestNoteOrder(t *testing.T) {
	d := mustRead(t, "", `{"event":"novo","utm_source":"ig","product":{"name":"Bolo"},"email":"a@b.c","answers":[{"question":"Cor?","value":"azul","text":"Azul"},{"question":"Prazo?","answer":"Já"}]}`)
	if got := d.Note(); got != "Cor?: azul\nCor? text: Azul\nPrazo?: Já\nevent: novo\nutm_source: ig\nproduct name: Bolo" {
		t.Errorf("%q", got)
	}
}

// TestNoiseByLook: what a rule knows by its value rather than by its key alone.
func TestNoiseByLook(t *testing.T) {
	file := "JVBERi0xLjQKJcOkw7zDtsOfCjIgMCBvYmoK" + strings.Repeat("PDwvTGVuZ3RoIDMgMCBSL0ZpbHRlci9GbGF0ZURlY29kZT4", 10)
	for body, want := range map[string]string{
		`"customer_user_agent":"Mozilla/5.0 (X11)"`: "", `"IP_do_usuario":"203.0.113.4"`: "", `"meta_ip":"2804:29b8::1"`: "",
		`"ip_da_maquina":"sala 3"`: "ip_da_maquina: sala 3", `"versao":"203.0.113.4"`: "versao: 203.0.113.4", `"vip":"1.2.3.4"`: "vip: 1.2.3.4",
		`"telefone":"null","cargo":"undefined","x":"[object Object]"`: "", `"cargo":"nulo"`: "cargo: nulo", `"x":["null","Azul"]`: "x: null, Azul",
		`"fotos":["data:image/png;base64,iVBORw0KGgo=","frente"]`: "fotos: (arquivo), frente",
		`"assinatura":"data:image/png;base64,iVBORw0KGgo="`:       "assinatura: (arquivo)", `"anexo":"` + file + `"`: "anexo: (arquivo)",
		`"codigo":"` + strings.Repeat("ab ", 200) + `"`: "codigo: " + strings.TrimSpace(strings.Repeat("ab ", 200)),
		`"_wpcf7_recaptcha_response":"03AF","HandshakeKey":"s","chave_unica":"s","basic_authentication":"s","confirmar_senha":"s"`: "",
		`"values":["14/09/2026 10:00:00","Azul","Sim"],"namedValues":{"Cor?":["Azul"],"Tem loja?":["Sim"]}`:                        "Cor?: Azul\nTem loja?: Sim",
		`"loja":"Sim","Você tem empresa?":"Não"`:                  "loja: Sim\nVocê tem empresa?: Não",
		`"opcoes":["Azul","Sim","Não"],"cor":"Azul","loja":"Sim"`: "opcoes: Azul, Sim, Não\ncor: Azul\nloja: Sim",
	} {
		if d := mustRead(t, "", `{"email":"a@b.c",`+body+`}`); d.Note() != want {
			t.Errorf("%.60s: %q, want %q", body, d.Note(), want)
		}
	}
}

// TestAmountKeys reads the values of shops: in English, and in cents.
func TestAmountKeys(t *testing.T) {
	for body, want := range map[string]int64{ // in cents
		`"trans_value":"297.00"`: 29700, `"sale_amount":197.5`: 19750, `"total_price":"398.00","total_tax":"10.00"`: 39800, `"trans_value":19790`: 0,
		`"tax_amount":"10.00"`: 0, `"amount_cents":19990`: 19990, `"valor_em_centavos":"19990"`: 19990, `"valor_em_centavos":"199,90"`: 0,
		`"purchase":{"price":{"value":149.9},"full_price":{"value":199.9}}`: 14990, `"type":"order.paid","data":{"amount":29900,"charges":[{"amount":29900}]}`: 29900,
		`"object":"checkout.session","livemode":true,"amount_total":9900`: 9900, `"amount":1500,"currency":"BRL"`: 150000, `"qual_o_seu_orçamento_?":"r$_1.500"`: 150000,
		`"negocio":{"titulo":"Site","valor":"R$ 2.500,00"}`:  250000,
		`"Percentual":{"valor":"10"},"recent_amount":"5.00"`: 500,
	} {
		if d := mustRead(t, "", `{"email":"a@b.c",`+body+`}`); d.Amount != want*100 {
			t.Errorf("%s: %d, want %d", body, d.Amount, want*100)
		}
	}
}

func TestTestSubmissions(t *testing.T) {
	for body, want := range map[string]bool{
		`{"is_test":true}`: true, `{"is_test":"1"}`: true, `{"is_test":false}`: false, `{"email":"a@b.c","full_name":"<test lead: dummy data for full_name>"}`: true,
		`{"nome":"teste"}`: false, `[{"isTest":"true"}]`: true,
	} {
		if d := mustRead(t, "", body); d.Test != want {
			t.Errorf("%s: %v", body, d.Test)
		}
	}
}

func TestEqualAnswersOfDifferentQuestionsStay(t *testing.T) {
	d := mustRead(t, "", `{"email":"a@b.c","fields":[{"label":"Tem loja?","value":"Sim"},{"label":"Tem site?","value":"Sim"}],"cliente_antigo":"Sim","empresa":"Google","buscador":"Google",
		"Data":"2026-10-01 14:00","date":"2026-10-01T14:00"}`)
	for _, s := range []string{"Tem loja?: Sim", "Tem site?: Sim", "cliente_antigo: Sim", "buscador: Google", "Data: 2026-10-01 14:00", "date: 2026-10-01T14:00"} {
		if !strings.Contains(d.Note(), s) {
			t.Errorf("no %q: %s", s, d.Note())
		}
	}
}

func TestCodeAndWordsOfOneAnswer(t *testing.T) {
	d := mustRead(t, "", `{"email":"a@b.c","answers":[{"question":"Tempo de casa","value":2,"answer":"Dois anos"},{"question":"Porte","type":"choice","value":"m","text":"Médio"},
		{"title":"Cor","value":"azul","raw_value":"azul"}]}`)
	if d.Note() != "Tempo de casa: 2\nTempo de casa answer: Dois anos\nPorte: m\nPorte text: Médio\nCor: azul" {
		t.Error(d.Note())
	}
}

func TestDeliveryIDsOfStrangers(t *testing.T) {
	for _, body := range []string{`{"id":"1","email":"a@b.c"}`, `{"uuid":"1","token":"x","email":"a@b.c"}`, `{"leadOrigin":"ImovelWeb","originLeadId":"1","email":"a@b.c"}`, `[1]`, `{"data":{"id":1}}`} {
		if d := mustRead(t, "", body); d.DeliveryID != "" {
			t.Errorf("%s: %s", body, d.DeliveryID)
		}
	}
}

func TestAttribution(t *testing.T) {
	d := mustRead(t, "", `{"email":"a@b.c","UTM Source":"ig","utmCampaign":"x","gclid":"g1","fbclid":"f1","page_url":"https://x.com/?utm_source=no&utm_term=t&msclkid=m","Referer":"https://g.com","landing_page":"/lp","Site":"x","tracker_utm_content":"c","cf_utm_id":"7",
		"autm_x":"no"}`)
	want := []Pair{{"utm_source", "ig"}, {"utm_campaign", "x"}, {"gclid", "g1"}, {"fbclid", "f1"}, {"page_url", "https://x.com/?utm_source=no&utm_term=t&msclkid=m"}, {"referrer", "https://g.com"},
		{"landing_url", "/lp"}, {"utm_content", "c"}, {"utm_id", "7"}, {"utm_term", "t"}, {"msclkid", "m"}}
	if len(d.Attribution) != len(want) {
		t.Fatalf("%v", d.Attribution)
	}
	for i, p := range want {
		if d.Attribution[i] != p {
			t.Errorf("%v, want %v", d.Attribution[i], p)
		}
	}
	if d.FallbackOrigin != "ig" || d.Origin != "" || strings.Contains(d.Note(), "g1") || !strings.Contains(d.Note(), "UTM Source: ig") {
		t.Errorf("%+v", d)
	}
}

// TestNames holds the short way through the tables to the long one.
func TestNames(t *testing.T) {
	for r := rune(1); r < 0x3000; r++ {
		s := "x" + string(r) + "Y"
		if got, want := nameOf(s), string(appendDecomposed(nil, s)); got != want {
			t.Fatalf("%U: %q, want %q", r, got, want)
		}
	}
	for title, want := range map[string]string{"Qual é o seu e-mail?": "qual|e|o|seu|email", "nomeCompleto": "nome|completo", "ORÇAMENTO (R$)": "orcamento|r", "e_mail": "email",
		"Orc\u0327amento": "orcamento", "número": "numero", "ＮＯＭＥ": "nome"} {
		if got := strings.Join(wordsOf(title), "|"); got != want {
			t.Errorf("%q: %q", title, got)
		}
	}
}

package intake

import (
	"fmt"
	"strings"
	"testing"
)

func TestSecretsStayOut(t *testing.T) {
	t.Parallel()
	d := mustRead(t, "", `{"email":"a@b.c","google_key":"s3gredo","g-recaptcha-response":"s3gredo","_wpnonce":"s3gredo",
		"csrf_token":"s3gredo","cf-turnstile-response":"s3gredo","meta":{"nonce":"s3gredo","captcha":{"token":"s3gredo"}},
		"fields":[{"label":"google_key","value":"s3gredo"}],"user_agent":"s3gredo","access_token":"s3gredo",
		"contact":{"google_key":"s3gredo"}}`)
	if strings.Contains(d.Note(), "s3gredo") {
		t.Error(d.Note())
	}
}

// TestSecretsByTheirWords: whatever a product calls its key or somebody their password, it is no answer; what only has
// such a word in its name is one.
func TestSecretsByTheirWords(t *testing.T) {
	t.Parallel()
	for _, key := range []string{
		"user_pass", "user_password", "nova_senha", "Sua senha", "Crie uma senha", "senha_acesso", "password_hash",
		"encrypted_password", "client_secret", "thrivecart_secret", "integration_key", "user_activation_key", "x-api-key",
		"X-Hub-Signature-256", "verify_sign", "session_tokens", "tokenAcesso", "chave_secreta", "apitoken", "hmac", "cvv",
	} {
		body := `{"email":"a@b.c",` + fmt.Sprintf("%q", key) + `:"s3gredo"}`
		if d := mustRead(t, "", body); strings.Contains(d.Note(), "s3gredo") {
			t.Errorf("%s: %s", key, d.Note())
		}
	}
	for key, value := range map[string]string{
		"authorization": "Bearer 0123456789abcdef", "cookies": "_ga=GA1.2; _fbp=fb.1", "acesso": "eyJhbGciOiJIUzI1NiJ9.eyJzdWIi.x",
	} {
		if d := mustRead(t, "", `{"email":"a@b.c","`+key+`":"`+value+`"}`); d.Note() != "" {
			t.Errorf("%s: %s", key, d.Note())
		}
	}
	for key, value := range map[string]string{
		"chave_pix": "11987654321", "product_key": "A1", "license_key": "K1", "Esqueceu a senha?": "Sim", "senha_da_fila": "A17",
		"signature": "Ana Lima", "assinatura": "Ouro", "Amigo secreto": "Beto", "cookies": "aceito", "authorization": "I agree",
		"chave de acesso": "3526", "pass": "VIP", "Access pass": "VIP", "keywords": "bolo", "Token": "verde",
	} {
		body := `{"email":"a@b.c","fields":[{"label":"` + key + `","value":"` + value + `"}]}`
		if d := mustRead(t, "", body); d.Note() != key+": "+value && d.Note() != value {
			t.Errorf("%s: %q", key, d.Note())
		}
	}
}

// TestPaymentsAndStates: what a platform says about payments and states is not an answer; what a person says is.
func TestPaymentsAndStates(t *testing.T) {
	t.Parallel()
	for _, c := range [][2]string{
		{`"payment_id":"pay_1","payment_gateway":"asaas","payment_link":"https://x.com/p","payment_installments":3`, ""},
		{`"payment_method_title":"Pix","PAYMENT_ORIGIN":"site","payment_url":"x","paymentGateway":"asaas"`, ""},
		{`"data":{"order":{"payment_provider":"asaas"}}`, ""}, {`"payment_is_test":false,"payment_total":"150"`, ""},
		{`"payment_email":"b@b.c"`, "payment_email: b@b.c"},
		{`"payment":"no pix","payments_a":"x"`, "payment: no pix\npayments_a: x"},
		{`"pagamento_forma":"Pix"`, "pagamento_forma: Pix"},
		{`"fields":[{"label":"payment_preference","value":"Pix"},{"label":"Payment terms","value":"30 dias"}]`,
			"Payment terms: 30 dias"},
		{`"fields":[{"name":"payment_gateway","type":"hidden","value":"asaas"}]`, ""},
		{`"fields":[{"name":"payment_method","title":"Como quer pagar?","value":"Pix"}]`, "Como quer pagar?: Pix"},
		{`"payment terms":"30 dias"`, "payment terms: 30 dias"},
		{`"status":"Casada"`, "status: Casada"}, {`"status":"quero comprar"`, "status: quero comprar"},
		{`"status":"aberta a propostas"`, "status: aberta a propostas"},
		{`"Qual o status do projeto?":"open"`, "Qual o status do projeto?: open"},
		{`"fields":[{"label":"Status","value":"Active"},{"label":"Status do pedido","value":"paid"}]`,
			"Status: Active\nStatus do pedido: paid"},
		{`"status_civil":"open"`, "status_civil: open"}, {`"marital_status":"new"`, "marital_status: new"},
		{`"lead_status":"Falei ontem"`, "lead_status: Falei ontem"},
		{`"lead_status":"new","order_status":"on-hold","financialStatus":"PARTIALLY_PAID"`, ""},
		{`"subscription_status":"past_due"`, ""},
	} {
		if d := mustRead(t, "", `{"email":"a@b.c",`+c[0]+`}`); d.Note() != c[1] {
			t.Errorf("%.60s: %q, want %q", c[0], d.Note(), c[1])
		}
	}
	d := mustRead(t, "", `{"email":"a@b.c","payment_cpf":"529.982.247-25","payment_phone":"11987654321",
		"payment_firstname":"Ana"}`)
	if len(d.Documents) != 1 || d.Phone != "11987654321" || d.Name != "Ana" || d.Note() != "" {
		t.Errorf("%+v", d)
	}
	for state := range strings.FieldsSeq(`
		pending paid open approved refused active new PAID Approved waiting_payment WAITING_PAYMENT in_progress on-hold
		canceled cancelled refunded chargedback declined failed processing inactive closed won lost draft published
		confirmed unpaid expired authorized succeeded trialing past_due overdue billet_printed completed aprovado pago`) {
		if d := mustRead(t, "", `{"email":"a@b.c","status":"`+state+`"}`); d.Note() != "" {
			t.Errorf("%q: %q", state, d.Note())
		}
	}
}

// TestNoiseByLook: noise that a rule recognises by its value rather than by its key alone.
func TestNoiseByLook(t *testing.T) {
	t.Parallel()
	file := "JVBERi0xLjQKJcOkw7zDtsOfCjIgMCBvYmoK" + strings.Repeat("PDwvTGVuZ3RoIDMgMCBSL0ZpbHRlci9GbGF0ZURlY29kZT4", 10)
	words := strings.TrimSpace(strings.Repeat("ab ", 200))
	for _, c := range [][2]string{
		{`"customer_user_agent":"Mozilla/5.0 (X11)"`, ""}, {`"IP_do_usuario":"203.0.113.4"`, ""},
		{`"meta_ip":"2804:29b8::1"`, ""}, {`"ip_da_maquina":"sala 3"`, "ip_da_maquina: sala 3"},
		{`"versao":"203.0.113.4"`, "versao: 203.0.113.4"}, {`"vip":"1.2.3.4"`, "vip: 1.2.3.4"},
		{`"telefone":"null","cargo":"undefined","x":"[object Object]"`, ""}, {`"cargo":"nulo"`, "cargo: nulo"},
		{`"x":["null","Azul"]`, "x: null, Azul"}, {`"anexo":"` + file + `"`, "anexo: (arquivo)"},
		{`"fotos":["data:image/png;base64,iVBORw0KGgo=","frente"]`, "fotos: (arquivo), frente"},
		{`"assinatura":"data:image/png;base64,iVBORw0KGgo="`, "assinatura: (arquivo)"},
		{`"codigo":"` + words + ` "`, "codigo: " + words},
		{`"event":"order.paid","topic":"CONTACT_CREATED","updated_at_utc":"2026-09-14T10:00:00Z"`, ""},
		{`"event":"Casamento","type":"208_active","action":"Ligar"`,
			"event: Casamento\ntype: 208_active\naction: Ligar"},
		{`"discount_total":"0.00","orders_count":0,"deal_currency":"BRL","lead_urn":"urn:li:lead:1"`, ""},
		{`"filhos":"0","startTime":"2026-09-14T10:00:00Z"`, "filhos: 0\nstartTime: 2026-09-14T10:00:00Z"},
		{`"createdBy":{"email":"d@x.com","nome":"Dona"},"updatedBy":{"email":"d@x.com","nome":"Dona"}`,
			"createdBy email: d@x.com\ncreatedBy nome: Dona"},
		{`"organizer":{"email":"d@x.com"},"calendar":{"owner":{"id_externo":"D@x.com"}}`,
			"calendar owner id_externo: D@x.com"},
		{`"_wpcf7_recaptcha_response":"03AF","HandshakeKey":"s","chave_unica":"s"`, ""},
		{`"basic_authentication":"s","confirmar_senha":"s"`, ""},
		{`"values":["14/09/2026 10:00:00","Azul","Sim"],"namedValues":{"Cor?":["Azul"],"Tem loja?":["Sim"]}`,
			"Cor?: Azul\nTem loja?: Sim"},
		{`"loja":"Sim","Você tem empresa?":"Não"`, "loja: Sim\nVocê tem empresa?: Não"},
		{`"opcoes":["Azul","Sim","Não"],"cor":"Azul","loja":"Sim"`, "opcoes: Azul, Sim, Não\ncor: Azul\nloja: Sim"},
	} {
		if d := mustRead(t, "", `{"email":"a@b.c",`+c[0]+`}`); d.Note() != c[1] {
			t.Errorf("%.60s: %q, want %q", c[0], d.Note(), c[1])
		}
	}
}

// TestAnswersLikeBookkeeping: what a program keeps under a key is dropped when it looks like that; what a person
// answered under the same key is not.
func TestAnswersLikeBookkeeping(t *testing.T) {
	t.Parallel()
	for _, answer := range []string{
		"ref: AP1023", "language: Inglês", "language: english", "Idioma: pt", "lang: Español", "duration: 2 semanas",
		"version: 1.6 Turbo", "currency: 1500", "currency: R$ 1.500,00", "moeda: Real", "type: pessoa_juridica",
		"type: apartamento_novo", "type: PESSOA_FISICA", "leadtype: muito_quente", "key: chave do carro",
		"object: Carta de crédito", "timezone: horário de Brasília", "locale: Salão de festas",
	} {
		key, value, _ := strings.Cut(answer, ": ")
		for _, typ := range []string{formType, "application/json"} {
			body := pairs("email", "a@x.com", key, value)
			if typ != formType {
				body = `{"email":"a@x.com","` + key + `":"` + value + `"}`
			}
			if d := mustRead(t, typ, body); d.Note() != answer {
				t.Errorf("%s: %q", answer, d.Note())
			}
		}
	}
	for _, noise := range []string{
		"ref: 01GTAPQ7Z7W1X2ZZ", "ref: 3f2504e0-4f89-41d3-9a0c-0305e82c3301", "language: pt-BR", "lang: pt", "locale: en_US",
		"language: portuguese-br", "timezone: America/Sao_Paulo", "timezone: -03:00", "timezone: UTC", "version: 2.0.1",
		"version: v3", "apiVersion: 2024-06-20", "duration: 312", "duration: PT5M", "elapsed: 12.5", "currency: BRL",
		"moeda: R$", "currencyCode: usd", "type: contact.created", "type: form_submission", "type: NEW_LEAD",
		"object: event", "object: checkout.session", "key: user:123", "leadtype: lead_ad",
	} {
		key, value, _ := strings.Cut(noise, ": ")
		if d := mustRead(t, formType, pairs("email", "a@x.com", key, value)); d.Note() != "" {
			t.Errorf("%s: %q", noise, d.Note())
		}
	}
}

// TestFurniture: which of several phones it is, what a thing is not, a picture of a Pix, a link that dials the phone.
func TestFurniture(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`"phone_numbers":[{"number":"11987654321","type":"Mobile"}]`:                              "",
		`"emails":[{"email":"a@b.c","is_primary":true}]`:                                          "",
		`"product":{"name":"Curso","is_physical":false,"has_bonus":true}`:                         "product name: Curso\nproduct has_bonus: Sim",
		`"is_owner":false,"owner":false`:                                                          "is_owner: Não\nowner: Não",
		`"pix_qrcode":"https://pay.x.com/qr.png","currentStatus":"paid"`:                          "",
		`"tel":"11987654321","whatsapp_link":"https://api.whatsapp.com/send?phone=5511987654321"`: "",
		`"created":"2026-09-14T10:00:00Z","created_by_hand":"sim"`:                                "created_by_hand: sim",
		`"add_time":"2026-09-14T10:00:00Z","start_time":"2026-09-14T10:00:00Z"`:                   "start_time: 2026-09-14T10:00:00Z",
	} {
		if d := mustRead(t, "", `{"email":"a@b.c",`+body+`}`); d.Note() != want {
			t.Errorf("%s: %q, want %q", body, d.Note(), want)
		}
	}
}

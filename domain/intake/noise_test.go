package intake

import (
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

// TestNoiseByLook: what a rule knows by its value rather than by its key alone.
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

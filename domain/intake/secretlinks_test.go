package intake

import (
	"strings"
	"testing"
)

// TestWhatOpensAccountsOrIsPaid stays out of the note: a link with a token, a Pix to copy, the digits of a boleto.
func TestWhatOpensAccountsOrIsPaid(t *testing.T) {
	t.Parallel()
	const pix = "00020126580014br.gov.bcb.pix0136123e4567-e12b-12d1-a456-42665544000052040000530398654061" +
		"50.005802BR5913Fulano de Tal6008BRASILIA62070503***63041D3D"
	const line, bars = "34191.79001 01043.510047 91020.150008 5 89110000015000", "34195891100000150001790010104351004791020150"
	for _, c := range [][2]string{
		{"pix_copia_e_cola", pix}, {"qrcode", pix}, {"linha_digitavel", line}, {"boleto", line}, {"billet_barcode", bars},
		{"magic_link", "https://app.exemplo.com/entrar/9f8e7d6c"}, {"login_url", "https://app.exemplo.com/a"},
		{"reset_password_url", "https://app.exemplo.com/r/9f8e7d6c5b4a"}, {"connection_link", "https://app.exemplo.com/c/9"},
		{"link_de_ativacao", "https://app.exemplo.com/x"}, {"portal", "https://x.com/entrar?access_token=9f8e7d6c5b4a"},
		{"confirmar", "https://x.com/confirma?u=1&token=abcdef123456"},
	} {
		if d := mustRead(t, formType, pairs("email", "ana@x.com", c[0], c[1])); d.Note() != "" {
			t.Errorf("%s: %q", c[0], d.Note())
		}
	}
	for _, c := range [][2]string{
		{"site", "https://padariasol.com.br/?utm_source=a"}, {"boleto_url", "https://pay.exemplo.com/b/1"},
		{"anexo", "https://arquivos.exemplo.com/planta.pdf?token=9f8e7d6c5b4a"}, {"chave_acesso", bars},
		{"pix", "ana@pix.com"}, {"codigo", "0002012"}, {"lista", "https://loja.com/lista?token=7"},
	} {
		if d := mustRead(t, formType, pairs("email", "ana@x.com", c[0], c[1])); d.Note() != c[0]+": "+c[1] {
			t.Errorf("%s: %q", c[0], d.Note())
		}
	}
	for body, want := range map[string]string{
		`"portal":"https://x.com?access_token=9f8e7d6c5b4a"`: "", `"portal":"https://x.com/l.php?token=9f8e7d6c5b4a"`: "",
		`"portal":"https://x.com/#access_token=9f8e7d6c5b4a"`:             "",
		`"page_url":"https://x.com/p?token=9f8e7d6c5b4a&utm_source=ig#a"`: "page_url: https://x.com/p?utm_source=ig#a",
		`"connection":"https://linkedin.com/in/ana"`:                      "connection: https://linkedin.com/in/ana",
		`"activation_page":"https://x.com/c"`:                             "activation_page: https://x.com/c",
		`"agenda":"https://calendly.com/ana?token=9f8e7d6c5b4a"`:          "agenda: https://calendly.com/ana?token=9f8e7d6c5b4a",
		`"curriculo":"https://x.com/f/a?token=9f8e7d6c5b4a"`:              "curriculo: https://x.com/f/a?token=9f8e7d6c5b4a",
		`"origem_qr":"https://x.com/promo"`:                               "origem_qr: https://x.com/promo", `"imgQrcode":"https://x.com/q"`: "",
		`"site":"https://linkedin.com/in/ana-123456789"`:                                          "site: https://linkedin.com/in/ana-123456789",
		`"drive":"https://drive.google.com/open?id=1AbCdEfGhIjKlMn"`:                              "drive: https://drive.google.com/open?id=1AbCdEfGhIjKlMn",
		`"mensagem":"Meu boleto ` + line + ` venceu"`:                                             "Meu boleto " + line + " venceu",
		`"Qual o código do boleto":"` + line + `"`:                                                "Qual o código do boleto: " + line,
		`"fields":[{"label":"Portfólio","value":"https://x.com/p?token=9f8e7d6c5b4a"}]`:           "Portfólio: https://x.com/p?token=9f8e7d6c5b4a",
		`"phone":"11987654321","chat":"https://api.whatsapp.com/send?phone=5511987654321&text=a"`: "",
		`"Grupo":"https://api.whatsapp.com/send?phone=5511911112222"`:                             "Grupo: https://api.whatsapp.com/send?phone=5511911112222",
		`"Meu WhatsApp":"https://api.whatsapp.com/send?phone=5511987654321"`:                      "",
	} {
		d := mustRead(t, "", `{"email":"ana@x.com",`+body+`}`)
		if d.Note() != want {
			t.Errorf("%s: %q", body, d.Note())
		}
		if strings.Contains(body, "utm_source") && d.FallbackOrigin != "ig" {
			t.Errorf("%s: %q", body, d.FallbackOrigin)
		}
		if strings.Contains(body, "Meu WhatsApp") && d.PhoneE164 != "+5511987654321" {
			t.Errorf("%s: %q", body, d.Phone)
		}
	}
	asked := `{"email":"ana@x.com","fields":[{"label":"Qual o boleto?","value":"` + line + `"}]}`
	if d := mustRead(t, "", asked); d.Note() != "Qual o boleto?: "+line {
		t.Errorf("%q", d.Note())
	}
}

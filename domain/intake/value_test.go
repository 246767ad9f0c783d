package intake

import (
	"net/url"
	"testing"
)

// TestValuesWithTheirLabels: a value may say itself what it is, in a list, under keys that say nothing, or once more
// under its own key.
func TestValuesWithTheirLabels(t *testing.T) {
	t.Parallel()
	const ana = "Ana Lima|ana@x.com|(11) 98765-4321"
	for body, want := range map[string]string{
		pairs("linha1", "Nome: Ana Lima", "linha2", "E-mail: ana@x.com", "linha3", "Fone: (11) 98765-4321"):              ana,
		pairs("item_a", "Nome completo: Ana Lima", "item_b", "Email : ana@x.com", "item_c", "WhatsApp: (11) 98765-4321"): ana,
		pairs("l[]", "Nome: Ana Lima", "l[]", "E-mail: ana@x.com", "l[]", "Celular: (11) 98765-4321"):                    ana,
		`{"lead":["- Nome: Ana Lima","- E-mail: ana@x.com","- Celular: (11) 98765-4321"]}`:                               ana,
		`["*Nome:* Ana Lima","*E-mail:* ana@x.com","*Celular:* (11) 98765-4321"]`:                                        ana,
		pairs("nome", "Nome: Ana Lima", "email", "E-mail: ana@x.com", "telefone", "Tel.: (11) 98765-4321"):               ana,
		pairs("seu_nome", "Seu nome: Ana Lima", "mail", "ana@x.com", "whats", "Whatsapp: (11) 98765-4321"):               ana,

		// What only looks like a label.
		pairs("nome", "Ana Lima", "email", "ana@x.com", "telefone", "(11) 98765-4321", "x", "Empresa: não tenho"): ana,
		pairs("nome", "Dra.: Ana Lima", "email", "ana@x.com", "fone", "(11) 98765-4321"):                          "Dra.: Ana Lima|ana@x.com|(11) 98765-4321",
	} {
		typ := formType
		if body[0] == '{' || body[0] == '[' {
			typ = "application/json"
		}
		d := mustRead(t, typ, body)
		if got := d.Name + "|" + d.Email + "|" + d.Phone; got != want {
			t.Errorf("%s: %q, not %q", body, got, want)
		}
		if d.Company != "" {
			t.Errorf("%s: company %q", body, d.Company)
		}
	}
	if d := mustRead(t, formType, "email=ana@x.com&mensagem="+url.QueryEscape("Mensagem: ligar depois")); d.Message != "ligar depois" {
		t.Errorf("message %q", d.Message)
	}
}

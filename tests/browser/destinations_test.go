package browser

import (
	"testing"

	"fichario/tests/testkit/browsertest"
)

// TestSlowADestinationIsChosenAndTried: its fields appear once it is chosen, faults are shown beside their field, and
// the request is shown without its secret.
func TestSlowADestinationIsChosenAndTried(t *testing.T) {
	t.Parallel()
	glance(t, func(t *testing.T, p *place, b *browsertest.Browser) {
		p.send(t, "nome", "Iracema Vasconcelos", "email", "iracema@example.com", "empresa", "Padaria & Cia")
		b.Visit("/automacoes/nova")
		b.Fill("#nome", "Mandar ao Kommo")
		b.See("Pipedrive", "HubSpot", "Planilhas Google")
		b.Accessible()
		b.Click(`input[value="kommo"]`)
		b.See("Subdomínio da conta", "Quem já era contato no Kommo não ganha um lead novo")
		b.Fill(`[name="campo.kommo.account"]`, "minha conta")
		b.Fill(`[name="segredo.kommo.token"]`, "um-token-secreto")
		b.Accessible()
		b.Press("Guardar")
		b.See("é uma parte do nome do servidor")
		b.SeeNot("um-token-secreto")
		b.Accessible()
		b.Fill(`[name="campo.kommo.account"]`, "minha-conta")
		b.Fill(`[name="segredo.kommo.token"]`, "um-token-secreto")
		b.Press("Guardar")
		b.See("Automação criada", "Envia a Kommo", "minha-conta", "Se repetir")
		b.Press("Experimentar")
		b.See("Perguntaria antes se já existe", "GET https://minha-conta.kommo.com/api/v4/contacts", "Bearer ••••",
			"POST https://minha-conta.kommo.com/api/v4/leads/complex", "Iracema Vasconcelos – Padaria & Cia")
		b.SeeNot("um-token-secreto")
		b.Accessible()
		b.Press("Editar")
		b.See("Guardado. Preencha só para trocar.")
		b.Accessible()
	})
}

// TestSlowAPlatformIsToldOnlyWithAReason: the form asks for a consent or a purpose, beside the fields of the
// destination.
func TestSlowAPlatformIsToldOnlyWithAReason(t *testing.T) {
	t.Parallel()
	glance(t, func(t *testing.T, p *place, b *browsertest.Browser) {
		p.send(t, "nome", "Iracema Vasconcelos", "email", "iracema@example.com")
		b.Visit("/automacoes/nova")
		b.Fill("#nome", "Etapas à Meta")
		b.Choose("#evento", "contact.moved")
		b.Click(`input[value="meta-capi"]`)
		b.Fill(`[name="campo.meta-capi.dataset"]`, "1234567890123456")
		b.Fill(`[name="segredo.meta-capi.token"]`, "um-token-secreto")
		b.Press("Guardar")
		b.See("precisa do consentimento dela")
		b.Accessible()
		b.Fill(`[name="campo.meta-capi.consentimento"]`, "aceite_ofertas")
		b.Fill(`[name="segredo.meta-capi.token"]`, "um-token-secreto")
		b.Press("Guardar")
		b.See("Automação criada", "Só com consentimento", "aceite_ofertas")
		b.Press("Experimentar")
		b.See("nada enviado: sem consentimento no campo aceite_ofertas")
		b.Accessible()
	})
}

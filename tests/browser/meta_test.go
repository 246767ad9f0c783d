package browser

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"fichario/adapters/sandbox"
	"fichario/tests/testkit"
	"fichario/tests/testkit/browsertest"
	"fichario/tests/testkit/intaketest"
	"fichario/tests/testkit/lookuptest"
)

// TestSlowLeadsOfMetaAreConnected in the interface, in the three steps of the guide; the page says when the token ends,
// and another token brings in what waited.
func TestSlowLeadsOfMetaAreConnected(t *testing.T) {
	t.Parallel()
	testkit.OnBothDatabases(t, func(t *testing.T, env map[string]string) {
		m := intaketest.StartMeta(t)
		maps.Copy(env, m.Env("1s"))
		p := start(t, env)
		b := browsertest.StartBrowser(t, p.URL)
		b.SignIn(email, password)
		until := func(path, words string) {
			lookuptest.Eventually(t, path+" says "+words, func() bool {
				b.Visit(path)
				return browsertest.Eval[bool](b, fmt.Sprintf("document.body.innerText.includes(%q)", words))
			})
		}
		b.Visit("/webhooks/novo")
		b.Fill("#nome", "Anúncios")
		b.See("Segredo da assinatura")
		b.Click("input[value='meta']")
		b.See("Segredo do aplicativo")
		b.SeeNot("Página de agradecimento")
		b.Accessible()
		b.Fill("#segredo", sandbox.MetaSecret)
		b.Press("Guardar")
		b.See("precisa de um token de verificação")
		b.Accessible()
		b.Fill("#segredo", sandbox.MetaSecret)
		b.Fill("#verificacao", intaketest.MetaVerify)
		b.Press("Guardar")
		b.See("Siga os passos ao lado", "Conectar com a Meta", "Nenhuma ainda")
		page := b.Path()
		address := browsertest.Eval[string](b, "document.querySelector('main code').innerText.trim()")
		if err := m.Callback(t.Context(), address, intaketest.MetaVerify); err != nil {
			t.Fatal(err)
		}
		b.Fill("#token", "nenhum-token")
		b.Press("Conectar")
		b.See("A Meta recusou")
		b.Fill("#token", sandbox.MetaToken)
		b.Press("Conectar")
		b.See("Imobiliária Aurora", "Conectada", "Agende uma visita")
		b.Accessible()

		m.AddLeads(intaketest.MetaLead("Rita"))
		until("/contatos", "Rita "+intaketest.Surname)
		b.Press("Rita " + intaketest.Surname)
		b.Press("Abrir")
		b.See("Campanha", "Lançamento Aurora", "Conjunto de anúncios")
		b.SeeNot("campaign_name")
		b.See("Consentimentos", "Aceito receber ofertas por e-mail")
		b.Accessible()
		b.Press("Retirar")
		b.See("Consentimento retirado", "por Marina Tavares", "Registrar que consente", "consentimento “Aceito receber ofertas por e-mail” retirado")
		b.Accessible()

		m.KillToken()
		m.AddLeads(intaketest.MetaLead("Nina"))
		until(page, "Sem acesso")
		b.See("1 lead espera a busca")
		b.Accessible()
		b.Visit("/")
		b.See("Imobiliária Aurora")
		m.RenewToken("outro-token", 0)
		b.Visit(page)
		b.Fill("#token", "outro-token")
		b.Press("Conectar")
		b.See("Conectada")
		until("/contatos", "Nina "+intaketest.Surname)

		// What the form hides for another type is not kept.
		b.Visit(page + "/editar")
		b.Click("input[value='generic']")
		b.Press("Guardar")
		b.See("Webhook guardado")
		if kind := testkit.Run(t, env, "webhook", "show", strings.TrimPrefix(page, "/webhooks/")); !strings.Contains(kind, "generic") {
			t.Errorf("after the change of type: %s", kind)
		}
		walked.Add(1)
	})
}

// TestSlowLeadsOfLinkedInAreConnected in the interface: the form asks for the Client secret alone, LinkedIn checks the
// address when the token is pasted, and a lead comes in.
func TestSlowLeadsOfLinkedInAreConnected(t *testing.T) {
	t.Parallel()
	l := intaketest.StartLinkedIn(t)
	env := testkit.SQLite(t)
	env["FICHARIO_LINKEDIN_URL"], env["FICHARIO_META_READ_BACK"] = l.URL, "1s"
	b := browsertest.StartBrowser(t, start(t, env).URL)
	b.SignIn(email, password)
	b.Visit("/webhooks/novo")
	b.Fill("#nome", "Anúncios")
	b.Click("input[value='linkedin']")
	b.See("Client secret")
	b.SeeNot("Token de verificação")
	b.SeeNot("Página de agradecimento")
	b.Press("Guardar")
	b.See("precisa do segredo do aplicativo")
	b.Accessible()
	b.Fill("#segredo", "outro-segredo")
	b.Press("Guardar")
	b.See("Siga os passos ao lado", "Conectar com o LinkedIn", "Nenhuma ainda")
	page := b.Path()
	b.Fill("#token", sandbox.LinkedInToken)
	b.Press("Conectar")
	b.See("O LinkedIn recusou", "o mesmo Client secret")
	b.Visit(page + "/editar")
	b.Fill("#segredo", sandbox.LinkedInSecret)
	b.Press("Guardar")
	b.See("Webhook guardado")
	b.Fill("#token", sandbox.LinkedInToken)
	b.Press("Conectar")
	b.See("Imobiliária Aurora Anúncios", "Conectada", "Receba a planta", "Contas de anúncios")
	b.Accessible()
	l.AddLeads(t.Context(), sandbox.LinkedInLead{Fields: map[string]string{
		"FIRST_NAME": "Rita", "LAST_NAME": intaketest.Surname, "EMAIL": intaketest.Email("Rita"),
	}})
	lookuptest.Eventually(t, "the lead is a contact", func() bool {
		b.Visit("/contatos")
		return browsertest.Eval[bool](b, fmt.Sprintf("document.body.innerText.includes(%q)", "Rita "+intaketest.Surname))
	})
	walked.Add(1)
}

package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	outbound "fichario/adapters/automation"
	"fichario/app/automations"
	"fichario/domain/automation"
	"fichario/ports"
)

// made posts a form that must be accepted, and returns where it redirects.
func (v *visitor) made(path string, form url.Values) string {
	v.t.Helper()
	answer, _ := v.do(http.MethodPost, path, form)
	if answer.StatusCode != http.StatusSeeOther {
		v.t.Fatalf("%s: %d", path, answer.StatusCode)
	}
	return answer.Header.Get("Location")
}

// TestADestinationIsChosen: its fields are required, its secrets never shown again, and an edit keeps them.
func TestADestinationIsChosen(t *testing.T) {
	t.Parallel()
	v := openSite(t).visitor("Ana")
	lead := v.lead(url.Values{"nome": {"Bia"}, "email": {"bia@example.com"}})
	const secret = "pat-na1-segredo"
	form := url.Values{
		"acao": {"http"}, "nome": {"HubSpot"}, "destino": {"hubspot"}, "campo.hubspot.summary_property": {"consulta"},
		"campo.slack.nada": {"x"}, "segredo.telegram.token": {"123:ABC-do-bot"},
	}
	page := v.comesBack("/automacoes", form)
	has(t, "without its token", page, "Falta token", `name="destino" value="hubspot" checked`, `value="consulta"`,
		`id="segredo.hubspot.token"`, `aria-invalid="true"`)
	form.Set("campo.hubspot.summary_property", "Não Serve")
	form.Set("segredo.hubspot.token", secret)
	if page = v.comesBack("/automacoes", form); strings.Contains(page, secret) || strings.Contains(page, "ABC-do-bot") {
		t.Error("a secret is shown again")
	}
	has(t, "with a bad value", page, "summary_property não tem a forma", `value="Não Serve"`)
	form.Set("campo.hubspot.summary_property", "consulta")
	made := v.made("/automacoes", form)
	id := strings.TrimPrefix(made, "/automacoes/")
	action := func() automation.Action {
		a, err := v.store.Repos().Automations.Find(t.Context(), ports.AnyOrg, id)
		if err != nil {
			t.Fatal(err)
		}
		return a.Action
	}
	if a := action(); a.Destination != "hubspot" || a.Values["token"] != secret || a.URL != "" || a.Secret != "" {
		t.Errorf("made: %q %d", a.Destination, len(a.Values))
	}
	page = v.get(made + "?contato=" + lead)
	has(t, "the request", page,
		"POST https://api.hubapi.com/crm/v3/objects/contacts/batch/upsert", "Authorization: Bearer ••••",
		"bia@example.com")
	edit := v.get(made + "/editar")
	has(t, "edited", edit, `name="destino" value="hubspot" checked`,
		"Guardado. Preencha só para trocar.", `value="consulta"`)
	if strings.Contains(page+edit, secret) {
		t.Error("a page shows the secret")
	}
	form.Del("segredo.hubspot.token")
	form.Set("campo.hubspot.summary_property", "")
	v.made(made, form)
	if a := action(); a.Values["token"] != secret || a.Values["summary_property"] != "" {
		t.Error("an edit does not keep the token, or what it took out")
	}
}

// TestARequestOfACommandStays: the form can only keep it or give it up.
func TestARequestOfACommandStays(t *testing.T) {
	t.Parallel()
	v := openSite(t).visitor("Ana")
	rules := automations.New(v.store, time.Now, automations.Means{Destinations: outbound.Destinations{}})
	made, err := rules.Add(t.Context(), v.by, automations.NewAutomation{
		OrgID: v.by.OrgID(), Name: "ERP", Event: automation.ContactCreated, Action: automation.HTTP,
		URL: "https://erp.example.com/${ORG}", RequestForm: automations.RequestForm{
			Method: "PUT", Body: "{nome}", Values: map[string]string{"ORG": "segredo-da-org"},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	at := "/automacoes/" + made.ID
	page := v.get(at + "/editar")
	has(t, "the form", page, `name="destino" value="guardado" checked`)
	has(t, "the page", v.get(at), "PUT", "{nome}", "https://erp.example.com/${ORG}")
	v.made(at, url.Values{"acao": {"http"}, "nome": {"ERP novo"}, "destino": {"guardado"}})
	a, err := v.store.Repos().Automations.Find(t.Context(), ports.AnyOrg, made.ID)
	if err != nil || a.Name != "ERP novo" || a.Action.Values["ORG"] != "segredo-da-org" ||
		a.Action.Secret != made.Action.Secret {
		t.Errorf("%s, %v", a.Name, err)
	}
}

// TestASecretInAnAddress is only for the command: the form has no field for it, and says so beside the address.
func TestASecretInAnAddress(t *testing.T) {
	t.Parallel()
	v := openSite(t).visitor("Ana")
	page := v.comesBack("/automacoes", url.Values{"acao": {"http"}, "nome": {"ERP"}, "url": {"https://erp.example/${ORG}"}})
	has(t, "the form", page, `id="url-p"`, "fichario automation add", `value="https://erp.example/${ORG}"`)
}

// TestADestinationThatTellsStagesNeedsAReason: a field by which people consent or a purpose, and only moves.
func TestADestinationThatTellsStagesNeedsAReason(t *testing.T) {
	t.Parallel()
	v := openSite(t).visitor("Ana")
	lead := v.lead(url.Values{"nome": {"Bia"}, "email": {"bia@example.com"}})
	const consent, basis = "campo.meta-capi.consentimento", "campo.meta-capi.base"
	form := url.Values{
		"acao": {"http"}, "nome": {"Meta"}, "evento": {"contact.moved"}, "destino": {"meta-capi"},
		"campo.meta-capi.dataset": {"123"}, "segredo.meta-capi.token": {"t0k3n"},
	}
	has(t, "without a reason", v.comesBack("/automacoes", form), "precisa do consentimento dela", `id="`+consent+`-p"`)
	has(t, "with both", v.comesBack("/automacoes", form, consent, "aceite", basis, "marketing"), "Escolha um só",
		`id="`+basis+`-p"`, `value="aceite"`)
	has(t, "an unknown purpose", v.comesBack("/automacoes", form, basis, "marketing"), "Não há finalidade em vigor")
	has(t, "another event", v.comesBack("/automacoes", form, consent, "aceite", "evento", "contact.updated"),
		"escolha “Um contato muda de etapa”")
	form.Set(consent, "aceite_ofertas")
	made := v.made("/automacoes", form)
	a, err := v.store.Repos().Automations.Find(t.Context(), ports.AnyOrg, strings.TrimPrefix(made, "/automacoes/"))
	if want := (automation.Ground{Consent: "aceite_ofertas"}); err != nil || a.Action.Ground != want {
		t.Errorf("made with %+v, %v", a.Action.Ground, err)
	}
	has(t, "its page", v.get(made+"?contato="+lead), "Só com consentimento", "aceite_ofertas",
		"nada enviado: sem consentimento no campo aceite_ofertas")
	has(t, "edited", v.get(made+"/editar"), `value="aceite_ofertas"`)
	form.Del("segredo.meta-capi.token")
	v.made(made, form) // the token is kept
	form.Set("destino", "")
	form.Set("url", "https://erp.example/leads")
	v.made("/automacoes", form) // what is left from another choice does not count
}

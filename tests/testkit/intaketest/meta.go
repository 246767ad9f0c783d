package intaketest

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"fichario/adapters/sandbox"
	"fichario/tests/testkit"
)

// Meta is the stand-in for Meta's Graph API, and its address.
type Meta struct {
	*sandbox.Meta
	URL string
}

// StartMeta starts a stand-in for Meta.
func StartMeta(tb testing.TB) Meta {
	tb.Helper()
	m := sandbox.NewMeta()
	server := httptest.NewServer(m.MetaDoors())
	tb.Cleanup(server.Close)
	return Meta{m, server.URL}
}

// Env makes a service ask this Meta, and read its pages back every so often.
func (m Meta) Env(readBack string) map[string]string {
	return map[string]string{"FICHARIO_META_URL": m.URL, "FICHARIO_META_READ_BACK": readBack}
}

// MetaVerify is the verify token of a webhook that NewMetaHook makes.
const MetaVerify = "um-texto-combinado"

// NewMetaHook makes a webhook of Meta's.
func (o *Org) NewMetaHook(name string) Hook {
	o.tb.Helper()
	return o.platformHook(name, sandbox.MetaSecret, "--type", "meta", "--verify-token", MetaVerify)
}

func (o *Org) platformHook(name, secret string, more ...string) Hook {
	o.tb.Helper()
	o.Hide(secret)
	args := append([]string{"webhook", "create", "--org", o.ID, "--name", name, "--app-secret-stdin", "--json"}, more...)
	h := testkit.JSON[Hook](o.tb, testkit.RunInput(o.tb, secret+"\n", o.env, args...))
	o.Hide(h.Token)
	h.Path = PathOf(h.Token)
	return h
}

// ConnectedPage is what `meta connect` prints of a page.
type ConnectedPage struct {
	Pagina, Nome string
	Formularios  []struct {
		ID, Nome  string
		Perguntas []string
	}
}

// Connect connects a webhook with the pages of a token.
func (o *Org) Connect(h Hook, token string) []ConnectedPage {
	o.tb.Helper()
	o.Hide(token)
	out := testkit.RunInput(o.tb, token+"\n", o.env, "meta", "connect", "--webhook", h.ID, "--page-token-stdin", "--json")
	return testkit.JSON[[]ConnectedPage](o.tb, out)
}

// Announce posts a signed notification of leads.
func (o *Org) Announce(m Meta, h Hook, ids ...string) Answer {
	o.tb.Helper()
	body := m.Notification(ids...)
	return o.PostWith(h, string(body), map[string]string{
		"Content-Type": "application/json", "X-Hub-Signature-256": m.Sign(body),
	})
}

// PostWith posts a body with headers.
func (o *Org) PostWith(h Hook, body string, header map[string]string) Answer {
	o.tb.Helper()
	a, err := o.Send(o.tb.Context(), Request{Path: h.Path, Body: body, Header: header})
	if err != nil {
		o.tb.Error(err)
	}
	return a
}

// Challenge asks whether the address is a webhook's, with a verify token.
func (o *Org) Challenge(h Hook, verify string) (status int, text string) {
	o.tb.Helper()
	a, err := o.Send(o.tb.Context(), Request{
		Method: http.MethodGet, Path: h.Path + "?hub.mode=subscribe&hub.challenge=1158201444&hub.verify_token=" + verify,
	})
	if err != nil {
		o.tb.Error(err)
	}
	return a.Status, strings.TrimSpace(string(a.Body))
}

// MetaLead is a lead of the invented person with that name.
func MetaLead(name string) sandbox.MetaLead {
	return sandbox.MetaLead{Fields: map[string]string{
		"full_name": name + " " + Surname, "email": Email(name), "phone_number": PhoneE164, "cpf": "529.982.247-25",
		"qual_bairro_você_procura?": "Centro",
	}, Ticked: []string{"aceite_ofertas"}}
}

// Outcomes are the outcomes of a webhook's deliveries, and how many have each.
func (o *Org) Outcomes(h Hook) map[string]int {
	o.tb.Helper()
	out := map[string]int{}
	for _, d := range Read[[]struct{ Outcome string }](o, "webhook", "deliveries", h.ID) {
		out[d.Outcome]++
	}
	return out
}

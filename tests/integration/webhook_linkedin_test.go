package integration_test

import (
	"net/url"
	"strings"
	"testing"

	"fichario/adapters/sandbox"
	"fichario/tests/testkit"
	"fichario/tests/testkit/intaketest"
)

// linkedInLead is a lead of the invented person with that name.
func linkedInLead(name string) sandbox.LinkedInLead {
	return sandbox.LinkedInLead{Consent: true, Fields: map[string]string{
		"FIRST_NAME": name, "LAST_NAME": intaketest.Surname, "EMAIL": intaketest.Email(name),
		"PHONE_NUMBER": intaketest.PhoneE164, "tamanho": "1",
	}}
}

// TestLeadsOfLinkedIn: the account is subscribed after the challenge, a signed notification is noted, its lead fetched
// once for ever; what nobody announced comes in by reading back, and what waited for a token when there is a new one.
func TestLeadsOfLinkedIn(t *testing.T) {
	t.Parallel()
	testkit.OnSQLiteAndPooled(t, func(t *testing.T, env map[string]string) {
		l := intaketest.StartLinkedIn(t)
		o := intaketest.StartService(t, env, map[string]string{
			"FICHARIO_LINKEDIN_URL": l.URL, "FICHARIO_META_READ_BACK": "1s",
		}).Org(t)
		h := o.NewLinkedInHook("LinkedIn")
		accounts := o.ConnectLinkedIn(h, sandbox.LinkedInToken)
		if len(accounts) != 1 || len(accounts[0].Formularios) != 1 || len(l.Subscriptions()) != 1 {
			t.Fatalf("connected %+v, subscriptions %v", accounts, l.Subscriptions())
		}
		post := func(body, signature string) int {
			return o.PostWith(h, body, map[string]string{"Content-Type": "application/json", "X-LI-Signature": signature}).Status
		}
		body := string(l.Notification("f1-4", "CREATED"))
		if a, b := post(body, ""), post(body, l.Sign([]byte("x"))); a != 401 || b != 401 {
			t.Errorf("without a signature %d, with a wrong one %d", a, b)
		}
		for _, code := range []string{"hmacsha256=" + body, body, strings.Repeat("g", 36)} { // nobody may have a body signed
			a := o.Do(intaketest.Request{Method: "GET", Path: h.Path + "?challengeCode=" + url.QueryEscape(code)})
			if a.Status != 200 || strings.Contains(string(a.Body), "challenge") {
				t.Errorf("the challenge of %d characters is answered: %s", len(code), a)
			}
		}
		ids := l.AddLeads(t.Context(), linkedInLead("Ana"), sandbox.LinkedInLead{
			Fields: map[string]string{"FIRST_NAME": "Caio"},
		})
		outcomes(t, o, h, "recebido:1 recusado:3")
		again := l.Notification(ids[0], "CREATED")
		if status := post(string(again), l.Sign(again)); status != 200 {
			t.Errorf("announced again: %d", status)
		}
		list := o.Command("contact", "list", "--org", o.ID, "--json")
		if strings.Count(list, `"email"`) != 1 {
			t.Errorf("contacts: %s", list)
		}
		l.RenewToken("outro-token-lid")
		l.AddLeads(t.Context(), linkedInLead("Bia"))
		o.Eventually("the dead token is noticed", func() bool {
			return strings.Contains(o.Command("linkedin", "list", "--webhook", h.ID), "token_morto")
		})
		if failed := testkit.RunErr(t, o.Env(), "linkedin", "test", "--webhook", h.ID); !strings.Contains(failed.Stdout, "65602") {
			t.Errorf("tested with a dead token: %s", failed.Stdout)
		}
		o.ConnectLinkedIn(h, "outro-token-lid")
		outcomes(t, o, h, "recebido:2 recusado:3")
		o.Command("linkedin", "test", "--webhook", h.ID)
		o.Command("linkedin", "disconnect", "--webhook", h.ID)
		if len(l.Subscriptions()) != 0 {
			t.Errorf("still subscribed: %v", l.Subscriptions())
		}
		l.AddLeads(t.Context(), linkedInLead("Davi")) // nobody is told
		o.ConnectLinkedIn(h, "outro-token-lid")
		o.Command("linkedin", "backfill", "--webhook", h.ID, "--since", "1h")
		outcomes(t, o, h, "recebido:3 recusado:3")
	})
}

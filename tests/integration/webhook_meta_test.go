package integration_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"fichario/adapters/sandbox"
	"fichario/tests/testkit"
	"fichario/tests/testkit/intaketest"
	"fichario/tests/testkit/lookuptest"
)

// metaOrg is an organisation whose webhook is connected with the page of a stand-in for Meta.
func metaOrg(
	t *testing.T, env map[string]string, readBack string, more ...map[string]string,
) (*intaketest.Org, intaketest.Meta, intaketest.Hook) {
	t.Helper()
	m := intaketest.StartMeta(t)
	o := intaketest.StartService(t, env, append(more, m.Env(readBack))...).Org(t)
	h := o.NewMetaHook("Instagram")
	pages := o.Connect(h, sandbox.MetaToken)
	if len(pages) != 1 || len(pages[0].Formularios) != 1 || !m.Subscribed() {
		t.Fatalf("connected %+v, subscribed %t", pages, m.Subscribed())
	}
	return o, m, h
}

// outcomes waits until a webhook's deliveries have outcomes such as "perdido:1 recebido:2".
func outcomes(t *testing.T, o *intaketest.Org, h intaketest.Hook, want string) {
	t.Helper()
	o.Eventually("deliveries "+want, func() bool {
		return strings.Trim(strings.TrimPrefix(fmt.Sprint(o.Outcomes(h)), "map"), "[]") == want
	})
}

// TestLeadsOfMeta: a signed notification is noted, its leads are fetched with the words of their form, once for ever.
func TestLeadsOfMeta(t *testing.T) {
	t.Parallel()
	testkit.OnSQLiteAndPooled(t, func(t *testing.T, env map[string]string) {
		o, m, h := metaOrg(t, env, "1h")
		if status, text := o.Challenge(h, intaketest.MetaVerify); status != 200 || text != "1158201444" {
			t.Errorf("the challenge got %d %q", status, text)
		}
		if status, text := o.Challenge(h, h.Token); status != 401 || strings.Contains(text, "1158201444") {
			t.Errorf("a challenge with another verify token got %d %q", status, text)
		}
		asked := h.Path + "?hub.challenge=1&hub.verify_token=outro"
		if status := o.Do(intaketest.Request{Method: "HEAD", Path: asked}).Status; status != 401 {
			t.Errorf("a probe with another verify token got %d", status)
		}
		body := string(m.Notification("1"))
		for what, header := range map[string]map[string]string{
			"no signature":           intaketest.JSON,
			"a wrong signature":      {"Content-Type": "application/json", "X-Hub-Signature-256": m.Sign([]byte("x"))},
			"a signature with SHA-1": {"Content-Type": "application/json", "X-Hub-Signature": "sha1=0123"},
		} {
			if a := o.PostWith(h, body, header); a.Status != 401 {
				t.Errorf("%s got %s", what, a)
			}
		}
		ids := m.AddLeads(intaketest.MetaLead("Ana"), intaketest.MetaLead("Bia"),
			sandbox.MetaLead{Fields: map[string]string{
				"full_name": "Caio " + intaketest.Surname, "phone_number": intaketest.PhoneE164,
			}})
		for range 2 {
			if a := o.Announce(m, h, ids...); a.Status != 200 {
				t.Fatalf("the notification got %s", a)
			}
		}
		gone := m.AddLeads(intaketest.MetaLead("Davi"))
		m.RemoveLead(gone[0])
		o.Announce(m, h, gone...)
		outcomes(t, o, h, "perdido:1 recebido:2 recusado:4")
		if n := len(intaketest.Read[[]struct{}](o, "contact", "list", "--org", o.ID)); n != 2 {
			t.Errorf("%d contacts, want 2", n)
		}
		for _, since := range []string{"48h", "2026-01-01", "2026-01-01T00:00:00Z"} {
			o.Command("meta", "backfill", "--webhook", h.ID, "--since", since)
		}
		o.Command("meta", "backfill", "--webhook", h.ID)
		o.Command("meta", "test", "--webhook", h.ID)
		o.Refused("meta", "backfill", "--webhook", h.ID, "--since", "ontem")
		o.Announce(m, h, ids...)
		outcomes(t, o, h, "perdido:1 recebido:2 recusado:4")
		checkMetaContact(t, o)
		if out := o.Command("doctor"); !strings.Contains(out, "ok") {
			t.Errorf("doctor: %s", out)
		}
		const other = "outro-segredo"
		o.Hide(other)
		testkit.RunInput(t, other+"\n", o.Env(), "webhook", "set", h.ID, "--verify-token", "outro", "--app-secret-stdin")
		if status, _ := o.Challenge(h, "outro"); status != 200 {
			t.Errorf("the challenge with the new verify token got %d", status)
		}
		if a := o.Announce(m, h, ids...); a.Status != 401 {
			t.Errorf("a notification signed with the secret before got %s", a)
		}
	})
}

// checkMetaContact reads the contact Ana: the labels of questions and consents are in the note.
func checkMetaContact(t *testing.T, o *intaketest.Org) {
	t.Helper()
	for _, c := range intaketest.Read[[]struct{ ID, Nome, Email string }](o, "contact", "list", "--org", o.ID) {
		if !strings.HasPrefix(c.Nome, "Ana") {
			continue
		}
		out := o.Command("contact", "show", c.ID, "--json")
		for _, want := range []string{
			"Qual bairro você procura?: Centro", "Aceito receber ofertas por e-mail: sim", "52998224725", intaketest.PhoneE164,
		} {
			if !strings.Contains(out, want) {
				t.Errorf("the contact has no %q", want)
			}
		}
		return
	}
	t.Error("there is no contact Ana")
}

// TestSlowLeadsOfMetaThatNobodyAnnounced come in by reading back; those of a time without a token wait, and the dead
// token is not asked again for each.
func TestSlowLeadsOfMetaThatNobodyAnnounced(t *testing.T) {
	t.Parallel()
	testkit.OnBothDatabases(t, func(t *testing.T, env map[string]string) {
		box := intaketest.StartMailServer(t)
		o, m, h := metaOrg(t, env, "1s", map[string]string{"FICHARIO_SMTP_URL": box.URL})
		o.Member("Helena", "owner")
		m.AddLeads(intaketest.MetaLead("Ana"))
		outcomes(t, o, h, "recebido:1")
		m.KillToken()
		var waiting []string
		for i := range 20 {
			waiting = append(waiting, m.AddLeads(intaketest.MetaLead(fmt.Sprint("Bia", i)))...)
		}
		o.Announce(m, h, waiting[:15]...)
		outcomes(t, o, h, "aguardando:15 recebido:1")
		o.Eventually("the dead token is noticed", func() bool {
			return intaketest.Read[[]struct{ Estado string }](o, "meta", "list", "--webhook", h.ID)[0].Estado == "token_morto"
		})
		if n := m.Calls("")["lead"]; n > 9 { // eight at once, and one before
			t.Errorf("%d leads were asked for with a dead token", n)
		}
		if !strings.Contains(o.Command("notification", "list", "--org", o.ID, "--json"), "na Meta acabou") {
			t.Error("the team was not told")
		}
		if out := testkit.RunErr(t, o.Env(), "doctor"); out.Code != 1 {
			t.Errorf("doctor with a dead token: %+v", out)
		}
		lookuptest.Eventually(t, "the metrics tell of the token and the leads that wait", func() bool {
			a, err := o.Send(t.Context(), intaketest.Request{Method: "GET", Path: "/metrics"})
			return err == nil && strings.Contains(string(a.Body), "\nfichario_leads_waiting 15\n") &&
				strings.Contains(string(a.Body), "\nfichario_source_token_expires_seconds 0\n")
		})
		m.RenewToken("outro-token", time.Now().Add(48*time.Hour).Unix())
		o.Connect(h, "outro-token")
		outcomes(t, o, h, "recebido:21")
		o.Eventually("the team hears that the token ends in two days", func() bool {
			return strings.Contains(o.Command("notification", "list", "--org", o.ID, "--json"), "na Meta acaba em")
		})
		lookuptest.Eventually(t, "owners are mailed once of each", func() bool {
			news := 0
			for _, mail := range box.To(o.MemberEmail("Helena")) {
				if strings.Contains(mail.Subject, "Leads de anúncios") {
					news++
				}
			}
			return news == 2
		})
		m.Forbid("leads_retrieval")
		m.AddLeads(intaketest.MetaLead("Davi"))
		o.Eventually("a missing permission is noticed", func() bool {
			return intaketest.Read[[]struct{ Estado string }](o, "meta", "list", "--webhook", h.ID)[0].Estado == "sem_permissao"
		})
		m.Forbid()
		outcomes(t, o, h, "recebido:22")
		m.Limit(2, 80005, 0)
		o.Announce(m, h, m.AddLeads(intaketest.MetaLead("Eva"))...)
		outcomes(t, o, h, "recebido:23")
	})
}

package app_test

import (
	"strings"
	"testing"
	"time"

	"fichario/app"
	intakeapp "fichario/app/intake"
	"fichario/app/lookups"
	"fichario/app/team"
	"fichario/domain/crm"
	"fichario/domain/intake"
	"fichario/domain/intake/fields"
	"fichario/domain/webhook"
)

// TestNewWebhooksAreHeldToTheirForm: a form with one fault is refused at that field.
func TestNewWebhooksAreHeldToTheirForm(t *testing.T) {
	t.Parallel()
	s := inMemory(t)
	must(s.origins.Add(t.Context(), app.Operator(), s.orgID, "Rádio"))
	for _, c := range []struct {
		change func(*intakeapp.NewWebhook)
		want   string
	}{
		{func(*intakeapp.NewWebhook) {}, ""},
		{func(n *intakeapp.NewWebhook) { n.Name = "\t" }, "requisicao_invalida name"},
		{func(n *intakeapp.NewWebhook) { n.Kind = "zapier" }, "requisicao_invalida type"},
		{func(n *intakeapp.NewWebhook) { n.Band = "média" }, "requisicao_invalida bands"},
		{func(n *intakeapp.NewWebhook) { n.Signature.Secret = "sem esquema" }, "requisicao_invalida secret"},
		{func(n *intakeapp.NewWebhook) { n.Signature.Scheme = webhook.HMACScheme }, "requisicao_invalida secret"},
		{func(n *intakeapp.NewWebhook) { n.ThanksURL = "javascript:alert(1)" }, "requisicao_invalida thanksUrl"},
		{func(n *intakeapp.NewWebhook) { n.ThanksURL = "https://ana:senha@x.example" }, "requisicao_invalida thanksUrl"},
		{func(n *intakeapp.NewWebhook) { n.ThanksURL = "https://x.example/obrigado" }, ""},
		{func(n *intakeapp.NewWebhook) { n.EmailKey = "a\x01b" }, "requisicao_invalida emailKey"},
		{func(n *intakeapp.NewWebhook) { n.Origin = "RADIO" }, ""},
		{func(n *intakeapp.NewWebhook) { n.Origin = "Feira" }, "requisicao_invalida origin"},
		{func(n *intakeapp.NewWebhook) { n.OrgID = lookups.NewKeyID() }, "nao_encontrado org"},
	} {
		n := intakeapp.NewWebhook{OrgID: s.orgID, Name: "Site", Options: intake.Options{Kind: intake.Generic}}
		c.change(&n)
		hook, token, err := s.webhooks.Create(t.Context(), app.Operator(), n)
		equal(t, "a webhook", said(err), c.want)
		if err != nil {
			continue
		}
		shown := must(s.webhooks.Show(t.Context(), app.Operator(), hook.ID))
		equal(t, "its token", shown.Token.Reveal(), token.Reveal())
		equal(t, "it takes posts and reads bands as", shown.Enabled && shown.Band == fields.BandZero, true)
		equal(t, "its origin", strings.EqualFold(shown.Origin, n.Origin) || shown.Origin == "Rádio", true)
	}
	equal(t, "webhooks", len(must(s.webhooks.List(t.Context(), app.Operator(), s.orgID))), 3)
}

// TestAPostSeesAChangeAtOnce, whatever is changed about a webhook or around it.
func TestAPostSeesAChangeAtOnce(t *testing.T) {
	t.Parallel()
	s := inMemory(t)
	owner, ze := s.add("dona", crm.Owner), s.add("ze", crm.Common)
	hook := s.hook(webhook.Signature{})
	token := must(s.webhooks.Show(t.Context(), owner, hook.ID)).Token.Reveal()
	opened := func() webhook.Hook { return must(s.intake.Open(t.Context(), token)) }
	update := func(c intakeapp.Change) { t.Helper(); done(s.webhooks.Update(t.Context(), owner, hook.ID, c)) }

	update(intakeapp.Change{Enabled: at(false), Kind: at(intake.FormService), ThanksURL: at("https://x.example")})
	got := opened()
	equal(t, "settings", !got.Enabled && got.Kind == intake.FormService && got.ThanksURL == "https://x.example", true)
	radio := must(s.origins.Add(t.Context(), owner, s.orgID, "Rádio"))
	equal(t, "an origin", len(opened().Origins), 1)
	update(intakeapp.Change{Origin: at("rádio")})
	equal(t, "the fixed one", opened().OriginID, radio.ID)
	done(s.members.Update(t.Context(), owner, ze.MemberID(), team.MemberChange{Active: at(false)}))
	equal(t, "members", len(opened().Members), 1)
	done(s.funnels.PlaceStage(t.Context(), owner, s.funnel(owner).ID, s.funnel(owner).Stages[1].ID, 0))
	equal(t, "the entry stage", opened().Entry.Name, "Em contato")
	for what, c := range map[string]intakeapp.Change{
		"name": {Name: at("")}, "origin": {Origin: at("Feira")}, "type": {Kind: at(intake.Kind("x"))},
		"secret": {Signature: &webhook.Signature{Scheme: "x", Secret: "12345678"}}, "thanksUrl": {ThanksURL: at("x")},
		"emailKey": {EmailKey: at(strings.Repeat("k", 121))},
	} {
		equal(t, "a wrong change", said(s.webhooks.Update(t.Context(), owner, hook.ID, c)), "requisicao_invalida "+what)
	}
	equal(t, "after the wrong ones", opened().Name+opened().ThanksURL, "Sitehttps://x.example")
}

// TestANewAddress: the old one ends at once, or after its grace.
func TestANewAddress(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *setting) {
		hook := s.hook(webhook.Signature{})
		token := func() string { return must(s.webhooks.Show(t.Context(), app.Operator(), hook.ID)).Token.Reveal() }
		open := func(token string) string { _, err := s.intake.Open(t.Context(), token); return said(err) }
		regenerate := func(grace time.Duration) error {
			return s.webhooks.Regenerate(t.Context(), app.Operator(), hook.ID, grace)
		}
		first := token()
		equal(t, "less than no grace", said(regenerate(-1)), "requisicao_invalida grace")
		equal(t, "more than a secret of a key has", said(regenerate(30*day+1)), "requisicao_invalida grace")
		done(regenerate(time.Hour))
		second := token()
		time.Sleep(time.Hour - time.Second)
		equal(t, "within its grace", open(first)+open(second), "")
		time.Sleep(time.Second)
		equal(t, "after it", open(first), "webhook_desconhecido")
		done(regenerate(0))
		equal(t, "at once", open(second), "webhook_desconhecido")
		equal(t, "the newest", open(token()), "")
		equal(t, "what cannot be a token", open("x"), "webhook_desconhecido")
	})
}

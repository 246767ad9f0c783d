package portstest

import (
	"testing"
	"time"

	"fichario/domain/crm"
	"fichario/domain/intake"
	"fichario/domain/intake/fields"
	"fichario/domain/webhook"
	"fichario/ports"
)

func webhooks(t *testing.T, s ports.Store) {
	ctx, repos, o := t.Context(), s.Repos(), org(t, s)
	origin := crm.Origin{ID: id(), OrgID: o.ID, Name: "Google"}
	must(t, repos.Origins.Create(ctx, origin))
	w, token := hook(t, s, o.ID)
	later, _ := hook(t, s, o.ID)
	got, gotToken, err := repos.Webhooks.Find(ctx, w.ID)
	must(t, err)
	same(t, "webhook", got, w)
	same(t, "its token", gotToken.Reveal(), token.Reveal())
	list, err := repos.Webhooks.List(ctx, o.ID)
	must(t, err)
	same(t, "webhooks, oldest first", list, []webhook.Webhook{w, later})
	_, _, err = repos.Webhooks.Find(ctx, id())
	wantErr(t, "unknown webhook", err, ports.ErrNotFound)

	w.Name, w.Enabled, w.OriginID, w.Kind, w.Band = "Formulário", false, origin.ID, intake.FormService, fields.BandUpper
	w.Signature, w.ThanksURL = webhook.Signature{Scheme: webhook.HMACScheme,
		Secret: "segredo-de-teste", Header: "x-assinatura"}, "https://example.com/obrigado"
	must(t, repos.Webhooks.Update(ctx, w))
	got, _, err = repos.Webhooks.Find(ctx, w.ID)
	must(t, err)
	same(t, "changed webhook", got, w)
	w.OriginID, w.Enabled, w.ThanksURL = "", true, ""
	must(t, repos.Webhooks.Update(ctx, w))
	got, _, err = repos.Webhooks.Find(ctx, w.ID)
	must(t, err)
	same(t, "webhook changed back", got, w)
	wantErr(t, "change of an unknown webhook",
		repos.Webhooks.Update(ctx, webhook.Webhook{ID: id(), OrgID: o.ID, Options: w.Options}), ports.ErrNotFound)

	twice := w
	twice.ID = id()
	wantErr(t, "a token that there is", repos.Webhooks.Create(ctx, twice, token), ports.ErrExists)
	_, _, err = repos.Webhooks.Find(ctx, twice.ID)
	wantErr(t, "and no webhook without one", err, ports.ErrNotFound)

	second := webhook.NewToken()
	must(t, s.InTx(ctx, func(r ports.Repos) error { return r.Webhooks.SetToken(ctx, w.ID, second, at.Add(time.Hour)) }))
	_, gotToken, err = repos.Webhooks.Find(ctx, w.ID)
	must(t, err)
	same(t, "its new token", gotToken.Reveal(), second.Reveal())
}

func opening(t *testing.T, s ports.Store) {
	ctx, repos, o := t.Context(), s.Repos(), org(t, s)
	funnel := funnelOf(t, s, o.ID, true, "Novo", "Ganho")
	w, token := hook(t, s, o.ID)
	open := func(token webhook.Token, now time.Time) webhook.Hook {
		t.Helper()
		h, err := repos.Webhooks.Open(ctx, token, now)
		must(t, err)
		return h
	}
	_, err := repos.Webhooks.Open(ctx, webhook.NewToken(), at)
	wantErr(t, "unknown token", err, ports.ErrNotFound)
	want := webhook.Hook{Webhook: w, Funnel: funnel.Name, Entry: funnel.Stages[0]}
	same(t, "hook", open(token, at), want)
	hookOf := func() webhook.Hook {
		t.Helper()
		h, err := repos.Webhooks.HookOf(ctx, w.ID)
		must(t, err)
		return h
	}
	same(t, "hook by its id", hookOf(), want)
	_, err = repos.Webhooks.HookOf(ctx, id())
	wantErr(t, "hook of an unknown webhook", err, ports.ErrNotFound)

	// The very next post sees each change.
	m := member(t, s, o.ID, crm.Owner, true)
	member(t, s, o.ID, crm.Owner, false)
	got := open(token, at)
	same(t, "active members", len(got.Members), 1)
	same(t, "member", [2]string{got.Members[0].ID, string(got.Members[0].Role)}, [2]string{m.ID, string(m.Role)})
	same(t, "since when", got.Members[0].CreatedAt, m.CreatedAt)
	origin := crm.Origin{ID: id(), OrgID: o.ID, Name: "Google"}
	must(t, repos.Origins.Create(ctx, origin))
	same(t, "origins", open(token, at).Origins, []crm.Origin{origin})
	w.Enabled, w.Name, w.OriginID = false, "Outro", origin.ID
	must(t, repos.Webhooks.Update(ctx, w))
	same(t, "changed webhook", open(token, at).Webhook, w)
	same(t, "changed webhook by its id", hookOf(), open(token, at))

	second := webhook.NewToken()
	must(t, s.InTx(ctx, func(r ports.Repos) error { return r.Webhooks.SetToken(ctx, w.ID, second, at.Add(time.Hour)) }))
	same(t, "old token in its grace", open(token, at.Add(59*time.Minute)).ID, w.ID)
	same(t, "new token", open(second, at.Add(2*time.Hour)).ID, w.ID)
	_, err = repos.Webhooks.Open(ctx, token, at.Add(time.Hour))
	wantErr(t, "old token after its end", err, ports.ErrNotFound)
	third := webhook.NewToken()
	must(t, s.InTx(ctx, func(r ports.Repos) error { return r.Webhooks.SetToken(ctx, w.ID, third, at.Add(2*time.Hour)) }))
	_, err = repos.Webhooks.Open(ctx, token, at.Add(90*time.Minute))
	wantErr(t, "an ended token does not come back", err, ports.ErrNotFound)

	// Nothing of other organisations is seen.
	foreign := org(t, s)
	funnelOf(t, s, foreign.ID, true, "De outros")
	_, theirs := hook(t, s, foreign.ID)
	same(t, "another organisation's origins and members", len(open(theirs, at).Origins)+len(open(theirs, at).Members), 0)
}

package intake

import (
	"context"
	"testing"
	"time"

	"fichario/domain/crm"
	"fichario/domain/intake"
	"fichario/domain/intake/fields"
	"fichario/domain/webhook"
	"fichario/ports"
	"fichario/ports/portstest/kit"
)

func webhooks(t *testing.T, s ports.Store) {
	ctx, repos, o := t.Context(), s.Repos(), kit.Org(t, s)
	origin := crm.Origin{ID: kit.ID(), OrgID: o.ID, Name: "Google"}
	kit.Must(t, repos.Origins.Create(ctx, origin))
	w, token := kit.Hook(t, s, o.ID)
	later, _ := kit.Hook(t, s, o.ID)
	got, gotToken, err := repos.Webhooks.Find(ctx, ports.AnyOrg, w.ID)
	kit.Must(t, err)
	kit.Same(t, "webhook", got, w)
	kit.Same(t, "its token", gotToken.Reveal(), token.Reveal())
	list, err := repos.Webhooks.List(ctx, o.ID)
	kit.Must(t, err)
	kit.Same(t, "webhooks, oldest first", list, []webhook.Webhook{w, later})
	_, _, err = repos.Webhooks.Find(ctx, ports.AnyOrg, kit.ID())
	kit.WantErr(t, "unknown webhook", err, ports.ErrNotFound)

	w.Name, w.Enabled, w.OriginID, w.Kind, w.Band = "Formulário", false, origin.ID, intake.FormService, fields.BandUpper
	w.EmailKey = "para quem"
	w.Signature, w.ThanksURL = webhook.Signature{Scheme: webhook.HMACScheme,
		Secret: "segredo-de-teste", Header: "x-assinatura"}, "https://example.com/obrigado"
	kit.Must(t, repos.Webhooks.Update(ctx, w, kit.At))
	got, _, err = repos.Webhooks.Find(ctx, ports.AnyOrg, w.ID)
	kit.Must(t, err)
	kit.Same(t, "changed webhook", got, w)
	w.OriginID, w.Enabled, w.ThanksURL, w.EmailKey = "", true, "", ""
	kit.Must(t, repos.Webhooks.Update(ctx, w, kit.At))
	got, _, err = repos.Webhooks.Find(ctx, ports.AnyOrg, w.ID)
	kit.Must(t, err)
	kit.Same(t, "webhook changed back", got, w)
	kit.WantErr(t, "change of an unknown webhook",
		repos.Webhooks.Update(ctx, webhook.Webhook{ID: kit.ID(), OrgID: o.ID, Options: w.Options}, kit.At), ports.ErrNotFound)

	twice := w
	twice.ID = kit.ID()
	kit.WantErr(t, "a token that there is", repos.Webhooks.Create(ctx, twice, token), ports.ErrExists)
	_, _, err = repos.Webhooks.Find(ctx, ports.AnyOrg, twice.ID)
	kit.WantErr(t, "and no webhook without one", err, ports.ErrNotFound)

	second := webhook.NewToken()
	kit.Must(t, s.InTx(ctx, func(ctx context.Context, r ports.Repos) error {
		return r.Webhooks.SetToken(ctx, w.ID, second,
			kit.At.Add(time.Hour))
	}))
	_, gotToken, err = repos.Webhooks.Find(ctx, ports.AnyOrg, w.ID)
	kit.Must(t, err)
	kit.Same(t, "its new token", gotToken.Reveal(), second.Reveal())
}

func opening(t *testing.T, s ports.Store) {
	ctx, repos, o := t.Context(), s.Repos(), kit.Org(t, s)
	funnel := kit.FunnelOf(t, s, o.ID, true, "Novo", "Ganho")
	w, token := kit.Hook(t, s, o.ID)
	open := func(token webhook.Token, now time.Time) webhook.Hook {
		t.Helper()
		h, err := repos.Webhooks.Open(ctx, token, now)
		kit.Must(t, err)
		return h
	}
	_, err := repos.Webhooks.Open(ctx, webhook.NewToken(), kit.At)
	kit.WantErr(t, "unknown token", err, ports.ErrNotFound)
	want := webhook.Hook{Webhook: w, Funnel: funnel.Name, Entry: funnel.Stages[0]}
	kit.Same(t, "hook", open(token, kit.At), want)
	hookOf := func() webhook.Hook {
		t.Helper()
		h, err := repos.Webhooks.HookOf(ctx, ports.AnyOrg, w.ID)
		kit.Must(t, err)
		return h
	}
	kit.Same(t, "hook by its id", hookOf(), want)
	_, err = repos.Webhooks.HookOf(ctx, ports.AnyOrg, kit.ID())
	kit.WantErr(t, "hook of an unknown webhook", err, ports.ErrNotFound)

	// The very next post sees each change.
	m := kit.Member(t, s, o.ID, crm.Owner, true)
	kit.Member(t, s, o.ID, crm.Owner, false)
	got := open(token, kit.At)
	kit.Same(t, "active members", len(got.Members), 1)
	kit.Same(t, "member", [2]string{got.Members[0].ID, string(got.Members[0].Role)}, [2]string{m.ID, string(m.Role)})
	kit.Same(t, "since when", got.Members[0].CreatedAt, m.CreatedAt)
	origin := crm.Origin{ID: kit.ID(), OrgID: o.ID, Name: "Google"}
	kit.Must(t, repos.Origins.Create(ctx, origin))
	kit.Same(t, "origins", open(token, kit.At).Origins, []crm.Origin{origin})
	w.Enabled, w.Name, w.OriginID = false, "Outro", origin.ID
	kit.Must(t, repos.Webhooks.Update(ctx, w, kit.At))
	kit.Same(t, "changed webhook", open(token, kit.At).Webhook, w)
	kit.Same(t, "changed webhook by its id", hookOf(), open(token, kit.At))

	second := webhook.NewToken()
	kit.Must(t, s.InTx(ctx, func(ctx context.Context, r ports.Repos) error {
		return r.Webhooks.SetToken(ctx, w.ID, second,
			kit.At.Add(time.Hour))
	}))
	kit.Same(t, "old token in its grace", open(token, kit.At.Add(59*time.Minute)).ID, w.ID)
	kit.Same(t, "new token", open(second, kit.At.Add(2*time.Hour)).ID, w.ID)
	_, err = repos.Webhooks.Open(ctx, token, kit.At.Add(time.Hour))
	kit.WantErr(t, "old token after its end", err, ports.ErrNotFound)
	third := webhook.NewToken()
	kit.Must(t, s.InTx(ctx, func(ctx context.Context, r ports.Repos) error {
		return r.Webhooks.SetToken(ctx, w.ID, third,
			kit.At.Add(2*time.Hour))
	}))
	_, err = repos.Webhooks.Open(ctx, token, kit.At.Add(90*time.Minute))
	kit.WantErr(t, "an ended token does not come back", err, ports.ErrNotFound)

	// Nothing of other organisations is seen.
	foreign := kit.Org(t, s)
	kit.FunnelOf(t, s, foreign.ID, true, "De outros")
	_, theirs := kit.Hook(t, s, foreign.ID)
	kit.Same(t, "another organisation's origins and members", len(open(theirs, kit.At).Origins)+len(open(theirs,
		kit.At).Members), 0)
}

package portstest

import (
	"testing"

	"fichario/domain/automation"
	"fichario/domain/crm"
	"fichario/ports"
)

func origins(t *testing.T, s ports.Store) {
	ctx, repos, o, other := t.Context(), s.Repos(), org(t, s), org(t, s)
	indication := crm.Origin{ID: id(), OrgID: o.ID, Name: "Indicação"}
	google := crm.Origin{ID: id(), OrgID: o.ID, Name: "Google Ads"}
	must(t, repos.Origins.Create(ctx, indication))
	must(t, repos.Origins.Create(ctx, google))
	must(t, repos.Origins.Create(ctx, crm.Origin{ID: id(), OrgID: other.ID, Name: "INDICACAO"}))
	again := crm.Origin{ID: id(), OrgID: o.ID, Name: "INDICACAO"}
	wantErr(t, "an origin that differs by case and accents", repos.Origins.Create(ctx, again), ports.ErrExists)
	list := func(what string, want ...crm.Origin) {
		t.Helper()
		got, err := repos.Origins.List(ctx, o.ID)
		must(t, err)
		same(t, what, got, want)
	}
	list("origins by name", google, indication)

	google.Name = "Pesquisa"
	must(t, repos.Origins.Rename(ctx, google))
	list("a renamed origin", indication, google)
	taken := crm.Origin{ID: google.ID, OrgID: o.ID, Name: "INDICACAO"}
	wantErr(t, "a name that another has", repos.Origins.Rename(ctx, taken), ports.ErrExists)
	theirs := crm.Origin{ID: google.ID, OrgID: other.ID, Name: "x"}
	wantErr(t, "another organisation's origin renamed", repos.Origins.Rename(ctx, theirs), ports.ErrNotFound)
	wantErr(t, "another organisation's origin removed", repos.Origins.Remove(ctx, theirs), ports.ErrNotFound)

	stage := funnelOf(t, s, o.ID, true, "Novo").Stages[0].ID
	made(t, s, crm.Contact{OrgID: o.ID, Name: "Bia", Email: "bia@example.com", StageID: stage, OriginID: indication.ID})
	wantErr(t, "an origin that contacts have", repos.Origins.Remove(ctx, indication), ports.ErrExists)
	w, _ := hook(t, s, o.ID)
	w.OriginID = google.ID
	must(t, repos.Webhooks.Update(ctx, w))
	wantErr(t, "an origin that a webhook has", repos.Origins.Remove(ctx, google), ports.ErrExists)
	w.OriginID = ""
	must(t, repos.Webhooks.Update(ctx, w))
	rule := automation.Automation{
		ID: id(), OrgID: o.ID, Name: "Nota", Event: automation.ContactCreated,
		Conditions: automation.Conditions{OriginID: google.ID},
		Action:     automation.Action{Kind: automation.AddNote, Text: "Oi"}, CreatedAt: at,
	}
	must(t, repos.Automations.Create(ctx, rule))
	wantErr(t, "an origin that an automation has", repos.Origins.Remove(ctx, google), ports.ErrExists)
	rule.Conditions.OriginID = ""
	must(t, repos.Automations.Update(ctx, rule))
	must(t, repos.Origins.Remove(ctx, google))
	list("what is left", indication)
}

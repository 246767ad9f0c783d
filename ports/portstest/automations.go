package portstest

import (
	"testing"

	"fichario/domain/automation"
	"fichario/domain/crm"
	"fichario/ports"
)

func automations(t *testing.T, s ports.Store) {
	ctx, repos, o := t.Context(), s.Repos(), org(t, s)
	w, _ := hook(t, s, o.ID)
	origin := crm.Origin{ID: id(), OrgID: o.ID, Name: "Google"}
	must(t, repos.Origins.Create(ctx, origin))
	rule := automation.Automation{
		ID: id(), OrgID: o.ID, Name: "Avisar", Event: automation.ContactCreated, Enabled: true,
		Conditions: automation.Conditions{OriginID: origin.ID, WebhookID: w.ID, MinAmount: 10_0000},
		Action:     automation.Action{Kind: automation.HTTP, URL: "https://example.com/x", Secret: "whsec_dGVzdGU="},
		CreatedAt:  at,
	}
	simple := automation.Automation{
		ID: id(), OrgID: o.ID, Name: "Nota", Event: automation.ContactCreated,
		Action: automation.Action{Kind: automation.AddNote, Text: "Oi"}, CreatedAt: at,
	}
	must(t, repos.Automations.Create(ctx, rule))
	must(t, repos.Automations.Create(ctx, simple))
	got, err := repos.Automations.Find(ctx, rule.ID)
	must(t, err)
	same(t, "automation", got, rule)
	list, err := repos.Automations.List(ctx, o.ID)
	must(t, err)
	same(t, "automations, oldest first", list, []automation.Automation{rule, simple})
	edited := rule
	edited.Name, edited.Conditions = "Outro nome", automation.Conditions{MinAmount: 7}
	edited.Action = automation.Action{Kind: automation.AddNote, Text: "texto"}
	must(t, repos.Automations.Update(ctx, edited))
	found, err := repos.Automations.Find(ctx, rule.ID)
	must(t, err)
	same(t, "edited", found, edited)
	must(t, repos.Automations.Update(ctx, rule))
	unknown := rule
	unknown.ID = id()
	wantErr(t, "an unknown one edited", repos.Automations.Update(ctx, unknown), ports.ErrNotFound)
	edited.Event, edited.Conditions.When = automation.LookupCompleted, ".campos.score >= 600"
	must(t, repos.Automations.Update(ctx, edited))
	listens := func(event automation.EventName, want bool) {
		t.Helper()
		yes, err := repos.Automations.Listens(ctx, o.ID, event)
		must(t, err)
		same(t, "somebody listens to "+string(event), yes, want)
	}
	listens(automation.LookupCompleted, true)
	listens(automation.ContactCreated, false) // the other one is disabled
	must(t, repos.Automations.Update(ctx, rule))
	listens(automation.LookupCompleted, false)
	must(t, repos.Automations.SetEnabled(ctx, rule.ID, false))
	listens(automation.ContactCreated, false)
	got, err = repos.Automations.Find(ctx, rule.ID)
	must(t, err)
	same(t, "enabled", got.Enabled, false)
	wantErr(t, "unknown automation", repos.Automations.SetEnabled(ctx, id(), true), ports.ErrNotFound)
	_, err = repos.Automations.Find(ctx, id())
	wantErr(t, "unknown automation", err, ports.ErrNotFound)
}

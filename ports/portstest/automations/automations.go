package automations

import (
	"testing"

	"fichario/domain/automation"
	"fichario/domain/crm"
	"fichario/ports"
	"fichario/ports/portstest/kit"
)

func automations(t *testing.T, s ports.Store) {
	ctx, repos, o := t.Context(), s.Repos(), kit.Org(t, s)
	w, _ := kit.Hook(t, s, o.ID)
	origin := crm.Origin{ID: kit.ID(), OrgID: o.ID, Name: "Google"}
	kit.Must(t, repos.Origins.Create(ctx, origin))
	rule := automation.Automation{
		ID: kit.ID(), OrgID: o.ID, Name: "Avisar", Event: automation.ContactCreated, Enabled: true,
		Conditions: automation.Conditions{OriginID: origin.ID, WebhookID: w.ID, MinAmount: 10_0000},
		Action:     automation.Action{Kind: automation.HTTP, URL: "https://example.com/x", Secret: "whsec_dGVzdGU="},
		CreatedAt:  kit.At,
	}
	simple := automation.Automation{
		ID: kit.ID(), OrgID: o.ID, Name: "Nota", Event: automation.ContactCreated,
		Action: automation.Action{Kind: automation.AddNote, Text: "Oi"}, CreatedAt: kit.At,
	}
	kit.Must(t, repos.Automations.Create(ctx, rule))
	kit.Must(t, repos.Automations.Create(ctx, simple))
	got, err := repos.Automations.Find(ctx, ports.AnyOrg, rule.ID)
	kit.Must(t, err)
	kit.Same(t, "automation", got, rule)
	list, err := repos.Automations.List(ctx, o.ID)
	kit.Must(t, err)
	kit.Same(t, "automations, oldest first", list, []automation.Automation{rule, simple})
	edited := rule
	edited.Name, edited.Conditions = "Outro nome", automation.Conditions{MinAmount: 7}
	edited.Action = automation.Action{Kind: automation.AddNote, Text: "texto"}
	kit.Must(t, repos.Automations.Update(ctx, edited))
	found, err := repos.Automations.Find(ctx, ports.AnyOrg, rule.ID)
	kit.Must(t, err)
	kit.Same(t, "edited", found, edited)
	kit.Must(t, repos.Automations.Update(ctx, rule))
	unknown := rule
	unknown.ID = kit.ID()
	kit.WantErr(t, "an unknown one edited", repos.Automations.Update(ctx, unknown), ports.ErrNotFound)
	edited.Event, edited.Conditions.When = automation.LookupCompleted, ".campos.score >= 600"
	kit.Must(t, repos.Automations.Update(ctx, edited))
	listens := func(event automation.EventName, want bool) {
		t.Helper()
		yes, err := repos.Automations.Listens(ctx, o.ID, event)
		kit.Must(t, err)
		kit.Same(t, "somebody listens to "+string(event), yes, want)
	}
	listens(automation.LookupCompleted, true)
	listens(automation.ContactCreated, false) // the other one is disabled
	kit.Must(t, repos.Automations.Update(ctx, rule))
	listens(automation.LookupCompleted, false)
	kit.Must(t, repos.Automations.SetEnabled(ctx, ports.AnyOrg, rule.ID, false))
	listens(automation.ContactCreated, false)
	got, err = repos.Automations.Find(ctx, ports.AnyOrg, rule.ID)
	kit.Must(t, err)
	kit.Same(t, "enabled", got.Enabled, false)
	err = repos.Automations.SetEnabled(ctx, ports.AnyOrg, kit.ID(), true)
	kit.WantErr(t, "unknown automation", err, ports.ErrNotFound)
	_, err = repos.Automations.Find(ctx, ports.AnyOrg, kit.ID())
	kit.WantErr(t, "unknown automation", err, ports.ErrNotFound)
}

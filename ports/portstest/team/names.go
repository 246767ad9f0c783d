package team

import (
	"context"
	"testing"

	"fichario/domain/automation"
	"fichario/domain/crm"
	"fichario/ports"
	"fichario/ports/portstest/kit"
	"fichario/ports/portstest/lookups"
)

// names: ids stand for what the organisation has, and another's for nothing.
func names(t *testing.T, s ports.Store) {
	ctx, repos, o, other := t.Context(), s.Repos(), kit.Org(t, s), kit.Org(t, s)
	origin := crm.Origin{ID: kit.ID(), OrgID: o.ID, Name: "Google Ads"}
	kit.Must(t, repos.Origins.Create(ctx, origin))
	funnel := kit.FunnelOf(t, s, o.ID, true, "Novo", "Proposta")
	stage := funnel.Stages[1]
	m, theirs := kit.Member(t, s, o.ID, crm.Admin, false), kit.Member(t, s, other.ID, crm.Owner, true)
	w, _ := kit.Hook(t, s, o.ID)
	k, _ := lookups.ByKey(t, s, o)
	rotation := crm.Rotation{ID: kit.ID(), OrgID: o.ID, Name: "Rodízio", CreatedAt: kit.At}
	kit.Must(t, repos.Rotations.Create(ctx, rotation))
	rule := automation.Automation{
		ID: kit.ID(), OrgID: o.ID, Name: "Nota", Event: automation.ContactCreated,
		Action: automation.Action{Kind: automation.AddNote, Text: "Oi"}, CreatedAt: kit.At,
	}
	kit.Must(t, repos.Automations.Create(ctx, rule))
	all := crm.Names{
		origin.ID: {Kind: crm.NamedOrigin, Name: origin.Name}, w.ID: {Kind: crm.NamedWebhook, Name: w.Name},
		stage.ID: {Kind: crm.NamedStage, Name: stage.Name, Stage: stage, Funnel: funnel.Name},
		m.ID: {Kind: crm.NamedMember, Name: m.Name, Member: crm.Member{
			ID: m.ID, OrgID: o.ID, Name: m.Name, Email: m.Email, Role: m.Role, Active: m.Active,
		}},
		k.ID: {Kind: crm.NamedKey, Name: k.Name}, rule.ID: {Kind: crm.NamedAutomation, Name: rule.Name},
		rotation.ID: {Kind: crm.NamedRotation, Name: rotation.Name},
	}
	ids := []string{theirs.ID, kit.ID()}
	for id := range all {
		ids = append(ids, id)
	}
	got, err := repos.Names.Of(ctx, o.ID, ids)
	kit.Must(t, err)
	kit.Same(t, "names of ids", got, all)
	got, err = repos.Names.Of(ctx, other.ID, []string{origin.ID, stage.ID, m.ID})
	kit.Must(t, err)
	kit.Same(t, "another organisation's", got, crm.Names{})
	first := funnel.Stages[0]
	got, err = repos.Names.All(ctx, o.ID, crm.NamedStage, crm.NamedOrigin)
	kit.Must(t, err)
	kit.Same(t, "all of two kinds", got, crm.Names{
		origin.ID: all[origin.ID], stage.ID: all[stage.ID],
		first.ID: {Kind: crm.NamedStage, Name: first.Name, Stage: first, Funnel: funnel.Name},
	})
	kit.Must(t, s.InTx(ctx, func(ctx context.Context, r ports.Repos) error {
		got, err := r.Names.Of(ctx, o.ID, []string{k.ID})
		kit.Same(t, "in a transaction", got, crm.Names{k.ID: all[k.ID]})
		return err
	}))
}

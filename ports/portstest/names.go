package portstest

import (
	"testing"

	"fichario/domain/automation"
	"fichario/domain/crm"
	"fichario/ports"
)

// names: ids stand for what the organisation has, and another's for nothing.
func names(t *testing.T, s ports.Store) {
	ctx, repos, o, other := t.Context(), s.Repos(), org(t, s), org(t, s)
	origin := crm.Origin{ID: id(), OrgID: o.ID, Name: "Google Ads"}
	must(t, repos.Origins.Create(ctx, origin))
	funnel := funnelOf(t, s, o.ID, true, "Novo", "Proposta")
	stage := funnel.Stages[1]
	m, theirs := member(t, s, o.ID, crm.Admin, false), member(t, s, other.ID, crm.Owner, true)
	w, _ := hook(t, s, o.ID)
	k, _ := byKey(t, s, o)
	rotation := crm.Rotation{ID: id(), OrgID: o.ID, Name: "Rodízio", CreatedAt: at}
	must(t, repos.Rotations.Create(ctx, rotation))
	rule := automation.Automation{
		ID: id(), OrgID: o.ID, Name: "Nota", Event: automation.ContactCreated,
		Action: automation.Action{Kind: automation.AddNote, Text: "Oi"}, CreatedAt: at,
	}
	must(t, repos.Automations.Create(ctx, rule))
	all := crm.Names{
		origin.ID: {Kind: crm.NamedOrigin, Name: origin.Name}, w.ID: {Kind: crm.NamedWebhook, Name: w.Name},
		stage.ID: {Kind: crm.NamedStage, Name: stage.Name, Stage: stage, Funnel: funnel.Name},
		m.ID: {Kind: crm.NamedMember, Name: m.Name, Member: crm.Member{
			ID: m.ID, OrgID: o.ID, Name: m.Name, Email: m.Email, Role: m.Role, Active: m.Active,
		}},
		k.ID: {Kind: crm.NamedKey, Name: k.Name}, rule.ID: {Kind: crm.NamedAutomation, Name: rule.Name},
		rotation.ID: {Kind: crm.NamedRotation, Name: rotation.Name},
	}
	ids := []string{theirs.ID, id()}
	for id := range all {
		ids = append(ids, id)
	}
	got, err := repos.Names.Of(ctx, o.ID, ids)
	must(t, err)
	same(t, "names of ids", got, all)
	got, err = repos.Names.Of(ctx, other.ID, []string{origin.ID, stage.ID, m.ID})
	must(t, err)
	same(t, "another organisation's", got, crm.Names{})
	first := funnel.Stages[0]
	got, err = repos.Names.All(ctx, o.ID, crm.NamedStage, crm.NamedOrigin)
	must(t, err)
	same(t, "all of two kinds", got, crm.Names{
		origin.ID: all[origin.ID], stage.ID: all[stage.ID],
		first.ID: {Kind: crm.NamedStage, Name: first.Name, Stage: first, Funnel: funnel.Name},
	})
	must(t, s.InTx(ctx, func(r ports.Repos) error {
		got, err := r.Names.Of(ctx, o.ID, []string{k.ID})
		same(t, "in a transaction", got, crm.Names{k.ID: all[k.ID]})
		return err
	}))
}

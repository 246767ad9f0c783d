package portstest

import (
	"testing"

	"fichario/domain/crm"
	"fichario/ports"
)

func funnels(t *testing.T, s ports.Store) {
	ctx, repos, o, other := t.Context(), s.Repos(), org(t, s), org(t, s)
	second := funnelOf(t, s, o.ID, false, "Um")
	first := funnelOf(t, s, o.ID, true, "Novo", "Ganho", "Perdido")
	funnelOf(t, s, other.ID, true, "De outros")
	got, err := repos.Funnels.List(ctx, o.ID)
	must(t, err)
	same(t, "funnels, the default one first", got, []crm.Funnel{first, second})
	twice := crm.Funnel{
		ID: id(), OrgID: o.ID, Name: "x", Default: true, Stages: []crm.Stage{{ID: id(), Name: "y"}}, CreatedAt: at,
	}
	wantErr(t, "a second default funnel", repos.Funnels.Create(ctx, twice), ports.ErrExists)

	first.Name = "Vendas novas"
	first.Stages = []crm.Stage{first.Stages[2], {ID: id(), Name: "Contrato", Outcome: crm.Won}, first.Stages[0]}
	first.Stages[0].Name, first.Stages[0].Outcome = "Fechado", crm.Lost
	must(t, repos.Funnels.Update(ctx, first))
	got, err = repos.Funnels.List(ctx, o.ID)
	must(t, err)
	same(t, "changed funnel", got, []crm.Funnel{first, second})
	theirs := first
	theirs.OrgID = other.ID
	wantErr(t, "another organisation's funnel", repos.Funnels.Update(ctx, theirs), ports.ErrNotFound)
}

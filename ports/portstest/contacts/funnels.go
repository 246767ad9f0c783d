package contacts

import (
	"testing"

	"fichario/domain/crm"
	"fichario/ports"
	"fichario/ports/portstest/kit"
)

func funnels(t *testing.T, s ports.Store) {
	ctx, repos, o, other := t.Context(), s.Repos(), kit.Org(t, s), kit.Org(t, s)
	second := kit.FunnelOf(t, s, o.ID, false, "Um")
	first := kit.FunnelOf(t, s, o.ID, true, "Novo", "Ganho", "Perdido")
	kit.FunnelOf(t, s, other.ID, true, "De outros")
	got, err := repos.Funnels.List(ctx, o.ID)
	kit.Must(t, err)
	kit.Same(t, "funnels, the default one first", got, []crm.Funnel{first, second})
	twice := crm.Funnel{
		ID: kit.ID(), OrgID: o.ID, Name: "x", Default: true, Stages: []crm.Stage{{ID: kit.ID(), Name: "y"}},
		CreatedAt: kit.At,
	}
	kit.WantErr(t, "a second default funnel", repos.Funnels.Create(ctx, twice), ports.ErrExists)

	first.Name = "Vendas novas"
	first.Stages = []crm.Stage{first.Stages[2], {ID: kit.ID(), Name: "Contrato", Outcome: crm.Won}, first.Stages[0]}
	first.Stages[0].Name, first.Stages[0].Outcome = "Fechado", crm.Lost
	kit.Must(t, repos.Funnels.Update(ctx, first))
	got, err = repos.Funnels.List(ctx, o.ID)
	kit.Must(t, err)
	kit.Same(t, "changed funnel", got, []crm.Funnel{first, second})
	theirs := first
	theirs.OrgID = other.ID
	kit.WantErr(t, "another organisation's funnel", repos.Funnels.Update(ctx, theirs), ports.ErrNotFound)
}

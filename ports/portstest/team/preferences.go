package team

import (
	"testing"

	"fichario/domain/crm"
	"fichario/ports"
	"fichario/ports/portstest/kit"
)

// preferences are each member's own; the last value counts, and an empty one is none.
func preferences(t *testing.T, s ports.Store) {
	ctx, r, o := t.Context(), s.Repos().Preferences, kit.Org(t, s)
	ana, rui := kit.Member(t, s, o.ID, crm.Owner, true), kit.Member(t, s, o.ID, crm.Common, true)
	type all = map[crm.Preference]string
	expect := func(what string, m crm.Member, want all) {
		t.Helper()
		got, err := r.Of(ctx, o.ID, m.ID)
		kit.Must(t, err)
		kit.Same(t, what, got, want)
	}
	expect("before any", ana, all{})
	kit.Must(t, r.Set(ctx, o.ID, ana.ID, crm.ContactDensity, ""))
	kit.Must(t, r.Set(ctx, o.ID, ana.ID, crm.ContactDensity, "confortavel"))
	kit.Must(t, r.Set(ctx, o.ID, ana.ID, crm.ContactDensity, "compacto"))
	kit.Must(t, r.Set(ctx, o.ID, ana.ID, crm.ContactColumns, "nome ação"))
	expect("the last value of each", ana, all{crm.ContactDensity: "compacto", crm.ContactColumns: "nome ação"})
	expect("somebody else's", rui, all{})
	kit.Must(t, r.Set(ctx, o.ID, rui.ID, crm.ContactDensity, "confortavel"))
	kit.Must(t, r.Set(ctx, o.ID, ana.ID, crm.ContactDensity, ""))
	expect("one forgotten", ana, all{crm.ContactColumns: "nome ação"})
	expect("of one only", rui, all{crm.ContactDensity: "confortavel"})
	other, err := r.Of(ctx, kit.Org(t, s).ID, ana.ID)
	kit.Must(t, err)
	kit.Same(t, "asked with another organisation", other, all{})
	if r.Set(ctx, o.ID, kit.ID(), crm.ContactDensity, "compacto") == nil {
		t.Error("of a member that does not exist something is remembered")
	}
}

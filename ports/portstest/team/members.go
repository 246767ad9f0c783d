package team

import (
	"testing"

	"fichario/domain/catalog"
	"fichario/domain/crm"
	"fichario/ports"
	"fichario/ports/portstest/kit"
)

func members(t *testing.T, s ports.Store) {
	ctx, repos, o := t.Context(), s.Repos(), kit.Org(t, s)
	m := kit.Member(t, s, o.ID, crm.Owner, true)
	found, err := repos.Members.Find(ctx, ports.AnyOrg, m.ID)
	kit.Must(t, err)
	kit.Same(t, "member", found, m)
	_, err = repos.Members.Find(ctx, ports.AnyOrg, kit.ID())
	kit.WantErr(t, "unknown member", err, ports.ErrNotFound)
	idle := kit.Member(t, s, o.ID, crm.Common, false)
	list, err := repos.Members.List(ctx, o.ID)
	kit.Must(t, err)
	kit.Same(t, "members, oldest first", list, []crm.Member{m, idle})
	second := m
	second.ID = kit.ID()
	kit.WantErr(t, "second member with one e-mail", repos.Members.Create(ctx, second), ports.ErrExists)

	budget := catalog.Money(500_000)
	m.Name, m.Role, m.Active, m.PasswordHash, m.Budget = "Ana Rocha", crm.Admin, false, "y", &budget
	kit.Must(t, repos.Members.Update(ctx, m))
	found, err = repos.Members.ByEmail(ctx, m.Email)
	kit.Must(t, err)
	kit.Same(t, "changed member", found, m)
	_, err = repos.Members.ByEmail(ctx, "ninguem@example.com")
	kit.WantErr(t, "an address that nobody has", err, ports.ErrNotFound)
	idle.Email = m.Email
	kit.WantErr(t, "an address that somebody has", repos.Members.Update(ctx, idle), ports.ErrExists)
	stranger := m
	stranger.ID = kit.ID()
	kit.WantErr(t, "an unknown member changed", repos.Members.Update(ctx, stranger), ports.ErrNotFound)
}

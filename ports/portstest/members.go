package portstest

import (
	"testing"

	"fichario/domain/catalog"
	"fichario/domain/crm"
	"fichario/ports"
)

func members(t *testing.T, s ports.Store) {
	ctx, repos, o := t.Context(), s.Repos(), org(t, s)
	m := member(t, s, o.ID, crm.Owner, true)
	found, err := repos.Members.Find(ctx, m.ID)
	must(t, err)
	same(t, "member", found, m)
	_, err = repos.Members.Find(ctx, id())
	wantErr(t, "unknown member", err, ports.ErrNotFound)
	idle := member(t, s, o.ID, crm.Common, false)
	list, err := repos.Members.List(ctx, o.ID)
	must(t, err)
	same(t, "members, oldest first", list, []crm.Member{m, idle})
	second := m
	second.ID = id()
	wantErr(t, "second member with one e-mail", repos.Members.Create(ctx, second), ports.ErrExists)

	budget := catalog.Money(500_000)
	m.Name, m.Role, m.Active, m.PasswordHash, m.Budget = "Ana Rocha", crm.Admin, false, "y", &budget
	must(t, repos.Members.Update(ctx, m))
	found, err = repos.Members.ByEmail(ctx, m.Email)
	must(t, err)
	same(t, "changed member", found, m)
	_, err = repos.Members.ByEmail(ctx, "ninguem@example.com")
	wantErr(t, "an address that nobody has", err, ports.ErrNotFound)
	idle.Email = m.Email
	wantErr(t, "an address that somebody has", repos.Members.Update(ctx, idle), ports.ErrExists)
	stranger := m
	stranger.ID = id()
	wantErr(t, "an unknown member changed", repos.Members.Update(ctx, stranger), ports.ErrNotFound)
}

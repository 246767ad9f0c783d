package team

import (
	"testing"

	"fichario/domain/access"
	"fichario/domain/crm"
	"fichario/ports"
	"fichario/ports/portstest/kit"
)

// identities are unique: an account belongs to one member, and a member has one account per issuer.
func identities(t *testing.T, s ports.Store) {
	ctx, r, o := t.Context(), s.Repos().Identities, kit.Org(t, s)
	ana, rui := kit.Member(t, s, o.ID, crm.Owner, true), kit.Member(t, s, o.ID, crm.Common, true)
	const issuer, other = "https://a.example", "https://b.example"
	add := func(issuer, subject string, m crm.Member) error {
		return r.Add(ctx, access.Identity{Issuer: issuer, Subject: subject, MemberID: m.ID, CreatedAt: kit.At})
	}
	kit.Must(t, add(issuer, "1", ana))
	kit.WantErr(t, "the same for another", add(issuer, "1", rui), ports.ErrExists)
	kit.WantErr(t, "another for the same", add(issuer, "2", ana), ports.ErrExists)
	kit.Must(t, add(other, "1", rui))
	kit.Must(t, add(other, "2", ana))
	got, err := r.Member(ctx, issuer, "1")
	kit.Must(t, err)
	kit.Same(t, "who it is", got, ana.ID)
	_, err = r.Member(ctx, issuer, "2")
	kit.WantErr(t, "somebody unknown", err, ports.ErrNotFound)
	kit.Must(t, r.Drop(ctx, ana.ID))
	_, err = r.Member(ctx, other, "2")
	kit.WantErr(t, "one that was dropped", err, ports.ErrNotFound)
	kit.WantErr(t, "none to drop", r.Drop(ctx, ana.ID), ports.ErrNotFound)
	got, err = r.Member(ctx, other, "1")
	kit.Must(t, err)
	kit.Same(t, "somebody else's", got, rui.ID)
}

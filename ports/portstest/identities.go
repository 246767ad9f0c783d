package portstest

import (
	"testing"

	"fichario/domain/access"
	"fichario/domain/crm"
	"fichario/ports"
)

// identities are unique: an account belongs to one member, and a member has one account per issuer.
func identities(t *testing.T, s ports.Store) {
	ctx, r, o := t.Context(), s.Repos().Identities, org(t, s)
	ana, rui := member(t, s, o.ID, crm.Owner, true), member(t, s, o.ID, crm.Common, true)
	const issuer, other = "https://a.example", "https://b.example"
	add := func(issuer, subject string, m crm.Member) error {
		return r.Add(ctx, access.Identity{Issuer: issuer, Subject: subject, MemberID: m.ID, CreatedAt: at})
	}
	must(t, add(issuer, "1", ana))
	wantErr(t, "the same for another", add(issuer, "1", rui), ports.ErrExists)
	wantErr(t, "another for the same", add(issuer, "2", ana), ports.ErrExists)
	must(t, add(other, "1", rui))
	must(t, add(other, "2", ana))
	got, err := r.Member(ctx, issuer, "1")
	must(t, err)
	same(t, "who it is", got, ana.ID)
	_, err = r.Member(ctx, issuer, "2")
	wantErr(t, "somebody unknown", err, ports.ErrNotFound)
	must(t, r.Drop(ctx, ana.ID))
	_, err = r.Member(ctx, other, "2")
	wantErr(t, "one that was dropped", err, ports.ErrNotFound)
	wantErr(t, "none to drop", r.Drop(ctx, ana.ID), ports.ErrNotFound)
	got, err = r.Member(ctx, other, "1")
	must(t, err)
	same(t, "somebody else's", got, rui.ID)
}

package portstest

import (
	"testing"

	"fichario/domain/crm"
	"fichario/ports"
)

func organisations(t *testing.T, s ports.Store) {
	ctx, repos := t.Context(), s.Repos()
	all, err := repos.Orgs.List(ctx)
	must(t, err)
	same(t, "organisations of an empty store", all, []crm.Organisation{})
	o := org(t, s)
	got, err := repos.Orgs.Find(ctx, o.ID)
	must(t, err)
	same(t, "organisation", got, o)
	all, err = repos.Orgs.List(ctx)
	must(t, err)
	same(t, "organisations", all, []crm.Organisation{o})
	_, err = repos.Orgs.Find(ctx, id())
	wantErr(t, "unknown organisation", err, ports.ErrNotFound)
	must(t, s.InTx(ctx, func(r ports.Repos) error { return r.Orgs.Lock(ctx, o.ID) }))
	err = s.InTx(ctx, func(r ports.Repos) error { return r.Orgs.Lock(ctx, id()) })
	wantErr(t, "an unknown organisation locked", err, ports.ErrNotFound)
}

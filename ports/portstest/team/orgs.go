package team

import (
	"context"
	"testing"

	"fichario/domain/crm"
	"fichario/ports"
	"fichario/ports/portstest/kit"
)

func organisations(t *testing.T, s ports.Store) {
	ctx, repos := t.Context(), s.Repos()
	all, err := repos.Orgs.List(ctx)
	kit.Must(t, err)
	kit.Same(t, "organisations of an empty store", all, []crm.Organisation{})
	_, err = repos.Orgs.Only(ctx)
	kit.WantErr(t, "the only one of an empty store", err, ports.ErrNotFound)
	o := kit.Org(t, s)
	only, err := repos.Orgs.Only(ctx)
	kit.Must(t, err)
	kit.Same(t, "the only one", only, o)
	got, err := repos.Orgs.Find(ctx, o.ID)
	kit.Must(t, err)
	kit.Same(t, "organisation", got, o)
	all, err = repos.Orgs.List(ctx)
	kit.Must(t, err)
	kit.Same(t, "organisations", all, []crm.Organisation{o})
	_, err = repos.Orgs.Find(ctx, kit.ID())
	kit.WantErr(t, "unknown organisation", err, ports.ErrNotFound)
	kit.Must(t, s.InTx(ctx, func(ctx context.Context, r ports.Repos) error { return r.Orgs.Lock(ctx, o.ID) }))
	err = s.InTx(ctx, func(ctx context.Context, r ports.Repos) error { return r.Orgs.Lock(ctx, kit.ID()) })
	kit.WantErr(t, "an unknown organisation locked", err, ports.ErrNotFound)
	kit.Org(t, s)
	_, err = repos.Orgs.Only(ctx)
	kit.WantErr(t, "the only one of two", err, ports.ErrNotFound)
}

package portstest

import (
	"errors"
	"testing"
	"time"

	"fichario/domain/crm"
	"fichario/ports"
)

func bulks(t *testing.T, s ports.Store) {
	ctx, repos, o := t.Context(), s.Repos(), org(t, s)
	b := crm.Bulk{
		ID: id(), OrgID: o.ID, MemberID: id(), Kind: crm.BulkAssign, TargetID: id(), Settings: []byte("ç"),
		Status: crm.BulkRunning, Total: 3, At: at,
	}
	items := []crm.BulkItem{
		{ID: id(), BulkID: b.ID, ContactID: id(), State: crm.ItemWaiting},
		{ID: id(), BulkID: b.ID, ContactID: id(), State: crm.ItemWaiting},
		{ID: id(), BulkID: b.ID, State: crm.ItemWaiting, Content: []byte(`{"a":1}`)},
	}
	must(t, s.InTx(ctx, func(r ports.Repos) error { return r.Bulks.Create(ctx, b, items) }))
	got, err := repos.Bulks.Find(ctx, b.ID)
	must(t, err)
	same(t, "action", got, b)
	page, err := repos.Bulks.Items(ctx, b.ID, crm.ItemWaiting, items[0].ID, 10)
	must(t, err)
	same(t, "items after the first", page, items[1:])
	next := func(r ports.Repos, id string) error {
		got, err := r.Bulks.Next(ctx, id)
		if err == nil {
			same(t, "what is to be done", got, b)
		}
		return err
	}
	must(t, s.InTx(ctx, func(r ports.Repos) error { return errors.Join(next(r, ""), next(r, b.ID)) }))
	wantErr(t, "another one", s.InTx(ctx, func(r ports.Repos) error { return next(r, id()) }), ports.ErrNotFound)

	b.Settings = []byte("ã")
	b.Status, b.Done, b.Skipped, b.EndedAt = crm.BulkDone, 3, 1, at.Add(time.Minute)
	items[0].State, items[0].BeforeID = crm.ItemDone, id()
	items[2].State, items[2].Result, items[2].ContactID = crm.ItemSkipped, "sem e-mail", id()
	must(t, s.InTx(ctx, func(r ports.Repos) error {
		bare := b
		bare.Settings = nil
		return errors.Join(r.Bulks.Save(ctx, b, items[0], items[2]), r.Bulks.Save(ctx, bare))
	}))
	got, err = repos.Bulks.Find(ctx, b.ID)
	must(t, err)
	same(t, "saved action", got, b)
	page, err = repos.Bulks.Items(ctx, b.ID, "", "", 10)
	must(t, err)
	same(t, "saved items", page, items)
	latest, err := repos.Bulks.Latest(ctx, o.ID, crm.BulkAssign, 10)
	must(t, err)
	same(t, "the latest", latest, []crm.Bulk{b})
	latest, err = repos.Bulks.Latest(ctx, o.ID, crm.BulkImport, 10)
	must(t, err)
	same(t, "those of another kind", len(latest), 0)
	wantErr(t, "nothing to do", s.InTx(ctx, func(r ports.Repos) error { return next(r, "") }), ports.ErrNotFound)
	_, err = repos.Bulks.Find(ctx, id())
	wantErr(t, "none", err, ports.ErrNotFound)

	for _, want := range []int{1, 1, 0} { // its items, itself, nothing
		n, err := repos.Bulks.Forget(ctx, at.Add(time.Second))
		must(t, err)
		same(t, "forgotten", n, want)
	}
	_, err = repos.Bulks.Find(ctx, b.ID)
	wantErr(t, "a forgotten one", err, ports.ErrNotFound)
}

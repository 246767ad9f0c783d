package contacts

import (
	"context"
	"errors"
	"testing"
	"time"

	"fichario/domain/crm"
	"fichario/ports"
	"fichario/ports/portstest/kit"
)

func bulks(t *testing.T, s ports.Store) {
	ctx, repos, o := t.Context(), s.Repos(), kit.Org(t, s)
	b := crm.Bulk{
		ID: kit.ID(), OrgID: o.ID, MemberID: kit.ID(), Kind: crm.BulkAssign, TargetID: kit.ID(), Settings: []byte("ç"),
		Status: crm.BulkRunning, Total: 3, At: kit.At,
	}
	items := []crm.BulkItem{
		{ID: kit.ID(), BulkID: b.ID, ContactID: kit.ID(), State: crm.ItemWaiting},
		{ID: kit.ID(), BulkID: b.ID, ContactID: kit.ID(), State: crm.ItemWaiting},
		{ID: kit.ID(), BulkID: b.ID, State: crm.ItemWaiting, Content: []byte(`{"a":1}`)},
	}
	kit.Must(t, s.InTx(ctx, func(ctx context.Context, r ports.Repos) error { return r.Bulks.Create(ctx, b, items) }))
	got, err := repos.Bulks.Find(ctx, ports.AnyOrg, b.ID)
	kit.Must(t, err)
	kit.Same(t, "action", got, b)
	page, err := repos.Bulks.Items(ctx, b.ID, crm.ItemWaiting, items[0].ID, 10)
	kit.Must(t, err)
	kit.Same(t, "items after the first", page, items[1:])
	next := func(r ports.Repos, id string) error {
		got, err := r.Bulks.Next(ctx, id)
		if err == nil {
			kit.Same(t, "what is to be done", got, b)
		}
		return err
	}
	kit.Must(t, s.InTx(ctx, func(_ context.Context, r ports.Repos) error {
		return errors.Join(next(r, ""), next(r, b.ID))
	}))
	kit.WantErr(t, "another one", s.InTx(ctx, func(_ context.Context, r ports.Repos) error {
		return next(r, kit.ID())
	}), ports.ErrNotFound)

	b.Settings = []byte("ã")
	b.Status, b.Done, b.Skipped, b.EndedAt = crm.BulkDone, 3, 1, kit.At.Add(time.Minute)
	items[0].State, items[0].BeforeID = crm.ItemDone, kit.ID()
	items[2].State, items[2].Result, items[2].ContactID = crm.ItemSkipped, "sem e-mail", kit.ID()
	kit.Must(t, s.InTx(ctx, func(ctx context.Context, r ports.Repos) error {
		bare := b
		bare.Settings = nil
		return errors.Join(r.Bulks.Save(ctx, b, items[0], items[2]), r.Bulks.Save(ctx, bare))
	}))
	got, err = repos.Bulks.Find(ctx, ports.AnyOrg, b.ID)
	kit.Must(t, err)
	kit.Same(t, "saved action", got, b)
	page, err = repos.Bulks.Items(ctx, b.ID, "", "", 10)
	kit.Must(t, err)
	kit.Same(t, "saved items", page, items)
	latest, err := repos.Bulks.Latest(ctx, o.ID, crm.BulkAssign, 10)
	kit.Must(t, err)
	kit.Same(t, "the latest", latest, []crm.Bulk{b})
	latest, err = repos.Bulks.Latest(ctx, o.ID, crm.BulkImport, 10)
	kit.Must(t, err)
	kit.Same(t, "those of another kind", len(latest), 0)
	kit.WantErr(t, "nothing to do", s.InTx(ctx, func(_ context.Context, r ports.Repos) error {
		return next(r, "")
	}), ports.ErrNotFound)
	_, err = repos.Bulks.Find(ctx, ports.AnyOrg, kit.ID())
	kit.WantErr(t, "none", err, ports.ErrNotFound)

	forget := func(what string, after time.Duration, want int) {
		t.Helper()
		n, err := repos.Bulks.Forget(ctx, kit.At.Add(after))
		kit.Must(t, err)
		kit.Same(t, what, n, want)
	}
	undoing := b
	undoing.Status = crm.BulkUndoing
	kit.Must(t, s.InTx(ctx, func(ctx context.Context, r ports.Repos) error { return r.Bulks.Save(ctx, undoing) }))
	forget("one that is being undone", time.Hour, 0)
	kit.Must(t, s.InTx(ctx, func(ctx context.Context, r ports.Repos) error { return r.Bulks.Save(ctx, b) }))
	forget("one that ended a minute after it began", time.Second, 0)
	for _, want := range []int{1, 1, 0} { // its items, itself, nothing
		forget("forgotten", time.Hour, want)
	}
	_, err = repos.Bulks.Find(ctx, ports.AnyOrg, b.ID)
	kit.WantErr(t, "a forgotten one", err, ports.ErrNotFound)
}

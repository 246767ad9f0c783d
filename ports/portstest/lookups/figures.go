package lookups

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"fichario/domain/crm"
	"fichario/domain/document"
	"fichario/domain/lookup"
	"fichario/ports"
	"fichario/ports/portstest/kit"
)

// figures counts by hour what the dashboard shows.
func figures(t *testing.T, s ports.Store) {
	ctx, repos, o := t.Context(), s.Repos(), kit.Org(t, s)
	stage := kit.FunnelOf(t, s, o.ID, true, "Novo").Stages[0].ID
	origin := kit.Origin(t, s, o.ID, "Site").ID
	for i, when := range []time.Time{kit.At, kit.At.Add(time.Minute), kit.At.Add(time.Hour), kit.At.Add(-24 * time.Hour)} {
		c := crm.Contact{ID: kit.ID(), OrgID: o.ID, Name: "Bia", Email: "bia@example.com", StageID: stage, CreatedAt: when}
		if i < 2 {
			c.OriginID = origin
		}
		event := crm.Event{ID: kit.ID(), OrgID: o.ID, ContactID: c.ID, Kind: crm.ContactAdded, Actor: "Ana", At: when}
		kit.Must(t, s.InTx(ctx, func(ctx context.Context, r ports.Repos) error { return r.Contacts.Create(ctx, c, event) }))
	}
	hour := kit.At.Truncate(time.Hour)
	contacts, err := repos.Figures.Contacts(ctx, o.ID, []time.Time{kit.At, hour.Add(time.Hour), hour.Add(2 * time.Hour)})
	kit.Must(t, err)
	slices.SortFunc(contacts, func(a, b ports.ContactFigure) int { return a.Day - b.Day })
	kit.Same(t, "contacts", contacts, []ports.ContactFigure{{OriginID: origin, Count: 2}, {Day: 1, Count: 1}})

	stages, err := repos.Figures.Stages(ctx, o.ID, []string{kit.ID(), origin}, kit.At, 10)
	kit.Must(t, err)
	kit.Same(t, "stages", stages, []ports.StageFigure{{OriginID: origin, StageID: stage, Count: 2}})
	stages, err = repos.Figures.Stages(ctx, o.ID, []string{origin}, kit.At, 1)
	kit.Must(t, err)
	kit.Same(t, "stages of the newest", stages, []ports.StageFigure{{OriginID: origin, StageID: stage, Count: 1}})

	for i, charged := range []bool{true, true, false} {
		e := kit.Running(t, kit.ID())
		e.OrgID, e.At = o.ID, kit.At.Add(time.Duration(i)*time.Minute)
		e.Status, e.SettleAt, e.Cache = lookup.Done, time.Time{}, !charged
		if !charged {
			e.Charged, e.Amount, e.Day, e.Month = false, 0, "", ""
		}
		kit.Must(t, repos.Statement.Add(ctx, e))
	}
	kit.Must(t, repos.Statement.Add(ctx, kit.Running(t, kit.ID()))) // another organisation's
	lookups, err := repos.Figures.Lookups(ctx, o.ID, []time.Time{kit.At.AddDate(-6, 0, 0), kit.At,
		kit.At.AddDate(0, 0, 1)})
	kit.Must(t, err)
	kit.Same(t, "lookups", lookups, []ports.LookupFigure{{Day: 1, Product: "cpf", Charged: 2, Cached: 1, Amount: 9000}})
}

// lookupFigures are exact when lookups are served from history, charged and taken back concurrently, and do not include
// what is rolled back.
func lookupFigures(t *testing.T, s ports.Store) {
	ctx, repos := t.Context(), s.Repos()
	rec := kit.Kept(t, s, kit.ID(), kit.Doc(t, document.CPF, "52998224725"))
	undo := errors.New("undo")
	const n = 120
	var wg sync.WaitGroup
	for i := range n {
		when := kit.At.Add(time.Duration(i%2) * time.Hour)
		wg.Go(func() {
			if i%4 < 2 {
				e := kit.Free(t, kit.ID(), rec)
				e.At = when
				_, err := repos.History.Serve(ctx, e, time.Time{})
				expectNone(t, err)
				return
			}
			e := kit.Running(t, kit.ID())
			e.OrgID, e.At = rec.OrgID, when
			err := s.InTx(ctx, func(ctx context.Context, r ports.Repos) error {
				err := r.Statement.Add(ctx, e)
				if i%12 < 4 {
					err = errors.Join(err, undo)
				}
				return err
			})
			if i%12 < 4 {
				kit.WantErr(t, "rolled back", err, undo)
				return
			}
			e.Status, e.SettleAt = lookup.Done, time.Time{}
			if i%12 < 8 {
				e.Status, e.Charged, e.Amount = lookup.NotSent, false, 0
			}
			for range 2 { // the second one finds it finished
				_, err = repos.Calls.End(ctx, ports.Outcome{Entry: e, Price: 4500})
				expectNone(t, err)
			}
		})
	}
	wg.Wait()
	got, err := repos.Figures.Lookups(ctx, rec.OrgID, []time.Time{kit.At, kit.At.Add(time.Hour),
		kit.At.Add(2 * time.Hour)})
	kit.Must(t, err)
	slices.SortFunc(got, func(a, b ports.LookupFigure) int { return a.Day - b.Day })
	kit.Same(t, "figures", got, []ports.LookupFigure{
		{Product: "cpf", Charged: n / 12, Cached: n / 4, Amount: n / 12 * 4500},
		{Day: 1, Product: "cpf", Charged: n / 12, Cached: n / 4, Amount: n / 12 * 4500},
	})
	spent, err := repos.Statement.Spend(ctx, lookup.Asker{OrgID: rec.OrgID}, "2026-11-20", "2026-11-20")
	kit.Must(t, err)
	kit.Same(t, "spend", spent, []lookup.DaySpent{
		{Day: "2026-11-20", Product: "cpf", Spent: lookup.Spent{Count: n / 6, Amount: n / 6 * 4500}},
	})
}

// expectNone is must for a goroutine.
func expectNone(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Error(err)
	}
}

// contactFigures are exact when contacts come by webhook, one and several at a time, and by hand, and change origin,
// value and stage concurrently.
func contactFigures(t *testing.T, s ports.Store) {
	ctx, repos, o := t.Context(), s.Repos(), kit.Org(t, s)
	stages := kit.FunnelOf(t, s, o.ID, true, "Novo", "Ganho").Stages
	stage, won := stages[0].ID, stages[1].ID
	w, _ := kit.Hook(t, s, o.ID)
	origins, undo := []string{kit.Origin(t, s, o.ID, "Site").ID, kit.Origin(t, s, o.ID, "Feira").ID}, errors.New("undo")
	const n = 60
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			if i%3 < 2 {
				a := kit.ArrivalOf(w, stage, 1+i%3)
				for p := range a.People {
					a.People[p].Contact.OriginID = origins[(i+p)%2]
				}
				_, err := repos.Inbox.Take(ctx, a)
				expectNone(t, err)
				return
			}
			c := crm.Contact{
				ID: kit.ID(), OrgID: o.ID, Name: "Bia", Email: "bia@example.com", StageID: stage, OriginID: origins[0],
				CreatedAt: kit.At,
			}
			event := func(kind crm.EventKind) crm.Event {
				return crm.Event{ID: kit.ID(), OrgID: o.ID, ContactID: c.ID, Kind: kind, Actor: "Ana", At: kit.At}
			}
			expectNone(t, s.InTx(ctx, func(ctx context.Context, r ports.Repos) error {
				return r.Contacts.Create(ctx, c, event(crm.ContactAdded))
			}))
			c.OriginID, c.Amount = "", -7
			edit := func(ctx context.Context, r ports.Repos) error {
				return r.Contacts.Edit(ctx, c, event(crm.ContactEdited))
			}
			expectNone(t, s.InTx(ctx, edit))
			move := func(ctx context.Context, r ports.Repos) error {
				return r.ContactHistory.SetStage(ctx, won, event(crm.StageMoved))
			}
			expectNone(t, s.InTx(ctx, move))
			c.OriginID = origins[1]
			kit.WantErr(t, "rolled back", s.InTx(ctx, func(ctx context.Context, r ports.Repos) error {
				return errors.Join(edit(ctx, r), undo)
			}), undo)
		})
	}
	wg.Wait()
	got, err := repos.Figures.Contacts(ctx, o.ID, []time.Time{kit.At, kit.At.Add(time.Hour)})
	kit.Must(t, err)
	count := map[ports.ContactFigure]int{}
	for _, f := range got {
		n := f.Count
		f.Count = 0
		count[f] += n
	}
	kit.Same(t, "figures", count, map[ports.ContactFigure]int{
		{WebhookID: w.ID, OriginID: origins[0]}: n / 2,
		{WebhookID: w.ID, OriginID: origins[1]}: n / 2,
		{}:                                      n / 3,
	})
	totals, err := repos.ContactSearch.Totals(ctx, o.ID, ports.ContactFilter{Stages: []string{stage, won}}, 100)
	kit.Must(t, err)
	kit.Same(t, "totals", totals, map[string]ports.StageTotal{
		stage: {Count: n, Amount: n * 12345600}, won: {Count: n / 3, Amount: n / 3 * -7},
	})
}

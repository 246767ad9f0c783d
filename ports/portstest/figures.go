package portstest

import (
	"testing"
	"time"

	"fichario/domain/crm"
	"fichario/domain/lookup"
	"fichario/ports"
)

// figures counts by hour what the dashboard shows.
func figures(t *testing.T, s ports.Store) {
	ctx, repos, o := t.Context(), s.Repos(), org(t, s)
	stage := funnelOf(t, s, o.ID, true, "Novo").Stages[0].ID
	origin := id()
	for i, when := range []time.Time{at, at.Add(time.Minute), at.Add(time.Hour), at.Add(-24 * time.Hour)} {
		c := crm.Contact{ID: id(), OrgID: o.ID, Name: "Bia", Email: "bia@example.com", StageID: stage, CreatedAt: when}
		if i < 2 {
			c.OriginID = origin
		}
		event := crm.Event{ID: id(), OrgID: o.ID, ContactID: c.ID, Kind: crm.ContactAdded, Actor: "Ana", At: when}
		must(t, s.InTx(ctx, func(r ports.Repos) error { return r.Contacts.Create(ctx, c, event) }))
	}
	hour := at.Truncate(time.Hour)
	contacts, err := repos.Figures.Contacts(ctx, o.ID, at)
	must(t, err)
	same(t, "contacts", contacts, []ports.ContactFigure{
		{Hour: hour, OriginID: origin, Count: 2}, {Hour: hour.Add(time.Hour), Count: 1},
	})

	for i, charged := range []bool{true, true, false} {
		e := running(t, id())
		e.OrgID, e.At = o.ID, at.Add(time.Duration(i)*time.Minute)
		e.Status, e.SettleAt, e.Cache = lookup.Done, time.Time{}, !charged
		if !charged {
			e.Charged, e.Amount, e.Day, e.Month = false, 0, "", ""
		}
		must(t, repos.Statement.Add(ctx, e))
	}
	must(t, repos.Statement.Add(ctx, running(t, id()))) // another organisation's
	lookups, err := repos.Figures.Lookups(ctx, o.ID, at.AddDate(-6, 0, 0))
	must(t, err)
	same(t, "lookups", lookups, []ports.LookupFigure{{Hour: hour, Product: "cpf", Charged: 2, Cached: 1, Amount: 9000}})
}

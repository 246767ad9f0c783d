package gormstore

import (
	"context"
	"database/sql"
	"errors"
	"testing"
	"time"

	"gorm.io/gorm"

	"fichario/adapters/gormstore/engine"
	"fichario/domain/access"
	"fichario/domain/crm"
	"fichario/domain/document"
	"fichario/domain/lookup"
	"fichario/domain/webhook"
	"fichario/ports"
	"fichario/tests/testkit/patience"
)

// held takes every connection of some pools, and returns a function that releases them.
func held(t *testing.T, pools ...*gorm.DB) (release func()) {
	t.Helper()
	var all []*sql.Conn
	for _, db := range pools {
		pool, err := db.DB()
		if err != nil {
			t.Fatal(err)
		}
		for range pool.Stats().MaxOpenConnections - pool.Stats().InUse {
			c, err := pool.Conn(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, c)
		}
	}
	return func() {
		for _, c := range all {
			_ = c.Close()
		}
	}
}

// TestPagesAndCallersHaveTheirOwn connections: each is served while all of the other's are taken.
func TestPagesAndCallersHaveTheirOwn(t *testing.T) {
	t.Parallel()
	const orgID = "01980000-0000-7000-8000-000000000001"
	for _, s := range each(t) {
		ctx, repos, now := t.Context(), s.Repos(), time.Now().UTC()
		key := access.Key{ID: orgID, OrgID: orgID, Name: "CRM", Prefix: "fic_", CreatedAt: now,
			Limits: access.Limits{PerDay: 9, PerMonth: 9}}
		secret, token := access.NewSecret(), access.NewSessionToken()
		m := crm.Member{ID: orgID, OrgID: orgID, Email: "ana@example.com", Active: true}
		doc := document.Restore(document.CPF, "52998224725")
		err := errors.Join(repos.Orgs.Create(ctx, crm.Organisation{ID: orgID}), repos.Keys.Create(ctx, key),
			repos.Keys.AddSecret(ctx, key.ID, "", secret, now), repos.Members.Create(ctx, m),
			repos.Sessions.Create(ctx, token, access.Session{ID: orgID, MemberID: m.ID, CreatedAt: now, SeenAt: now}),
			repos.History.Save(ctx, lookup.Record{
				ID: orgID, OrgID: orgID, Product: "cpf", Document: doc, AnsweredAt: now, Fields: []byte("{}"), Raw: []byte("null"),
			}))
		if err != nil {
			t.Fatal(err)
		}
		call := func(ctx context.Context) error {
			_, known := repos.Keys.BySecret(ctx, secret, now)
			_, served := repos.History.Serve(ctx, lookup.Entry{
				ID: engine.FirstID(time.Now()), OrgID: orgID, KeyID: key.ID, Product: "cpf", Document: doc, At: now, Cache: true,
				Status: lookup.Done,
			}, time.Time{})
			_, opened := repos.Webhooks.Open(ctx, webhook.NewToken(), now)
			if errors.Is(opened, ports.ErrNotFound) {
				opened = nil // an answer nonetheless
			}
			_, taken := repos.Inbox.Take(ctx, ports.Arrival{
				Delivery: webhook.Delivery{ID: engine.FirstID(time.Now()), OrgID: orgID, WebhookID: orgID, At: now},
			})
			_, begun := repos.Calls.Begin(ctx, ports.Charge{
				Entry: lookup.Entry{
					ID: engine.FirstID(time.Now()), OrgID: orgID, KeyID: key.ID, Product: "cpf", Document: doc, At: now, Charged: true,
					Status: lookup.Running, Day: "d", Month: "m",
				},
				Takes: time.Minute, Caps: access.Limits{PerDay: 9, PerMonth: 9},
			})
			return errors.Join(known, served, opened, taken, begun)
		}
		look := func(ctx context.Context) error {
			ctx = ports.WithReading(ctx, ports.ForPages)
			_, _, resumed := repos.Sessions.Find(ctx, token)
			_, page := repos.Statement.Page(ctx, lookup.Asker{OrgID: orgID}, lookup.Filter{}, "", 10)
			_, figures := repos.Figures.Lookups(ctx, orgID, []time.Time{now, now.AddDate(0, 0, 1)})
			return errors.Join(resumed, page, figures)
		}
		for _, c := range []struct {
			what string
			held []*gorm.DB
			do   func(context.Context) error
		}{
			{"lookups and posts", []*gorm.DB{s.Pages.Read}, call},
			{"pages", []*gorm.DB{s.Reader}, look},
		} {
			release := held(t, c.held...)
			within, cancel := context.WithTimeout(ctx, patience.Limit())
			if err := c.do(within); err != nil {
				t.Errorf("%s: %s wait: %v", s.Writer.Name(), c.what, err)
			}
			cancel()
			release()
		}
	}
}

// TestPagesTakeNoMoreThanTheirShare of the available connections; with a single one they share it.
func TestPagesTakeNoMoreThanTheirShare(t *testing.T) {
	t.Parallel()
	s := each(t)[1]
	most := func(db *gorm.DB) int {
		if db == nil {
			return 0
		}
		pool, err := db.DB()
		if err != nil {
			t.Fatal(err)
		}
		return pool.Stats().MaxOpenConnections
	}
	for _, n := range []int{16, 5, 2, 1} {
		if err := s.LimitConnections(n); err != nil {
			t.Fatal(err)
		}
		pages, others := most(s.Pages.Read), most(s.Writer)
		if pages+others != n || others < pages || n > 1 && pages == 0 {
			t.Errorf("of %d connections pages have %d, the others %d", n, pages, others)
		}
	}
	if _, err := s.Repos().Orgs.List(ports.WithReading(t.Context(), ports.ForLists)); err != nil {
		t.Error(err)
	}
}

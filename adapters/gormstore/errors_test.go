package gormstore_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"fichario/domain/crm"
	"fichario/domain/fault"
	"fichario/domain/lookup"
	"fichario/domain/webhook"
	"fichario/ports"
	"fichario/tests/testkit/postgres"
)

func TestDatabaseAway(t *testing.T) {
	t.Parallel()
	s := open(t, "postgres://nobody@127.0.0.1:1/none?sslmode=disable")
	ctx := t.Context()
	checks := map[string]error{
		"ping":    s.Ping(ctx),
		"migrate": s.Migrate(ctx),
		"read":    func() error { _, err := s.Repos().Orgs.List(ctx); return err }(),
		"write":   s.Repos().Statement.Add(ctx, lookup.Entry{ID: orgID, OrgID: orgID}),
		"serve":   func() error { _, err := s.Repos().History.Serve(ctx, lookup.Entry{}, time.Time{}); return err }(),
		"in tx":   s.InTx(ctx, func(context.Context, ports.Repos) error { return nil }),
	}
	for what, err := range checks {
		if fault.CodeOf(err) != fault.ServiceUnavailable {
			t.Errorf("%s: %v, want %s", what, err, fault.ServiceUnavailable)
		}
	}
}

// TestAnErrorRepeatsNoValue: errors do not quote values that PostgreSQL or its driver could not read.
func TestAnErrorRepeatsNoValue(t *testing.T) {
	t.Parallel()
	s := open(t, postgres.New(t, migrate))
	const cpf = "529.982.247-25"
	ctx, repos := t.Context(), s.Repos()
	member := crm.Member{ID: orgID, OrgID: orgID, Name: cpf + "\x00", Email: "ana@x.example"}
	_, found := repos.Members.Find(ctx, ports.AnyOrg, cpf)
	_, traced := repos.Statement.Entries(ctx, ports.AnyOrg, []string{cpf})
	_, asked := repos.Statement.Asked(ctx, ports.AnyOrg, []string{cpf})
	for what, err := range map[string]error{
		"an id": found, "ids": traced, "ids in a list": asked, "text": repos.Members.Create(ctx, member),
		"a statement past GORM": repos.Statement.Add(ctx, lookup.Entry{ID: cpf, OrgID: orgID, At: time.Now()}),
	} {
		if err == nil || strings.Contains(err.Error(), cpf) || !strings.Contains(err.Error(), ".") {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// TestAStrangersErrorSaysTheOperation uses a database without tables.
func TestAStrangersErrorSaysTheOperation(t *testing.T) {
	t.Parallel()
	s := open(t, "sqlite://"+filepath.Join(t.TempDir(), "test.db"))
	ctx, repos := t.Context(), s.Repos()
	for op, err := range map[string]error{
		"statement.page": func() error {
			_, err := repos.Statement.Page(ctx, lookup.Asker{OrgID: orgID}, lookup.Filter{}, "", 1)
			return err
		}(),
		"orgs.list":       func() error { _, err := repos.Orgs.List(ctx); return err }(),
		"members.create":  repos.Members.Create(ctx, crm.Member{ID: orgID, OrgID: orgID}),
		"sessions.endAll": repos.SessionEnds.EndAll(ctx, orgID),
		"webhooks.open":   func() error { _, err := repos.Webhooks.Open(ctx, webhook.NewToken(), time.Now()); return err }(),
		"inbox.take":      func() error { _, err := repos.Inbox.Take(ctx, ports.Arrival{}); return err }(),
		"subjects.key":    func() error { _, err := repos.History.Serve(ctx, lookup.Entry{}, time.Now()); return err }(),
		"calls.end":       func() error { _, err := repos.Calls.End(ctx, ports.Outcome{}); return err }(),
	} {
		if err == nil || !strings.HasPrefix(err.Error(), op+": ") || strings.Contains(err.Error(), orgID) {
			t.Errorf("%s: %v", op, err)
		}
	}
}

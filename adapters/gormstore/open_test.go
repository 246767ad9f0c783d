package gormstore_test

import (
	"bytes"
	"context"
	"errors"
	"testing"

	"fichario/adapters/gormstore"
	"fichario/adapters/gormstore/engine"
	"fichario/tests/testkit/postgres"
	"fichario/tests/testkit/sqlite"
)

var testKey = bytes.Repeat([]byte{7}, engine.DataKeySize)

func open(t *testing.T, url string, keys ...[]byte) *gormstore.Store {
	t.Helper()
	if len(keys) == 0 {
		keys = [][]byte{testKey}
	}
	s, err := gormstore.Open(url, keys)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	if s.IsPostgres() && postgres.Distributes() {
		_ = s.FindDistribution(t.Context()) // some have no database
	}
	return s
}

// template is what the SQLite databases are copied from.
var template = sqlite.Template{Migrate: migrate}

func migrate(ctx context.Context, url string) error {
	s, err := gormstore.Open(url, [][]byte{testKey})
	if err != nil {
		return err
	}
	return errors.Join(postgres.Migrated(ctx, s), s.Close())
}

// databases makes the address of an empty migrated database of each kind.
func databases(t *testing.T) map[string]func(*testing.T) string {
	t.Helper()
	return map[string]func(*testing.T) string{
		"sqlite":   func(t *testing.T) string { t.Helper(); return template.New(t) },
		"postgres": func(t *testing.T) string { t.Helper(); return postgres.New(t, migrate) },
	}
}

func onBoth(t *testing.T, test func(t *testing.T, url string)) {
	t.Helper()
	for name, database := range databases(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, database(t))
		})
	}
}

package gormstore

import (
	"bytes"
	"context"
	"errors"
	"testing"

	"fichario/adapters/gormstore/engine"
	"fichario/tests/testkit/postgres"
	"fichario/tests/testkit/sqlite"
)

var eachKey = bytes.Repeat([]byte{7}, engine.DataKeySize)

// templateEach is what the SQLite databases are copied from.
var templateEach = sqlite.Template{Migrate: migrateEach}

// migrateEach makes the templates of the databases.
func migrateEach(ctx context.Context, url string) error {
	s, err := Open(url, [][]byte{eachKey})
	if err != nil {
		return err
	}
	return errors.Join(postgres.Migrated(ctx, s), s.Close())
}

// each opens an empty migrated database of each kind.
func each(t *testing.T) []*Store {
	t.Helper()
	var all []*Store
	for _, url := range []string{
		templateEach.New(t),
		postgres.New(t, migrateEach),
	} {
		all = append(all, opened(t, url))
	}
	return all
}

// opened opens a database and migrates it.
func opened(t *testing.T, url string, options ...engine.Option) *Store {
	t.Helper()
	s, err := Open(url, [][]byte{eachKey}, options...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	if err := s.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	return s
}

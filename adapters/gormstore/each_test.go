package gormstore

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"
	"testing"

	"fichario/adapters/gormstore/engine"
	"fichario/tests/testkit/postgres"
)

var eachKey = bytes.Repeat([]byte{7}, engine.DataKeySize)

// migrateEach makes the template of the PostgreSQL databases.
func migrateEach(ctx context.Context, url string) error {
	s, err := Open(url, [][]byte{eachKey})
	if err != nil {
		return err
	}
	return errors.Join(s.Migrate(ctx), s.Close())
}

// each opens an empty migrated database of each kind.
func each(t *testing.T) []*Store {
	t.Helper()
	var all []*Store
	for _, url := range []string{
		"sqlite://" + filepath.Join(t.TempDir(), "test.db"),
		postgres.New(t, migrateEach),
	} {
		s, err := Open(url, [][]byte{eachKey})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = s.Close() })
		if err := s.Migrate(t.Context()); err != nil {
			t.Fatal(err)
		}
		all = append(all, s)
	}
	return all
}

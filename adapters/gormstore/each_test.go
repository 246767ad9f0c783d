package gormstore

import (
	"bytes"
	"context"
	"path/filepath"
	"testing"

	"fichario/tests/testkit/postgres"
)

// each opens an empty migrated database of each kind.
func each(t *testing.T) []*Store {
	t.Helper()
	var all []*Store
	for _, url := range []string{
		"sqlite://" + filepath.Join(t.TempDir(), "test.db"),
		postgres.New(t, func(context.Context, string) error { return nil }),
	} {
		s, err := Open(url, [][]byte{bytes.Repeat([]byte{7}, DataKeySize)})
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

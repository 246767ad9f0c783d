package gormstore_test

import (
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// TestPathsWithOddCharacters: a database file may have any valid file name.
func TestPathsWithOddCharacters(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"com espaço.db", "100%.db", "a&b=c.db", "ação.db"} {
		dir := t.TempDir()
		if err := migrate(t.Context(), "sqlite://"+filepath.Join(dir, name)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			files, _ := os.ReadDir(dir)
			t.Errorf("%s: %v; there is %v", name, err, fmt.Sprint(files))
		}
	}
}

// TestReadingBesideAWriter: a command that only reads does not wait for writers.
func TestReadingBesideAWriter(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "test.db")
	if err := migrate(t.Context(), "sqlite://"+path); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", path+"?_txlock=immediate")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	tx, err := db.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback() }()
	if err := migrate(t.Context(), "sqlite://"+path); err != nil {
		t.Error(err)
	}
}

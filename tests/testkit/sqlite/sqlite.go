// Package sqlite gives tests SQLite databases that are migrated already: each process migrates one, and copies it.
package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"modernc.org/sqlite"

	"fichario/tests/testkit/internal/memory"
)

// Template is a migrated database that is only ever copied.
type Template struct {
	// Migrate brings the database at a URL to the current schema, and has closed its connections when it returns.
	Migrate func(ctx context.Context, url string) error
	// Beside is what the file's own name is followed by in those of files that are copied with it, such as ".key".
	Beside []string

	once  sync.Once
	files map[string][]byte // by what follows the name
	err   error
}

// make migrates the template, once in a process. Its journal is no write-ahead log, which a database in memory could
// not have.
func (t *Template) make(ctx context.Context) {
	var dir string
	if dir, t.err = os.MkdirTemp(memory.Folder(os.TempDir()), "fichario-template-"); t.err != nil {
		return
	}
	defer func() { _ = os.RemoveAll(dir) }()
	path := filepath.Join(dir, "template.db")
	if t.err = t.Migrate(ctx, "sqlite://"+path); t.err != nil {
		return
	}
	db, err := sql.Open("sqlite", path)
	if err == nil {
		_, err = db.ExecContext(ctx, "PRAGMA journal_mode=DELETE")
		err = errors.Join(err, db.Close())
	}
	t.files, t.err = map[string][]byte{}, err
	for _, beside := range append([]string{""}, t.Beside...) {
		content, err := os.ReadFile(path + beside)
		t.files[beside], t.err = content, errors.Join(t.err, err)
	}
}

// Ready makes the template, for whoever copies it in a bubble of fake time, where it cannot be made.
func (t *Template) Ready(tb testing.TB) {
	tb.Helper()
	t.once.Do(func() { t.make(context.Background()) })
	if t.err != nil {
		tb.Fatalf("a migrated SQLite database: %v", t.err)
	}
}

// Copy writes a migrated database to a path.
func (t *Template) Copy(tb testing.TB, path string) {
	tb.Helper()
	t.Ready(tb)
	var err error
	for beside, content := range t.files {
		err = errors.Join(err, os.WriteFile(path+beside, content, 0o600))
	}
	if err != nil {
		tb.Fatalf("a migrated SQLite database: %v", err)
	}
}

// New is the URL of a migrated database in the test's own directory.
func (t *Template) New(tb testing.TB) string {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), "test.db")
	t.Copy(tb, path)
	return "sqlite://" + path
}

// Fill makes an empty database in memory a migrated one.
func (t *Template) Fill(tb testing.TB, pool *sql.DB) {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), "filled.db")
	t.Copy(tb, path)
	conn, err := pool.Conn(tb.Context())
	if err != nil {
		tb.Fatal(err)
	}
	err = conn.Raw(func(c any) error {
		from, err := c.(interface {
			NewRestore(string) (*sqlite.Backup, error)
		}).NewRestore(path)
		if err != nil {
			return err
		}
		_, err = from.Step(-1)
		return errors.Join(err, from.Finish())
	})
	if err = errors.Join(err, conn.Close()); err != nil {
		tb.Fatalf("a migrated SQLite database in memory: %v", err)
	}
}

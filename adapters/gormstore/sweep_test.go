package gormstore_test

import (
	"context"
	"database/sql"
	"errors"
	"os"
	command "os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"fichario/adapters/gormstore"
	"fichario/domain/crm"
)

// swept is a store in its own file, with an organisation in it.
func swept(t *testing.T) (s *gormstore.Store, path string, add func(name string)) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "fichario.db")
	s = open(t, "sqlite://"+path)
	if err := s.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	add = func(name string) {
		t.Helper()
		org := crm.Organisation{ID: uuid.Must(uuid.NewV7()).String(), Name: name, CreatedAt: time.Now()}
		if err := s.Repos().Orgs.Create(t.Context(), org); err != nil {
			t.Fatal(err)
		}
	}
	add("Primeira")
	return s, path, add
}

// TestASweepKeepsTheFilesLocks: another process that then opens and closes the database, like any command or backup,
// leaves the write-ahead log to the service, and later writes are visible to everybody.
func TestASweepKeepsTheFilesLocks(t *testing.T) {
	t.Parallel()
	s, path, add := swept(t)
	if err := s.Sweep(t.Context(), [][]byte{[]byte("apagado@x.example")}); err != nil {
		t.Fatal(err)
	}
	add("Segunda")
	count := func() string {
		t.Helper()
		counted := command.CommandContext(t.Context(), "sqlite3", path, "SELECT count(*) FROM organisations")
		out, err := counted.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		return strings.TrimSpace(string(out))
	}
	if got := count(); got != "2" {
		t.Errorf("%s organisations", got)
	}
	if _, err := os.Stat(path + "-wal"); err != nil {
		t.Errorf("another process took the log away: %v", err)
	}
	add("Terceira")
	if got := count(); got != "3" {
		t.Errorf("%s organisations for who comes later", got)
	}
}

// TestASweepWaitsForWhoReads: it does not complete while somebody reads a snapshot from before the erasure.
func TestASweepWaitsForWhoReads(t *testing.T) {
	t.Parallel()
	s, path, add := swept(t)
	reader, err := sql.Open("sqlite", "file:"+path+"?_pragma=query_only(1)")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = reader.Close() }()
	tx, err := reader.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var n int
	if err := tx.QueryRowContext(t.Context(), "SELECT count(*) FROM organisations").Scan(&n); err != nil {
		t.Fatal(err)
	}
	add("Segunda")
	soon, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	if err := s.Sweep(soon, [][]byte{[]byte("apagado@x.example")}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("beside a reader: %v", err)
	}
	add("Terceira") // writers wait only a moment
	if err := tx.Rollback(); err != nil {
		t.Fatal(err)
	}
	if err := s.Sweep(t.Context(), [][]byte{[]byte("apagado@x.example")}); err != nil {
		t.Error(err)
	}
	if info, err := os.Stat(path + "-wal"); err != nil || info.Size() > 0 {
		t.Errorf("the log is not empty: %v, %v", info, err)
	}
}

// TestWhatHadNothingIsNotWrittenAnew: a database is rewritten where the marks are unknown, and only then.
func TestWhatHadNothingIsNotWrittenAnew(t *testing.T) {
	t.Parallel()
	s, path, _ := swept(t)
	pages := func() string {
		t.Helper()
		out, err := command.CommandContext(t.Context(), "sqlite3", path, "PRAGMA freelist_count").CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		return strings.TrimSpace(string(out))
	}
	out, err := command.CommandContext(t.Context(), "sqlite3", path,
		"CREATE TABLE x AS SELECT zeroblob(100000) AS a; DROP TABLE x").CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if err := s.Sweep(t.Context(), [][]byte{}); err != nil {
		t.Fatal(err)
	}
	if pages() == "0" {
		t.Error("it was rewritten needlessly")
	}
	if err := s.Sweep(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if got := pages(); got != "0" {
		t.Errorf("%s free pages", got)
	}
}

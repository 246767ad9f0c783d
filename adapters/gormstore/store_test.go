package gormstore_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"fichario/adapters/gormstore"
	"fichario/domain/document"
	"fichario/domain/fault"
	"fichario/domain/lookup"
	"fichario/ports"
	"fichario/ports/portstest"
	"fichario/tests/testkit/postgres"
)

var testKey = bytes.Repeat([]byte{7}, gormstore.DataKeySize)

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
	return s
}

func migrate(ctx context.Context, url string) error {
	s, err := gormstore.Open(url, [][]byte{testKey})
	if err != nil {
		return err
	}
	if err := s.Migrate(ctx); err != nil {
		return err
	}
	return s.Close()
}

// databases gives the address of an empty migrated database of each kind.
func databases(t *testing.T) map[string]func(*testing.T) string {
	t.Helper()
	return map[string]func(*testing.T) string{
		"sqlite": func(t *testing.T) string {
			t.Helper()
			url := "sqlite://" + filepath.Join(t.TempDir(), "test.db")
			if err := migrate(t.Context(), url); err != nil {
				t.Fatal(err)
			}
			return url
		},
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

func TestStore(t *testing.T) {
	t.Parallel()
	for name, database := range databases(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			portstest.Store(t, func(t *testing.T) ports.Store { t.Helper(); return open(t, database(t)) })
		})
	}
}

// TestStoreInMemory is what tests of use cases stand on.
func TestStoreInMemory(t *testing.T) {
	t.Parallel()
	portstest.Store(t, func(t *testing.T) ports.Store {
		t.Helper()
		s := open(t, "sqlite://"+gormstore.InMemory)
		if err := s.Migrate(t.Context()); err != nil {
			t.Fatal(err)
		}
		return s
	})
}

func record(t *testing.T, orgID string) lookup.Record {
	t.Helper()
	d, err := document.Parse(document.CPF, "52998224725")
	if err != nil {
		t.Fatal(err)
	}
	return lookup.Record{
		ID: "01980000-0000-7000-8000-000000000001", OrgID: orgID, Product: "cpf", Document: d, AnsweredAt: time.Now(),
		Fields: []byte(`{"nome":"FULANA DE TESTE"}`), Raw: []byte(`{"nome":"FULANA DE TESTE"}`),
	}
}

const orgID = "01980000-0000-7000-8000-00000000000a"

func TestDataKeys(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, url string) {
		rec := record(t, orgID)
		if err := open(t, url).Repos().History.Save(t.Context(), rec); err != nil {
			t.Fatal(err)
		}
		newKey := make([]byte, gormstore.DataKeySize)
		_, _ = rand.Read(newKey)

		err := open(t, url, newKey).Migrate(t.Context())
		if err == nil || !strings.Contains(err.Error(), "FICHARIO_DATA_KEY") {
			t.Errorf("a wrong key is accepted at start: %v", err)
		}
		rotating := open(t, url, newKey, testKey)
		if err := rotating.Migrate(t.Context()); err != nil {
			t.Fatal(err)
		}
		got, err := rotating.Repos().History.Latest(t.Context(), orgID, "cpf", rec.Document)
		if err != nil || got.ID != rec.ID {
			t.Errorf("a record of the old key while rotating: %v", err)
		}
		first := rec.ID
		rec.ID, rec.AnsweredAt = "01980000-0000-7000-8000-000000000002", rec.AnsweredAt.Add(time.Second)
		if err := rotating.Repos().History.Save(t.Context(), rec); err != nil {
			t.Fatal(err)
		}
		after := open(t, url, newKey)
		if err := after.Migrate(t.Context()); err == nil || !strings.Contains(err.Error(), "fichario rekey") {
			t.Errorf("a key that is still needed is left out: %v", err)
		}
		for _, want := range []int{2, 0} { // the document and the answer of the record before
			if n, err := rotating.Rekey(t.Context()); err != nil || n != want {
				t.Errorf("encrypted anew: %d, %v, want %d", n, err, want)
			}
		}
		if err := after.Migrate(t.Context()); err != nil {
			t.Fatal(err)
		}
		if old, err := after.Repos().History.Records(t.Context(), []string{first}); err != nil || len(old) != 1 {
			t.Errorf("the record before, with the new key alone: %v", err)
		}
		got, err = after.Repos().History.Latest(t.Context(), orgID, "cpf", rec.Document)
		if err != nil || got.ID != rec.ID {
			t.Errorf("the newest record with the new key alone: %v", err)
		}
	})
}

// TestNothingPersonalAtRest looks for a document, a name and a secret in the bytes
// of the SQLite files.
func TestNothingPersonalAtRest(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, "sqlite://"+filepath.Join(dir, "test.db"))
	if err := s.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	rec := record(t, orgID)
	repos := s.Repos()
	entry := lookup.Entry{
		ID: rec.ID, OrgID: orgID, KeyID: rec.ID, Product: "cpf", Document: rec.Document, At: rec.AnsweredAt,
		Status: lookup.Done,
	}
	lease := lookup.Lease{OrgID: orgID, Product: "cpf", Document: rec.Document, CallID: rec.ID, ExpiresAt: time.Now()}
	err := s.InTx(t.Context(), func(r ports.Repos) error {
		_, err := r.Leases.Acquire(t.Context(), lease, time.Now())
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := repos.History.Save(t.Context(), rec); err != nil {
		t.Fatal(err)
	}
	if err := repos.Statement.Add(t.Context(), entry); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(files) < 2 {
		t.Fatalf("files: %v, %v", files, err)
	}
	for _, f := range files {
		content, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		if info, err := os.Stat(f); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s has mode %s, %v", filepath.Base(f), info.Mode(), err)
		}
		for _, secret := range []string{"52998224725", "FULANA", hex.EncodeToString(testKey), string(testKey)} {
			if bytes.Contains(content, []byte(secret)) {
				t.Errorf("%s holds something personal", filepath.Base(f))
			}
		}
	}
}

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
		"in tx":   s.InTx(ctx, func(ports.Repos) error { return nil }),
	}
	for what, err := range checks {
		if fault.CodeOf(err) != fault.ServiceUnavailable {
			t.Errorf("%s: %v, want %s", what, err, fault.ServiceUnavailable)
		}
	}
}

func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	for url, want := range map[string]string{
		"":                      "FICHARIO_DATABASE_URL",
		"mysql://x":             "FICHARIO_DATABASE_URL",
		"sqlite://":             "path",
		"sqlite://a?mode=rw":    "path",
		"postgres://u:hunter2@": "FICHARIO_DATABASE_URL",
	} {
		s, err := gormstore.Open(url, [][]byte{testKey})
		if err == nil {
			_ = s.Close()
		}
		if url == "postgres://u:hunter2@" {
			if err != nil && strings.Contains(err.Error(), "hunter2") {
				t.Error("the error shows the password")
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Open(%q): %v", url, err)
		}
	}
	if _, err := gormstore.Open("sqlite://x.db", [][]byte{{1, 2}}); err == nil {
		t.Error("a short data key is accepted")
	}
	if _, err := gormstore.Open("sqlite://x.db", nil); err == nil {
		t.Error("no data key is accepted")
	}
}

// TestPathsWithOddCharacters: a database file may have any name that a file has.
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

// TestReadingBesideAWriter: a command that only reads waits for nobody who writes.
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

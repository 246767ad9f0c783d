package gormstore_test

import (
	"bytes"
	"encoding/hex"
	"os"
	"path/filepath"
	"testing"
	"time"

	"fichario/domain/access"
	"fichario/domain/lookup"
	"fichario/ports"
)

// TestNothingPersonalAtRest searches the bytes of the SQLite files for a document, a name and a secret.
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
	call := entry
	call.ID, call.Status, call.Charged = "01980000-0000-7000-8000-0000000000ff", lookup.Running, true
	charge := ports.Charge{Entry: call, Takes: time.Hour, Shared: true, Caps: access.Limits{PerDay: 1, PerMonth: 1}}
	if _, err := repos.Calls.Begin(t.Context(), charge); err != nil {
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

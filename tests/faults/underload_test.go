package faults

import (
	"database/sql"
	"errors"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"fichario/tests/testkit"
	"fichario/tests/testkit/intaketest"
	"fichario/tests/testkit/postgres"
)

// TestSlowUnderLoad are faults under clients that post and make lookups, each checked to the row.
func TestSlowUnderLoad(t *testing.T) {
	t.Parallel()
	intaketest.AtOnce(t, map[string]func(*testing.T){
		"the way to PostgreSQL is cut":   wayIsCut,
		"its connections are half open":  wayIsHalfOpen,
		"a standby takes over":           standbyTakesOver,
		"a full disk":                    fullDisk,
		"each round trip":                eachRoundTrip,
		"each write":                     eachWrite,
		"SIGTERM on SQLite":              func(t *testing.T) { stopped(t, testkit.SQLite(t)) },
		"SIGTERM on PostgreSQL":          func(t *testing.T) { stopped(t, testkit.PostgreSQL(t)) },
		"the schema of the next version": schemaGrows,
		"a copy of SQLite":               func(t *testing.T) { copied(t, testkit.SQLite(t), copyOfSQLite) },
		"a copy of PostgreSQL":           func(t *testing.T) { copied(t, testkit.PostgreSQL(t), copyOfPostgreSQL) },
	})
}

// stopped asks the program to end, behind a proxy that keeps sending it requests. It ends without an error, and has
// answered every request that it took.
func stopped(t *testing.T, env map[string]string) {
	b := openBooks(t, env)
	s := b.product.Lookups
	s.URL = "http://" + testkit.Balance(t, "", s.Program)
	for range 2 {
		w := b.load()
		w.more(t, "requests are answered", 50)
		s.Stop()
		w.stop() // with nobody behind it, the proxy itself answers
		expect(t, "requests that were taken and not answered", unanswered(w), 0)
		s.Restart()
		b.audit(w)
	}
	expect(t, "charges without a call", b.unasked, 0)
	b.close()
}

// unanswered counts the answers that the proxy gave itself because the program gave none. The program's own, about a
// bureau that is slow, have a code.
func unanswered(w *shift) (n int) {
	no := func(status int, code string) bool {
		return code == "" && (status == http.StatusBadGateway || status == http.StatusGatewayTimeout)
	}
	for _, p := range w.posts {
		if no(p.a.Status, p.a.Text("code")) {
			n++
		}
	}
	for _, l := range w.lookups {
		if no(l.a.Status, l.a.Code()) {
			n++
		}
	}
	return n
}

// schemaGrows adds a column to every table while a service of the previous version runs: none of its prepared
// statements fails ("cached plan must not change result type"), and nobody gets a 500. Whether one is prepared on a
// reused connection is chance here; the store's TestSlowNoStatementHasEveryColumn does not depend on it.
func schemaGrows(t *testing.T) {
	b := openBooks(t, testkit.PostgreSQL(t))
	w := b.load()
	w.more(t, "requests are answered", 100)
	db := openDatabase(t, b.env)
	for _, table := range columnOf(t, db, `SELECT c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace
		WHERE nspname = current_schema() AND relkind IN ('r', 'p') AND NOT relispartition ORDER BY 1`) {
		await(t, "there is a moment for "+table, func() bool { // like migrations, without making others queue behind it
			_, err := db.ExecContext(t.Context(), "SET lock_timeout = '200ms'; ALTER TABLE "+table+" ADD COLUMN of_tomorrow text")
			return err == nil
		})
	}
	w.more(t, "requests are answered by the grown schema", 200)
	mended(b, w, "the schema grows")
	expect(t, "answers that blame nobody else", told(w)[http.StatusInternalServerError], 0)
	b.close()
}

// columnOf reads a column of texts.
func columnOf(t *testing.T, db *sql.DB, query string) (out []string) {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), query)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var text string
		if err := rows.Scan(&text); err != nil {
			t.Fatal(err)
		}
		out = append(out, text)
	}
	if len(out) == 0 || rows.Err() != nil {
		t.Fatalf("%d rows, %v", len(out), rows.Err())
	}
	return out
}

// fullDisk fills the file system of a SQLite database, and frees space again.
func fullDisk(t *testing.T) {
	dir := t.TempDir()
	env := map[string]string{"FICHARIO_DATABASE_URL": "sqlite://" + filepath.Join(dir, "fichario.db")}
	full := func(b *books) (empty func()) {
		fill(t, b.product.Lookups, env)
		return func() { room(t, b.product.Lookups, 0) }
	}
	if os.Geteuid() == 0 { // may mount a file system
		if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=64m"); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = syscall.Unmount(dir, syscall.MNT_DETACH) })
		full = func(*books) func() { return ballast(t, dir) }
	}
	b := openBooks(t, env)
	w := b.load()
	w.more(t, "requests are answered", 50)
	empty := full(b)
	await(t, "clients are told", func() bool {
		return w.count(func(w *shift) int { return told(w)[http.StatusServiceUnavailable] }) >= 32
	})
	await(t, "it is not ready", func() bool { // now and then SQLite still finds room in its log
		return b.product.Lookups.Get("/readyz", "").Status == http.StatusServiceUnavailable
	})
	empty()
	w.more(t, "requests are answered again", 100)
	mended(b, w, "a full disk")
	b.close()
	var sound string
	err := openDatabase(t, env).QueryRowContext(t.Context(), "PRAGMA integrity_check").Scan(&sound)
	if err != nil || sound != "ok" {
		t.Errorf("the file is %s, %v", sound, err)
	}
}

// ballast fills a file system until no more fits.
func ballast(t *testing.T, dir string) (empty func()) {
	t.Helper()
	file, err := os.Create(filepath.Join(dir, "ballast"))
	if err != nil {
		t.Fatal(err)
	}
	for size := 1 << 20; size > 0; size /= 16 {
		for err = nil; err == nil; {
			_, err = file.Write(make([]byte, size))
		}
	}
	if !errors.Is(err, syscall.ENOSPC) {
		t.Fatal(err)
	}
	return func() {
		if err := errors.Join(file.Close(), os.Remove(file.Name())); err != nil {
			t.Error(err)
		}
	}
}

// copied copies a database under load, puts the copy elsewhere, and runs doctor on it.
func copied(t *testing.T, env map[string]string, copyOf func(t *testing.T, env map[string]string) (there string)) {
	b := openBooks(t, env)
	w := b.load()
	w.more(t, "requests are answered", 100)
	before := w.count(func(w *shift) (n int) {
		for _, p := range w.posts {
			if p.a.Status == http.StatusOK {
				n++
			}
		}
		return n
	})
	there := maps.Clone(env)
	there["FICHARIO_DATABASE_URL"] = copyOf(t, env)
	w.more(t, "requests are answered meanwhile", 50)
	mended(b, w, "a copy")
	testkit.Run(t, there, "doctor", "--deep")
	var contacts int
	err := openDatabase(t, there).QueryRowContext(t.Context(), "SELECT count(*) FROM contacts").Scan(&contacts)
	if err != nil || contacts < before {
		t.Errorf("the copy has %d contacts, and %d were acknowledged before it was made; %v", contacts, before, err)
	}
	b.close()
}

func copyOfPostgreSQL(t *testing.T, env map[string]string) (there string) {
	t.Helper()
	dump := filepath.Join(t.TempDir(), "dump")
	run(t, exec.CommandContext(t.Context(), "pg_dump", "--file", dump, env["FICHARIO_DATABASE_URL"]))
	there = postgres.New(t, nil)
	run(t, exec.CommandContext(t.Context(), "psql", "--quiet", "--set", "ON_ERROR_STOP=1", "--file", dump, there))
	return there
}

func copyOfSQLite(t *testing.T, env map[string]string) (there string) {
	t.Helper()
	path := env["FICHARIO_DATABASE_URL"][len("sqlite://"):]
	db, err := sql.Open("sqlite", "file:"+path+"?_pragma=busy_timeout(10000)")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	to := filepath.Join(t.TempDir(), "copy.db")
	if _, err := db.ExecContext(t.Context(), "VACUUM INTO ?", to); err != nil {
		t.Fatal(err)
	}
	key, err := os.ReadFile(path + ".key")
	if err == nil {
		err = os.WriteFile(to+".key", key, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	return "sqlite://" + to
}

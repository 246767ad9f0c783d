package intaketest

import (
	"database/sql"
	"strings"
	"testing"

	_ "github.com/glebarez/go-sqlite"  // to read what a service on SQLite wrote
	_ "github.com/jackc/pgx/v5/stdlib" // and one on PostgreSQL
)

// Histories are the histories of all contacts of the organisation, by contact: the kind and the actor of each entry. They come
// from the database itself, because `contact show` is a process for each of hundreds of contacts.
func (o *Org) Histories(t *testing.T) map[string][]string {
	t.Helper()
	db := o.database(t)
	defer func() { _ = db.Close() }()
	rows, err := db.QueryContext(t.Context(), "SELECT contact_id, kind, actor FROM contact_events WHERE org_id = $1 ORDER BY id", o.ID)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	out := map[string][]string{}
	for rows.Next() {
		var contact, kind, actor string
		if err := rows.Scan(&contact, &kind, &actor); err != nil {
			t.Fatal(err)
		}
		out[contact] = append(out[contact], kind+" "+actor)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}

// LiveTokens is how many addresses of a webhook are open, whether or not somebody was shown them.
func (o *Org) LiveTokens(t *testing.T, h Hook) (n int) {
	t.Helper()
	db := o.database(t)
	defer func() { _ = db.Close() }()
	if err := db.QueryRowContext(t.Context(), "SELECT COUNT(*) FROM webhook_tokens WHERE webhook_id = $1 AND ends_at IS NULL", h.ID).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// Lock keeps the SQLite file of the service from being written to, until the function that it returns is called.
func (o *Org) Lock(t *testing.T) (unlock func()) {
	t.Helper()
	db := o.database(t)
	conn, err := db.Conn(t.Context())
	if err == nil {
		_, err = conn.ExecContext(t.Context(), "BEGIN IMMEDIATE")
	}
	if err != nil {
		t.Fatal(err)
	}
	return func() {
		if _, err := conn.ExecContext(t.Context(), "ROLLBACK"); err != nil {
			t.Error(err)
		}
		_, _ = conn.Close(), db.Close()
	}
}

func (o *Org) database(t *testing.T) *sql.DB {
	t.Helper()
	driver, source := "pgx", o.env["FICHARIO_DATABASE_URL"]
	if path, ok := strings.CutPrefix(source, "sqlite://"); ok {
		driver, source = "sqlite", "file:"+path+"?_pragma=busy_timeout(10000)"
	}
	db, err := sql.Open(driver, source)
	if err != nil {
		t.Fatal(err)
	}
	return db
}

package intaketest

import (
	"context"
	"database/sql"
	"net/url"
	"strings"
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib" // reads what a service on PostgreSQL wrote
	_ "modernc.org/sqlite"             // reads what a service on SQLite wrote

	"fichario/tests/testkit/lookuptest"
)

// Census is the content of an organisation, by contact.
type Census struct {
	// Emails are the addresses of the contacts, Webhooks where they came from.
	Emails, Webhooks map[string]string
	// Histories are the kinds and actors of the history entries.
	Histories map[string][]string
	// Accepted counts the accepted deliveries that made a contact: the partial retry of a post names contacts that already
	// existed.
	Accepted map[string]int
}

// Census counts in the database itself, because lists are bounded and `contact show` takes a process per contact.
func (o *Org) Census(t *testing.T) Census {
	t.Helper()
	db := o.Database(t)
	defer func() { _ = db.Close() }()
	c := Census{map[string]string{}, map[string]string{}, map[string][]string{}, map[string]int{}}
	for query, take := range map[string]func(contact, text string){
		"SELECT id, email FROM contacts WHERE org_id = $1": func(id, email string) {
			c.Emails[id] = email
		},
		"SELECT id, COALESCE(CAST(webhook_id AS text), '') FROM contacts WHERE org_id = $1": func(id, webhook string) {
			c.Webhooks[id] = webhook
		},
		"SELECT contact_id, kind || ' ' || actor FROM contact_events WHERE org_id = $1 ORDER BY id": func(id, entry string) {
			c.Histories[id] = append(c.Histories[id], entry)
		},
		`SELECT c.id, d.outcome FROM deliveries d JOIN contacts c ON c.id = d.contact_id AND c.created_at = d.at
			WHERE d.org_id = $1 AND d.outcome = 'accepted'`: func(id, _ string) {
			c.Accepted[id]++
		},
		`SELECT c.id, d.outcome FROM delivery_contacts o JOIN deliveries d ON d.id = o.delivery_id
			JOIN contacts c ON c.id = o.contact_id AND c.created_at = d.at
			WHERE d.org_id = $1 AND d.outcome = 'accepted'`: func(id, _ string) {
			c.Accepted[id]++
		},
	} {
		if err := eachRow(t.Context(), db, query, o.ID, take); err != nil {
			t.Fatal(err)
		}
	}
	return c
}

func eachRow(ctx context.Context, db *sql.DB, query, org string, take func(contact, text string)) error {
	rows, err := db.QueryContext(ctx, query, org)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var contact, text string
		if err := rows.Scan(&contact, &text); err != nil {
			return err
		}
		take(contact, text)
	}
	return rows.Err()
}

// LiveTokens counts the open addresses of a webhook, whether or not anybody was shown them.
func (o *Org) LiveTokens(t *testing.T, h Hook) (n int) {
	t.Helper()
	db := o.Database(t)
	defer func() { _ = db.Close() }()
	const live = "SELECT COUNT(*) FROM webhook_tokens WHERE webhook_id = $1 AND ends_at IS NULL"
	if err := db.QueryRowContext(t.Context(), live, h.ID).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// Hold blocks changes to the addresses of a webhook on PostgreSQL until n of them are waiting; release lets them all
// continue at once.
func (o *Org) Hold(t *testing.T, h Hook, n int) (release func()) {
	t.Helper()
	db := o.Database(t)
	tx, err := db.BeginTx(t.Context(), nil)
	if err == nil {
		_, err = tx.ExecContext(t.Context(), "SELECT 1 FROM webhook_tokens WHERE webhook_id = $1 FOR UPDATE", h.ID)
	}
	if err != nil {
		t.Fatal(err)
	}
	return func() {
		defer func() { _, _ = tx.Rollback(), db.Close() }()
		lookuptest.Eventually(t, "all wait for the same rows", func() bool {
			const locked = `SELECT COUNT(*) FROM pg_stat_activity
				WHERE datname = current_database() AND wait_event_type = 'Lock'`
			waiting := 0
			err := db.QueryRowContext(t.Context(), locked).Scan(&waiting)
			return err == nil && waiting >= n
		})
	}
}

// Lock blocks writes to the service's SQLite file until unlock is called.
func (o *Org) Lock(t *testing.T) (unlock func()) {
	t.Helper()
	db := o.Database(t)
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

// Database opens the service's database directly.
func (o *Org) Database(t *testing.T) *sql.DB {
	t.Helper()
	return OpenDatabase(t, o.env)
}

// OpenDatabase opens the database in env.
func OpenDatabase(t *testing.T, env map[string]string) *sql.DB {
	t.Helper()
	driver, source := "pgx", env["FICHARIO_DATABASE_URL"]
	if path, ok := strings.CutPrefix(source, "sqlite://"); ok {
		driver, source = "sqlite", "file:"+path+"?_pragma=busy_timeout(10000)"
	} else if at, err := url.Parse(source); err == nil { // possibly through a pooler, which keeps no prepared statements
		query := at.Query()
		query.Set("default_query_exec_mode", "exec")
		at.RawQuery = query.Encode()
		source = at.String()
	}
	db, err := sql.Open(driver, source)
	if err != nil {
		t.Fatal(err)
	}
	return db
}

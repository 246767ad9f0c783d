package gormstore_test

import (
	"database/sql"
	"errors"
	"strings"
	"sync"
	"testing"

	"fichario/adapters/gormstore"
	"fichario/adapters/gormstore/engine"
	"fichario/tests/testkit/patience"
	"fichario/tests/testkit/postgres"
)

// session opens a direct connection to a server.
func session(t *testing.T, url string) *sql.DB {
	t.Helper()
	db, err := sql.Open("pgx", url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

func exec(t *testing.T, db *sql.DB, statement string) {
	t.Helper()
	if _, err := db.ExecContext(t.Context(), statement); err != nil {
		t.Fatal(err)
	}
}

// TestWhatIsInBetween: a session of our own gets its limits, one shared by a pooler is left alone, and statements are
// sent in a mode that works there unless the address names one.
func TestWhatIsInBetween(t *testing.T) {
	t.Parallel()
	url := postgres.New(t, migrate)
	exec(t, session(t, url), `DO $$ BEGIN
		EXECUTE format('ALTER DATABASE %I SET statement_timeout = ''7s''', current_database()); END $$`)
	through := postgres.Pooled(t, url)
	for name, c := range map[string]struct{ url, mode, limit string }{
		"directly":                      {url, "", engine.Timeout().String()},
		"directly, with a limit":        {url + "&statement_timeout=9s", "", "9s"},
		"through a pooler":              {through, postgres.PoolerMode(t), "7s"},
		"through a pooler, with a mode": {through + "&default_query_exec_mode=cache_describe", "cache describe", "7s"},
	} {
		s := open(t, c.url)
		if err := s.Ping(t.Context()); err != nil {
			t.Fatalf("%s: %s", name, engine.Reason(err))
		}
		limit, err := s.StatementTimeout(t.Context())
		if err != nil || limit != c.limit {
			t.Errorf("%s: a statement may take %q, want %q; %v", name, limit, c.limit, err)
		}
		if mode := s.Pooler(); mode != c.mode {
			t.Errorf("%s: %q, want %q", name, mode, c.mode)
		}
	}
}

// TestMigratingThroughAPooler: several at once, and no lock is left behind.
func TestMigratingThroughAPooler(t *testing.T) {
	t.Parallel()
	url := postgres.New(t, nil)
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			if err := migrate(t.Context(), postgres.Pooled(t, url)); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	var held, versions int
	const left = `SELECT (SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'
		AND database = (SELECT oid FROM pg_database WHERE datname = current_database())), count(*) FROM goose_db_version`
	err := session(t, url).QueryRowContext(t.Context(), left).Scan(&held, &versions)
	if err != nil || held != 0 || versions < 8 {
		t.Errorf("%d locks, %d versions, %v", held, versions, err)
	}
}

// TestSlowAMigrationThatCouldBeBrokenOff is refused through a pooler, unless there is an address that bypasses it.
func TestSlowAMigrationThatCouldBeBrokenOff(t *testing.T) {
	t.Parallel()
	url := postgres.New(t, nil)
	exec(t, session(t, url), `DO $$ BEGIN
		EXECUTE format('ALTER DATABASE %I SET statement_timeout = ''7s''', current_database()); END $$`)
	s := open(t, postgres.Pooled(t, url))
	err := s.Migrate(t.Context())
	if err == nil || !strings.Contains(err.Error(), "FICHARIO_MIGRATE_DATABASE_URL") ||
		!strings.Contains(err.Error(), "7s") {
		t.Errorf("it is not refused: %v", err)
	}
	if err := s.MigrateThrough(url); err != nil {
		t.Fatal(err)
	}
	for _, s := range []*gormstore.Store{s, open(t, postgres.Pooled(t, url))} { // the second one has nothing to migrate
		if err := s.Migrate(t.Context()); err != nil {
			t.Error(err)
		}
	}
	for _, wrong := range []string{"sqlite://x.db", "postgres://usuario:segredo@[/x"} {
		if err := s.MigrateThrough(wrong); err == nil || strings.Contains(err.Error(), "segredo") {
			t.Errorf("%q: %v", wrong, err)
		}
	}
	lost := open(t, url)
	if err := lost.MigrateThrough(postgres.New(t, nil)); err != nil {
		t.Fatal(err)
	}
	if err := lost.Migrate(t.Context()); err == nil || !strings.Contains(err.Error(), "lead to different databases") {
		t.Errorf("two databases: %v", err)
	}
	if err := open(t, "sqlite://:memory:").MigrateThrough(url); err == nil {
		t.Error("SQLite takes an address for migrations")
	}
}

// migrates holds the lock of migrations, as earlier versions take it too.
func migrates(t *testing.T, url string) (release func() error) {
	t.Helper()
	holder := session(t, url)
	tx, err := holder.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.ExecContext(t.Context(), "SELECT pg_advisory_lock(4097083626)"); err != nil {
		t.Fatal(err)
	}
	return func() error { return errors.Join(tx.Rollback(), holder.Close()) }
}

// TestMigratingWaits for another migration.
func TestMigratingWaits(t *testing.T) {
	t.Parallel()
	url := postgres.New(t, nil)
	release := migrates(t, url)
	waiting := make(chan error, 1)
	go func() { waiting <- open(t, url).Migrate(t.Context()) }()
	other, asked := session(t, url), map[string]bool{}
	patience.Until(t, "it asks for the lock again and again", func() bool {
		var at string
		const query = `SELECT coalesce(max(query_start)::text, '') FROM pg_stat_activity
			WHERE datname = current_database() AND application_name LIKE '%' || $1`
		if err := other.QueryRowContext(t.Context(), query, engine.MigratingName).Scan(&at); err != nil {
			t.Fatal(err)
		}
		if at != "" {
			asked[at] = true
		}
		return len(asked) > 4
	})
	var made bool
	const tables = "SELECT EXISTS (SELECT 1 FROM pg_tables WHERE tablename LIKE 'goose%')"
	if err := other.QueryRowContext(t.Context(), tables).Scan(&made); err != nil || made || len(waiting) > 0 {
		t.Errorf("it does not wait for the lock: %t, %d, %v", made, len(waiting), err)
	}
	if err := release(); err != nil {
		t.Fatal(err)
	}
	if err := <-waiting; err != nil {
		t.Error(err)
	}
}

// TestTheNewestSchemaIsNotMigrated: whoever finds it neither waits for who migrates nor opens connections for that.
func TestTheNewestSchemaIsNotMigrated(t *testing.T) {
	t.Parallel()
	url := postgres.New(t, migrate)
	release := migrates(t, url)
	s := open(t, url)
	s.Migrating = nil
	if err := errors.Join(s.Migrate(t.Context()), release()); err != nil {
		t.Error(err)
	}
}

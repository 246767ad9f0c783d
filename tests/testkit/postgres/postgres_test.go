package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"fichario/tests/testkit/postgres"
)

var migrations atomic.Int32

// migrate creates a schema of one table, and counts its runs.
func migrate(ctx context.Context, url string) error {
	migrations.Add(1)
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	_, err = conn.Exec(ctx, "CREATE TABLE note (text text NOT NULL)")
	return errors.Join(err, conn.Close(ctx))
}

// TestEachTestHasItsOwnMigratedDatabase is not parallel: it counts the migrations of the process.
func TestEachTestHasItsOwnMigratedDatabase(t *testing.T) {
	t.Run("databases", func(t *testing.T) {
		for i := range 8 {
			t.Run(fmt.Sprint(i), func(t *testing.T) {
				t.Parallel()
				conn := connect(t, postgres.New(t, migrate))
				exec(t, conn, "INSERT INTO note VALUES ('mine')")
				if n := count(t, conn, "SELECT count(*) FROM note"); n != 1 {
					t.Errorf("%d notes in a database of this test's own, want 1", n)
				}
			})
		}
	})
	if n := migrations.Load(); n != 1 {
		t.Errorf("the migration ran %d times in this process, want once", n)
	}
}

func TestAnEmptyDatabase(t *testing.T) {
	t.Parallel()
	conn := connect(t, postgres.New(t, nil))
	if n := count(t, conn, "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'"); n != 0 {
		t.Errorf("%d tables, want none", n)
	}
}

func TestDatabasesAreDropped(t *testing.T) {
	t.Parallel()
	var url string
	t.Run("use", func(t *testing.T) {
		url = postgres.New(t, migrate)
		// A forgotten connection must not keep the database from being dropped.
		if _, err := pgx.Connect(t.Context(), url); err != nil {
			t.Fatal(err)
		}
	})
	if conn, err := pgx.Connect(t.Context(), url); err == nil {
		_ = conn.Close(t.Context())
		t.Error("the database is still there after its test")
	}
}

func TestSettingsAreThoseOfProduction(t *testing.T) {
	t.Parallel()
	conn := connect(t, postgres.New(t, migrate))
	for _, setting := range []string{"fsync", "full_page_writes", "synchronous_commit"} {
		var value string
		if err := conn.QueryRow(t.Context(), "SELECT current_setting($1)", setting).Scan(&value); err != nil ||
			value != "on" {
			t.Errorf("%s = %q, %v; want on", setting, value, err)
		}
	}
}

func TestDedicatedServerStopsStartsAndFreezes(t *testing.T) {
	t.Parallel()
	server := postgres.StartDedicated(t)
	url := server.Database(t, migrate)
	conn := connect(t, url)
	exec(t, conn, "INSERT INTO note VALUES ('committed')")

	for _, mode := range []postgres.Mode{postgres.Immediate, postgres.Fast} {
		server.Stop(mode)
		if _, err := pgx.Connect(t.Context(), url); err == nil {
			t.Fatalf("it answers after a %s shutdown", mode)
		}
		server.Start()
	}
	conn = connect(t, url)
	if n := count(t, conn, "SELECT count(*) FROM note"); n != 1 {
		t.Errorf("%d notes after a crash and a restart, want the committed one", n)
	}

	server.Pause()
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if err := conn.Ping(ctx); err == nil {
		t.Error("a frozen server answers on an open connection")
	}
	server.Resume()
	if n := count(t, connect(t, url), "SELECT count(*) FROM note"); n != 1 {
		t.Errorf("%d notes after a freeze, want 1", n)
	}
}

func BenchmarkNew(b *testing.B) {
	for b.Loop() {
		postgres.New(b, migrate)
	}
}

func connect(t *testing.T, url string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	return conn
}

func exec(t *testing.T, conn *pgx.Conn, statement string) {
	t.Helper()
	if _, err := conn.Exec(t.Context(), statement); err != nil {
		t.Fatal(err)
	}
}

func count(t *testing.T, conn *pgx.Conn, query string) (n int) {
	t.Helper()
	if err := conn.QueryRow(t.Context(), query).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

package postgres

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/url"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"fichario/tests/testkit/internal/guard"
	"fichario/tests/testkit/patience"
)

// Migrate brings the database at the URL to the current schema. It must have closed its connections when it returns: a
// database with connections cannot be cloned.
type Migrate = func(ctx context.Context, url string) error

// template is a migrated database that is only ever cloned.
type template struct {
	once sync.Once
	name string
	err  error
}

// shared is the server of this process: the one that `make test` started, or its own.
var shared = sync.OnceValues(func() (*Server, error) {
	ctx, cancel := patience.Context()
	defer cancel()
	s, err := Choose(ctx)
	if err != nil {
		return nil, err
	}
	if s.control == nil {
		// The server outlives this process, so the databases must be dropped, including those of a test that died.
		for _, at := range append([]string{s.URL}, s.workers...) {
			if _, err := guard.Add(guard.Databases(at, s.prefix)); err != nil {
				return nil, err
			}
		}
	}
	return s, nil
})

// New gives the test its own database, which migrate has brought to the current schema, and drops it when the test
// ends. In each process migrate runs once, on a template that is then cloned; two functions make two templates, but
// closures of one function literal count as one. A nil migrate gives an empty database. Tests may call it in parallel.
func New(tb testing.TB, migrate Migrate) string {
	tb.Helper()
	s, err := shared()
	if err != nil {
		tb.Fatal(err)
	}
	return s.Database(tb, migrate)
}

// Text is all rows of all tables of a database, as text. It needs no program of the server's version, as a dump would.
func Text(tb testing.TB, url string) []byte {
	tb.Helper()
	conn, err := pgx.Connect(tb.Context(), url)
	if err != nil {
		tb.Fatal("the database does not answer")
	}
	defer func() { _ = conn.Close(tb.Context()) }()
	rows, err := conn.Query(tb.Context(), `SELECT format('COPY (SELECT * FROM %I.%I) TO STDOUT', schemaname, tablename)
		FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`)
	if err != nil {
		tb.Fatal(err)
	}
	copies, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil || len(copies) == 0 {
		tb.Fatalf("%d tables, %v", len(copies), err)
	}
	var text bytes.Buffer
	for _, one := range copies {
		if _, err := conn.PgConn().CopyTo(tb.Context(), &text, one); err != nil {
			tb.Fatal(err)
		}
	}
	return text.Bytes()
}

// Database is New on a given server.
func (s *Server) Database(tb testing.TB, migrate Migrate) string {
	tb.Helper()
	t := s.template(migrate)
	if t.err != nil {
		tb.Fatalf("a migrated PostgreSQL database to clone: %v", t.err)
	}
	name := s.prefix + random()
	if err := s.everywhere(create(name, t.name)); err != nil {
		tb.Fatalf("a PostgreSQL database for the test: %v", err)
	}
	if s.tb == nil { // a dedicated server is removed as a whole, and may be down when the test ends
		tb.Cleanup(func() {
			if err := s.everywhere(drop(name)); err != nil {
				tb.Errorf("dropping the test's PostgreSQL database: %v", err)
			}
		})
	}
	return s.database(name)
}

func (s *Server) template(migrate Migrate) *template {
	key := reflect.ValueOf(migrate).Pointer()
	s.mu.Lock()
	t := s.templates[key]
	if t == nil {
		t = &template{name: s.prefix + "template_" + random()}
		s.templates[key] = t
	}
	s.mu.Unlock()
	t.once.Do(func() {
		if t.err = s.everywhere(create(t.name, "template1")); t.err == nil && len(s.workers) > 0 {
			t.err = s.joinNodes(t.name)
		}
		if t.err != nil {
			return
		}
		if migrate == nil {
			t.err = s.shut(t.name)
			return
		}
		ctx, cancel := patience.Context()
		defer cancel()
		// What stands still is asked before the context ends it.
		said := make(chan string, 1)
		look := time.AfterFunc(patience.Limit()/2, func() { said <- s.activity() + "\n" + goroutines() })
		if t.err = migrate(ctx, s.database(t.name)); t.err != nil {
			if !look.Stop() {
				t.err = fmt.Errorf("%w; at half of the time:\n%s", t.err, <-said)
			}
			return
		}
		look.Stop()
		t.err = s.shut(t.name)
	})
	return t
}

// shut lets nobody connect to a template any more, not even autovacuum: any connection would block the clones.
func (s *Server) shut(name string) error {
	err := s.everywhere("ALTER DATABASE " + quote(name) + " ALLOW_CONNECTIONS false")
	if err == nil && len(s.workers) > 0 { // Citus keeps some
		err = s.everywhere("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '" + name + "'")
	}
	return err
}

// exec runs one statement on the maintenance database, with a connection for each: that costs 3 ms, and leaves no
// goroutine behind for a test that looks for leaks.
func (s *Server) exec(statement string) error { return execAt(s.URL, statement) }

// execAt runs statements on a database, with a connection for them.
func execAt(url string, statements ...string) error {
	ctx, cancel := patience.Context()
	defer cancel()
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	for _, statement := range statements {
		if err == nil {
			_, err = conn.Exec(ctx, statement)
		}
	}
	return errors.Join(err, conn.Close(ctx))
}

// goroutines says where each goroutine is.
func goroutines() string {
	all := make([]byte, 1<<20)
	return string(all[:runtime.Stack(all, true)])
}

// activity says what each connection is doing, or waiting for.
func (s *Server) activity() string {
	ctx, cancel := patience.Context()
	defer cancel()
	conn, err := pgx.Connect(ctx, s.URL)
	if err != nil {
		return err.Error()
	}
	defer func() { _ = conn.Close(ctx) }()
	rows, err := conn.Query(ctx, `SELECT concat_ws(' ', pid, datname, state, wait_event_type, wait_event,
		clock_timestamp() - xact_start, 'behind', pg_blocking_pids(pid), left(query, 100))
		FROM pg_stat_activity WHERE datname IS NOT NULL ORDER BY xact_start`)
	if err != nil {
		return err.Error()
	}
	all, err := pgx.CollectRows(rows, pgx.RowTo[string])
	return strings.Join(append(all, fmt.Sprint("(", err, ")")), "\n")
}

// database is the URL of another database of the server.
func (s *Server) database(name string) string { return databaseAt(s.URL, name) }

// databaseAt is the URL of another database of a server.
func databaseAt(server, name string) string {
	u, err := url.Parse(server)
	if err != nil || u.Scheme == "" {
		// The other form that PostgreSQL knows is a list of settings, where the last one of a name wins.
		return server + " dbname=" + name
	}
	u.Path = "/" + name
	return u.String()
}

func create(name, template string) string {
	return fmt.Sprintf("CREATE DATABASE %s TEMPLATE %s STRATEGY file_copy", quote(name), quote(template))
}

func drop(name string) string {
	return fmt.Sprintf("DROP DATABASE IF EXISTS %s WITH (FORCE)", quote(name))
}

func quote(name string) string {
	return pgx.Identifier{name}.Sanitize()
}

func random() string {
	return strings.ToLower(rand.Text()[:8])
}

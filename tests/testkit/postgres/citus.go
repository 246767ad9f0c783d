package postgres

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// A node is a worker of Citus.
type node struct {
	Host string
	Port int
}

// Distributes reports whether the tests' server is a coordinator of Citus with workers, on which a migrated database is
// to be distributed too.
func Distributes() bool {
	s, err := shared()
	return err == nil && len(s.workers) > 0
}

// store is a database that can be distributed; D is what that did.
type store[D any] interface {
	IsPostgres() bool
	Migrate(ctx context.Context) error
	Distribute(ctx context.Context) (D, error)
}

// Migrated migrates a database, and distributes it where the tests' server is Citus.
func Migrated[D any](ctx context.Context, s store[D]) error {
	err := s.Migrate(ctx)
	if err == nil && s.IsPostgres() && Distributes() {
		_, err = s.Distribute(ctx)
	}
	return err
}

// findWorkers asks the maintenance database for the workers of Citus. Their databases are reached as the same user.
func (s *Server) findWorkers(ctx context.Context) error {
	conn, err := pgx.Connect(ctx, s.URL)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(ctx) }()
	var there bool
	err = conn.QueryRow(ctx, "SELECT to_regclass('pg_catalog.pg_dist_node') IS NOT NULL").Scan(&there)
	if err != nil || !there {
		return err
	}
	rows, err := conn.Query(ctx, "SELECT node_name, node_port::int FROM citus_get_active_worker_nodes() ORDER BY 1, 2")
	if err != nil {
		return err
	}
	nodes, err := pgx.CollectRows(rows, pgx.RowToStructByPos[node])
	if err != nil {
		return err
	}
	for _, n := range nodes {
		u, err := url.Parse(s.URL)
		if err != nil || u.Scheme == "" {
			return errors.New("with Citus, " + EnvURL + " must be a URL")
		}
		u.Host = net.JoinHostPort(n.Host, strconv.Itoa(n.Port))
		s.workers = append(s.workers, u.String())
	}
	if len(nodes) > 0 {
		s.About += fmt.Sprintf(", Citus with %d workers", len(nodes))
	}
	return nil
}

// everywhere runs a statement on the maintenance database of each node.
func (s *Server) everywhere(statement string) error {
	var errs []error
	for _, at := range append([]string{s.URL}, s.workers...) {
		err := execAt(at, statement)
		// Citus keeps connections of its own for a moment.
		for try := 0; err != nil && try < 50 && len(s.workers) > 0 && inUse(err); try++ {
			time.Sleep(100 * time.Millisecond)
			err = execAt(at, statement)
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// inUse reports a database that could not be copied or dropped because somebody is connected to it.
func inUse(err error) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) && pg.Code == "55006"
}

// portOf is the port of an address, which need not name it.
func portOf(address *url.URL) string { return cmp.Or(address.Port(), "5432") }

// joinNodes makes a database that each node has one of Citus. What is cloned from it on each node is one too.
func (s *Server) joinNodes(name string) error {
	for _, at := range append([]string{s.URL}, s.workers...) {
		if err := execAt(databaseAt(at, name), "CREATE EXTENSION IF NOT EXISTS citus"); err != nil {
			return err
		}
	}
	coordinator, err := url.Parse(s.URL)
	if err != nil {
		return err
	}
	steps := []string{
		fmt.Sprintf("SELECT citus_set_coordinator_host('%s', %s)", coordinator.Hostname(), portOf(coordinator)),
		// Few, because each test has shards of its own.
		"ALTER DATABASE " + quote(name) + " SET citus.shard_count = 4", "SET citus.shard_count = 4",
	}
	for _, worker := range s.workers {
		u, err := url.Parse(worker)
		if err != nil {
			return err
		}
		steps = append(steps, fmt.Sprintf("SELECT citus_add_node('%s', %s)", u.Hostname(), portOf(u)))
	}
	return execAt(s.database(name), steps...)
}

// Package postgres gives tests a real PostgreSQL, and each test its own database on it.
//
// The server is, in this order: FICHARIO_TEST_DATABASE_URL; a throw-away cluster of the binaries that
// FICHARIO_TEST_POSTGRES_PROGRAMS names; a container, if a Docker engine answers (image from
// FICHARIO_TEST_POSTGRES_IMAGE); or a cluster of the machine's own PostgreSQL binaries. `make test` starts
// one for the whole run; a test binary run outside it starts its own. No test is skipped for lack of a server: it fails
// and says what to install. Nothing is left behind either, however the tests end (see package guard).
package postgres

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"fichario/tests/testkit/internal/memory"
	"fichario/tests/testkit/patience"
)

const (
	// EnvURL names the variable with the URL of a server for the tests; its user must be a superuser, or may at least
	// create databases.
	EnvURL = "FICHARIO_TEST_DATABASE_URL"
	// EnvImage names the variable with the image of the container.
	EnvImage = "FICHARIO_TEST_POSTGRES_IMAGE"
	// EnvPrograms names the variable with the directory of initdb and postgres, for a server of that version.
	EnvPrograms = "FICHARIO_TEST_POSTGRES_PROGRAMS"
	// EnvDisk names the variable that, set to anything, puts the server's data on the disk: otherwise they are in memory
	// where there is enough.
	EnvDisk = memory.EnvDisk
	// DefaultImage is the image where EnvImage is not set.
	DefaultImage = "postgres:17-alpine"

	// maxConnections suffices for several test packages at once, each with a few pools.
	maxConnections = "300"
)

// ErrNone says, in one sentence, that there is no PostgreSQL and what to install.
var ErrNone = errors.New("no PostgreSQL for the tests: set " + EnvURL +
	", start Docker, or install PostgreSQL (on Debian: apt-get install postgresql)")

// A Mode is a way to shut PostgreSQL down.
type Mode string

// The modes of pg_ctl, and a harsher one.
const (
	Smart     Mode = "smart"     // waits for the clients to leave
	Fast      Mode = "fast"      // rolls back, ends the connections, writes everything
	Immediate Mode = "immediate" // as after a crash: the next start recovers
	// Killed is not a mode of pg_ctl: every process of the server is killed outright.
	Killed Mode = "killed"
)

// control operates a server that we started.
type control interface {
	stop(Mode) error
	start(context.Context) error
	pause() error
	resume() error
	close() error
}

// Server is a running PostgreSQL.
type Server struct {
	// URL leads to the maintenance database, as a superuser.
	URL string
	// About describes the server in a few words, including its version.
	About string

	control control    // nil for a server that somebody else runs
	workers []string   // the URLs of Citus's other nodes; none without Citus
	tb      testing.TB // the test that the server is dedicated to, if any
	prefix  string     // of the names of this process's databases

	mu        sync.Mutex
	templates map[uintptr]*template
}

// Choose finds or starts a server, in the order that the package describes. The caller closes it. Without a server the
// error is ErrNone, with what was tried.
func Choose(ctx context.Context) (*Server, error) {
	if given := os.Getenv(EnvURL); given != "" {
		s := newServer(given, nil)
		if err := s.await(ctx, patience.Limit(), "the server of "+EnvURL, nil); err != nil {
			return nil, fmt.Errorf("%s is set, but its server does not answer: %w", EnvURL, err)
		}
		if err := s.findWorkers(ctx); err != nil {
			return nil, fmt.Errorf("the nodes of the server of %s: %w", EnvURL, err)
		}
		return s, nil
	}
	dockerErr := errors.New("not asked, because " + EnvPrograms + " is set")
	if os.Getenv(EnvPrograms) == "" {
		var s *Server
		if s, dockerErr = startContainer(ctx, ""); dockerErr == nil {
			return s, nil
		}
	}
	s, localErr := startLocal(ctx)
	if errors.Is(localErr, errNoBinaries) {
		return nil, fmt.Errorf("%w (docker: %s; local: %w)", ErrNone, brief(dockerErr), localErr)
	}
	return s, localErr
}

// StartDedicated gives a test its own server, to stop, start and freeze. It uses the machine's binaries where there are
// any (a second to start), otherwise a container; never the server of FICHARIO_TEST_DATABASE_URL.
func StartDedicated(tb testing.TB) *Server {
	tb.Helper()
	ctx, cancel := patience.Context()
	defer cancel()
	s, err := startLocal(ctx)
	if errors.Is(err, errNoBinaries) {
		var port int
		if port, err = freePort(); err == nil {
			// A fixed port, because Docker gives a restarted container a new one.
			s, err = startContainer(ctx, strconv.Itoa(port))
		}
		if err != nil {
			err = fmt.Errorf("%w (a test that stops its server needs one of its own; local: %w; docker: %s)", ErrNone,
				errNoBinaries, brief(err))
		}
	}
	return dedicated(tb, s, err)
}

// StartReplica gives a dedicated server from the machine's binaries a streaming replica, which a test may also stop,
// start and freeze.
func (s *Server) StartReplica(tb testing.TB) *Server {
	tb.Helper()
	ctx, cancel := patience.Context()
	defer cancel()
	primary, ok := s.control.(*cluster)
	if !ok {
		tb.Fatalf("a test with a replica needs PostgreSQL's own programs: %v", errNoBinaries)
	}
	r, err := startCluster(ctx, primary.bin, func(c *cluster) *exec.Cmd {
		return c.command(ctx, "pg_basebackup", "-D", c.data(), "-d", s.URL, "-R", "-X", "stream", "-c", "fast", "--no-sync")
	})
	return dedicated(tb, r, err)
}

// Address is the replica's address of a database, given the primary's address of it.
func (s *Server) Address(tb testing.TB, databaseURL string) string {
	tb.Helper()
	there, err := url.Parse(databaseURL)
	if err != nil {
		tb.Fatal("the database's address is no URL")
	}
	return s.database(strings.TrimPrefix(there.Path, "/"))
}

// dedicated is a server that ends with its test.
func dedicated(tb testing.TB, s *Server, err error) *Server {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
	s.tb = tb
	tb.Cleanup(func() {
		if err := s.Close(); err != nil {
			tb.Errorf("removing the test's PostgreSQL: %v", err)
		}
	})
	return s
}

// Synchronous makes a dedicated server confirm no commit before its replica has it on disk, and waits until that is in
// effect.
func (s *Server) Synchronous() {
	s.tb.Helper()
	s.must("waiting for the replica", s.exec("ALTER SYSTEM SET synchronous_standby_names = '*'"))
	s.must("waiting for the replica", s.exec("SELECT pg_reload_conf()"))
	for deadline := time.Now().Add(patience.Limit()); ; time.Sleep(10 * time.Millisecond) {
		err := s.exec("SELECT 1 / count(*) FROM pg_stat_replication WHERE sync_state = 'sync'")
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			s.must("waiting for the replica", err)
		}
	}
}

// Promote makes a replica an independent server, and returns when it accepts writes.
func (s *Server) Promote() {
	s.tb.Helper()
	s.must("promoting the replica", s.exec("SELECT pg_promote()"))
}

// Stop shuts a dedicated server down. For a container Immediate and Killed are a kill, and any other mode the engine's
// stop.
func (s *Server) Stop(mode Mode) {
	s.tb.Helper()
	s.must("stopping PostgreSQL", s.control.stop(mode))
}

// Start restarts a stopped dedicated server on the same port and waits until it answers.
func (s *Server) Start() {
	s.tb.Helper()
	ctx, cancel := patience.Context()
	defer cancel()
	s.must("starting PostgreSQL", s.control.start(ctx))
	s.must("starting PostgreSQL", s.await(ctx, patience.Limit(), "PostgreSQL", nil))
}

// Pause freezes a dedicated server with all its connections: it is reachable but does not answer.
func (s *Server) Pause() {
	s.tb.Helper()
	s.must("freezing PostgreSQL", s.control.pause())
}

// Resume ends a Pause.
func (s *Server) Resume() {
	s.tb.Helper()
	s.must("thawing PostgreSQL", s.control.resume())
}

// Close stops the server and removes everything of it. A server that somebody else runs is left alone.
func (s *Server) Close() error {
	if s.control == nil {
		return nil
	}
	return s.control.close()
}

func (s *Server) must(what string, err error) {
	s.tb.Helper()
	if err != nil {
		s.tb.Fatalf("%s: %v", what, err)
	}
}

func newServer(address string, c control) *Server {
	return &Server{
		URL:       address,
		control:   c,
		prefix:    fmt.Sprintf("fichario_%d_%s_", os.Getpid(), random()),
		templates: map[uintptr]*template{},
	}
}

// await waits until the server answers and records its version. It gives up early when alive reports that it no longer
// runs.
func (s *Server) await(ctx context.Context, limit time.Duration, name string, alive func() bool) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	for {
		version, err := ask(ctx, s.URL)
		if err == nil {
			s.About = name + ", version " + version
			return nil
		}
		if alive != nil && !alive() {
			return fmt.Errorf("it ended at once: %w", err)
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(10 * time.Millisecond):
		}
	}
}

func ask(ctx context.Context, address string) (version string, err error) {
	ctx, cancel := context.WithTimeout(ctx, patience.Limit())
	defer cancel()
	conn, err := pgx.Connect(ctx, address)
	if err != nil {
		return "", err
	}
	defer conn.Close(ctx)
	err = conn.QueryRow(ctx, "SELECT current_setting('server_version')").Scan(&version)
	return version, err
}

// freePort asks the system for an unused port. Another process may take it first, so callers retry.
func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}

// loopback is the URL of the maintenance database of a server on this machine.
func loopback(user *url.Userinfo, hostPort string) string {
	u := url.URL{Scheme: "postgres", User: user, Host: hostPort, Path: "/postgres", RawQuery: "sslmode=disable"}
	return u.String()
}

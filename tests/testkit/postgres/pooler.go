package postgres

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"fichario/tests/testkit/internal/guard"
	"fichario/tests/testkit/patience"
)

// ErrNoPooler says, in one sentence, that there is no PgBouncer and what to install.
var ErrNoPooler = errors.New("no PgBouncer for the tests: install it (on Debian: apt-get install pgbouncer)")

// PoolerPath finds PgBouncer's program.
func PoolerPath() (string, error) {
	for _, name := range []string{"pgbouncer", "/usr/sbin/pgbouncer"} { // sbin may not be on the PATH
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", ErrNoPooler
}

// PoolerMode is the query mode that the program should choose for the pooler of the tests: PgBouncer tracks prepared
// statements from 1.21 on.
func PoolerMode(tb testing.TB) string {
	tb.Helper()
	path, err := PoolerPath()
	if err != nil {
		tb.Fatal(err)
	}
	tracks, err := tracksStatements(path)
	switch {
	case err != nil:
		tb.Fatal(err)
	case tracks:
		return "cache statement"
	}
	return "exec"
}

func tracksStatements(path string) (bool, error) {
	out, err := exec.Command(path, "--version").Output()
	if err != nil {
		return false, err
	}
	var major, minor int
	_, err = fmt.Sscanf(string(out), "PgBouncer %d.%d", &major, &minor)
	return major > 1 || minor >= 21, err
}

// pooler is PgBouncer in transaction mode in front of this process's server.
var pooler = sync.OnceValues(func() (address string, err error) {
	s, err := shared()
	if err != nil {
		return "", err
	}
	return startPooler(s.URL)
})

// Pooled is the address of a database on this process's server through PgBouncer in transaction mode: each transaction
// may run in another session of the server, and start-up parameters are refused.
func Pooled(tb testing.TB, databaseURL string) string {
	tb.Helper()
	address, err := pooler()
	if err != nil {
		tb.Fatal(err)
	}
	database, err := url.Parse(databaseURL)
	if err != nil {
		tb.Fatal("the server's address is no URL")
	}
	through, _ := url.Parse(address)
	through.Path = database.Path
	return through.String()
}

func startPooler(server string) (address string, err error) {
	path, err := PoolerPath()
	if err != nil {
		return "", err
	}
	to, err := pgx.ParseConfig(server)
	if err != nil {
		return "", err
	}
	// Like PostgreSQL, it refuses to run as root.
	var owner *syscall.Credential
	parent := os.TempDir()
	if os.Geteuid() == 0 {
		parent = "/tmp"
		if owner, err = unprivileged(); err != nil {
			return "", err
		}
	}
	dir, err := os.MkdirTemp(parent, "fichario-pooler-")
	if err != nil {
		return "", err
	}
	if _, err := guard.Add(guard.Directory(dir)); err != nil {
		return "", err
	}
	prepared := ""
	tracks, err := tracksStatements(path)
	if err != nil {
		return "", err
	}
	if tracks {
		prepared = "max_prepared_statements = 200\n"
	}
	// Another process may take the free port first.
	for range 3 {
		var port int
		if port, err = freePort(); err != nil {
			return "", err
		}
		config := fmt.Sprintf(`[databases]
* = host=%s port=%d
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = %d
unix_socket_dir =
auth_type = trust
auth_file = users
pool_mode = transaction
max_client_conn = 2000
default_pool_size = 6
logfile = log
%s`, to.Host, to.Port, port, prepared)
		users := fmt.Sprintf("%q %q\n", to.User, to.Password)
		address = loopback(url.User(to.User), net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
		files := map[string]string{"ini": config, "users": users, "log": ""}
		if err = runPooler(path, dir, files, address, owner); err == nil {
			return address, nil
		}
	}
	return "", err
}

func runPooler(path, dir string, files map[string]string, address string, owner *syscall.Credential) error {
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			return err
		}
	}
	if owner != nil {
		for _, name := range []string{"", "ini", "users", "log"} {
			if err := os.Chown(filepath.Join(dir, name), int(owner.Uid), int(owner.Gid)); err != nil {
				return err
			}
		}
	}
	start := func() (wait func() error, err error) {
		cmd := exec.Command(path, "-q", "ini")
		cmd.Dir = dir
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Credential: owner}
		if err := cmd.Start(); err != nil {
			return nil, err
		}
		entry, err := guard.Add(guard.Process(cmd.Process.Pid))
		return func() error {
			defer entry.Forget()
			return cmd.Wait()
		}, err
	}
	wait, err := start()
	if err != nil {
		return err
	}
	ended, answered := make(chan struct{}), make(chan struct{})
	go func() {
		why := wait()
		close(ended)
		<-answered
		// Nothing ends it while the tests run. If it breaks, report that and restart it.
		for range 5 {
			log, _ := os.ReadFile(filepath.Join(dir, "log"))
			fmt.Fprintf(os.Stderr, "PgBouncer ended by itself (%v) and is started again: %s\n", why, log[max(0, len(log)-500):])
			if wait, err := start(); err == nil {
				why = wait()
			}
		}
	}()
	for ctx, cancel := patience.Context(); ; {
		_, err := ask(ctx, address+"&default_query_exec_mode=exec")
		if err == nil {
			cancel()
			close(answered)
			return nil
		}
		select {
		case <-ended:
			cancel()
			return fmt.Errorf("PgBouncer ended at once: %w", err)
		case <-ctx.Done():
			cancel()
			return err
		case <-time.After(10 * time.Millisecond):
		}
	}
}

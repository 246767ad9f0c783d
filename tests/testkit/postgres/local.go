package postgres

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"fichario/tests/testkit/internal/guard"
	"fichario/tests/testkit/internal/memory"
	"fichario/tests/testkit/internal/proc"
	"fichario/tests/testkit/patience"
)

var errNoBinaries = errors.New("no initdb on PATH or in /usr/lib/postgresql/*/bin")

// cluster is a throw-away cluster from the machine's own binaries. It keeps PostgreSQL's durable settings: what the
// tests measure and break must match production.
type cluster struct {
	bin   string // the directory of initdb and postgres
	dir   string // holds data, socket and log; short, because a socket's path is limited to 107 bytes
	port  int
	owner *syscall.Credential // the user that the server runs as; nil for the current one
	cmd   *exec.Cmd           // the postmaster; nil while down
	entry *guard.Entry
}

func startLocal(ctx context.Context) (*Server, error) {
	bin, err := binaries()
	if err != nil {
		return nil, err
	}
	// No sync: it only concerns the initial files, which nobody needs after a power cut.
	return startCluster(ctx, bin, func(c *cluster) *exec.Cmd {
		return c.command(ctx, "initdb", "-D", c.data(), "-U", "postgres", "--auth=trust", "-E", "UTF8", "--locale=C.UTF-8",
			"--no-sync")
	})
}

// startCluster starts a cluster whose initial files a command makes.
func startCluster(ctx context.Context, bin string, files func(*cluster) *exec.Cmd) (*Server, error) {
	c := &cluster{bin: bin}
	err := c.create()
	if err == nil {
		if out, failed := files(c).CombinedOutput(); failed != nil {
			err = fmt.Errorf("its first files: %w: %s", failed, bytes.TrimSpace(out))
		}
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("a throw-away PostgreSQL of %s: %w", bin, err), c.close())
	}
	// Another process may take the free port before PostgreSQL does.
	for range 3 {
		var s *Server
		if s, err = c.startAnywhere(ctx); err == nil {
			return s, nil
		}
	}
	return nil, errors.Join(fmt.Errorf("a throw-away PostgreSQL of %s: %w: %s", bin, err, c.log()), c.close())
}

// binaries finds the directory that EnvPrograms names, else that of the PostgreSQL on the PATH or the newest one.
func binaries() (string, error) {
	if dir := os.Getenv(EnvPrograms); dir != "" {
		return dir, nil
	}
	var candidates []string
	if onPath, err := exec.LookPath("initdb"); err == nil {
		if real, err := filepath.EvalSymlinks(onPath); err == nil {
			candidates = append(candidates, filepath.Dir(real))
		}
	}
	debian, _ := filepath.Glob("/usr/lib/postgresql/*/bin")
	slices.SortFunc(debian, func(a, b string) int { return major(b) - major(a) })
	for _, dir := range append(candidates, debian...) {
		_, initdb := exec.LookPath(filepath.Join(dir, "initdb"))
		_, postgres := exec.LookPath(filepath.Join(dir, "postgres"))
		if initdb == nil && postgres == nil {
			return dir, nil
		}
	}
	return "", errNoBinaries
}

func major(bin string) int {
	n, _ := strconv.Atoi(filepath.Base(filepath.Dir(bin)))
	return n
}

// create makes the directory.
func (c *cluster) create() (err error) {
	parent := os.TempDir()
	if os.Geteuid() == 0 {
		// PostgreSQL refuses to run as root, and another user may have no access to root's temporary directory.
		parent = "/tmp"
		if c.owner, err = unprivileged(); err != nil {
			return err
		}
	}
	if c.dir, err = os.MkdirTemp(memory.Folder(parent), "fichario-pg-"); err != nil {
		return err
	}
	if c.entry, err = guard.Add(guard.Cluster(c.dir)); err != nil {
		return errors.Join(err, os.RemoveAll(c.dir))
	}
	if c.owner != nil {
		if err := os.Chown(c.dir, int(c.owner.Uid), int(c.owner.Gid)); err != nil {
			return err
		}
	}
	return nil
}

func (c *cluster) startAnywhere(ctx context.Context) (s *Server, err error) {
	if c.port, err = freePort(); err != nil {
		return nil, err
	}
	if err := c.start(ctx); err != nil {
		return nil, err
	}
	hostPort := net.JoinHostPort("127.0.0.1", strconv.Itoa(c.port))
	s = newServer(loopback(url.User("postgres"), hostPort), c)
	if err := s.await(ctx, patience.Limit(), "local cluster, "+c.bin, c.alive); err != nil {
		return nil, errors.Join(err, c.stop(Immediate))
	}
	return s, nil
}

// start starts the postmaster without waiting until it answers. No Pdeathsig: that follows the thread that started it,
// not the process; the guard ends the server of a dead test process.
func (c *cluster) start(context.Context) error {
	if c.cmd != nil {
		return errors.New("it runs already")
	}
	log, err := os.OpenFile(filepath.Join(c.dir, "log"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	cmd := c.command(context.Background(), "postgres", "-D", c.data(), "-p", strconv.Itoa(c.port),
		"-c", "listen_addresses=127.0.0.1",
		"-c", "unix_socket_directories="+c.dir,
		"-c", "max_connections="+maxConnections)
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		return err
	}
	c.cmd = cmd
	return nil
}

func (c *cluster) stop(mode Mode) error {
	signals := map[Mode]syscall.Signal{
		Smart: syscall.SIGTERM, Fast: syscall.SIGINT, Immediate: syscall.SIGQUIT, Killed: syscall.SIGKILL,
	}
	signal, known := signals[mode]
	if !known {
		return fmt.Errorf("no mode %q", mode)
	}
	if c.cmd == nil {
		return errors.New("it is down already")
	}
	pid := c.cmd.Process.Pid
	if mode == Killed { // first freeze the children: without a postmaster they could not be found
		if err := c.pause(); err != nil {
			return err
		}
		for _, child := range proc.Children(pid) {
			_ = syscall.Kill(child, signal)
		}
	}
	if err := c.cmd.Process.Signal(signal); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	if !proc.WaitGone(pid, patience.Limit()) {
		return fmt.Errorf("it still runs 30 s after a %s shutdown", mode)
	}
	// Ignore the status: PostgreSQL does not report an immediate shutdown as a success.
	_ = c.cmd.Wait()
	c.cmd = nil
	return nil
}

// pause freezes the postmaster first, so that no new process appears, then its children, which serve the connections.
func (c *cluster) pause() error {
	if c.cmd == nil {
		return errDown
	}
	pid := c.cmd.Process.Pid
	if err := c.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		return err
	}
	if !proc.WaitStopped(pid, patience.Limit()) {
		return errors.New("it does not stop")
	}
	return c.signalAll(syscall.SIGSTOP)
}

func (c *cluster) resume() error {
	return c.signalAll(syscall.SIGCONT)
}

// errDown is returned where there is no server to signal.
var errDown = errors.New("it is down")

func (c *cluster) signalAll(signal syscall.Signal) error {
	if c.cmd == nil {
		return errDown
	}
	if err := c.cmd.Process.Signal(signal); err != nil {
		return err
	}
	for _, child := range proc.Children(c.cmd.Process.Pid) {
		if err := syscall.Kill(child, signal); err != nil && !errors.Is(err, syscall.ESRCH) {
			return err
		}
	}
	return nil
}

func (c *cluster) close() error {
	if c.entry == nil {
		return nil
	}
	err := c.entry.Undo()
	if c.cmd != nil {
		_ = c.cmd.Wait()
		c.cmd = nil
	}
	return err
}

func (c *cluster) alive() bool {
	return c.cmd != nil && proc.Alive(c.cmd.Process.Pid)
}

func (c *cluster) data() string {
	return filepath.Join(c.dir, "data")
}

// log is the end of the server's log, for an error.
func (c *cluster) log() string {
	text, _ := os.ReadFile(filepath.Join(c.dir, "log"))
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	return strings.Join(lines[max(0, len(lines)-5):], "; ")
}

// command prepares a program of PostgreSQL: as the owner, in a directory accessible to the owner, out of reach of
// Ctrl-C, and without the PG* variables, which would lead it to another server.
func (c *cluster) command(ctx context.Context, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, filepath.Join(c.bin, name), args...)
	cmd.Dir = c.dir
	cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "PG") })
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Credential: c.owner}
	return cmd
}

// unprivileged is the user that root runs PostgreSQL as.
func unprivileged() (*syscall.Credential, error) {
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, uidErr := strconv.ParseUint(u.Uid, 10, 32)
		gid, gidErr := strconv.ParseUint(u.Gid, 10, 32)
		if uidErr == nil && gidErr == nil {
			return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, nil
		}
	}
	return nil, errors.New("neither a user postgres nor nobody to run it as, and it refuses root")
}

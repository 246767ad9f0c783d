package testkit

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"fichario/tests/testkit/internal/guard"
	"fichario/tests/testkit/patience"
)

// ErrNoBalancer says, in one sentence, that there is no HAProxy and what to install.
var ErrNoBalancer = errors.New("no HAProxy for the tests: install it (on Debian: apt-get install haproxy)")

// BalancerPath finds HAProxy's program.
func BalancerPath() (string, error) {
	for _, name := range []string{"haproxy", "/usr/sbin/haproxy"} { // sbin may not be on the PATH
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", ErrNoBalancer
}

// Balance starts HAProxy in front of programs, round robin, and returns its address. With a check, such as "check inter
// 1s", it tests whether they are ready, and a request sent to one that is gone is lost; without a check, such a request
// goes to another one.
func Balance(tb testing.TB, check string, to ...*Program) (addr string) {
	tb.Helper()
	path, err := BalancerPath()
	if err != nil {
		tb.Fatal(err)
	}
	servers := "  retries 0\n"
	if check == "" {
		servers = "  retries 3\n  option redispatch 1\n  retry-on conn-failure\n"
	}
	for i, p := range to {
		servers += fmt.Sprintf("  server s%d %s %s\n", i, p.at, check)
	}
	return onFreePort(tb, func(addr string) error { return startBalancer(tb, path, addr, servers) })
}

// onFreePort calls start with a free port on loopback. Another process may take the port first, so start may be called
// again.
func onFreePort(tb testing.TB, start func(addr string) error) (addr string) {
	tb.Helper()
	var err error
	for range 3 {
		var l net.Listener
		if l, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
			tb.Fatal(err)
		}
		addr = l.Addr().String()
		_ = l.Close()
		if err = start(addr); err == nil {
			return addr
		}
	}
	tb.Fatal(err)
	return ""
}

// balancing accepts whatever a server would: refusing odd requests is left to the program.
const balancing = `global
  maxconn 2000
  nbthread 1
  tune.bufsize 65536
defaults
  mode http
  timeout connect 1h
  timeout client 1h
  timeout server 1h
  timeout http-keep-alive 1h
  timeout check 1h
  balance roundrobin
  option httpchk GET /readyz
frontend in
  bind %s
  option accept-invalid-http-request
  default_backend out
backend out
%s`

func startBalancer(tb testing.TB, path, addr, servers string) error {
	tb.Helper()
	dir := tb.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "cfg"), fmt.Appendf(nil, balancing, addr, servers), 0o600); err != nil {
		return err
	}
	cmd := exec.Command(path, "-db", "-q", "-f", "cfg")
	cmd.Dir = dir
	return startProxy(tb, cmd, addr)
}

// startProxy starts a program that stays in the foreground, and waits until it answers at addr.
func startProxy(tb testing.TB, cmd *exec.Cmd, addr string) error {
	tb.Helper()
	var said strings.Builder
	cmd.Stderr = &said
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		return err
	}
	entry, err := guard.Add(guard.Process(cmd.Process.Pid))
	if err != nil {
		return err
	}
	ended := make(chan struct{})
	go func() {
		_ = cmd.Wait()
		entry.Forget()
		close(ended)
	}()
	tb.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-ended
	})
	for deadline := time.Now().Add(patience.Limit()); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		select {
		case <-ended:
			return fmt.Errorf("%s ended at once: %s", filepath.Base(cmd.Path), said.String())
		default:
		}
		if c, err := net.Dial("tcp", addr); err == nil {
			return c.Close()
		}
	}
	return fmt.Errorf("%s does not answer", filepath.Base(cmd.Path))
}

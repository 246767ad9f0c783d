package testkit

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// ErrNoNginx says, in one sentence, that there is no nginx and what to install.
var ErrNoNginx = errors.New("no nginx for the tests: install it (on Debian: apt-get install nginx-light)")

// NginxPath finds nginx's program.
func NginxPath() (string, error) {
	for _, name := range []string{"nginx", "/usr/sbin/nginx"} { // sbin may not be on the PATH
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", ErrNoNginx
}

// BehindNginx starts nginx with the configuration in docs/deploy in front of a program, without TLS, and returns its
// address.
func BehindNginx(tb testing.TB, p *Program) (addr string) {
	tb.Helper()
	path, err := NginxPath()
	if err != nil {
		tb.Fatal(err)
	}
	shipped := shippedConfig(tb, "nginx.conf")
	return onFreePort(tb, func(addr string) error {
		dir := tb.TempDir()
		site := strings.NewReplacer("listen 443 ssl;", "listen "+addr+";", "10.0.0.11:8080", p.at, "10.0.0.12:8080", p.at,
			"ssl_certificate /etc/ssl/fichario.pem;", "", "ssl_certificate_key /etc/ssl/private/fichario.key;", "",
			"/var/log/nginx/", dir+"/", "$scheme", "https").Replace(shipped)
		paths := ""
		for _, name := range []string{"client_body", "proxy", "fastcgi", "uwsgi", "scgi"} {
			paths += name + "_temp_path " + dir + "/" + name + ";\n"
		}
		config := "daemon off; pid " + dir + "/pid; events {}\nhttp {\n" + paths + site + "}\n"
		if err := os.WriteFile(filepath.Join(dir, "nginx.conf"), []byte(config), 0o600); err != nil {
			return err
		}
		cmd := exec.Command(path, "-p", dir, "-c", "nginx.conf", "-e", "stderr", "-g", "master_process off;")
		return startProxy(tb, cmd, addr)
	})
}

// BehindHAProxy is BehindNginx with HAProxy.
func BehindHAProxy(tb testing.TB, p *Program) (addr string) {
	tb.Helper()
	path, err := BalancerPath()
	if err != nil {
		tb.Fatal(err)
	}
	shipped := shippedConfig(tb, "haproxy.cfg")
	return onFreePort(tb, func(addr string) error {
		file := filepath.Join(tb.TempDir(), "haproxy.cfg")
		config := strings.NewReplacer("bind :443 ssl crt /etc/ssl/private/fichario.pem", "bind "+addr,
			"10.0.0.11:8080", p.at, "10.0.0.12:8080", p.at, "log /dev/log local0", "log stderr format raw local0").Replace(shipped)
		if err := os.WriteFile(file, []byte(config), 0o600); err != nil {
			return err
		}
		return startProxy(tb, exec.Command(path, "-db", "-f", file), addr)
	})
}

func shippedConfig(tb testing.TB, name string) string {
	tb.Helper()
	_, here, _, _ := runtime.Caller(0)
	src, err := os.ReadFile(filepath.Join(filepath.Dir(here), "..", "..", "docs", "deploy", name))
	if err != nil {
		tb.Fatal(err)
	}
	return string(src)
}

package testkit_test

import (
	"errors"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"fichario/tests/testkit"
)

// TestMain builds a stand-in for the program: these tests check testkit, not the program.
func TestMain(m *testing.M) {
	os.Exit(func() int {
		dir, err := os.MkdirTemp("", "standin-")
		if err != nil {
			panic(err)
		}
		defer os.RemoveAll(dir)
		binary := filepath.Join(dir, "fichario")
		if out, err := exec.Command("go", "build", "-o", binary, "./internal/standin").CombinedOutput(); err != nil {
			panic(string(out))
		}
		if err := os.Setenv(testkit.EnvBinary, binary); err != nil {
			panic(err)
		}
		return m.Run()
	}())
}

func TestProgram(t *testing.T) {
	t.Parallel()
	p := testkit.StartProgram(t, testkit.Options{Args: []string{"--demo"}})
	answers(t, p)
	url := p.URL

	p.Stop()
	if !strings.Contains(p.Logs(), `"msg":"stopped"`) {
		t.Errorf("the log lacks the end of a stopped program:\n%s", p.Logs())
	}
	p.Restart()
	answers(t, p)
	p.Kill()
	p.Restart()
	answers(t, p)
	p.Restart() // even while it runs
	answers(t, p)
	if p.URL != url {
		t.Errorf("it moved from %s to %s", url, p.URL)
	}
}

func TestProgramThatStopsBadly(t *testing.T) {
	t.Parallel()
	failed := &recorder{TB: t}
	p := testkit.StartProgram(failed, testkit.Options{Env: map[string]string{"FICHARIO_STUBBORN": "1"}})
	p.Stop()
	if !failed.errors {
		t.Error("code 1 after SIGTERM passed for a clean end")
	}
}

// TestRun is not parallel: the environment belongs to the process.
func TestRun(t *testing.T) {
	type echo struct {
		Args                       []string
		Input, Database, Key, Leak string
	}
	t.Setenv("FICHARIO_TEST_DATABASE_URL", "not for the program")
	env := map[string]string{"FICHARIO_DATABASE_URL": "sqlite://x"}
	got := testkit.JSON[echo](t, testkit.RunInput(t, "secret", env, "echo", "a", "b c"))
	if strings.Join(got.Args, "|") != "a|b c" || got.Input != "secret" || got.Database != "sqlite://x" || got.Leak != "" {
		t.Errorf("got %+v", got)
	}
	if f := testkit.RunErr(t, nil, "nonsense"); f.Code != 1 || f.Stderr != "no such command\n" || f.Stdout != "" {
		t.Errorf("got %+v", f)
	}
}

func TestDatabases(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	seen := map[string]string{}
	t.Cleanup(func() {
		if len(seen) != 2 || seen["sqlite"] != "" || len(seen["postgres"]) != 44 {
			t.Errorf("scheme and data key: %v", seen)
		}
	})
	testkit.OnBothDatabases(t, func(t *testing.T, env map[string]string) {
		url := env["FICHARIO_DATABASE_URL"]
		scheme, path, _ := strings.Cut(url, "://")
		mu.Lock()
		seen[scheme] = env["FICHARIO_DATA_KEY"]
		mu.Unlock()
		if scheme == "sqlite" {
			_, err := os.Stat(path)
			_, keyErr := os.Stat(path + ".key")
			if err := errors.Join(err, keyErr); err != nil || !filepath.IsAbs(path) {
				t.Errorf("%s is not absolute, or not there: %v", url, err)
			}
			return
		}
		conn, err := pgx.Connect(t.Context(), url)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close(t.Context())
		if _, err := conn.Exec(t.Context(), "SELECT FROM migrated"); err != nil {
			t.Error(err)
		}
	})
}

// recorder records a failure instead of failing.
type recorder struct {
	testing.TB
	errors bool
}

func (r *recorder) Errorf(string, ...any) { r.errors = true }

func answers(t *testing.T, p *testkit.Program) {
	t.Helper()
	response, err := http.Get(p.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusNotFound {
		t.Errorf("status %d", response.StatusCode)
	}
}

// Package testkit starts the real program for end-to-end tests: the binary that users run, over its public
// interfaces, on the databases that it supports.
//
//	testkit.OnBothDatabases(t, func(t *testing.T, env map[string]string) {
//		program := testkit.StartProgram(t, testkit.Options{Env: env})
//		key := testkit.JSON[struct{ Key string }](t, testkit.Run(t, env, "key", "create", …, "--json"))
//		…program.URL…
//	})
package testkit

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"fichario/tests/testkit/internal/guard"
	"fichario/tests/testkit/internal/memory"
	"fichario/tests/testkit/noon"
	"fichario/tests/testkit/patience"
	"fichario/tests/testkit/postgres"
	"fichario/tests/testkit/sqlite"
)

const (
	// EnvBinary names the variable with the path of a built program; `make test` sets it.
	EnvBinary = "FICHARIO_TEST_BINARY"
	// EnvPooled names the variable that makes OnBothAndPooled start two instances; `make test-slow` sets it.
	EnvPooled = "FICHARIO_TEST_POOLED"

	program = "fichario/cmd/fichario"
)

var build = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "fichario-bin-")
	if err != nil {
		return "", err
	}
	if _, err := guard.Add(guard.Directory(dir)); err != nil {
		return "", errors.Join(err, os.RemoveAll(dir))
	}
	binary := filepath.Join(dir, "fichario")
	ctx, cancel := patience.Context()
	defer cancel()
	cmd := exec.CommandContext(ctx, "go", "build", "-pgo=off", "-o", binary, program)
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%s: %w\n%s", cmd, err, out)
	}
	return binary, nil
})

// Build returns the path of the program: the one in FICHARIO_TEST_BINARY, or one that is built once per process.
func Build(tb testing.TB) string {
	tb.Helper()
	if built := os.Getenv(EnvBinary); built != "" {
		if !filepath.IsAbs(built) {
			tb.Fatalf("%s must be an absolute path, because every test package runs in its own directory; it is %q", EnvBinary,
				built)
		}
		return built
	}
	binary, err := build()
	if err != nil {
		tb.Fatal(err)
	}
	return binary
}

// Run runs a command of the program, such as "key", "create", and returns its standard output. The test fails when the
// command does. Whatever a test does to the database of a service, a command that looks at it waits for one on a
// machine on which much else runs.
func Run(tb testing.TB, env map[string]string, args ...string) string {
	tb.Helper()
	return RunInput(tb, "", env, args...)
}

// RunInput is Run with standard input, for options such as --password-stdin.
func RunInput(tb testing.TB, input string, env map[string]string, args ...string) string {
	tb.Helper()
	patient := map[string]string{}
	maps.Copy(patient, env)
	patient["FICHARIO_DATABASE_TIMEOUT"] = databaseTimeout(time.Minute)
	r := run(Build(tb), tb.TempDir(), input, patient, args)
	if r.err != nil {
		tb.Fatalf("fichario %s: %v\n%s%s", strings.Join(args, " "), r.err, r.Stdout, r.Stderr)
	}
	return r.Stdout
}

// Failure is a command that exited with a code other than 0.
type Failure struct {
	Code           int
	Stdout, Stderr string
}

// RunErr runs a command that must fail. The test fails when the command succeeds.
func RunErr(tb testing.TB, env map[string]string, args ...string) Failure {
	tb.Helper()
	r := run(Build(tb), tb.TempDir(), "", env, args)
	var exit *exec.ExitError
	switch {
	case r.err == nil:
		tb.Fatalf("fichario %s succeeded and should not have\n%s%s", strings.Join(args, " "), r.Stdout, r.Stderr)
	case !errors.As(r.err, &exit):
		tb.Fatalf("fichario %s: %v", strings.Join(args, " "), r.err)
	default:
		r.Code = exit.ExitCode()
	}
	return r.Failure
}

// JSON decodes the output of a command with --json.
func JSON[T any](tb testing.TB, out string) T {
	tb.Helper()
	var value T
	if err := json.Unmarshal([]byte(out), &value); err != nil {
		tb.Fatalf("%v in %q", err, out)
	}
	return value
}

// OnBothDatabases runs the test on each supported database, in parallel, with an environment for a migrated one of its
// own.
func OnBothDatabases(t *testing.T, test func(t *testing.T, env map[string]string)) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) { t.Parallel(); test(t, SQLite(t)) })
	t.Run("postgres", func(t *testing.T) { t.Parallel(); test(t, PostgreSQL(t)) })
}

// OnBothAndPooled is OnBothDatabases; with EnvPooled set it is PostgreSQL only, and the program is two instances behind
// HAProxy: one connects directly, with prepared statements, and one through PgBouncer in transaction mode. Of two equal
// requests, each instance gets one.
func OnBothAndPooled(t *testing.T, test func(t *testing.T, env map[string]string)) {
	t.Helper()
	if os.Getenv(EnvPooled) == "" {
		OnBothDatabases(t, test)
		return
	}
	onPooled(t, test)
}

// OnSQLiteAndPooled is OnBothAndPooled for what no database decides: without EnvPooled it is SQLite only.
func OnSQLiteAndPooled(t *testing.T, test func(t *testing.T, env map[string]string)) {
	t.Helper()
	if os.Getenv(EnvPooled) == "" {
		t.Run("sqlite", func(t *testing.T) { t.Parallel(); test(t, SQLite(t)) })
		return
	}
	onPooled(t, test)
}

func onPooled(t *testing.T, test func(t *testing.T, env map[string]string)) {
	t.Helper()
	t.Run("pooled", func(t *testing.T) {
		t.Parallel()
		env := PostgreSQL(t)
		env[pooled] = postgres.Pooled(t, env["FICHARIO_DATABASE_URL"])
		test(t, env)
	})
}

// template is what the SQLite databases are copied from. It has no data key in its environment: the program makes one
// beside the file.
var template = sqlite.Template{
	Migrate: func(_ context.Context, url string) error {
		return migrate(map[string]string{"FICHARIO_DATABASE_URL": url})
	},
	Beside: []string{".key"},
}

// EmptySQLite is the environment for a database file in the test's own directory that is not there yet, nor a data key:
// the program makes both.
func EmptySQLite(tb testing.TB) map[string]string {
	tb.Helper()
	dir, err := os.MkdirTemp(memory.Folder(os.TempDir()), "fichario-sqlite-")
	if err != nil {
		tb.Fatal(err)
	}
	entry, err := guard.Add(guard.Directory(dir))
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := entry.Undo(); err != nil {
			tb.Error(err)
		}
	})
	return map[string]string{"FICHARIO_DATABASE_URL": "sqlite://" + filepath.Join(dir, "fichario.db")}
}

// SQLite is EmptySQLite with a migrated database, and its data key beside it.
func SQLite(tb testing.TB) map[string]string {
	tb.Helper()
	Build(tb) // fails here, where the reason can be shown, and not inside the migration
	env := EmptySQLite(tb)
	template.Copy(tb, strings.TrimPrefix(env["FICHARIO_DATABASE_URL"], "sqlite://"))
	return env
}

// PostgreSQL is the environment for a migrated database of the test's own.
func PostgreSQL(tb testing.TB) map[string]string {
	tb.Helper()
	Build(tb) // fails here, where the reason can be shown, and not inside the migration
	return OnPostgreSQL(postgres.New(tb, Migrate))
}

// OnPostgreSQL is the environment for the PostgreSQL database at the URL.
func OnPostgreSQL(url string) map[string]string {
	return map[string]string{"FICHARIO_DATABASE_URL": url, "FICHARIO_DATA_KEY": dataKey()}
}

// Migrate runs `fichario migrate` on a PostgreSQL database. It is for a server of package postgres, for instance a
// dedicated one: server.Database(t, testkit.Migrate).
func Migrate(_ context.Context, url string) error { return migrate(OnPostgreSQL(url)) }

func migrate(env map[string]string) error {
	binary := os.Getenv(EnvBinary)
	if binary == "" {
		var err error
		if binary, err = build(); err != nil {
			return err
		}
	}
	args := []string{"migrate"}
	if strings.HasPrefix(env["FICHARIO_DATABASE_URL"], "postgres") && postgres.Distributes() {
		args = append(args, "--distribute", "citus")
	}
	if r := run(binary, os.TempDir(), "", env, args); r.err != nil {
		return fmt.Errorf("fichario migrate: %w\n%s%s", r.err, r.Stdout, r.Stderr)
	}
	return nil
}

// dataKey is one key for the process, because its databases are clones of one that may have seen the key.
var dataKey = sync.OnceValue(func() string {
	key := make([]byte, 32)
	_, _ = rand.Read(key) // never fails
	return base64.StdEncoding.EncodeToString(key)
})

type result struct {
	Failure
	err error
}

func run(binary, dir, input string, env map[string]string, args []string) result {
	ctx, cancel := patience.Context()
	defer cancel()
	cmd := exec.CommandContext(ctx, binary, args...)
	cmd.Dir = dir
	// A command ends before collecting its memory pays off, which would be a quarter of its start-up cost.
	cmd.Env = append(environment(env), "GOGC=400")
	cmd.Stdin = strings.NewReader(input)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	cmd.WaitDelay = patience.Limit()
	err := cmd.Run()
	return result{Failure{Stdout: stdout.String(), Stderr: stderr.String()}, err}
}

// databaseTimeout is what an operation of the database may take, as FICHARIO_DATABASE_TIMEOUT says it, that takes as
// long as given on an ordinary machine.
func databaseTimeout(ordinary time.Duration) string {
	return min(patience.Scaled(ordinary), 10*time.Minute).String()
}

// Away is the environment of a program whose database a test takes away: it waits for that no longer than ten seconds,
// however slow the machine is, so that everybody is told before the thirty seconds of a post are over.
func Away(env map[string]string) map[string]string {
	env["FICHARIO_DATABASE_TIMEOUT"] = "10s"
	return env
}

// environment is this process's environment, without variables that would configure the program or lead it to another
// database, plus the given ones.
func environment(sets ...map[string]string) []string {
	env := slices.DeleteFunc(os.Environ(), func(v string) bool {
		return strings.HasPrefix(v, "FICHARIO_") || strings.HasPrefix(v, "PG")
	})
	all := map[string]string{
		// Twice the program's default, because much runs at once.
		"FICHARIO_DATABASE_TIMEOUT": databaseTimeout(10 * time.Second), "FICHARIO_TIME_ZONE": noon.Zone().String(),
	}
	for _, set := range sets {
		maps.Copy(all, set)
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		env = append(env, name+"="+all[name])
	}
	return env
}

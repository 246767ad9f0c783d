package integration

import (
	"database/sql"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"fichario/tests/testkit"
	"fichario/tests/testkit/lookuptest"
)

// TestTheDemonstrationIsCompleteAndCoherent: /readyz refuses until all of it is there, and its data agree.
func TestTheDemonstrationIsCompleteAndCoherent(t *testing.T) {
	t.Parallel()
	testkit.OnSQLiteAndPooled(t, func(t *testing.T, env map[string]string) {
		p := testkit.StartProgram(t, testkit.Options{Env: env, Args: []string{"--demo"}})
		refused := 0
		lookuptest.Eventually(t, "it is ready", func() bool {
			req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+p.Instances()[0]+"/readyz", nil)
			if err != nil {
				t.Fatal(err)
			}
			resp, err := http.DefaultClient.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			_ = resp.Body.Close()
			if resp.StatusCode == http.StatusServiceUnavailable {
				refused++
			}
			return resp.StatusCode == http.StatusOK
		})
		expect(t, "it was refused before", refused > 0, true)
		expect(t, "that is logged as an error", strings.Contains(p.Logs(), "request failed"), false)
		lookuptest.Eventually(t, "what it prints arrives", func() bool {
			return strings.Contains(p.Logs(), "The interface: ")
		})
		p.Stop()

		driver := "sqlite"
		if env["FICHARIO_DATA_KEY"] != "" {
			driver = "pgx"
		}
		db, err := sql.Open(driver, strings.TrimPrefix(env["FICHARIO_DATABASE_URL"], "sqlite://"))
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = db.Close() }()
		const used = `SELECT COUNT(*) FROM lookups l JOIN keys k ON k.id = l.key_id WHERE `
		for name, query := range map[string]string{
			"lookups older than their contact": `SELECT COUNT(*) FROM lookups l JOIN contacts c ON c.id = l.contact_id
				WHERE l.at < c.created_at`,
			"history older than its contact": `SELECT COUNT(*) FROM contact_events e JOIN contacts c ON c.id = e.contact_id
				WHERE e.at < c.created_at`,
			"lookups older than their key":   used + "l.at < k.created_at",
			"keys used after their last use": used + "k.last_used_at IS NULL OR k.last_used_at < l.at",
			"what is of tomorrow":            `SELECT COUNT(*) FROM contacts WHERE created_at > '` + tomorrow() + `'`,
			"contacts of nobody":             `SELECT COUNT(*) FROM contacts WHERE assignee_id IS NULL`,
		} {
			var n int
			if err := db.QueryRowContext(t.Context(), query).Scan(&n); err != nil {
				t.Fatal(name, err)
			}
			expect(t, name, n, 0)
		}
	})
}

func tomorrow() string { return time.Now().UTC().Add(24 * time.Hour).Format(time.DateTime) }

// TestMakeRun says at once what it is doing, and git shows none of the files that it leaves, while it runs and after.
func TestMakeRun(t *testing.T) {
	t.Parallel()
	said, err := exec.CommandContext(t.Context(), "make", "-C", "../..", "run", "GO=false").CombinedOutput()
	if err == nil || !strings.Contains(string(said), "Compiling the program") {
		t.Errorf("before it compiles it says %q, %v", said, err)
	}
	dir := t.TempDir()
	git := func(args ...string) string {
		t.Helper()
		out, err := exec.CommandContext(t.Context(), "git", append([]string{"-C", dir}, args...)...).CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
		return string(out)
	}
	git("init", "--quiet")
	ignored, err := os.ReadFile("../../.gitignore")
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, ".gitignore"), ignored, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	p := testkit.StartProgram(t, testkit.Options{
		Env: map[string]string{"FICHARIO_DATABASE_URL": "sqlite://" + filepath.Join(dir, "fichario.db")}, Args: []string{"--demo"},
	})
	lookuptest.Eventually(t, "it serves", func() bool { return strings.Contains(p.Logs(), "The interface: ") })
	expect(t, "what git shows while it runs", git("status", "--porcelain", "--untracked-files=all"), "?? .gitignore\n")
	p.Stop()
	expect(t, "what git shows after it", git("status", "--porcelain", "--untracked-files=all"), "?? .gitignore\n")
	if _, err := os.Stat(filepath.Join(dir, "fichario.db.erasures")); err != nil {
		t.Errorf("the demonstration's erasure leaves no journal: %v", err)
	}
}

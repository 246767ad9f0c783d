package faults

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"fichario/tests/testkit"
	"fichario/tests/testkit/intaketest"
	"fichario/tests/testkit/lookuptest"
)

// TestSlowAnErasureThatIsKilled: the command and the service are killed midway, the next start completes the erasure,
// and there is one receipt. Then an earlier copy is restored, and the journal repeats the erasure.
func TestSlowAnErasureThatIsKilled(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, env map[string]string) {
		const posts = 1200
		env["FICHARIO_ERASURE_JOURNAL"] = filepath.Join(t.TempDir(), "journal")
		p := intaketest.StartProduct(t, env)
		o, key, cpf := p.Leads, p.Lookups.NewKey(600, 50, 50), lookuptest.CPFs(91, 1)[0]
		hook := o.NewHook("Site", "generic")
		expect(t, "asked", p.Lookups.CPF(key.Key, cpf).Status, 200)
		lead := fmt.Sprintf(`{"nome":"Rosa","email":"rosa-91@x.example","telefone":"(31) 98877-9191","cpf":%q}`, cpf)
		intaketest.Together(t, posts, func(int) (intaketest.Answer, error) {
			return o.Send(t.Context(), intaketest.Request{Path: hook.Path, Header: intaketest.JSON, Body: lead})
		})
		db := openDatabase(t, env)
		count := func(query string) (n int) {
			if err := db.QueryRowContext(t.Context(), query).Scan(&n); err != nil {
				t.Fatal(err)
			}
			return n
		}
		left := func() int { return count("SELECT count(*) FROM contacts") }
		expect(t, "contacts", left(), posts)
		o.Kill() // a copy needs a stopped database
		restore := copyOf(t, env)
		o.Restart()

		command := exec.CommandContext(t.Context(), testkit.Build(t), "subject", "erase", "--org", o.ID, "--document", cpf)
		command.Env = os.Environ()
		for name, value := range env {
			command.Env = append(command.Env, name+"="+value)
		}
		if err := command.Start(); err != nil {
			t.Fatal(err)
		}
		await(t, "it is half-way", func() bool { return left() < posts })
		_ = command.Process.Kill()
		_ = command.Wait()
		o.Kill()
		o.Restart()
		await(t, "the next start ends it", func() bool {
			return count("SELECT count(*) FROM erasures WHERE state = 'concluida'") == 1
		})
		check := func(when string) {
			t.Helper()
			expect(t, when+": contacts", left(), 0)
			expect(t, when+": receipts", len(intaketest.Read[[]any](o, "subject", "erasures", "--org", o.ID)), 1)
			expect(t, when+": answers", count("SELECT count(*) FROM records"), 0)
			expect(t, when+": entries", count("SELECT count(*) FROM lookups"), 1)
			if out := o.Command("doctor", "--deep"); strings.Contains(out, "BROKEN") {
				t.Errorf("%s: %s", when, out)
			}
		}
		check("after the kill")
		first := intaketest.Read[[]map[string]any](o, "subject", "erasures", "--org", o.ID)[0]
		expect(t, "what the receipt says", fmt.Sprint(first["apagado"].(map[string]any)["contatos"]), fmt.Sprint(posts)) //nolint:forcetypeassert // an object

		o.Kill()
		_ = db.Close()
		restore()
		db = openDatabase(t, env)
		o.Restart()
		expect(t, "restored", left(), posts)
		again := intaketest.Read[map[string]int](o, "subject", "replay-erasures")
		expect(t, "done again", again["refeitas"], 1)
		check("after the restore")
		second := intaketest.Read[[]map[string]any](o, "subject", "erasures", "--org", o.ID)[0]
		expect(t, "the receipt", []any{second["id"], fmt.Sprint(second["apagado"])}, []any{first["id"], fmt.Sprint(first["apagado"])})
		expect(t, "nothing more", intaketest.Read[map[string]int](o, "subject", "replay-erasures")["jaFeitas"], 1)
	})
}

func await(t *testing.T, what string, f func() bool) {
	t.Helper()
	lookuptest.Eventually(t, what, f)
}

// copyOf copies an idle database, and returns a function that restores the copy.
func copyOf(t *testing.T, env map[string]string) (restore func()) {
	t.Helper()
	url := env["FICHARIO_DATABASE_URL"]
	if path, sqlite := strings.CutPrefix(url, "sqlite://"); sqlite {
		run(t, exec.CommandContext(t.Context(), "sh", "-c", `for f in "$0" "$0"-wal; do [ ! -e "$f" ] || cp "$f" "$f.copy"; done`, path))
		return func() {
			run(t, exec.CommandContext(t.Context(), "sh", "-c",
				`rm -f "$0"-wal "$0"-shm; for f in "$0" "$0"-wal; do [ ! -e "$f.copy" ] || cp "$f.copy" "$f"; done`, path))
		}
	}
	file := filepath.Join(t.TempDir(), "dump")
	run(t, exec.CommandContext(t.Context(), "pg_dump", "--file", file, url))
	return func() {
		run(t, exec.CommandContext(t.Context(), "psql", "--quiet", "--command",
			"SET client_min_messages = warning; DROP SCHEMA public CASCADE; CREATE SCHEMA public", url))
		run(t, exec.CommandContext(t.Context(), "psql", "--quiet", "--set", "ON_ERROR_STOP=1", "--file", file, url))
	}
}

func run(t *testing.T, command *exec.Cmd) {
	t.Helper()
	var said bytes.Buffer
	command.Stderr = &said
	if err := command.Run(); err != nil {
		t.Fatalf("%s: %v\n%s", command.Args[0], err, said.String())
	}
}

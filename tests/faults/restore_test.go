package faults

import (
	"maps"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"fichario/tests/testkit"
	"fichario/tests/testkit/intaketest"
	"fichario/tests/testkit/lookuptest"
)

// TestSlowBackupAndRestoreAsDocumented runs the commands of docs/operations.md verbatim: the backup's data are back,
// people erased since are not, and a second run works on what the first left.
func TestSlowBackupAndRestoreAsDocumented(t *testing.T) {
	t.Parallel()
	blocks := testkit.ShellBlocks(t, "../../docs/operations.md", "Backup and restore")
	expect(t, "blocks of the page", len(blocks), 4)

	testkit.OnBothDatabases(t, func(t *testing.T, env map[string]string) {
		backup, restore := blocks[0], blocks[1]
		path, sqlite := strings.CutPrefix(env["FICHARIO_DATABASE_URL"], "sqlite://")
		at := filepath.Dir(path)
		if !sqlite {
			at = t.TempDir()
			backup, restore = blocks[2], blocks[3]
			env["FICHARIO_ERASURE_JOURNAL"] = filepath.Join(at, "erasures")
		}
		kept, bin := t.TempDir(), t.TempDir()
		if err := os.Symlink(testkit.Build(t), filepath.Join(bin, "fichario")); err != nil {
			t.Fatal(err)
		}
		shell := func(env map[string]string, text string) *exec.Cmd {
			command := exec.CommandContext(t.Context(), "bash", "-c", text)
			command.Dir, command.Env = at, append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"))
			for name, value := range env {
				command.Env = append(command.Env, name+"="+value)
			}
			return command
		}
		paste := func(env map[string]string, text string) { t.Helper(); run(t, shell(env, text)) }

		p := intaketest.StartProduct(t, env)
		o, key, cpfs := p.Leads, p.Lookups.NewKey(60, 100, 100), lookuptest.CPFs(92, 2)
		cpf := cpfs[0]
		hook := o.NewHook("Site", "generic")
		for _, one := range cpfs {
			expect(t, "asked", p.Lookups.CPF(key.Key, one).String(), "200")
		}
		o.Accept(hook, `{"nome":"Rosa","email":"rosa@apagar-9120.example","cpf":"`+cpf+`"}`)
		o.Accept(hook, intaketest.Lead("Ana"))
		paste(env, strings.NewReplacer("/backup/", kept+"/", "/elsewhere/", kept+"/").Replace(backup))
		made, err := filepath.Glob(filepath.Join(kept, "fichario-*"))
		if err != nil || len(made) != 1 {
			t.Fatalf("backups: %d, %v", len(made), err)
		}
		if sqlite { // as if a call about somebody else had been at the bureau, and an event had waited
			run(t, exec.Command("sqlite3", made[0], "UPDATE lookups SET status = 'em_andamento', record_id = NULL, "+
				"settle_at = '2026-01-01 00:00:00+00:00' WHERE id = (SELECT max(id) FROM lookups); "+
				"DELETE FROM records WHERE id NOT IN (SELECT record_id FROM lookups WHERE record_id IS NOT NULL); "+
				"INSERT INTO jobs (id, org_id, kind, contact_id, state, attempts, run_at, created_at, result, lease) "+
				"SELECT id, org_id, 'contact.created', id, 'ready', 0, created_at, created_at, '', '' FROM "+
				"(SELECT id, org_id, '2026-01-01 00:00:00+00:00' AS created_at FROM contacts ORDER BY id DESC LIMIT 1)"))
		}
		o.Command("subject", "erase", "--org", o.ID, "--document", cpf)

		// into returns the script that restores a backup into a database, and that database's environment.
		into := func(env map[string]string, backup, name string) (map[string]string, string) {
			text := regexp.MustCompile(`/backup/fichario-2\S+`).ReplaceAllLiteralString(restore, backup)
			text = strings.Replace(text, "&& fichario serve", "&& touch served", 1)
			if sqlite {
				return env, text
			}
			there, err := url.Parse(env["FICHARIO_DATABASE_URL"])
			if err != nil {
				t.Fatal(err)
			}
			maintenance := *there
			maintenance.Path = "/postgres"
			fresh := there.Path[1:] + "_" + name
			there.Path = "/" + fresh
			t.Cleanup(func() {
				run(t, exec.Command("dropdb", "--force", "--maintenance-db", maintenance.String(), fresh))
			})
			env = maps.Clone(env)
			env["FICHARIO_DATABASE_URL"] = there.String()
			return env, strings.NewReplacer("postgres://fichario@db/postgres restored", `"`+maintenance.String()+`" `+fresh,
				"postgres://fichario@db/restored", `"`+there.String()+`"`).Replace(text)
		}
		served := filepath.Join(at, "served")
		p.Lookups.Kill()
		broken := maps.Clone(env)
		broken["FICHARIO_ERASURE_JOURNAL"] = filepath.Join(at, "nowhere")
		for name, c := range map[string]struct {
			env    map[string]string
			backup string
		}{"no_backup": {env, made[0] + "-typo"}, "no_journal": {broken, made[0]}} {
			_, text := into(c.env, c.backup, name)
			err := shell(c.env, text).Run()
			if _, none := os.Stat(served); err == nil || none == nil {
				t.Errorf("%s: a service starts all the same, %v", name, err)
			}
		}
		p.Lookups.Restart()

		for _, when := range []string{"restored", "restored again"} {
			for range 20 {
				o.Accept(hook, intaketest.Lead("Depois"))
			}
			p.Lookups.Kill() // leaves a write-ahead log behind
			next, text := into(env, made[0], strings.ReplaceAll(when, " ", "_"))
			paste(env, text)
			if err := os.Remove(served); err != nil {
				t.Errorf("no service starts: %v", err)
			}
			if env = next; sqlite {
				p.Lookups.Restart()
			} else {
				p = intaketest.StartProduct(t, env)
				p.Leads.ID = o.ID
				o = p.Leads
			}
			contacts := intaketest.Read[[]map[string]any](o, "contact", "list", "--org", o.ID)
			expect(t, when+": contacts", len(contacts), 1)
			found := intaketest.Read[map[string]any](o, "subject", "export", "--org", o.ID, "--document", cpf)
			for _, kind := range []string{"consultas", "contatos", "entregas"} {
				expect(t, when+": "+kind+" of who was erased", found[kind], any([]any{}))
			}
			expect(t, when+": lines of the statement", len(p.Lookups.Statement(key.Key).Consultas), 2)
		}
	})
}

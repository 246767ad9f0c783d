package faults

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"fichario/tests/testkit"
	"fichario/tests/testkit/intaketest"
	"fichario/tests/testkit/patience"
)

// TestSlowAnImportThatIsKilled: the command and the service are killed midway, and each row still makes one contact.
func TestSlowAnImportThatIsKilled(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, env map[string]string) {
		const rows = 1500
		o := intaketest.StartProduct(t, env).Leads
		o.Member("Dona", "owner")
		var table strings.Builder
		table.WriteString("nome;e-mail\n")
		for i := range rows {
			fmt.Fprintf(&table, "Pessoa %d;p%d@example.com\n", i, i)
		}
		file := filepath.Join(t.TempDir(), "pessoas.csv")
		if err := os.WriteFile(file, []byte(table.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		db := openDatabase(t, env)
		made := func() (all, different int) {
			err := db.QueryRowContext(t.Context(), "SELECT count(*), count(DISTINCT email) FROM contacts").Scan(&all, &different)
			if err != nil {
				t.Fatal(err)
			}
			return all, different
		}
		await := func(what string, enough int) {
			patience.Until(t, fmt.Sprintf("%s: %d contacts", what, enough), func() bool {
				all, _ := made()
				return all >= enough
			})
		}
		command := exec.CommandContext(t.Context(), testkit.Build(t), "contact", "import", file, "--org", o.ID,
			"--duplicates", "create")
		command.Env = os.Environ()
		for name, value := range env {
			command.Env = append(command.Env, name+"="+value)
		}
		if err := command.Start(); err != nil {
			t.Fatal(err)
		}
		await("the command is at it", 100)
		_ = command.Process.Kill()
		_ = command.Wait()
		o.Kill()
		o.Restart()
		await("the service goes on", 500)
		o.Kill()
		o.Restart()
		await("it ends", rows)
		all, different := made()
		expect(t, "contacts and people", []int{all, different}, []int{rows, rows})
	})
}

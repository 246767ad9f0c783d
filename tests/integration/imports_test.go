package integration

import (
	"testing"

	"fichario/tests/testkit"
	"fichario/tests/testkit/intaketest"
)

// TestContactsAreImportedByCommand: a dry run stores nothing, columns can be mapped, and each duplicate rule works as
// documented.
func TestContactsAreImportedByCommand(t *testing.T) {
	t.Parallel()
	testkit.OnSQLiteAndPooled(t, func(t *testing.T, env map[string]string) {
		o := intaketest.StartProduct(t, env).Leads
		o.Member("Dona", "owner")
		table := "Cliente;E-mail;Apelido\nAna;ana@example.com;Nana\nBia;;\nCaio;caio@example.com;\n"
		type outcome struct {
			Situacao                                     string
			Linhas, Criados, Completados, Pulados, Erros int
			Colunas                                      map[string]string
		}
		run := func(args ...string) (out outcome) {
			args = append([]string{"contact", "import", "-", "--org", o.ID, "--json"}, args...)
			return testkit.JSON[outcome](t, testkit.RunInput(t, table, env, args...))
		}
		dry := run("--dry-run", "--map", "apelido=empresa")
		expect(t, "a dry run", []any{dry.Situacao, dry.Linhas, dry.Erros, dry.Colunas["Apelido"], dry.Colunas["E-mail"]},
			[]any{"ensaio", 3, 1, "empresa", "email"})
		expect(t, "what it made", len(intaketest.Read[[]any](o, "contact", "list", "--org", o.ID)), 0)
		for _, c := range []struct {
			rule string
			want []any
		}{
			{"skip", []any{"concluida", 2, 0, 0, 1}}, {"skip", []any{"concluida", 0, 0, 2, 1}},
			{"create", []any{"concluida", 2, 0, 0, 1}},
		} {
			got := run("--duplicates", c.rule, "--map", "Apelido=ignorar")
			expect(t, c.rule, []any{got.Situacao, got.Criados, got.Completados, got.Pulados, got.Erros}, c.want)
		}
		filled := run("--duplicates", "fill", "--map", "Apelido=empresa")
		expect(t, "filled", []any{filled.Completados, filled.Pulados}, []any{1, 1})
		expect(t, "all", len(intaketest.Read[[]any](o, "contact", "list", "--org", o.ID)), 4)
	})
}

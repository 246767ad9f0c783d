package integration

import (
	"context"
	"database/sql"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib" // PostgreSQL for whoever owns the tables

	"fichario/tests/testkit"
	"fichario/tests/testkit/intaketest"
	"fichario/tests/testkit/lookuptest"
	"fichario/tests/testkit/postgres"
)

// TestSlowTheServiceOwnsNothing: it runs with a role that only reads and writes rows, made as docs/operations.md
// describes. Schema changes, including new partitions, use the role of FICHARIO_MIGRATE_DATABASE_URL.
func TestSlowTheServiceOwnsNothing(t *testing.T) {
	t.Parallel()
	env := testkit.OnPostgreSQL(postgres.New(t, nil))
	owner := env["FICHARIO_DATABASE_URL"]
	db, err := sql.Open("pgx", owner)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	ask := func(query string) (text string) {
		t.Helper()
		if err := db.QueryRowContext(t.Context(), query).Scan(&text); err != nil {
			t.Fatalf("%s: %v", query, err)
		}
		return text
	}
	do := func(query string) {
		t.Helper()
		if _, err := db.ExecContext(t.Context(), query); err != nil {
			t.Fatalf("%s: %v", query, err)
		}
	}
	role := "app_" + ask("SELECT current_database()")
	do(fmt.Sprintf(`CREATE ROLE "%s" LOGIN PASSWORD 'x'`, role))
	t.Cleanup(func() {
		drop := fmt.Sprintf(`DROP OWNED BY "%[1]s"; DROP ROLE "%[1]s"`, role)
		if _, err := db.ExecContext(context.WithoutCancel(t.Context()), drop); err != nil {
			t.Error(err)
		}
	})
	at, err := url.Parse(owner)
	if err != nil {
		t.Fatal(err)
	}
	at.User = url.UserPassword(role, "x")
	env["FICHARIO_DATABASE_URL"] = at.String()
	if f := testkit.RunErr(t, env, "migrate"); !strings.Contains(f.Stderr, "Roles of the database") {
		t.Errorf("a role that may not migrate is told: %s", f.Stderr)
	}
	page, err := os.ReadFile("../../docs/operations.md")
	if err != nil {
		t.Fatal(err)
	}
	grants := regexp.MustCompile("(?s)\n```sql\n(GRANT .*?)```").FindSubmatch(page)
	if grants == nil {
		t.Fatal("docs/operations.md grants nothing")
	}
	do(strings.ReplaceAll(string(grants[1]), " app;", ` "`+role+`";`))
	env["FICHARIO_MIGRATE_DATABASE_URL"] = owner
	testkit.Run(t, env, "migrate")
	const newest = `SELECT c.relname FROM pg_inherits JOIN pg_class c ON c.oid = inhrelid
		WHERE inhparent = to_regclass('lookups')
		ORDER BY substring(pg_get_expr(c.relpartbound, c.oid) FROM 'TO \(''([0-9a-f-]+)') DESC NULLS LAST LIMIT 1`
	last := ask(newest)
	do("DROP TABLE " + last)

	p := intaketest.StartProduct(t, env)
	key, hook := p.Lookups.NewKey(60, 100, 100), p.Leads.NewHook("Site", "generic")
	lead := p.Leads.Accept(hook, intaketest.Lead("Ana"))
	expect(t, "stage of the lead", p.Leads.Contact(lead).Etapa, "Novo")
	expect(t, "answer to the lookup", p.Lookups.CPF(key.Key, ana).String(), "200")
	lookuptest.Eventually(t, "the partition is made again", func() bool { return ask(newest) == last })
	p.Lookups.Command("doctor")
	for _, word := range []string{"permission denied", "must be owner", "SQLSTATE 42501"} {
		if strings.Contains(p.Lookups.Logs(), word) {
			t.Errorf("the log says %q", word)
		}
	}

	if out, err := exec.CommandContext(t.Context(), "pg_dump", at.String()).CombinedOutput(); err != nil {
		t.Errorf("the service's role makes no dump: %v\n%.300s", err, out)
	}
	app, err := sql.Open("pgx", at.String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = app.Close() })
	for _, query := range []string{
		"CREATE TABLE mine (a int)", "ALTER TABLE keys ADD COLUMN a int", "DROP TABLE keys", "TRUNCATE audit_lines",
		"CREATE EXTENSION pg_trgm",
	} {
		if _, err := app.ExecContext(t.Context(), query); err == nil {
			t.Errorf("the service's role may %s", query)
		}
	}
}

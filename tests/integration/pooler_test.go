package integration

import (
	"strings"
	"testing"

	"fichario/tests/testkit"
	"fichario/tests/testkit/postgres"
)

// TestSlowStartingBehindAPooler: even on an empty database, and with a separate address for migrations; the log names
// the query mode and the statement timeout, and a refusal is in the pooler's words, without the password.
func TestSlowStartingBehindAPooler(t *testing.T) {
	t.Parallel()
	url := postgres.New(t, nil)
	env := testkit.OnPostgreSQL(postgres.Pooled(t, url))
	p := testkit.StartProgram(t, testkit.Options{Env: env})
	for _, part := range []string{`"statements":"` + postgres.PoolerMode(t) + `"`, "ALTER ROLE"} {
		if !strings.Contains(p.Logs(), part) {
			t.Errorf("the log does not say %s", part)
		}
	}

	direct := testkit.OnPostgreSQL(postgres.New(t, nil))
	direct["FICHARIO_MIGRATE_DATABASE_URL"] = direct["FICHARIO_DATABASE_URL"]
	direct["FICHARIO_DATABASE_URL"] = postgres.Pooled(t, direct["FICHARIO_DATABASE_URL"]) + "&statement_timeout=3s"
	f := testkit.RunErr(t, direct, "migrate")
	if !strings.Contains(f.Stderr, "unsupported startup parameter: statement_timeout") {
		t.Errorf("the pooler's own words are missing: %s", f.Stderr)
	}
	direct["FICHARIO_DATABASE_URL"] = strings.TrimSuffix(direct["FICHARIO_DATABASE_URL"], "&statement_timeout=3s")
	testkit.Run(t, direct, "migrate")
	direct["FICHARIO_MIGRATE_DATABASE_URL"] = "postgres://usuario:segredo-da-base@127.0.0.1:1/base?sslmode=disable"
	f = testkit.RunErr(t, direct, "migrate")
	if !strings.Contains(f.Stderr, "connection refused") || strings.Contains(f.Stderr, "segredo") {
		t.Errorf("the address for migrations leads nowhere: %s", f.Stderr)
	}
	log := testkit.StartProgram(t, testkit.Options{Env: testkit.PostgreSQL(t)}).Logs()
	if strings.Contains(log, "pooler") {
		t.Error("a pooler is seen where none is")
	}
}

package integration

import (
	"database/sql"
	"maps"
	"net/http"
	"strings"
	"testing"

	"fichario/tests/testkit"
	"fichario/tests/testkit/lookuptest"
	"fichario/tests/testkit/postgres"
)

// TestDistribute divides a filled database by organisation where the tests' server is Citus, and is refused elsewhere.
func TestDistribute(t *testing.T) {
	t.Parallel()
	distribute := []string{"migrate", "--distribute", "citus"}
	refused := testkit.RunErr(t, testkit.SQLite(t), distribute...)
	expect(t, "on SQLite", strings.Contains(refused.Stderr, "FICHARIO_DATABASE_URL is SQLite"), true)
	env := testkit.OnPostgreSQL(postgres.New(t, nil))
	if !postgres.Distributes() {
		refused = testkit.RunErr(t, env, distribute...)
		expect(t, "without Citus", strings.Contains(refused.Stderr, "this database has no Citus"), true)
		return
	}
	// The connections of the service call themselves something else.
	named := maps.Clone(env)
	named["FICHARIO_DATABASE_URL"] += "&application_name=painel"
	p := testkit.StartProgram(t, testkit.Options{Env: named, Args: []string{"--demo"}})
	ready := func() bool {
		resp, err := http.Get(p.URL + "/readyz")
		if err != nil {
			return false
		}
		_ = resp.Body.Close()
		return resp.StatusCode == http.StatusOK
	}
	lookuptest.Eventually(t, "the demonstration is there", ready)
	refused = testkit.RunErr(t, env, distribute...)
	expect(t, "beside a service", strings.Contains(refused.Stderr, "stop all services first"), true)
	p.Stop()

	testkit.Run(t, env, "doctor")
	done := testkit.JSON[struct {
		Nodes                         int
		Directory, Distributed, Local []string
	}](t, testkit.Run(t, env, append(distribute, "--json")...))
	expect(t, "tables that are divided", done.Nodes > 0 && len(done.Distributed) > 0, true)
	// Neither a post nor a lookup writes these, so that it is one node's alone.
	expect(t, "tables that the coordinator keeps", strings.Join(done.Local, " "), "audit_heads bulk_items "+
		"bureau_matches bureau_pace contact_index key_refusals later_answers leads privacy_marks sign_in_failures subject_traces")
	testkit.Run(t, env, "doctor")
	testkit.Run(t, env, distribute...) // again, which finds nothing to do
	p.Restart()
	lookuptest.Eventually(t, "it serves again", ready)
	p.Stop()
	testkit.Run(t, env, "doctor")
}

// TestADistributionThatWasKilled: whoever uses the database next finishes it, and does not take it for one PostgreSQL.
func TestADistributionThatWasKilled(t *testing.T) {
	t.Parallel()
	if !postgres.Distributes() {
		t.Log("the tests' server is no Citus: TestDistribute says what there is without it")
		return
	}
	env := testkit.OnPostgreSQL(postgres.New(t, nil))
	testkit.Run(t, env, "migrate")
	db, err := sql.Open("pgx", env["FICHARIO_DATABASE_URL"])
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	if _, err := db.ExecContext(t.Context(), "SELECT create_reference_table('organisations')"); err != nil {
		t.Fatal(err)
	}
	testkit.Run(t, env, "org", "list")
	divided := 0
	err = db.QueryRowContext(t.Context(), "SELECT COUNT(*) FROM pg_dist_partition WHERE partmethod = 'h'").Scan(&divided)
	expect(t, "tables are divided", err == nil && divided > 20, true)
}

package integration

import (
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
	p := testkit.StartProgram(t, testkit.Options{Env: env, Args: []string{"--demo"}})
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
	testkit.Run(t, env, "doctor")
	testkit.Run(t, env, distribute...) // again, which finds nothing to do
	p.Restart()
	lookuptest.Eventually(t, "it serves again", ready)
	p.Stop()
	testkit.Run(t, env, "doctor")
}

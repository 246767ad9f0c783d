package integration

import (
	"strings"
	"testing"

	"fichario/tests/testkit"
)

// TestHealthcheck: it reports whether the program at its address is alive and ready, without a database.
func TestHealthcheck(t *testing.T) {
	t.Parallel()
	p := testkit.StartProgram(t, testkit.Options{Env: testkit.SQLite(t)})
	_, port, _ := strings.Cut(p.Addr, ":")
	nothing := map[string]string{
		"FICHARIO_LISTEN": "0.0.0.0:" + port, "FICHARIO_DATABASE_URL": "postgres://nobody@127.0.0.1:1/nothing",
		"HTTP_PROXY": "http://127.0.0.1:1",
	}
	expect(t, "of one that lives", testkit.Run(t, nothing, "healthcheck"), "ok\n")
	expect(t, "of one that is ready", testkit.Run(t, nothing, "healthcheck", "--ready"), "ok\n")
	p.Stop()
	f := testkit.RunErr(t, nothing, "healthcheck")
	expect(t, "exit code of one that is gone", f.Code, 1)
	expect(t, "what is said of it", strings.Contains(f.Stderr, "does not answer at http://127.0.0.1:"+port), true)
}

package faults

import (
	"database/sql"
	"net/http"
	"net/http/cookiejar"
	"sync"
	"testing"

	"fichario/tests/testkit"
	"fichario/tests/testkit/intaketest"
	"fichario/tests/testkit/lookuptest"
	"fichario/tests/testkit/patience"
)

// browser is a client with cookies.
func browser(t *testing.T) *http.Client {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &http.Client{Jar: jar, Timeout: patience.Limit()}
}

// TestSlowNobodyWaitsForTheOther: lookups and posts are answered while pages waiting for the database hold all their
// connections, and pages while lookups do.
func TestSlowNobodyWaitsForTheOther(t *testing.T) {
	t.Parallel()
	docs := lookuptest.CPFs(8, 40)
	for name, c := range map[string]struct {
		locked string
		most   int
		wait   func(p intaketest.Product, key string, n int, look func(string) int)
		others func(p intaketest.Product, key string, hook intaketest.Hook, look func(string) int) []int
	}{
		"pages": {
			locked: "notification_marks", most: 4,
			wait: func(_ intaketest.Product, _ string, _ int, look func(string) int) { look("/notificacoes/sino") },
			others: func(p intaketest.Product, key string, hook intaketest.Hook, _ func(string) int) []int {
				p.Leads.Accept(hook, intaketest.Lead("Bia"))
				return []int{p.Lookups.CPF(key, docs[0]).Status, p.Lookups.CPF(key, lookuptest.CPFs(7, 1)[0]).Status}
			},
		},
		"lookups": {
			locked: "records", most: 12,
			wait: func(p intaketest.Product, key string, n int, _ func(string) int) { p.Lookups.CPF(key, docs[n]) },
			others: func(p intaketest.Product, key string, _ intaketest.Hook, look func(string) int) []int {
				return []int{
					p.Lookups.Get("/api/v1/consultas", key).Status, look("/"), look("/contatos"), look("/extrato"), look("/chaves"),
				}
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			env := testkit.PostgreSQL(t)
			p := intaketest.StartProduct(t, env)
			key, hook := p.Lookups.NewKey(6000, 5000, 5000).Key, p.Leads.NewHook("Site", "generic")
			ana := enter(t, p, "Ana")
			look := func(path string) int {
				resp, err := ana.http.Get(p.Leads.URL + path)
				if err != nil {
					return 0
				}
				_ = resp.Body.Close()
				return resp.StatusCode
			}
			expect(t, "a lookup", p.Lookups.CPF(key, docs[0]).Status, http.StatusOK)
			db, err := sql.Open("pgx", env["FICHARIO_DATABASE_URL"])
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = db.Close() }()
			tx, err := db.BeginTx(t.Context(), nil)
			if err == nil {
				_, err = tx.ExecContext(t.Context(), "LOCK TABLE "+c.locked+" IN ACCESS EXCLUSIVE MODE")
			}
			if err != nil {
				t.Fatal(err)
			}
			waiters := func() (n int) {
				const waiting = `SELECT count(*) FROM pg_stat_activity
					WHERE datname = current_database() AND wait_event_type = 'Lock'`
				if err := db.QueryRowContext(t.Context(), waiting).Scan(&n); err != nil {
					t.Fatal(err)
				}
				return n
			}
			var waiting sync.WaitGroup
			for n := range docs {
				waiting.Go(func() { c.wait(p, key, n, look) })
			}
			lookuptest.Eventually(t, "they wait", func() bool { return waiters() > 0 })
			for _, status := range c.others(p, key, hook, look) {
				expect(t, "of the others", status, http.StatusOK)
			}
			if n := waiters(); n == 0 || n > c.most {
				t.Errorf("%d connections wait, and %d may", n, c.most)
			}
			if err := tx.Rollback(); err != nil {
				t.Fatal(err)
			}
			waiting.Wait()
		})
	}
}

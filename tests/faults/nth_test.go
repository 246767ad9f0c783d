package faults

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	"fichario/tests/testkit"
	"fichario/tests/testkit/lookuptest"
)

// eachStep fails the first step at the database of a post, a lookup that is charged and one that history answers, then
// the second one, and so on until none is left to fail. After each the books are right.
func eachStep(t *testing.T, b *books, fail func(n int) (failed func() bool)) {
	t.Helper()
	steps := map[string]int{}
	for n := 1; n <= 40; n++ {
		w, left := newShift(), false
		for name, do := range map[string]func() int{
			"post": func() int {
				p := sent{name: fmt.Sprint("passo ", n), keyed: true}
				p.a, p.err = b.product.Leads.Send(context.Background(), p.request(b.hook))
				w.posts = append(w.posts, p)
				return p.a.Status
			},
			"lookup": func() int {
				l := lookedUp{document: lookuptest.CPF(b.asked)}
				b.asked++
				var err error
				l.a, err = b.product.Lookups.Do(context.Background(), http.MethodGet, "/api/v1/cpf/"+l.document, b.key, nil, "")
				if err != nil {
					t.Error(err)
				}
				w.lookups = append(w.lookups, l)
				return l.a.Status
			},
			"history": func() int {
				if len(b.answered) == 0 {
					return http.StatusOK
				}
				l := lookedUp{document: b.answered[0], known: true}
				l.a = b.product.Lookups.Get("/api/v1/cpf/"+l.document, b.key)
				w.lookups = append(w.lookups, l)
				return l.a.Status
			},
		} {
			failed := fail(n)
			status := do()
			if failed() {
				left = true
				steps[name] = n
			}
			if status != http.StatusOK && status != http.StatusServiceUnavailable {
				t.Errorf("%s, step %d: %d", name, n, status)
			}
		}
		mended(b, w, fmt.Sprint("step ", n))
		if !left {
			break
		}
	}
	t.Log("steps that were failed: ", steps)
	b.close()
}

// eachRoundTrip cuts the connection at the nth time that PostgreSQL is asked.
func eachRoundTrip(t *testing.T) {
	b, proxy := throughProxy(t)
	eachStep(t, b, func(n int) func() bool {
		var asked atomic.Int64
		proxy.Meddle(func(fromServer bool, _ []byte) testkit.Fate {
			if !fromServer && asked.Add(1) == int64(n) {
				return testkit.Reset
			}
			return testkit.Pass
		})
		return func() bool {
			proxy.Meddle(nil)
			return asked.Load() >= int64(n)
		}
	})
	// The program's own chores begin and end transactions all the time; one that is left behind stays.
	const idle = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() " +
		"AND state LIKE 'idle in transaction%' AND state_change < now() - interval '2 seconds'"
	var open int
	if err := openDatabase(t, b.env).QueryRowContext(t.Context(), idle).Scan(&open); err != nil || open > 0 {
		t.Errorf("%d transactions are open, %v", open, err)
	}
}

// eachWrite leaves a SQLite file room for one page fewer than n.
func eachWrite(t *testing.T) {
	env := testkit.SQLite(t)
	b := openBooks(t, env)
	s, path := b.product.Lookups, strings.TrimPrefix(env["FICHARIO_DATABASE_URL"], "sqlite://")
	eachStep(t, b, func(n int) func() bool {
		log, err := os.Stat(path + "-wal")
		if err != nil {
			t.Fatal(err)
		}
		before := strings.Count(s.Logs(), `"status":503`)
		room(t, s, log.Size()+int64(n-1)*4120)
		return func() bool {
			room(t, s, 0)
			return strings.Count(s.Logs(), `"status":503`) > before
		}
	})
}

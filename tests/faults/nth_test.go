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
	"fichario/tests/testkit/intaketest"
	"fichario/tests/testkit/lookuptest"
)

// othersSteps is how often a request that a failed access did not stop is sent again, where its own are: the access may
// have been one of the program's own work.
const othersSteps = 3

// eachStep fails the first database access of a post, a charged lookup and a lookup from history, then the second, and
// so on until none is left to fail. After each the books are right. The function that fail returns says, after a
// request, whether it reached the nth access. Each kind must reach at least the depth in deep: a fault that never
// strikes shows nothing.
func eachStep(t *testing.T, b *books, deep map[string]int, fail func(n int) (met func() bool)) {
	t.Helper()
	b.known()
	met, told503 := map[string]int{}, map[string]int{}
	left, posts := true, 0
	for n := 1; left; n++ {
		if n > 60 {
			t.Fatal("sixty steps were failed, and there are more: ", met)
		}
		w := newShift()
		left = false
		for name, do := range map[string]func() int{
			"post": func() int {
				posts++
				p := sent{name: fmt.Sprint("passo ", posts), keyed: true}
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
				l := lookedUp{document: b.answered[0], known: true}
				l.a = b.product.Lookups.Get("/api/v1/cpf/"+l.document, b.key)
				w.lookups = append(w.lookups, l)
				return l.a.Status
			},
		} {
			for range othersSteps {
				came := fail(n)
				status := do()
				if came() {
					left = true
					met[name] = n
				}
				if status == http.StatusServiceUnavailable {
					told503[name]++
					break
				}
				if status != http.StatusOK {
					t.Errorf("%s, step %d: %d", name, n, status)
				}
				if n > 2*deep[name] {
					break
				}
			}
		}
		mended(b, w, fmt.Sprint("step ", n))
	}
	t.Log("steps that were failed: ", met, ", and requests that were told: ", told503)
	for name, least := range deep {
		if met[name] < least || told503[name] < least {
			t.Errorf("a %s came to %d steps and was told %d times, want %d at least", name, met[name], told503[name], least)
		}
	}
	b.close()
}

// known puts an answer into the history.
func (b *books) known() {
	b.t.Helper()
	w, l := newShift(), lookedUp{document: lookuptest.CPF(b.asked)}
	b.asked++
	l.a = b.product.Lookups.Get("/api/v1/cpf/"+l.document, b.key)
	expect(b.t, "a lookup", l.a.Status, http.StatusOK)
	w.lookups = append(w.lookups, l)
	b.audit(w)
}

// eachRoundTrip cuts the connection at the nth round trip to PostgreSQL.
func eachRoundTrip(t *testing.T) {
	b, proxy := throughProxy(t)
	// A history takes a few round trips, some of them are repeated, and the program's own work has some in between.
	eachStep(t, b, map[string]int{"post": 5, "lookup": 5, "history": 1}, func(n int) func() bool {
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
	// The program's own chores open and close transactions all the time; only an abandoned one stays.
	const idle = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() " +
		"AND state LIKE 'idle in transaction%' AND state_change < now() - interval '2 seconds'"
	var open int
	if err := openDatabase(t, b.env).QueryRowContext(t.Context(), idle).Scan(&open); err != nil || open > 0 {
		t.Errorf("%d transactions are open, %v", open, err)
	}
}

// eachWrite leaves room in SQLite's write-ahead log, which starts empty for each request, for one page fewer than n.
func eachWrite(t *testing.T) {
	const header, frame = 32, 24 + 4096
	env := testkit.SQLite(t)
	b := openBooks(t, env)
	s, log := b.product.Lookups, strings.TrimPrefix(env["FICHARIO_DATABASE_URL"], "sqlite://")+"-wal"
	db := intaketest.OpenDatabase(t, env)
	defer func() { _ = db.Close() }()
	eachStep(t, b, map[string]int{"post": 5, "lookup": 5, "history": 2}, func(n int) func() bool {
		// Overwriting old frames is no growth, and would not fail.
		await(t, "nothing is in the write-ahead log", func() bool {
			var busy, frames, done int
			err := db.QueryRowContext(t.Context(), "PRAGMA wal_checkpoint(TRUNCATE)").Scan(&busy, &frames, &done)
			return err == nil && busy == 0
		})
		limit := header + int64(n-1)*frame
		room(t, s, limit)
		return func() bool {
			room(t, s, 0)
			written, err := os.Stat(log)
			if err != nil {
				t.Fatal(err)
			}
			return written.Size()+frame > limit // a paid lookup is answered, and written when there is room
		}
	})
}

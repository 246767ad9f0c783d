package faults

import (
	"bytes"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"fichario/tests/testkit"
)

// wayIsCut makes the connection to PostgreSQL slow, cuts it in the middle of commits, and cuts it anywhere.
func wayIsCut(t *testing.T) {
	var met atomic.Int64
	cut := func(seldom int, what string) testkit.Meddler {
		return func(_ bool, b []byte) testkit.Fate {
			if !bytes.Contains(b, []byte(what)) || rand.IntN(seldom) > 0 {
				return testkit.Pass
			}
			met.Add(1)
			return testkit.Reset
		}
	}
	slow := func(bool, []byte) testkit.Fate {
		time.Sleep(time.Duration(rand.IntN(30)) * time.Millisecond)
		met.Add(1)
		return testkit.Pass
	}
	b, proxy := throughProxy(t)
	for name, meddler := range map[string]testkit.Meddler{
		"slow": slow, "cut before a commit": cut(3, "commit\x00"), "cut after a commit": cut(3, "COMMIT\x00"),
		"cut anywhere": cut(50, ""),
	} {
		w := b.load()
		w.more(t, "requests are answered", 50)
		met.Store(0)
		proxy.Meddle(meddler)
		await(t, name, func() bool { return met.Load() >= 30 })
		proxy.Meddle(nil)
		w.more(t, name+", and then requests are answered again", 50)
		mended(b, w, name)
	}
	b.close()
}

// wayIsHalfOpen has connections to PostgreSQL on which both ends stop hearing each other: everybody gets a timely
// answer, and the service continues on new ones.
func wayIsHalfOpen(t *testing.T) {
	b, proxy := throughProxy(t)
	w := b.load()
	w.more(t, "requests are answered", 50)
	proxy.Meddle(func(bool, []byte) testkit.Fate { return testkit.Lose })
	await(t, "all clients are told so", func() bool {
		return w.count(func(w *shift) int { return told(w)[http.StatusServiceUnavailable] }) >= 32
	})
	proxy.Meddle(nil)
	w.more(t, "requests are answered again", 100)
	mended(b, w, "half open")
	b.close()
}

// throughProxy is a service that reaches PostgreSQL through a proxy.
func throughProxy(t *testing.T) (*books, *testkit.Proxy) {
	t.Helper()
	env := testkit.Away(testkit.PostgreSQL(t))
	proxy, through := testkit.StartProxy(t, env["FICHARIO_DATABASE_URL"])
	env["FICHARIO_DATABASE_URL"] = through
	return openBooks(t, env), proxy
}

// told counts the answers by status; 0 is no answer.
func told(w *shift) map[int]int {
	statuses := map[int]int{}
	for _, p := range w.posts {
		statuses[p.a.Status]++
	}
	for _, l := range w.lookups {
		statuses[l.a.Status]++
	}
	return statuses
}

// mended ends a shift after a fault that left the service running: it then writes by itself what it could not write
// before, and refunds charges for calls that it did not make.
func mended(b *books, w *shift, name string) {
	b.t.Helper()
	w.stop()
	b.t.Log(name, told(w))
	expect(b.t, name+": without an answer", told(w)[0], 0)
	db := openDatabase(b.t, b.env)
	defer func() { _ = db.Close() }()
	await(b.t, "every call has an outcome", func() bool {
		running := 1
		err := db.QueryRowContext(b.t.Context(), "SELECT count(*) FROM lookups WHERE status = 'em_andamento'").Scan(&running)
		return err == nil && running == 0 && b.product.Lookups.Get("/readyz", "").Status == http.StatusOK
	})
	b.audit(w)
	expect(b.t, name+": charges without a call", b.unasked, 0)
}

// TestTheDatabaseIsLostWhileTheServiceStarts: a connection that is closed then keeps nobody from starting. It is closed
// at the answer to a statement that is named: answers that are only counted are others on another machine, and some,
// such as that to a ping, are asked for again by the driver.
func TestTheDatabaseIsLostWhileTheServiceStarts(t *testing.T) {
	t.Parallel()
	for _, asks := range []string{"goose_db_version ORDER BY", `FROM "data_keys"`, `FROM "subject_keys"`} {
		t.Run(asks, func(t *testing.T) {
			t.Parallel()
			env := testkit.PostgreSQL(t)
			proxy, through := testkit.StartProxy(t, env["FICHARIO_DATABASE_URL"])
			env["FICHARIO_DATABASE_URL"] = through
			var asked, lost atomic.Bool
			proxy.Meddle(func(fromServer bool, data []byte) testkit.Fate {
				if !fromServer && bytes.Contains(data, []byte(asks)) {
					asked.Store(true)
				}
				if fromServer && asked.Load() && lost.CompareAndSwap(false, true) {
					return testkit.Reset
				}
				return testkit.Pass
			})
			p := testkit.StartProgram(t, testkit.Options{Env: env})
			waited := strings.Contains(p.Logs(), "the database is away; trying again")
			again := strings.Contains(p.Logs(), "the database was lost while the service started; starting again")
			if !waited && !again {
				t.Errorf("asked %v, lost %v: not lost while it started", asked.Load(), lost.Load())
			}
		})
	}
}

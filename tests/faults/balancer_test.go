package faults

import (
	"context"
	"database/sql"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"fichario/tests/testkit"
	"fichario/tests/testkit/intaketest"
	"fichario/tests/testkit/lookuptest"
	"fichario/tests/testkit/patience"
)

// TestSlowABalancerTurnsAwayFirst: asked to stop, the service reports not ready, and still answers requests until the
// delay is over; then it ends, and none of this is an error.
func TestSlowABalancerTurnsAwayFirst(t *testing.T) {
	t.Parallel()
	bureau, delay := lookuptest.StartBureau(t, nil), min(patience.Scaled(6*time.Second), 20*time.Second)
	s := lookuptest.StartService(t, testkit.SQLite(t), lookuptest.BureauFile(t, bureau.URL, lookuptest.Patient),
		map[string]string{"FICHARIO_DRAIN_DELAY": delay.String()})
	key := s.NewKey(60, 60, 60).Key
	s.Hide(ana)
	asked := time.Now()
	if err := syscall.Kill(s.Pid(), syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	var ready lookuptest.Answer
	lookuptest.Eventually(t, "not ready", func() bool {
		ready = s.Get("/readyz", "")
		return ready.Status == http.StatusServiceUnavailable
	})
	expect(t, "what it says", string(ready.Body), "stopping\n")
	a := s.CPF(key, ana)
	expect(t, "a lookup that still comes", a.Status, http.StatusOK)
	s.Stop() // checks once more, and waits
	if took := time.Since(asked); took < delay {
		t.Errorf("it ended after %s", took)
	}
	if strings.Contains(s.Logs(), `"level":"ERROR"`) {
		t.Error("a stop is logged as an error")
	}
	f := testkit.RunErr(t, map[string]string{"FICHARIO_DRAIN_DELAY": "21s"}, "serve")
	if !strings.Contains(f.Stderr, "DRAIN_DELAY") && !strings.Contains(strings.ToLower(f.Stderr), "drain") {
		t.Errorf("a delay beyond the time to stop: %s", f.Stderr)
	}
}

// TestSlowNoRequestIsLostBehindABalancer with health checks, while each of two instances is restarted in turn.
func TestSlowNoRequestIsLostBehindABalancer(t *testing.T) {
	t.Parallel()
	env := testkit.PostgreSQL(t)
	env["FICHARIO_DRAIN_DELAY"] = min(patience.Scaled(2*time.Second), 20*time.Second).String()
	p := intaketest.StartProduct(t, env)
	one := p.Lookups
	another := one.StartAnother()
	addr := testkit.Balance(t, "check inter 100ms fall 2 rise 1", one.Program, another.Program)
	door := one.At(addr)
	key, hook := one.NewKey(1_000_000, 1000, 1000).Key, p.Leads.NewHook("Site", "generic")
	expect(t, "the first answer", door.CPF(key, ana).Status, http.StatusOK)

	ctx, end := context.WithCancel(t.Context())
	var asked, posted, lost atomic.Int64
	var load sync.WaitGroup
	for n := range 8 {
		load.Go(func() {
			for i := 0; ctx.Err() == nil; i++ {
				name, count := fmt.Sprintf("Pessoa %d %d", n, i), &asked
				do := func() (lookuptest.Answer, error) {
					return door.Do(t.Context(), "GET", "/api/v1/cpf/"+ana, key, nil, "")
				}
				if i%4 == 0 {
					count = &posted
					do = func() (lookuptest.Answer, error) {
						return door.Do(t.Context(), "POST", hook.Path, "", map[string]string{"Content-Type": "application/json"},
							intaketest.Lead(name))
					}
				}
				if a, err := do(); err != nil || a.Status != http.StatusOK {
					if lost.Add(1) == 1 {
						t.Errorf("the first that is lost: %d, %v", a.Status, err)
					}
				}
				count.Add(1)
			}
		})
	}
	more := func(what string) {
		t.Helper()
		before := asked.Load() + posted.Load()
		lookuptest.Eventually(t, what, func() bool { return asked.Load()+posted.Load() > before+100 })
	}
	for _, stopped := range []*lookuptest.Service{one, another} {
		more("requests are answered by both")
		stopped.Stop()
		more("requests are answered by the other one")
		before := strings.Count(stopped.Logs(), "/api/v1/cpf/")
		stopped.Restart()
		lookuptest.Eventually(t, "it is back", func() bool {
			return strings.Count(stopped.Logs(), "/api/v1/cpf/") > before
		})
	}
	end()
	load.Wait()
	if n := lost.Load(); n > 0 {
		t.Errorf("%d of %d requests are lost", n, asked.Load()+posted.Load())
	}
	contacts := strings.Count(p.Leads.Command("contact", "list", "--org", p.Leads.ID, "--json"), `"id"`)
	if int64(contacts) < posted.Load() {
		t.Errorf("%d contacts of %d posts", contacts, posted.Load())
	}
}

// TestAClientThatHangsUp while its answer waits for the database is not counted as our error.
func TestAClientThatHangsUp(t *testing.T) {
	t.Parallel()
	env := testkit.PostgreSQL(t)
	bureau := lookuptest.StartBureau(t, nil)
	s := lookuptest.StartService(t, env, lookuptest.BureauFile(t, bureau.URL, lookuptest.Patient))
	key := s.NewKey(60, 60, 60).Key
	s.Hide(ana)
	expect(t, "a lookup", s.CPF(key, ana).Status, http.StatusOK)
	db, err := sql.Open("pgx", env["FICHARIO_DATABASE_URL"])
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	tx, err := db.BeginTx(t.Context(), nil)
	if err == nil {
		_, err = tx.ExecContext(t.Context(), "LOCK TABLE lookups IN ACCESS EXCLUSIVE MODE")
	}
	if err != nil {
		t.Fatal(err)
	}
	const waiting = `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
		AND query LIKE '%key_id%ORDER BY%'`
	waiters := func() (n int) {
		// On its own connection: an open transaction keeps seeing its first snapshot.
		if err := db.QueryRowContext(t.Context(), waiting).Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	for i, path := range []string{"/api/v1/consultas", "/api/v1/consultas?formato=excel"} {
		lookuptest.Eventually(t, "the one before has gone", func() bool { return waiters() == 0 })
		ctx, hangUp := context.WithCancel(t.Context())
		left := make(chan error, 1)
		go func() {
			_, err := s.Do(ctx, "GET", path, key, nil, "")
			left <- err
		}()
		lookuptest.Eventually(t, "it waits for the table", func() bool { return waiters() > 0 })
		hangUp()
		if <-left == nil {
			t.Error("the client did not leave")
		}
		counted := fmt.Sprintf(`route="/api/v1/consultas",status="499"} %d`, i+1)
		lookuptest.Eventually(t, "it is counted as such", func() bool {
			return strings.Contains(string(s.Get("/metrics", "").Body), counted)
		})
	}
	if strings.Contains(s.Logs(), `"level":"ERROR"`) {
		t.Error("a client that hangs up is logged as an error")
	}
	if err := tx.Rollback(); err != nil {
		t.Fatal(err)
	}
	expect(t, "the statement again", s.Get("/api/v1/consultas", key).Status, http.StatusOK)
}

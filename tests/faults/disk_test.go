package faults

import (
	"database/sql"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // to make a server refuse what is written

	"fichario/tests/testkit"
	"fichario/tests/testkit/lookuptest"
	"fichario/tests/testkit/postgres"
)

// long is a large answer that cannot be compressed.
func long(w http.ResponseWriter, _ *http.Request, document string) {
	w.Header().Set("Content-Type", "application/json")
	noise := rand.New(rand.NewPCG(1, 2))
	var text strings.Builder
	for range 60_000 {
		fmt.Fprintf(&text, "%016x", noise.Uint64())
	}
	fmt.Fprintf(w, `{"doc":%q,"nome":"Ana","texto":%q}`, document, text.String())
}

// room limits the size of a process's files, like a full disk; less than 1 means no limit.
func room(t *testing.T, s *lookuptest.Service, bytes int64) {
	t.Helper()
	limit := fmt.Sprint(bytes)
	if bytes < 1 {
		limit = "unlimited"
	}
	out, err := exec.CommandContext(t.Context(), "prlimit", fmt.Sprint("--pid=", s.Pid()), "--fsize="+limit+":unlimited").
		CombinedOutput()
	if err != nil {
		t.Fatalf("prlimit: %v %s", err, out)
	}
}

// TestACommandOnAFullDisk: where SQLite finds no room for its companion files, the command asks whether the disk is
// full.
func TestACommandOnAFullDisk(t *testing.T) {
	t.Parallel()
	env := testkit.SQLite(t)
	testkit.Run(t, env, "org", "create", "--name", "A")
	command := exec.CommandContext(t.Context(), "prlimit", "--fsize=1024", testkit.Build(t), "org", "list")
	for name, value := range env {
		command.Env = append(command.Env, name+"="+value)
	}
	out, err := command.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "is the disk full?") {
		t.Errorf("%v, %s", err, out)
	}
}

// fill leaves a SQLite database enough room for a charge, but not for a long answer.
func fill(t *testing.T, s *lookuptest.Service, env map[string]string) {
	t.Helper()
	log, err := os.Stat(strings.TrimPrefix(env["FICHARIO_DATABASE_URL"], "sqlite://") + "-wal")
	if err != nil {
		t.Fatal(err)
	}
	room(t, s, log.Size()+192<<10)
}

// refuse makes a PostgreSQL database reject answers, as if it had no room to grow.
func refuse(t *testing.T, env map[string]string, refuse bool) {
	t.Helper()
	db, err := sql.Open("pgx", env["FICHARIO_DATABASE_URL"])
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	statements := "DROP TRIGGER cheio ON records"
	if refuse {
		statements = `CREATE OR REPLACE FUNCTION cheio() RETURNS trigger LANGUAGE plpgsql AS
			$$ BEGIN RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = '53100'; END $$;
			CREATE TRIGGER cheio BEFORE INSERT ON records FOR EACH ROW EXECUTE FUNCTION cheio()`
	}
	if _, err := db.ExecContext(t.Context(), statements); err != nil {
		t.Fatal(err)
	}
}

// onFull runs a test on both databases, with a function that makes them full or frees space.
func onFull(t *testing.T, test func(t *testing.T, s *lookuptest.Service, bureau *lookuptest.Bureau, full func(bool))) {
	t.Helper()
	onBoth(t, func(t *testing.T, env map[string]string) {
		bureau := lookuptest.StartBureau(t, long)
		s := lookuptest.StartService(t, env, lookuptest.BureauFile(t, bureau.URL, 2*time.Second))
		test(t, s, bureau, func(now bool) {
			switch {
			case strings.HasPrefix(env["FICHARIO_DATABASE_URL"], "postgres"):
				refuse(t, env, now)
			case now:
				fill(t, s, env)
			default:
				room(t, s, 0)
			}
		})
	})
}

// TestSlowADiskThatIsFull when an outcome is written: whoever paid gets the answer, nobody pays for it again, /readyz
// reports that writing fails, and once there is room again the answer is in the history and the statement agrees with
// the bureau.
func TestSlowADiskThatIsFull(t *testing.T) {
	t.Parallel()
	onFull(t, func(t *testing.T, s *lookuptest.Service, bureau *lookuptest.Bureau, full func(bool)) {
		key := s.NewKey(600, 500, 500).Key
		docs := lookuptest.CPFs(50, 3)
		expect(t, "before", s.CPF(key, docs[0]).Status, 200)
		expect(t, "ready", s.Get("/readyz", "").Status, 200)
		full(true)
		paid := s.CPF(key, docs[1])
		expect(t, "who paid", paid.String(), "200")
		ready := s.Get("/readyz", "")
		expect(t, "readiness", ready.String(), "503 servico_indisponivel")
		if detail := fmt.Sprint(ready.JSON["detail"]); !strings.Contains(detail, "grava") {
			t.Errorf("/readyz does not say that writing fails: %s", detail)
		}
		expect(t, "alive", s.Get("/healthz", "").Status, 200)
		for range 3 {
			a := s.CPF(key, docs[1])
			expect(t, "once more", a.String(), "503 servico_indisponivel")
			expect(t, "with a time to come back", a.Header.Get("Retry-After") != "", true)
		}
		expect(t, "calls", bureau.Ledger()[docs[1]], 1)
		full(false)
		lookuptest.Eventually(t, "ready again", func() bool { return s.Get("/readyz", "").Status == 200 })
		again := s.CPF(key, docs[1])
		expect(t, "from history", again.JSON["cache"], true)
		expect(t, "byte for byte", again.Raw(t), paid.Raw(t))
		st := s.Statement(key)
		expect(t, "charged as the bureau says", st.Cobradas.Total, bureau.Calls())
		expect(t, "all done", st.Charged()["concluida"], bureau.Calls())
		s.Command("doctor")
		s.Stop()
	})
}

// TestSlowStoppingOnAFullDisk: an answer that finds no room until the end is lost, and the exit code says so; its
// entry is settled at the next start.
func TestSlowStoppingOnAFullDisk(t *testing.T) {
	t.Parallel()
	onFull(t, func(t *testing.T, s *lookuptest.Service, bureau *lookuptest.Bureau, full func(bool)) {
		key := s.NewKey(600, 500, 500).Key
		full(true)
		expect(t, "who paid", s.CPF(key, ana).String(), "200")
		s.Hide(ana)
		room := time.AfterFunc(2*time.Second, func() { full(false) })
		defer room.Stop()
		s.Stop() // room appears in time
		s.Restart()
		expect(t, "it is history", s.CPF(key, ana).JSON["cache"], true)
		full(true)
		other := lookuptest.CPFs(51, 1)[0]
		s.Hide(other)
		expect(t, "who paid", s.CPF(key, other).String(), "200")
		expect(t, "code", s.Terminate(), 1)
		s.Restart()
		full(false)
		lookuptest.Eventually(t, "settled", func() bool {
			return s.Statement(key).Charged()["sem_resposta"] == 1
		})
		expect(t, "charged as the bureau says", s.Statement(key).Cobradas.Total, bureau.Calls())
	})
}

// TestSlowStoppingBeforeACallEnds: a call that outlasts the program's patience is charged and without an answer, as its
// entry says at once; nothing is lost, so the exit code is 0.
func TestSlowStoppingBeforeACallEnds(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, env map[string]string) {
		bureau := lookuptest.StartBureau(t, nil)
		defer bureau.Hold("")()
		s := lookuptest.StartService(t, env, lookuptest.BureauFile(t, bureau.URL, time.Minute))
		key := s.NewKey(600, 500, 500).Key
		s.Hide(ana)
		answered := make(chan lookuptest.Answer, 1)
		go func() {
			a, err := s.Do(t.Context(), "GET", "/api/v1/cpf/"+ana, key, nil, "")
			if err != nil {
				t.Error(err)
			}
			answered <- a
		}()
		bureau.Await(t, 1)
		expect(t, "code", s.Terminate(), 0)
		expect(t, "told", (<-answered).String(), "504 bureau_sem_resposta")
		s.Restart()
		expect(t, "entries", fmt.Sprint(s.Statement(key).Charged()), "map[sem_resposta:1]")
		expect(t, "charged as the bureau says", s.Statement(key).Cobradas.Total, bureau.Calls())
	})
}

// TestSlowAServerThatOnlyReads, like a standby: the bureau is not called and nothing charged, and everybody is told
// that it will pass.
func TestSlowAServerThatOnlyReads(t *testing.T) {
	t.Parallel()
	bureau := lookuptest.StartBureau(t, nil)
	url := postgres.StartDedicated(t).Database(t, testkit.Migrate)
	s := lookuptest.StartService(t, testkit.OnPostgreSQL(url), lookuptest.BureauFile(t, bureau.URL, lookuptest.Patient))
	key := s.NewKey(600, 500, 500).Key
	s.Hide(ana)
	db, err := sql.Open("pgx", url)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	for _, c := range []struct{ readOnly, want string }{{"on", "503 servico_indisponivel"}, {"off", "200"}} {
		for _, statement := range []string{
			"ALTER SYSTEM SET default_transaction_read_only = " + c.readOnly, "SELECT pg_reload_conf()",
		} {
			if _, err := db.ExecContext(t.Context(), statement); err != nil {
				t.Fatal(err)
			}
		}
		lookuptest.Eventually(t, "/readyz says so: "+c.want, func() bool {
			return s.Get("/readyz", "").String() == c.want
		})
		expect(t, "read only "+c.readOnly, s.CPF(key, ana).String(), c.want)
	}
	expect(t, "calls", bureau.Calls(), 1)
}

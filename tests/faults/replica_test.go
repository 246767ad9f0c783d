package faults

import (
	"database/sql"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"fichario/tests/testkit"
	"fichario/tests/testkit/intaketest"
	"fichario/tests/testkit/lookuptest"
	"fichario/tests/testkit/postgres"
)

// withReplica is a primary, its replica, and the environment that leads to both.
func withReplica(t *testing.T, lag time.Duration) (primary, replica *postgres.Server, env map[string]string) {
	t.Helper()
	testkit.Build(t)
	primary = postgres.StartDedicated(t)
	env = testkit.OnPostgreSQL(primary.Database(t, testkit.Migrate))
	replica = primary.StartReplica(t)
	env["FICHARIO_READ_DATABASE_URL"] = replica.Address(t, env["FICHARIO_DATABASE_URL"])
	env["FICHARIO_READ_MAX_LAG"] = lag.String()
	return primary, replica, env
}

// hold pauses replay on a replica, until release.
func hold(t *testing.T, replica *postgres.Server) (release func()) {
	t.Helper()
	db, err := sql.Open("pgx", replica.URL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	replay := func(what string) {
		if _, err := db.ExecContext(t.Context(), "SELECT pg_wal_replay_"+what+"()"); err != nil {
			t.Fatal(err)
		}
	}
	replay("pause")
	lookuptest.Eventually(t, "the replica is held back", func() bool {
		var state string
		_ = db.QueryRowContext(t.Context(), "SELECT pg_get_wal_replay_pause_state()").Scan(&state)
		return state == "paused"
	})
	return func() { replay("resume") }
}

// current waits until a replica has caught up with its primary.
func current(t *testing.T, primary, replica *postgres.Server) {
	t.Helper()
	ask := func(s *postgres.Server, what string, into any, args ...any) {
		db, err := sql.Open("pgx", s.URL)
		if err == nil {
			err = db.QueryRowContext(t.Context(), what, args...).Scan(into)
			_ = db.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	var written string
	ask(primary, "SELECT pg_current_wal_flush_lsn()::text", &written)
	lookuptest.Eventually(t, "the replica has everything", func() (has bool) {
		ask(replica, "SELECT COALESCE(pg_last_wal_replay_lsn() >= $1::text::pg_lsn, false)", &has, written)
		return has
	})
}

// TestSlowAReplicaThatIsHeldBack serves stale lists to those who have changed nothing. Whoever has just changed
// something sees it, on every instance, and caps, keys, sessions and what is looked up by id are never stale.
func TestSlowAReplicaThatIsHeldBack(t *testing.T) {
	t.Parallel()
	primary, replica, env := withReplica(t, time.Hour)
	p := intaketest.StartProduct(t, env)
	key, idle, hook := p.Lookups.NewKey(60, 3, 3).Key, p.Lookups.NewKey(60, 5, 5), p.Leads.NewHook("Site", "generic")
	reader, writer := enter(t, p, "Ana"), enter(t, p, "Bia")
	p.Leads.Accept(hook, intaketest.Lead("Caio"))
	expect(t, "a lookup", p.Lookups.CPF(key, ana).Status, http.StatusOK)
	another := p.Lookups.StartAnother()
	current(t, primary, replica)
	release := hold(t, replica)

	docs := lookuptest.CPFs(3, 3)
	for i, d := range docs {
		want := http.StatusOK
		if i == 2 {
			want = http.StatusTooManyRequests // the cap of three
		}
		expect(t, "a lookup", p.Lookups.CPF(key, d).Status, want)
	}
	lead := p.Leads.Accept(hook, intaketest.Lead("Davi"))
	late := p.Lookups.NewKey(60, 5, 5)
	expect(t, "a key that the replica does not know", p.Lookups.CPF(late.Key, ana).Status, http.StatusOK)
	// As if written, when the replica was last allowed to lack it, by an instance whose clock is five minutes behind.
	db := openDatabase(t, env)
	_, err := db.ExecContext(t.Context(), "UPDATE lookups SET at = at - interval '65 minutes' WHERE key_id = $1", late.ID)
	if _ = db.Close(); err != nil {
		t.Fatal(err)
	}
	for name, s := range map[string]*lookuptest.Service{"one instance": p.Lookups, "another": another} {
		expect(t, name+": lines for the key that asked", len(s.Statement(key).Consultas), 3)
		expect(t, name+": lines for a key that asked an instance that is behind", len(s.Statement(late.Key).Consultas), 1)
		expect(t, name+": lines for an idle key", len(s.Statement(idle.Key).Consultas), 0)
		expect(t, name+": its charges", s.Statement(key).Cobradas.Hoje, 3)
		for who, lines := range map[*visitor]int{reader: 1, writer: 1} {
			expect(t, name+": lines of the file", strings.Count(who.get(t, s.URL, "/extrato.csv"), "\n"), 1+lines)
		}
		expect(t, name+": contacts", strings.Contains(reader.get(t, s.URL, "/contatos"), "Davi"), false)
		expect(t, name+": the contact", strings.Contains(reader.get(t, s.URL, "/contatos/"+lead), "Davi"), true)
	}

	writer.post(t, p.Leads.URL, "/contatos/"+lead+"/nota", url.Values{"texto": {"Ligar amanhã"}})
	for name, s := range map[string]*lookuptest.Service{"one instance": p.Lookups, "another": another} {
		expect(t, name+": contacts after a change", strings.Contains(writer.get(t, s.URL, "/contatos"), "Davi"), true)
		expect(t, name+": lines after a change", strings.Count(writer.get(t, s.URL, "/extrato.csv"), "\n"), 5)
		expect(t, name+": to others", strings.Contains(reader.get(t, s.URL, "/contatos"), "Davi"), false)
	}
	p.Lookups.Command("key", "revoke", late.ID)
	lookuptest.Eventually(t, "the key has ended", func() bool {
		return another.CPF(late.Key, ana).Status == http.StatusUnauthorized
	})
	reader.post(t, p.Leads.URL, "/sair", nil)
	expect(t, "after signing out", strings.Contains(reader.get(t, another.URL, "/contatos"), "Caio"), false)
	release()
	current(t, primary, replica)
	reader = enter(t, p, "Ana")
	expect(t, "contacts at last", strings.Contains(reader.get(t, another.URL, "/contatos"), "Davi"), true)
	metrics := string(another.Get("/metrics", "").Body)
	if !strings.Contains(metrics, "fichario_replica_in_use 1") || strings.Contains(metrics, `{from="replica"} 0`) {
		t.Error("the metrics do not show the replica in use")
	}
}

// TestSlowAReplicaThatFails: lists come from the primary while it lags too far, is frozen, down or promoted, and from
// the replica again once it is back; the log reports each change once, and neither readiness nor doctor depends on
// it.
func TestSlowAReplicaThatFails(t *testing.T) {
	t.Parallel()
	primary, replica, env := withReplica(t, time.Second)
	p := intaketest.StartProduct(t, env)
	hook, reader := p.Leads.NewHook("Site", "generic"), enter(t, p, "Ana")
	used := func(want int) {
		t.Helper()
		lookuptest.Eventually(t, fmt.Sprintf("in use: %d", want), func() bool {
			metrics := string(p.Lookups.Get("/metrics", "").Body)
			return strings.Contains(metrics, fmt.Sprintf("fichario_replica_in_use %d\n", want))
		})
	}
	used(1)
	var release func()
	for i, c := range []struct {
		what       string
		fail, mend func()
	}{
		{"behind", func() { release = hold(t, replica) }, func() { release() }},
		{"frozen", replica.Pause, replica.Resume},
		{"down", func() { replica.Stop(postgres.Immediate) }, replica.Start},
	} {
		c.fail()
		name := fmt.Sprintf("Pessoa%d", i)
		p.Leads.Accept(hook, intaketest.Lead(name))
		lookuptest.Eventually(t, c.what+": the newest contact", func() bool {
			return strings.Contains(reader.get(t, p.Leads.URL, "/contatos"), name)
		})
		used(0)
		expect(t, c.what+": ready", p.Lookups.Get("/readyz", "").Status, http.StatusOK)
		// On a busy machine the replica is also left for moments that nobody arranged.
		told := toldOfLists(p.Lookups.Logs())
		expect(t, c.what+": told last", told[len(told)-1], "primary")
		for i := range told[1:] {
			if told[i] == told[i+1] {
				t.Errorf("%s: the log has told of the %s twice", c.what, told[i])
			}
		}
		c.mend()
		used(1)
	}
	replica.Stop(postgres.Fast)
	testkit.Run(t, env, "doctor")
	other := p.Lookups.StartAnother()
	if !strings.Contains(other.Logs(), "not from the replica") {
		t.Error("an instance that starts without the replica does not say so")
	}
	expect(t, "a list", reader.get(t, other.URL, "/contatos") != "", true)
	_ = primary
}

// toldOfLists is where lists were read from, by the log.
func toldOfLists(logs string) (from []string) {
	for _, told := range regexp.MustCompile(`lists are read from the (primary|replica)`).FindAllStringSubmatch(logs, -1) {
		from = append(from, told[1])
	}
	return from
}

// TestSlowAnAddressThatIsNoReplicas is refused at start-up, and the error has no password.
func TestSlowAnAddressThatIsNoReplicas(t *testing.T) {
	t.Parallel()
	primary, replica, env := withReplica(t, time.Second)
	other := primary.Database(t, nil)
	for name, c := range map[string]struct{ read, says string }{
		"another server":   {testkit.PostgreSQL(t)["FICHARIO_DATABASE_URL"], "not a replica"},
		"another database": {replica.Address(t, other), "not a replica"},
		"SQLite":           {"sqlite://a.db", "FICHARIO_READ_DATABASE_URL"},
		"no address":       {"postgres://usuario:segredo-da-base@[/x", "FICHARIO_READ_DATABASE_URL"},
	} {
		current(t, primary, replica)
		env["FICHARIO_READ_DATABASE_URL"] = c.read
		f := testkit.RunErr(t, env, "serve", "--listen", "127.0.0.1:0")
		if !strings.Contains(f.Stderr, c.says) || strings.Contains(f.Stderr, "segredo") {
			t.Errorf("%s: %s", name, f.Stderr)
		}
	}
	// An address that may become right is no reason not to start.
	for name, read := range map[string]string{
		"nobody":      "postgres://usuario:segredo-da-base@127.0.0.1:1/base?sslmode=disable",
		"the primary": env["FICHARIO_DATABASE_URL"],
	} {
		env["FICHARIO_READ_DATABASE_URL"] = read
		p := testkit.StartProgram(t, testkit.Options{Env: env})
		if !strings.Contains(p.Logs(), "not from the replica") || strings.Contains(p.Logs(), "segredo") {
			t.Errorf("%s: %s", name, p.Logs())
		}
	}
}

// visitor is somebody using the interface, on any instance.
type visitor struct{ http *http.Client }

// enter adds a member who signs in.
func enter(t *testing.T, p intaketest.Product, name string) *visitor {
	t.Helper()
	if !strings.Contains(p.Leads.Command("member", "list", "--org", p.Leads.ID), p.Leads.MemberEmail(name)) {
		p.Leads.Member(name, "owner")
	}
	v := &visitor{browser(t)}
	v.post(t, p.Leads.URL, "/entrar", url.Values{"email": {p.Leads.MemberEmail(name)}, "senha": {"uma-senha-longa"}})
	return v
}

func (v *visitor) get(t *testing.T, base, path string) string {
	t.Helper()
	resp, err := v.http.Get(base + path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("%s: %d, %v", path, resp.StatusCode, err)
	}
	return string(text)
}

func (v *visitor) post(t *testing.T, base, path string, form url.Values) {
	t.Helper()
	resp, err := v.http.PostForm(base+path, form)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("%s: %v, %v", path, resp, err)
	}
	_ = resp.Body.Close()
}

package faults

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"fichario/tests/testkit"
	"fichario/tests/testkit/intaketest"
	"fichario/tests/testkit/lookuptest"
	"fichario/tests/testkit/postgres"
)

type (
	request = intaketest.Request
	answer  = intaketest.Answer
	org     = intaketest.Org
	hook    = intaketest.Hook
)

var line = intaketest.Line

// TestSlowWebhookFaults are the faults that take time because the program waits: for a lease to expire, for a
// database, for a body.
func TestSlowWebhookFaults(t *testing.T) {
	t.Parallel()
	intaketest.AtOnce(t, map[string]func(t *testing.T){
		"killing on SQLite":                    func(t *testing.T) { killing(t, testkit.SQLite(t)) },
		"killing on PostgreSQL":                func(t *testing.T) { killing(t, testkit.PostgreSQL(t)) },
		"killing several people on SQLite":     func(t *testing.T) { killingSeveral(t, testkit.SQLite(t)) },
		"killing several people on PostgreSQL": func(t *testing.T) { killingSeveral(t, testkit.PostgreSQL(t)) },
		"the database goes":                    databaseGoesAndComesBack,
		"the database is locked":               lockedDatabase,
		"a body that stops arriving":           bodyThatStopsArriving,
	})
}

// killing kills the program under load, repeatedly. Nothing acknowledged is lost, nothing is half done, a retry is the
// same contact, and every automation has run for every contact.
func killing(t *testing.T, env map[string]string) {
	s := intaketest.StartService(t, env, map[string]string{"FICHARIO_ALLOW_PRIVATE_TARGETS": "true"})
	o := s.Org(t)
	receiver := intaketest.StartReceiver(t, func(w http.ResponseWriter, _ *http.Request, _ intaketest.Call, _ int) {
		w.WriteHeader([]int{http.StatusOK, http.StatusAccepted, http.StatusNoContent}[rand.IntN(3)])
	})
	h := o.NewHook("Sob carga", "generic")
	first, _ := o.Automate("Primeira", "http", "--url", receiver.URL+"/primeira")
	second, _ := o.Automate("Segunda", "http", "--url", receiver.URL+"/segunda")
	o.Automate("Anotar", "add_note", "--text", noted)
	var posts []sent
	const kills = 3
	for round := range kills {
		l := newLoad(o, h, 32, strconv.Itoa(round))
		lookuptest.Eventually(t, "posts are accepted", func() bool { return l.acked.Load() >= 80 })
		s.Kill()
		posts = append(posts, l.end()...)
		s.Restart()
	}
	settle(t, o, h, posts)
	all := o.Census(t).Emails
	// A run that was cut off becomes available when its lease expires.
	called := func(path string) map[string]map[string]int {
		out := map[string]map[string]int{}
		for _, c := range receiver.Calls() {
			if c.Path == path {
				if out[c.Contact] == nil {
					out[c.Contact] = map[string]int{}
				}
				out[c.Contact][c.ID]++
			}
		}
		return out
	}
	lookuptest.Eventually(t, "every automation has run for every contact", func() bool {
		return len(called("/primeira")) >= len(all) && len(called("/segunda")) >= len(all)
	})
	runs := map[string]intaketest.Run{}
	for _, r := range o.Settled(3 * len(all)) {
		expect(t, "run", r.State, "done")
		runs[r.ID] = r
	}
	more := 0
	for path, automation := range map[string]string{"/primeira": first, "/segunda": second} {
		byContact := called(path)
		for contact := range all {
			ids := byContact[contact]
			if len(ids) != 1 {
				t.Errorf("%d webhook-ids for one contact", len(ids))
			}
			for id, n := range ids {
				if r := runs[id]; r.Contact != contact || intaketest.Or(r.Automation) != automation {
					t.Error("a webhook-id is not the id of the run")
				}
				more += n - 1
			}
		}
		expect(t, "contacts that were called about", len(byContact), len(all))
	}
	whole(t, o, h)
	notedOnce(t, o)
	acked := 0
	for _, p := range posts {
		if p.a.Status == http.StatusOK {
			acked++
		}
	}
	t.Logf("%d posts, %d acknowledged, %d contacts, %d calls made more than once", len(posts), acked, len(all), more)
}

// databaseGoesAndComesBack: while it is away every post gets a timely refusal, and afterwards nothing acknowledged is
// missing and nothing is half done.
func databaseGoesAndComesBack(t *testing.T) {
	server := postgres.StartDedicated(t)
	s := intaketest.StartService(t, testkit.Away(testkit.OnPostgreSQL(server.Database(t, testkit.Migrate))))
	o := s.Org(t)
	h := o.NewHook("Sem banco", "generic")
	o.Automate("Anotar", "add_note", "--text", noted)
	var posts []sent
	for name, fault := range map[string]struct{ begin, end func() }{
		"stopped": {func() { server.Stop(postgres.Immediate) }, server.Start},
		"frozen":  {server.Pause, server.Resume},
	} {
		l := newLoad(o, h, 16, name)
		lookuptest.Eventually(t, name+": posts are accepted", func() bool { return l.acked.Load() >= 50 })
		fault.begin()
		count := func(status int) (n int) {
			l.mu.Lock()
			defer l.mu.Unlock()
			for _, p := range l.posts {
				if p.a.Status == status {
					n++
				}
			}
			return n
		}
		lookuptest.Eventually(t, name+": posts are told", func() bool {
			return count(http.StatusServiceUnavailable) >= 16
		})
		probes := []request{
			{Method: "GET", Path: h.Path}, {Method: "HEAD", Path: h.Path}, {Method: "PUT", Path: h.Path},
			{Method: "GET", Path: "/readyz"},
		}
		probe := func(i int) (answer, error) { return s.Send(t.Context(), probes[i]) }
		for i, a := range intaketest.Together(t, len(probes), probe) {
			expect(t, line(name, "probe", i), a.Status, 503)
		}
		expect(t, name+": a token that cannot be one", o.Do(request{Method: "GET", Path: intaketest.PathOf("x")}).Status, 404)
		expect(t, name+": health", o.Do(request{Method: "GET", Path: "/healthz"}).Status, 200)
		before := l.acked.Load()
		fault.end()
		lookuptest.Eventually(t, name+": service returns", func() bool { return l.acked.Load() > before+50 })
		posts = append(posts, l.end()...)
	}
	for _, p := range posts {
		if p.err != nil {
			t.Error(p.err)
			continue
		}
		if p.a.Status != http.StatusOK && p.a.String() != "503 servico_indisponivel" {
			t.Errorf("a post is answered with %s", p.a)
		}
	}
	settle(t, o, h, posts)
	// a run whose end could not be written is repeated when its lease expires
	o.Settled(len(o.Census(t).Emails))
	whole(t, o, h)
	notedOnce(t, o)
}

// lockedDatabase: another process locks the SQLite file. Meanwhile senders get a timely refusal.
func lockedDatabase(t *testing.T) {
	s := intaketest.StartService(t, testkit.Away(testkit.SQLite(t)))
	o := s.Org(t)
	h := o.NewHook("Trancado", "generic")
	unlock := o.Lock(t)
	for i, a := range intaketest.Together(t, 8, func(i int) (answer, error) {
		return s.Send(t.Context(), request{
			Path: h.Path, Header: map[string]string{"Content-Type": "application/json", "Idempotency-Key": "trancado"},
			Body: intaketest.Lead("trancado"),
		})
	}) {
		expect(t, fmt.Sprint("answer ", i), a.String(), "503 servico_indisponivel")
	}
	expect(t, "a probe only reads", o.Do(request{Method: "GET", Path: h.Path}).Status, 200)
	unlock()
	o.Nothing(t, h)
	o.Accept(h, intaketest.Lead("destrancado"))
	whole(t, o, h)
}

// TestSlowWebhookSlowReceivers: work after the answer does not delay the answer, nor do receivers that hang delay
// others.
func TestSlowWebhookSlowReceivers(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, env map[string]string) {
		s := intaketest.StartService(t, env, map[string]string{
			"FICHARIO_ALLOW_PRIVATE_TARGETS": "true",
			"FICHARIO_SMTP_URL":              "smtp://" + intaketest.StartMuteServer(t) + "?from=a@servico.example",
		})
		release := make(chan struct{})
		defer close(release)
		slow := intaketest.StartReceiver(t, func(_ http.ResponseWriter, r *http.Request, _ intaketest.Call, _ int) {
			select {
			case <-release:
			case <-r.Context().Done():
			}
		})
		fast := intaketest.StartReceiver(t, nil)
		quiet, o := s.Org(t), s.Org(t)
		post := func(o *org, h hook) time.Duration {
			took := make([]time.Duration, 0, 200)
			for range 200 / 16 {
				for _, a := range intaketest.Together(t, 16, func(i int) (answer, error) {
					return o.Send(t.Context(), request{
						Path: h.Path, Header: intaketest.JSON, Body: intaketest.Lead(fmt.Sprint("lenta ", i)),
					})
				}) {
					expect(t, "answer", a.String(), "200")
					took = append(took, a.Took)
				}
			}
			slices.Sort(took)
			return took[len(took)*99/100]
		}
		without := post(quiet, quiet.NewHook("Sem automações", "generic"))
		o.Member("Dona", "owner")
		o.Member("Vendas", "member")
		o.Automate("Pendura", "http", "--url", slow.URL)
		o.Automate("Muda", "http", "--url", "http://"+intaketest.StartMuteServer(t))
		o.Automate("Carta", "email", "--to", "contact", "--subject", "x", "--text", "x")
		o.Automate("Responde", "http", "--url", fast.URL)
		with := post(o, o.NewHook("Com automações", "generic"))
		lookuptest.Eventually(t, "both kinds of receivers are called", func() bool {
			return len(slow.Calls()) > 0 && len(fast.Calls()) > 0
		})
		h := o.NewHook("Depois", "generic")
		id := o.Accept(h, intaketest.Lead("depois"))
		lookuptest.Eventually(t, "the one that answers is called about all", func() bool {
			return len(fast.About(id)) == 1
		})
		t.Logf("99th percentile of the answers: %s without automations, %s with those that hang", without, with)
	})
}

// TestWebhookSIGTERM: a stopping program finishes the posts and the jobs in flight, and the rest is done after the next
// start, once.
func TestWebhookSIGTERM(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, env map[string]string) {
		s := intaketest.StartService(t, env, map[string]string{"FICHARIO_ALLOW_PRIVATE_TARGETS": "true"})
		o := s.Org(t)
		release := make(chan struct{})
		receiver := intaketest.StartReceiver(t, func(w http.ResponseWriter, _ *http.Request, _ intaketest.Call, _ int) {
			<-release
			w.WriteHeader(http.StatusOK)
		})
		h := o.NewHook("Parada", "generic")
		o.Automate("Demorada", "http", "--url", receiver.URL)
		const contacts = 20 // more than one automation runs at once
		for i := range contacts {
			o.Accept(h, intaketest.Lead(fmt.Sprint("parada ", i)))
		}
		lookuptest.Eventually(t, "calls have begun", func() bool { return len(receiver.Calls()) >= 4 })
		// A post whose body is still arriving when the program is told to stop.
		halfway, finish := make(chan struct{}), make(chan struct{})
		late := make(chan answer, 1)
		go func() {
			body := intaketest.Lead("no meio")
			a, err := o.Send(context.Background(), request{
				Path: h.Path,
				Header: map[string]string{
					"Content-Type": "application/json", "Content-Length": strconv.Itoa(len(body)), "Expect": "100-continue",
				},
				Stream: func(w io.Writer) {
					_, _ = io.WriteString(w, body[:10])
					<-finish
					_, _ = io.WriteString(w, body[10:])
				},
				Begun: func() { close(halfway) },
			})
			if err != nil {
				t.Error(err)
			}
			late <- a
		}()
		select {
		case <-halfway:
		case a := <-late:
			t.Fatalf("it is answered with %s before it was sent", a)
		}
		stopped := make(chan struct{})
		go func() {
			defer close(stopped)
			s.Stop()
		}()
		lookuptest.Eventually(t, "the program is stopping", func() bool {
			return strings.Contains(s.Logs(), "stopping")
		})
		close(finish)
		close(release)
		<-stopped
		expect(t, "the post in flight", (<-late).String(), "200")
		begun := len(receiver.Calls())
		s.Restart()
		for _, r := range o.Settled(contacts + 1) {
			expect(t, "run", line(r.State, r.Attempts), "done 1")
		}
		expect(t, "calls", len(receiver.Calls()), contacts+1)
		whole(t, o, h)
		t.Logf("%d calls had begun before the end", begun)
	})
}

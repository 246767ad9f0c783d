// Package faults breaks things under the real program: the bureau, the database, the program itself. After each fault
// the statement must agree with the bureau's own ledger. docs/faults.md says which test shows what.
package faults

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"fichario/tests/testkit"
	"fichario/tests/testkit/contracttest"
	"fichario/tests/testkit/intaketest"
	"fichario/tests/testkit/lookuptest"
	"fichario/tests/testkit/patience"
	"fichario/tests/testkit/postgres"
)

const ana = "52998224725"

var onBoth = testkit.OnBothDatabases

func expect[T any](t *testing.T, what string, got, want T) {
	t.Helper()
	lookuptest.Expect(t, what, got, want)
}

// TestKill kills the program during calls to the bureau, repeatedly. After each restart every call that the bureau has
// seen is charged once, and nothing else is.
func TestKill(t *testing.T) {
	t.Parallel()
	intaketest.AtOnceOnBoth(t, func(t *testing.T, env map[string]string) {
		bureau := lookuptest.StartBureau(t, func(w http.ResponseWriter, r *http.Request, document string) {
			select {
			case <-time.After(time.Duration(rand.IntN(400)) * time.Millisecond):
			case <-r.Context().Done():
			}
			lookuptest.Ordinary(w, r, document)
		})
		s := lookuptest.StartService(t, env, lookuptest.BureauFile(t, bureau.URL, 500*time.Millisecond))
		key := s.NewKey(100000, 100000, 100000).Key
		const kills, each = 3, 30
		for round := range kills {
			docs := lookuptest.CPFs(20+round, each)
			var wg sync.WaitGroup
			for _, d := range docs {
				s.Hide(d)
				wg.Go(func() {
					_, _ = s.Do(context.Background(), "GET", "/api/v1/cpf/"+d, key, nil, "") // most are cut off
				})
			}
			bureau.Await(t, round*each+each/3+1)
			s.Kill()
			wg.Wait()
			s.Restart()
		}
		lookuptest.Eventually(t, "every call has an outcome", func() bool {
			return !strings.Contains(fmt.Sprint(s.Statement(key).Charged()), "em_andamento")
		})
		st := s.Statement(key)
		charged := map[string]int{}
		for _, e := range st.Consultas {
			if e.Cobrada {
				charged[e.Documento]++
			}
		}
		for d, n := range bureau.Ledger() {
			if charged[d] != n {
				t.Errorf("the bureau was asked %d times about a document that is charged %d times", n, charged[d])
			}
		}
		// A kill between the charge and the first byte leaves a charge without a call: doubtful calls are charged.
		extra := 0
		for d, n := range charged {
			extra += n - bureau.Ledger()[d]
		}
		if extra > kills*each/3 {
			t.Errorf("%d charges without a call", extra)
		}
		expect(t, "the totals agree with the entries", st.Cobradas.Total, sum(charged))
		t.Logf("%d calls at the bureau, outcomes %v, %d charged in doubt without a call", bureau.Calls(), st.Charged(), extra)
	})
}

func sum(m map[string]int) (n int) {
	for _, v := range m {
		n += v
	}
	return n
}

// TestSlowTheLeaderDies: requests on another instance that wait for a call whose instance is killed do get an answer.
func TestSlowTheLeaderDies(t *testing.T) {
	t.Parallel()
	bureau := lookuptest.StartBureau(t, func(_ http.ResponseWriter, r *http.Request, _ string) { <-r.Context().Done() })
	s := lookuptest.StartService(t, testkit.PostgreSQL(t), lookuptest.BureauFile(t, bureau.URL, time.Second))
	other := s.StartAnother()
	key := s.NewKey(600, 500, 500).Key
	s.Hide(ana)
	go func() { _, _ = s.Do(context.Background(), "GET", "/api/v1/cpf/"+ana, key, nil, "") }()
	bureau.Await(t, 1)
	answered := make(chan lookuptest.Answer, 1)
	go func() {
		a, err := other.Do(context.Background(), "GET", "/api/v1/cpf/"+ana, key, nil, "")
		if err != nil {
			t.Error(err)
		}
		answered <- a
	}()
	s.Kill() // the other instance may be following by now, or finds a dead one's lease
	select {
	case a := <-answered:
		expect(t, "answer", a.String(), "504 bureau_sem_resposta")
	case <-time.After(patience.Limit()):
		t.Fatal("no answer")
	}
	st := other.Statement(key)
	expect(t, "entries", st.Charged()["sem_resposta"], bureau.Calls())
}

// TestSIGTERM: a stopping program finishes what is in flight.
func TestSIGTERM(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, env map[string]string) {
		bureau := lookuptest.StartBureau(t, nil)
		release := bureau.Hold(ana)
		s := lookuptest.StartService(t, env, lookuptest.BureauFile(t, bureau.URL, lookuptest.Patient))
		key := s.NewKey(600, 500, 500).Key
		s.Hide(ana)
		answered := make(chan lookuptest.Answer, 1)
		go func() {
			a, err := s.Do(context.Background(), "GET", "/api/v1/cpf/"+ana, key, nil, "")
			if err != nil {
				t.Error(err)
			}
			answered <- a
		}()
		bureau.Await(t, 1)
		stopped := make(chan struct{})
		go func() {
			defer close(stopped)
			s.Stop()
		}()
		lookuptest.Eventually(t, "the program is stopping", func() bool {
			return strings.Contains(s.Logs(), "stopping")
		})
		release()
		<-stopped
		expect(t, "answer", (<-answered).Status, 200)
		s.Restart()
		expect(t, "it is history", s.CPF(key, ana).JSON["cache"], true)
	})
}

// TestSlowTheDatabaseGoesAndComesBack: while it is away the bureau is not called and nothing charged, and service
// returns without a restart.
func TestSlowTheDatabaseGoesAndComesBack(t *testing.T) {
	t.Parallel()
	server := postgres.StartDedicated(t)
	bureau := lookuptest.StartBureau(t, nil)
	s := lookuptest.StartService(t, testkit.Away(testkit.OnPostgreSQL(server.Database(t, testkit.Migrate))),
		lookuptest.BureauFile(t, bureau.URL, time.Second))
	key := s.NewKey(100000, 500, 500).Key
	docs := lookuptest.CPFs(30, 40)
	expect(t, "before", s.CPF(key, docs[0]).Status, 200)
	operations, err := contracttest.Operations()
	if err != nil {
		t.Fatal(err)
	}
	operations = slices.DeleteFunc(operations, func(o contracttest.Operation) bool {
		return !o.Keyed && o.ID != "receiveAnswer"
	})
	for name, fault := range map[string]struct{ begin, end func() }{
		"stopped": {func() { server.Stop(postgres.Immediate) }, server.Start},
		"frozen":  {server.Pause, server.Resume},
	} {
		fault.begin()
		calls := bureau.Calls()
		lookuptest.Eventually(t, name+": what is remembered of a key is over", func() bool {
			return s.Get("/api/v1/produtos", key).Status == http.StatusServiceUnavailable
		})
		for _, a := range []lookuptest.Answer{
			s.CPF(key, docs[0]), s.CPF(key, docs[1]), s.Get("/api/v1/produtos", key), s.Get("/readyz", ""),
		} {
			expect(t, name, a.String(), "503 servico_indisponivel")
			if a.Header.Get("Retry-After") == "" {
				t.Error("no Retry-After")
			}
		}
		if name == "stopped" {
			var asked sync.WaitGroup
			for _, o := range operations {
				asked.Go(func() {
					a, err := s.Do(t.Context(), o.Method, o.Path, key, o.Header(), o.Body)
					expect(t, o.ID, a.String(), "503 servico_indisponivel")
					expect(t, o.ID, err, nil)
				})
			}
			asked.Wait()
		}
		expect(t, name+": health", s.Get("/healthz", "").Status, 200)
		expect(t, name+": calls", bureau.Calls(), calls)
		fault.end()
		lookuptest.Eventually(t, name+": service returns", func() bool {
			a, err := s.Do(context.Background(), "GET", "/api/v1/cpf/"+docs[0], key, nil, "")
			return err == nil && a.Status == 200
		})
	}
	expect(t, "a new document", s.CPF(key, docs[2]).Status, 200)
	st := s.Statement(key)
	expect(t, "charged", st.Cobradas.Total, bureau.Calls())
}

// TestSlowTheDatabaseComesLater: a service started before its database says why it waits, and starts when the
// database is up.
func TestSlowTheDatabaseComesLater(t *testing.T) {
	t.Parallel()
	server := postgres.StartDedicated(t)
	env := testkit.OnPostgreSQL(server.Database(t, testkit.Migrate))
	server.Stop(postgres.Fast)
	failed := testkit.RunErr(t, env, "org", "list")
	if n := strings.Count(failed.Stderr, "connection refused"); n < 2 {
		t.Errorf("a command says why it waits and why it ends: %q", failed.Stderr)
	}
	timer := time.AfterFunc(time.Second, server.Start)
	defer timer.Stop()
	p := testkit.StartProgram(t, testkit.Options{Env: env})
	if !strings.Contains(p.Logs(), "the database is away; trying again") || !strings.Contains(p.Logs(), "connection refused") {
		t.Errorf("the log does not say why it waited:\n%s", p.Logs())
	}
}

// TestSlowBrokenClients: half a body gets an answer, one that never comes is not waited for, and headers are bounded.
func TestSlowBrokenClients(t *testing.T) {
	t.Parallel()
	bureau := lookuptest.StartBureau(t, nil)
	s := lookuptest.StartService(t, testkit.SQLite(t), lookuptest.BureauFile(t, bureau.URL, lookuptest.Patient))
	key := s.NewKey(600, 500, 500).Key
	dial := func(text string) net.Conn {
		c, err := new(net.Dialer).DialContext(t.Context(), "tcp", s.Addr)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Close() })
		if _, err := io.WriteString(c, text); err != nil {
			t.Fatal(err)
		}
		return c
	}
	broken := dial("POST /api/v1/consultas HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 50\r\nAuthorization: Bearer " + key + "\r\n\r\n{\"produto\":")
	if tcp, ok := broken.(*net.TCPConn); ok {
		_ = tcp.CloseWrite()
	}
	answer, _ := io.ReadAll(broken)
	if !strings.HasPrefix(string(answer), "HTTP/1.1 408") || !strings.Contains(string(answer), "requisicao_incompleta") {
		t.Errorf("half a body is answered with %.60q", answer)
	}
	expect(t, "others are served", s.CPF(key, ana).Status, 200)
	// A body that is announced and never comes delays neither the answer nor the connection's end, whatever the address.
	for address, want := range map[string]string{
		"POST /nada": "404", "POST /": "405", "POST /sair": "303", "GET /entrar": "200", "GET /healthz": "200",
		"POST /api/v1/consultas":       "401",
		"POST /api/webhooks/receive/x": "404",
	} {
		hanging := dial(address + " HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n{")
		_ = hanging.SetReadDeadline(time.Now().Add(patience.Limit()))
		answer, err := io.ReadAll(hanging)
		if err != nil || !strings.HasPrefix(string(answer), "HTTP/1.1 "+want) {
			t.Errorf("%s with a body that never comes: %.20q, %v", address, answer, err)
		}
	}
	huge := dial("GET /api/v1/produtos HTTP/1.1\r\nHost: x\r\nX-A: " + strings.Repeat("a", 20<<10))
	head := make([]byte, 12)
	if _, err := io.ReadFull(huge, head); err != nil || string(head) != "HTTP/1.1 431" {
		t.Errorf("20 KiB of header: %q, %v", head, err)
	}
}

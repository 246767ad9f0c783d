package faults

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"fichario/tests/testkit"
	"fichario/tests/testkit/intaketest"
	"fichario/tests/testkit/lookuptest"
)

// TestSlowKilledAtEachPoint kills the program at each step of a lookup that is visible from outside. Afterwards every
// call that the bureau saw is charged, nothing twice, and what was not charged was not called.
func TestSlowKilledAtEachPoint(t *testing.T) {
	t.Parallel()
	intaketest.AtOnceOnBoth(t, func(t *testing.T, env map[string]string) {
		bureau := lookuptest.StartBureau(t, nil)
		asking, through := testkit.StartProxy(t, bureau.URL)
		type point struct {
			name string
			at   *testkit.Proxy
			is   func(fromServer bool, b []byte) bool
			// asked says that the bureau must have been called by then.
			asked bool
			// charged are the statuses that the entry may have, "" for none, and calls the possible numbers of calls to the
			// bureau.
			charged, calls string
		}
		var points []point
		if strings.HasPrefix(env["FICHARIO_DATABASE_URL"], "postgres") {
			storing, through := testkit.StartProxy(t, env["FICHARIO_DATABASE_URL"])
			env["FICHARIO_DATABASE_URL"] = through
			committing := func(_ bool, b []byte) bool { return bytes.Contains(b, []byte("commit\x00")) }
			committed := func(_ bool, b []byte) bool { return bytes.Contains(b, []byte("COMMIT\x00")) }
			points = []point{
				{"before the charge is committed", storing, committing, false, " sem_resposta concluida", "0 1"},
				{"when the charge is committed", storing, committed, false, " sem_resposta concluida", "0 1"},
				{"before the answer is committed", storing, committing, true, "sem_resposta concluida", "1"},
				{"when the answer is committed", storing, committed, true, "sem_resposta concluida", "1"},
			}
		}
		s := lookuptest.StartService(t, env, lookuptest.BureauFile(t, through, 500*time.Millisecond))
		answering, _ := testkit.StartProxy(t, s.URL)
		door := s.At(answering.Addr)
		points = append(points,
			point{"when the question is sent", asking, func(from bool, _ []byte) bool { return !from }, false, "sem_resposta", "0"},
			point{"when the bureau answers", asking, func(from bool, _ []byte) bool { return from }, false, "sem_resposta", "1"},
			point{"when it answers", answering, func(from bool, _ []byte) bool { return from }, false, "concluida", "1"})
		key := s.NewKey(600, 500, 500).Key
		points = append(points, points...) // once for each way to make a lookup
		docs := lookuptest.CPFs(61, len(points))
		calls := func(d string) string { return fmt.Sprint(bureau.Ledger()[d]) }
		ask := func(i int) (lookuptest.Answer, error) {
			if i < len(points)/2 {
				return door.Do(context.Background(), "GET", "/api/v1/cpf/"+docs[i], key, nil, "")
			}
			return door.Do(context.Background(), "POST", "/api/v1/consultas", key,
				map[string]string{"Content-Type": "application/json"},
				`{"produto":"renda_presumida","documento":"`+docs[i]+`"}`)
		}
		for i, p := range points {
			s.Hide(docs[i])
			before := bureau.Calls()
			var killed atomic.Bool
			p.at.Meddle(func(fromServer bool, b []byte) testkit.Fate {
				if !p.is(fromServer, b) || p.asked && bureau.Calls() == before || !killed.CompareAndSwap(false, true) {
					return testkit.Pass
				}
				s.Kill()
				return testkit.Reset
			})
			if a, err := ask(i); err == nil {
				t.Errorf("%s: it is answered with %s", p.name, a)
			}
			p.at.Meddle(nil)
			s.Kill() // returns once the process has ended
			if !strings.Contains(" "+p.calls+" ", " "+calls(docs[i])+" ") {
				t.Errorf("%s: %s calls, want %s", p.name, calls(docs[i]), p.calls)
			}
			s.Restart()
		}
		lookuptest.Eventually(t, "every call has an outcome", func() bool {
			return !strings.Contains(fmt.Sprint(s.Statement(key).Charged()), "em_andamento")
		})
		entries, charged := map[string]string{}, 0
		for _, e := range s.Statement(key).Consultas {
			if entries[e.Documento] != "" {
				t.Error("a document has two entries")
			}
			entries[e.Documento] = e.Situacao
			if e.Cobrada {
				charged++
			}
		}
		for i, p := range points {
			if !strings.Contains(" "+p.charged+" ", " "+entries[docs[i]]+" ") {
				t.Errorf("%s: the entry is %q, want %q", p.name, entries[docs[i]], p.charged)
			}
			if entries[docs[i]] == "" {
				expect(t, p.name+": calls", calls(docs[i]), "0")
			}
		}
		expect(t, "charged", s.Statement(key).Cobradas.Total, charged)
		s.Command("doctor")
	})
}

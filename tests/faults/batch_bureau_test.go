package faults

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"fichario/tests/testkit/lookuptest"
)

// TestSlowABureauFailsInTheMiddleOfABatch: its circuit opens, and the batch pauses by itself and resumes when the
// bureau is back. Calls not sent cost nothing, and no document is looked up twice.
func TestSlowABureauFailsInTheMiddleOfABatch(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, env map[string]string) {
		const documents, good = 200, 60
		var calls atomic.Int32
		var back atomic.Bool
		bureau := lookuptest.StartBureau(t, func(w http.ResponseWriter, r *http.Request, document string) {
			if calls.Add(1) > good && !back.Load() {
				w.WriteHeader(http.StatusInternalServerError)
				return
			}
			lookuptest.Ordinary(w, r, document)
		})
		s := lookuptest.StartService(t, env, lookuptest.BureauFile(t, bureau.URL, lookuptest.Patient))
		key, docs := s.NewKey(600, 1000, 1000).Key, lookuptest.CPFs(81, documents)
		for _, d := range docs {
			s.Hide(d)
		}
		b := s.BatchOf(s.Quote(key, `{"produto":"cpf","teto":90,"confirmar":true,"documentos":`+lookuptest.List(docs)+`}`))
		costs := func(n int) string {
			return strings.TrimSuffix(strings.TrimRight(fmt.Sprintf("%.2f", float64(n)*.45), "0"), ".")
		}
		// One call tests every few seconds whether it is back.
		away := s.AwaitBatch(key, b.ID, "it waits, and what was sent is charged", func(b lookuptest.Batch) bool {
			return b.Situacao == "pausado" && b.Motivo == "bureau_indisponivel" && b.Progresso.Feitos == bureau.Calls() &&
				b.Progresso.Cobrados == b.Progresso.Feitos && b.Progresso.Gasto.String() == costs(b.Progresso.Feitos)
		})
		expect(t, "it failed, and then nothing was sent", []any{away.Progresso.Feitos < documents, away.Progresso.Falhas >= 20,
			away.RetomaEm != nil}, []any{true, true, true})
		back.Store(true)
		done := s.AwaitBatch(key, b.ID, "it has gone on by itself", func(b lookuptest.Batch) bool {
			return b.Situacao == "concluido"
		})
		for _, n := range bureau.Ledger() {
			expect(t, "calls about a document", n, 1)
		}
		st := s.Statement(key)
		expect(t, "the end", []any{len(bureau.Ledger()), done.Progresso.Feitos, done.Progresso.Cobrados, st.Cobradas.Total,
			done.Progresso.Gasto.String(), st.Gasto.Total.String()}, []any{documents, documents, documents, documents, "90",
			"90"})
		seen := map[string]int{}
		for _, r := range s.BatchResults(key, b.ID) {
			seen[r.Situacao]++
		}
		expect(t, "results", seen, map[string]int{
			"concluida": documents - done.Progresso.Falhas, "falhou": done.Progresso.Falhas,
		})
	})
}

package faults

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"fichario/tests/testkit/intaketest"
	"fichario/tests/testkit/lookuptest"
)

// TestSlowAQuestionIsBoughtOnce kills an instance while equal requests with one Idempotency-Key are under way, on
// PostgreSQL at two instances, and then repeats them. Whatever happened, the bureau is asked at most once for each key,
// there is at most one charge, and every final answer is the same. KILLS is how many kills there are on each database.
func TestSlowAQuestionIsBoughtOnce(t *testing.T) {
	t.Parallel()
	kills := 6
	if n, err := strconv.Atoi(os.Getenv("KILLS")); err == nil {
		kills = n
	}
	intaketest.AtOnceOnBoth(t, func(t *testing.T, env map[string]string) {
		bureau := lookuptest.StartBureau(t, func(w http.ResponseWriter, r *http.Request, document string) {
			select {
			case <-time.After(time.Duration(rand.IntN(60)) * time.Millisecond):
			case <-r.Context().Done():
			}
			lookuptest.Ordinary(w, r, document)
		})
		s := lookuptest.StartService(t, env, lookuptest.BureauFile(t, bureau.URL, 2*time.Second))
		instances := []*lookuptest.Service{s}
		if strings.HasPrefix(env["FICHARIO_DATABASE_URL"], "postgres") {
			instances = append(instances, s.StartAnother())
		}
		key := s.NewKey(1_000_000, 1_000_000, 1_000_000)
		ask := func(i, round int, document string) (lookuptest.Answer, error) {
			header := map[string]string{"Idempotency-Key": fmt.Sprint("pergunta ", round)}
			at := instances[i%len(instances)]
			if i%3 == 0 { // both routes of a product are one question
				header["Content-Type"] = "application/json"
				return at.Do(context.Background(), "POST", "/api/v1/consultas", key.Key, header,
					`{"produto":"cpf","documento":"`+document+`","atualizar":true}`)
			}
			return at.Do(context.Background(), "GET", "/api/v1/cpf/"+document+"?atualizar=true", key.Key, header, "")
		}
		answers := map[string]int{}
		for round, document := range lookuptest.CPFs(61, kills) {
			s.Hide(document)
			var asking sync.WaitGroup
			for i := range 50 {
				asking.Go(func() { _, _ = ask(i, round, document) }) // most are cut off
			}
			time.Sleep(time.Duration(rand.IntN(80)) * time.Millisecond)
			s.Kill()
			asking.Wait()
			s.Restart()
			bodies := map[string]bool{}
			for i := range 4 {
				var a lookuptest.Answer
				lookuptest.Eventually(t, "an answer that stays", func() bool {
					var err error
					a, err = ask(i, round, document)
					return err == nil && a.Status != http.StatusServiceUnavailable && a.Code() != "tempo_esgotado"
				})
				answers[a.String()]++
				if a.Status == http.StatusOK {
					bodies[string(a.Body)] = true
				} else {
					bodies[a.Code()] = true
				}
				if replayed := a.Header.Get("Idempotency-Replayed"); i > 0 && replayed != "true" {
					t.Errorf("round %d: an answer that is no replay: %q", round, replayed)
				}
			}
			if calls := bureau.Ledger()[document]; len(bodies) != 1 || calls > 1 {
				t.Errorf("round %d: %d different answers, %d calls", round, len(bodies), calls)
			}
		}
		charged := map[string]int{}
		for path := "/api/v1/consultas?limite=200"; path != ""; {
			page := s.StatementAt(path, key.Key)
			for _, e := range page.Consultas {
				if e.Cobrada {
					charged[e.Documento]++
				}
			}
			if path = ""; page.Proxima != nil {
				path = "/api/v1/consultas?limite=200&cursor=" + *page.Proxima
			}
		}
		for document, calls := range bureau.Ledger() {
			if charged[document] != 1 {
				t.Errorf("%d calls and %d charges", calls, charged[document])
			}
		}
		for _, n := range charged {
			if n > 1 {
				t.Errorf("%d charges for one key", n)
			}
		}
		expect(t, "charges", s.Statement(key.Key).Cobradas.Total, sum(charged))
		t.Logf("%d kills, %d calls, %d charges, answers %v", kills, bureau.Calls(), sum(charged), answers)
	})
}

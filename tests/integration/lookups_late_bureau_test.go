package integration

import (
	"encoding/json"
	"testing"

	"fichario/tests/testkit/lookuptest"
)

// TestABureauThatAnswersLater: a request gets 202 and fetches the answer later, like one that does not wait; the
// question is asked and charged once, and the answer is history.
func TestABureauThatAnswersLater(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, env map[string]string) {
		b := lookuptest.StartLateBureau(t)
		s := lookuptest.StartService(t, env, b.File)
		key, other := s.NewKey(600, 50, 50), s.NewKey(600, 50, 50)
		ask := func() lookuptest.Answer {
			a, err := s.Do(t.Context(), "GET", "/api/v1/cpf/"+ana, key.Key, map[string]string{"Idempotency-Key": "pedido"}, "")
			if err != nil {
				t.Fatal(err)
			}
			return a
		}
		first := ask()
		id, _ := first.JSON["consultaId"].(string)
		place := "/api/v1/consultas/" + id
		expect(t, "not there yet", []any{first.Status, first.JSON["situacao"], first.Header.Get("Location"),
			first.Header.Get("Preference-Applied"), first.Header.Get("Retry-After")}, []any{202, "em_andamento", place, "", "1"})
		again := ask()
		expect(t, "again under its key", []any{again.Status, again.JSON["consultaId"], again.Header.Get("Idempotency-Replayed")},
			[]any{202, id, "true"})
		same := s.CPF(key.Key, ana)
		expect(t, "the same question", []any{same.Status, same.JSON["consultaId"]}, []any{202, id})
		expect(t, "by another key", s.CPF(other.Key, ana).String(), "503 bureau_indisponivel")
		expect(t, "by its id", s.Get(place, key.Key).Status, 202)
		lookuptest.Eventually(t, "it is fetched", func() bool { return b.Fetched(ana) > 0 })
		b.Answer()
		var answer lookuptest.Answer
		lookuptest.Eventually(t, "the answer", func() bool {
			answer = s.Get(place, key.Key)
			return answer.Status == 200
		})
		expect(t, "the answer", []any{answer.JSON["consultaId"], answer.JSON["cache"], answer.JSON["valorCobrado"], answer.JSON["bureau"]},
			[]any{id, false, json.Number("0.45"), "tarde"})
		expect(t, "byte for byte", answer.Raw(t), lookuptest.Body(ana))
		again = ask()
		expect(t, "again under its key", []any{again.Status, again.JSON["consultaId"]}, []any{200, id})
		expect(t, "from history", s.CPF(other.Key, ana).JSON["cache"], any(true))
		expect(t, "asked", b.Asked(ana), 1)
		lookuptest.Eventually(t, "the statement", func() bool { return s.Statement(key.Key).Cobradas.Total == 1 })
	})
}

package integration

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fichario/tests/testkit"
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

// TestABureauThatPostsItsAnswer: any instance takes the post, and nobody but the bureau can make it. What is repeated,
// late, forged or no answer changes nothing and costs nothing. One that is lost is fetched.
func TestABureauThatPostsItsAnswer(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, env map[string]string) {
		b := lookuptest.StartLateBureau(t)
		s := lookuptest.StartService(t, env, b.File)
		other := s
		if strings.HasPrefix(env["FICHARIO_DATABASE_URL"], "postgres") {
			other = s.StartAnother()
		}
		key, docs := s.NewKey(600, 50, 50), lookuptest.CPFs(11, 3)
		token := func(document string) string {
			_, token, _ := strings.Cut(b.Callback(document), "/retornos/")
			s.Hide(token)
			return token
		}
		post := func(token, body string) string {
			t.Helper()
			a, err := other.Do(t.Context(), "POST", "/api/v1/retornos/"+token, "", map[string]string{"Content-Type": "application/json"}, body)
			if err != nil {
				t.Fatal(err)
			}
			return a.String()
		}
		places := map[string]string{}
		for _, d := range docs {
			s.Hide(d)
			places[d] = s.CPF(key.Key, d).Header.Get("Location")
		}
		posted, anothers := token(docs[0]), token(docs[1])
		expect(t, "forged", post(posted[:len(posted)-1]+"_x", b.Posts(docs[0])), "404 consulta_desconhecida")
		expect(t, "another question's answer", post(posted, b.Posts(docs[1])), "204")
		expect(t, "no answer", post(posted, "nada"), "204")
		expect(t, "too large", post(posted, strings.Repeat(" ", 9<<20)), "413 corpo_grande_demais")
		packed, err := other.Do(t.Context(), "POST", "/api/v1/retornos/"+posted, "",
			map[string]string{"Content-Type": "application/json", "Content-Encoding": "gzip"}, b.Posts(docs[0]))
		expect(t, "compressed", packed.String(), "400 requisicao_invalida")
		expect(t, "compressed", err, nil)
		if other == s { // a proxy would not hand on that the client stops
			expect(t, "cut off", whatAnswers(t, other.Addr, "POST /api/v1/retornos/"+posted+" HTTP/1.1\r\nHost: x\r\n"+
				"Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n"+b.Posts(docs[0])), 408)
		}
		expect(t, "not there yet", s.Get(places[docs[0]], key.Key).Status, 202)
		expect(t, "posted", post(posted, b.Posts(docs[0])), "204")
		expect(t, "again", post(posted, b.Posts(docs[0])), "204")
		lookuptest.Eventually(t, "the answer", func() bool { return s.Get(places[docs[0]], key.Key).Status == 200 })
		expect(t, "byte for byte", s.Get(places[docs[0]], key.Key).Raw(t), b.Posts(docs[0]))
		expect(t, "after the end", post(posted, b.Posts(docs[0])), "204")
		expect(t, "another's address", post(anothers, b.Posts(docs[0])), "204")
		expect(t, "posted for another", s.Get(places[docs[1]], key.Key).Status, 202)
		lookuptest.Eventually(t, "counted", func() bool {
			return strings.Contains(string(s.Get("/metrics", "").Body), "\nfichario_answers_waiting 2\n")
		})
		b.Answer()
		for _, d := range docs[1:] {
			lookuptest.Eventually(t, "a lost post is fetched", func() bool { return s.Get(places[d], key.Key).Status == 200 })
			expect(t, "asked", b.Asked(d), 1)
		}
		expect(t, "charged", s.Statement(key.Key).Cobradas.Total, 3)
	})
}

// TestTheSandboxPostsItsAnswers to the address that came with the question.
func TestTheSandboxPostsItsAnswers(t *testing.T) {
	t.Parallel()
	testkit.OnSQLiteAndPooled(t, func(t *testing.T, env map[string]string) {
		script := filepath.Join(t.TempDir(), "casos.yaml")
		if err := os.WriteFile(script, []byte("cases: [{ product: cpf, later: 1s }]\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		s := lookuptest.StartService(t, env, "sandbox", map[string]string{"FICHARIO_SANDBOX_SCRIPT": script})
		a := s.CPF(s.NewKey(600, 50, 50).Key, ana)
		expect(t, "answered", a.Status, 200)
		lookuptest.Eventually(t, "posted", func() bool {
			return strings.Contains(s.Logs(), `"route":"/api/v1/retornos/:token","status":204`)
		})
	})
}

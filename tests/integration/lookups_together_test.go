package integration

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"fichario/tests/testkit"
	"fichario/tests/testkit/intaketest"
	"fichario/tests/testkit/lookuptest"
)

// TestTogether is the heart of charging: identical requests share a call, and caps hold, on one instance and on two.
func TestTogether(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, env map[string]string) {
		bureau := lookuptest.StartBureau(t, nil)
		s := lookuptest.StartService(t, env, lookuptest.BureauFile(t, bureau.URL, lookuptest.Patient))
		instances := []*lookuptest.Service{s}
		if strings.HasPrefix(env["FICHARIO_DATABASE_URL"], "postgres") {
			instances = append(instances, s.StartAnother())
		}
		ask := func(i int, path, key string) (lookuptest.Answer, error) {
			return instances[i%len(instances)].Do(t.Context(), "GET", "/api/v1/cpf/"+path, key, nil, "")
		}

		const identical = 24
		key := s.NewKey(6000, 500, 500)
		s.Hide(ana)
		release := bureau.Hold(ana)
		asked := together(t, identical, func(i int) (lookuptest.Answer, error) { return ask(i, ana, key.Key) })
		others := lookuptest.CPFs(4, len(instances))
		for i, instance := range instances {
			instance.AwaitFollowers(key.Key, 6000, identical/len(instances), others[i])
		}
		release()
		fresh := 0
		for _, a := range asked() {
			expect(t, "status", a.Status, 200)
			expect(t, "bruto", a.Raw(t), lookuptest.Body(ana))
			if a.JSON["cache"] == false {
				fresh++
			}
		}
		expect(t, "calls for identical requests", bureau.Ledger()[ana], 1)
		expect(t, "fresh answers", fresh, 1)
		st := s.Statement(key.Key)
		expect(t, "entries", st.Charged(), map[string]int{"concluida": 1, "livre": identical - 1})
		expect(t, "gasto", st.Gasto.Total, "0.45")

		few := s.NewKey(6000, 7, 500)
		docs := lookuptest.CPFs(3, 40)
		before := bureau.Calls()
		release = bureau.Hold("")
		asked = together(t, 40, func(i int) (lookuptest.Answer, error) { return ask(i, docs[i], few.Key) })
		bureau.Await(t, before+7)
		release()
		ok := 0
		for _, a := range asked() {
			switch a.Status {
			case 200:
				ok++
			case 429:
				expect(t, "code", a.Code(), "limite_diario")
			default:
				t.Errorf("status %d", a.Status)
			}
		}
		expect(t, "answers for 40 documents on a key with 7 left", ok, 7)
		expect(t, "calls", bureau.Calls()-before, 7)
		expect(t, "cobradas", s.Statement(few.Key).Cobradas, lookuptest.Counts{Hoje: 7, Mes: 7, Total: 7})

		before = bureau.Calls()
		release = bureau.Hold("")
		asked = together(t, 5, func(i int) (lookuptest.Answer, error) { return ask(i, ana+"?atualizar=true", key.Key) })
		bureau.Await(t, before+5)
		release()
		asked()
		expect(t, "calls for 5 refreshes", bureau.Calls()-before, 5)
	})
}

// together starts n requests at once; the returned function waits for their answers.
func together(t *testing.T, n int, f func(i int) (lookuptest.Answer, error)) func() []lookuptest.Answer {
	t.Helper()
	out := make([]lookuptest.Answer, n)
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			var err error
			if out[i], err = f(i); err != nil {
				t.Error(err)
			}
		})
	}
	return func() []lookuptest.Answer { wg.Wait(); return out }
}

// TestAFailureIsSharedToo: requests that wait for a call get its failure, free, and do not repeat the call.
func TestAFailureIsSharedToo(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, env map[string]string) {
		bureau := lookuptest.StartBureau(t, func(w http.ResponseWriter, r *http.Request, document string) {
			if document != ana {
				lookuptest.Ordinary(w, r, document)
				return
			}
			w.WriteHeader(http.StatusInternalServerError)
		})
		s := lookuptest.StartService(t, env, lookuptest.BureauFile(t, bureau.URL, lookuptest.Patient))
		key, other := s.NewKey(6000, 500, 500).Key, s.NewKey(6000, 500, 500).Key
		s.Hide(ana)
		release := bureau.Hold(ana)
		asked := together(t, 12, func(i int) (lookuptest.Answer, error) {
			return s.Do(t.Context(), "GET", "/api/v1/cpf/"+ana, []string{key, other}[i%2], nil, "")
		})
		for i, d := range lookuptest.CPFs(5, 2) {
			s.AwaitFollowers([]string{key, other}[i], 6000, 6, d)
		}
		release()
		free := 0
		for _, a := range asked() {
			expect(t, "answer", a.String(), "502 bureau_falhou")
			if strings.Contains(fmt.Sprint(a.JSON["detail"]), "não foi cobrado") {
				free++
			}
		}
		expect(t, "those who are told that it was free for them", free, 11)
		expect(t, "calls", bureau.Ledger()[ana], 1)
		expect(t, "entries of both keys", len(s.Statement(key).Consultas)+len(s.Statement(other).Consultas), 1)
		expect(t, "a later request asks again", s.CPF(key, ana).Status, 502)
		expect(t, "calls", bureau.Ledger()[ana], 2)
	})
}

func TestAClientThatLeavesHasPaidForEverybody(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, env map[string]string) {
		bureau := lookuptest.StartBureau(t, nil)
		s := lookuptest.StartService(t, env, lookuptest.BureauFile(t, bureau.URL, lookuptest.Patient))
		key := s.NewKey(600, 500, 500).Key
		s.Hide(ana)
		release := bureau.Hold(ana)
		ctx, leave := context.WithCancel(t.Context())
		left := make(chan error, 1)
		go func() {
			_, err := s.Do(ctx, "GET", "/api/v1/cpf/"+ana, key, nil, "")
			left <- err
		}()
		bureau.Await(t, 1)
		leave()
		if <-left == nil {
			t.Error("the client did not leave")
		}
		release()
		a := s.CPF(key, ana)
		expect(t, "the next answer is free", a.JSON["cache"], true)
		expect(t, "calls", bureau.Calls(), 1)
		expect(t, "entries", s.Statement(key).Charged(), map[string]int{"concluida": 1, "livre": 1})
	})
}

// TestSlowAKeyEndsUnderLoad: on two instances, neither accepts a request that began a tenth of a second after the key
// was rotated or revoked.
func TestSlowAKeyEndsUnderLoad(t *testing.T) {
	t.Parallel()
	bureau := lookuptest.StartBureau(t, nil)
	s := lookuptest.StartService(t, testkit.PostgreSQL(t), lookuptest.BureauFile(t, bureau.URL, lookuptest.Patient))
	instances := []*lookuptest.Service{s, s.StartAnother()}
	key := s.NewKey(1e9, 1e9, 1e9)
	s.CPF(key.Key, ana)
	use := func(secret string) *stream {
		return newStream(4, func(n int) string {
			a, err := instances[n%2].Do(context.Background(), "GET", "/api/v1/cpf/"+ana, secret, nil, "")
			if err != nil {
				return err.Error()
			}
			return a.String()
		})
	}
	ends := func(what, secret string, args ...string) (said string) {
		t.Helper()
		requests := use(secret)
		defer requests.end()
		expect(t, what+": before", slices.Collect(maps.Keys(requests.after(t, time.Time{}))), []string{"200"})
		said = s.Command(args...)
		after := requests.after(t, time.Now().Add(100*time.Millisecond))
		// After so many from one network, keys are not even checked.
		if after["401 nao_autenticado"]+after["429 limite_por_minuto"] == 0 || after["200"] > 0 {
			t.Errorf("%s: after it: %v", what, after)
		}
		return said
	}
	renewed := testkit.JSON[lookuptest.Key](t, ends("a new secret", key.Key, "key", "rotate", key.ID, "--json"))
	s.Hide(renewed.Key)
	ends("revoked", renewed.Key, "key", "revoke", key.ID)
}

// TestCallsThatHangHoldUpNobody: lookups from history, a statement and a lead are answered while as many calls hang as
// an instance makes at once; one more call is refused, free.
func TestCallsThatHangHoldUpNobody(t *testing.T) {
	t.Parallel()
	testkit.OnBothDatabases(t, func(t *testing.T, env map[string]string) {
		const most = 256
		bureau := lookuptest.StartBureau(t, nil)
		both := intaketest.StartProductOf(t, env, bureau, lookuptest.Patient)
		s, hook := both.Lookups, both.Leads.NewHook("Enquanto isso", "generic")
		key, docs := s.NewKey(6000, 500, 500).Key, lookuptest.CPFs(13, most+2)
		known, beyond := docs[most], docs[most+1]
		expect(t, "it becomes history", s.CPF(key, known).Status, 200)
		release := bureau.Hold("")
		asked := together(t, most, func(i int) (lookuptest.Answer, error) {
			return s.Do(t.Context(), "GET", "/api/v1/cpf/"+docs[i], key, nil, "")
		})
		bureau.Await(t, most+1)
		a := s.CPF(key, known)
		expect(t, "history", line(a.Status, a.JSON["cache"]), "200 true")
		expect(t, "a lead", both.Leads.Post(hook, intaketest.Lead("bia")).String(), "200")
		a = s.CPF(key, beyond)
		expect(t, "one more", line(a, a.Header.Get("Retry-After")), "503 bureau_indisponivel 1")
		expect(t, "the statement", s.Statement(key).Cobradas.Total, most+1)
		release()
		for _, a := range asked() {
			expect(t, "a call that hung", a.Status, 200)
		}
		expect(t, "charged", s.Statement(key).Cobradas.Total, most+1)
	})
}

package integration

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"fichario/tests/testkit"
	"fichario/tests/testkit/contracttest"
	"fichario/tests/testkit/lookuptest"
)

// TestEveryOperationRefuses: what keeps a caller out does so at every operation with a key, in the contract's words.
func TestEveryOperationRefuses(t *testing.T) {
	t.Parallel()
	bureau := lookuptest.StartBureau(t, nil)
	s := lookuptest.StartService(t, testkit.SQLite(t), lookuptest.BureauFile(t, bureau.URL, lookuptest.Patient))
	key, elsewhere, slow := s.NewKey(600, 50, 50), s.NewKey(600, 50, 50, "--from", "192.0.2.0/24"), s.NewKey(1, 50, 50)
	expect(t, "the only one of the minute", s.Get("/api/v1/produtos", slow.Key).Status, 200)
	refuse := func(key, query, want string) {
		t.Helper()
		for _, o := range keyed(t) {
			a, err := s.Do(t.Context(), o.Method, o.Path+query, key, o.Header(), o.Body)
			expect(t, o.ID, a.String(), want)
			expect(t, o.ID, err, nil)
		}
	}
	refuse("", "", "401 nao_autenticado")
	refuse(elsewhere.Key, "", "403 endereco_negado")
	refuse(slow.Key, "", "429 limite_por_minuto")
	refuse(key.Key, "?nada=1", "400 requisicao_invalida")
	expect(t, "calls", bureau.Calls(), 0)
}

// keyed are the operations that require a key.
func keyed(t *testing.T) (all []contracttest.Operation) {
	t.Helper()
	operations, err := contracttest.Operations()
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range operations {
		if o.Keyed {
			all = append(all, o)
		}
	}
	return all
}

// TestABureauThatFailsOnEveryDoor: each way to make a lookup reports the outcome.
func TestABureauThatFailsOnEveryDoor(t *testing.T) {
	t.Parallel()
	bureau := lookuptest.StartBureau(t, func(w http.ResponseWriter, r *http.Request, document string) {
		if document != ana && document != acme {
			w.WriteHeader(http.StatusInternalServerError)
			return
		}
		<-r.Context().Done()
	})
	s := lookuptest.StartService(t, testkit.SQLite(t), lookuptest.BureauFile(t, bureau.URL, time.Second))
	key := s.NewKey(600, 50, 50).Key
	get := func(path string, header map[string]string) lookuptest.Answer {
		a, err := s.Do(t.Context(), "GET", path, key, header, "")
		expect(t, path, err, nil)
		return a
	}
	later := map[string]string{"Prefer": "respond-async"}
	expect(t, "later", get("/api/v1/cnpj/"+acme, later).Status, 202)
	expect(t, "no answer about a company", get("/api/v1/cnpj/"+acme, nil).String(), "504 bureau_sem_resposta")
	expect(t, "a failure about a company", get("/api/v1/cnpj/12ABC34501DE35", nil).String(), "502 bureau_falhou")
	asked := s.Post(key, `{"produto":"cpf","documento":"`+ana+`"}`)
	expect(t, "no answer", asked.String(), "504 bureau_sem_resposta")
	open := func(product, document string, header map[string]string) lookuptest.Answer {
		header["Content-Type"] = "application/json"
		a, err := s.Do(t.Context(), "POST", "/api/v1/consultas-abertas", key, header,
			`{"produto":"`+product+`","documento":"`+document+`"}`)
		expect(t, "an open lookup", err, nil)
		return a
	}
	expect(t, "an open lookup without an answer", open("cpf", ana, map[string]string{}).String(), "504 bureau_sem_resposta")
	expect(t, "an open lookup that fails", open("cnpj", "12ABC34501DE35", map[string]string{}).String(), "502 bureau_falhou")
	waiting := open("cpf", ana, map[string]string{"Prefer": "respond-async"})
	expect(t, "its place", waiting.Header.Get("Location"), fmt.Sprint("/api/v1/consultas-abertas/", waiting.JSON["consultaId"]))
	lookuptest.Eventually(t, "no answer there", func() bool {
		return get(waiting.Header.Get("Location"), nil).String() == "504 bureau_sem_resposta"
	})
	made := get("/api/v1/cpf/"+ana, later).JSON["consultaId"]
	lookuptest.Eventually(t, "no answer, later", func() bool {
		return get(fmt.Sprint("/api/v1/consultas/", made), nil).String() == "504 bureau_sem_resposta"
	})
}

// TestBodiesThatAreNotTaken: every operation that reads JSON refuses anything else, what is too large, and what ends
// early.
func TestBodiesThatAreNotTaken(t *testing.T) {
	t.Parallel()
	bureau := lookuptest.StartBureau(t, nil)
	s := lookuptest.StartService(t, testkit.SQLite(t), lookuptest.BureauFile(t, bureau.URL, lookuptest.Patient))
	key := s.NewKey(600, 50, 50).Key
	for _, o := range keyed(t) {
		if o.Body == "" {
			continue
		}
		other, err := s.Do(t.Context(), o.Method, o.Path, key, map[string]string{"Content-Type": "text/plain"}, o.Body)
		expect(t, o.ID, other.String(), "415 tipo_nao_suportado")
		expect(t, o.ID, err, nil)
		half := whatAnswers(t, s.Addr, o.Method+" "+o.Path+" HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer "+key+
			"\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{")
		expect(t, o.ID, half, 408)
		if o.ID == "createBatch" {
			continue // may have 16 MiB
		}
		large, err := s.Do(t.Context(), o.Method, o.Path, key, o.Header(), strings.Repeat(" ", 65<<10))
		expect(t, o.ID, large.String(), "413 corpo_grande_demais")
		expect(t, o.ID, err, nil)
	}
	long := strings.Repeat("a", 21<<10)
	expect(t, "headers that are too large", whatAnswers(t, s.Addr,
		"OPTIONS /api/webhooks/receive/x HTTP/1.1\r\nHost: x\r\nX-A: "+long+"\r\n\r\n"), 431)
}

// whatAnswers writes a raw request and nothing more, and returns the status of the answer, which must conform to the
// contract.
func whatAnswers(t *testing.T, address, request string) int {
	t.Helper()
	conn, err := net.DialTimeout("tcp", address, 20*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	if _, err := io.WriteString(conn, request); err != nil {
		t.Fatal(err)
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.CloseWrite()
	}
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(resp.Body)
	_ = resp.Body.Close()
	if err != nil {
		t.Fatal(err)
	}
	method, rest, _ := strings.Cut(request, " ")
	path, _, _ := strings.Cut(rest, " ")
	if _, err := contracttest.Conforms(method, path, resp.StatusCode, resp.Header, body); err != nil {
		t.Error(err)
	}
	return resp.StatusCode
}

// TestABatchThatHasEnded can be neither confirmed nor ended again.
func TestABatchThatHasEnded(t *testing.T) {
	t.Parallel()
	bureau := lookuptest.StartBureau(t, nil)
	s := lookuptest.StartService(t, testkit.SQLite(t), lookuptest.BureauFile(t, bureau.URL, lookuptest.Patient))
	key := s.NewKey(600, 50, 50).Key
	id := s.BatchOf(s.Quote(key, `{"produto":"cpf","documentos":["`+ana+`"]}`)).ID
	expect(t, "ended", s.Move(key, id, "cancelar", "").Status, 202)
	for _, what := range []string{"confirmar", "cancelar", "pausar", "retomar"} {
		expect(t, what, s.Move(key, id, what, "").String(), "409 estado_do_lote")
	}
}

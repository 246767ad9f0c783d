package faults

import (
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"fichario/tests/testkit/lookuptest"
)

// hijack answers with the test's own bytes, or none, and cuts the connection.
func hijack(w http.ResponseWriter, text string) {
	conn, buf, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	_, _ = buf.WriteString(text)
	_ = buf.Flush()
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0) // a reset rather than an orderly close
	}
	_ = conn.Close()
}

// drip sends one space at a time, and never ends.
func drip(w http.ResponseWriter, r *http.Request) {
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for r.Context().Err() == nil {
		_, _ = io.WriteString(w, " ")
		_ = http.NewResponseController(w).Flush()
		<-tick.C
	}
}

func TestABureauThatFails(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, env map[string]string) {
		elsewhere := lookuptest.StartBureau(t, nil)
		writes := func(text string) http.HandlerFunc {
			return func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, text) }
		}
		status := func(code int) http.HandlerFunc {
			return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) }
		}
		cuts := func(text string) http.HandlerFunc {
			return func(w http.ResponseWriter, _ *http.Request) { hijack(w, text) }
		}
		const failed, silent = "502 bureau_falhou", "504 bureau_sem_resposta"
		faults := []struct {
			name  string
			reply http.HandlerFunc
			want  string
		}{
			{"error 500", status(500), failed}, {"error 401", status(401), failed},
			{"HTML with 200", writes("<html>" + lookuptest.Secret), failed}, {"empty 200", writes(""), failed},
			{"an error in a 200", writes(`{"erro":"` + lookuptest.Secret + `"}`), failed},
			{"invalid UTF-8", writes("{\"nome\":\"\xff\"}"), failed},
			{"50 MB", writes(`{"a":"` + strings.Repeat("x", 50<<20) + `"}`), failed},
			{"deep nesting", writes(strings.Repeat("[", 1<<20)), failed},
			{"redirect", func(w http.ResponseWriter, r *http.Request) {
				http.Redirect(w, r, elsewhere.URL+r.URL.Path, http.StatusFound)
			}, failed},
			{"reset", cuts(""), failed},
			{"truncated", cuts("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"nome\":"), failed},
			{"silence", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, silent},
			{"a drip", drip, silent},
		}
		docs := lookuptest.CPFs(10, len(faults))
		bureau := lookuptest.StartBureau(t, func(w http.ResponseWriter, r *http.Request, document string) {
			for i, d := range docs {
				if d == document {
					faults[i].reply(w, r)
				}
			}
		})
		// A busy machine needs more than a second for the megabytes that are read of an answer.
		s := lookuptest.StartService(t, env, lookuptest.BureauFile(t, bureau.URL, 5*time.Second))
		key := s.NewKey(600, 500, 500).Key
		before := resident(t, s.Pid(), "VmHWM")
		for i, f := range faults {
			expect(t, f.name, s.CPF(key, docs[i]).String(), f.want)
			newest := s.Statement(key).Consultas[0]
			expect(t, f.name+": situacao", newest.Situacao, map[string]string{failed: "falhou", silent: "sem_resposta"}[f.want])
			expect(t, f.name+": charged", newest.Cobrada && newest.Valor == "0.45", true)
			expect(t, f.name+": calls", bureau.Ledger()[docs[i]], 1)
		}
		st := s.Statement(key)
		expect(t, "gasto", st.Gasto.Total, "5.85")
		expect(t, "none of it is history", st.Charged()["livre"], 0)
		expect(t, "the redirect was not followed", elsewhere.Calls(), 0)
		if grown := resident(t, s.Pid(), "VmHWM") - before; grown > 150 {
			t.Errorf("the program grew by %d MB", grown)
		}
	})
}

// TestABureauThatIsNotThere: calls that cannot have reached it are free, and the caps are refunded.
func TestABureauThatIsNotThere(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, env map[string]string) {
		s := lookuptest.StartService(t, env, lookuptest.BureauFile(t, "http://127.0.0.1:1", time.Second))
		key := s.NewKey(600, 2, 500).Key
		for _, d := range lookuptest.CPFs(11, 4) {
			a := s.CPF(key, d)
			expect(t, "answer", a.String(), "503 bureau_indisponivel")
			if a.Header.Get("Retry-After") == "" {
				t.Error("no Retry-After")
			}
		}
		st := s.Statement(key)
		expect(t, "entries", st.Charged(), map[string]int{"livre": 4})
		expect(t, "situacao", st.Consultas[0].Situacao+" "+st.Consultas[0].Valor.String(), "nao_enviada 0")
		expect(t, "spent", st.Gasto, lookuptest.Amounts{Hoje: "0", Mes: "0", Total: "0"})
		expect(t, "charged", st.Cobradas, lookuptest.Counts{})
	})
}

// TestNoRecordIsAnAnswer: it is charged, and stored in the history.
func TestNoRecordIsAnAnswer(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, env map[string]string) {
		docs := lookuptest.CPFs(12, 3)
		bodies := map[string]string{docs[0]: "", docs[1]: `{ "mensagem" : "nada" }`, docs[2]: "não há\nregistro"}
		bureau := lookuptest.StartBureau(t, func(w http.ResponseWriter, _ *http.Request, document string) {
			w.WriteHeader(http.StatusNotFound)
			_, _ = io.WriteString(w, bodies[document])
		})
		s := lookuptest.StartService(t, env, lookuptest.BureauFile(t, bureau.URL, lookuptest.Patient))
		key := s.NewKey(600, 500, 500).Key
		for i, want := range []string{"null", bodies[docs[1]], `"não há\nregistro"`} {
			for _, cached := range []bool{false, true} {
				a := s.CPF(key, docs[i])
				expect(t, "status", a.Status, 200)
				expect(t, "bruto", a.Raw(t), want)
				expect(t, "cache", a.JSON["cache"], any(cached))
				expect(t, "nome", a.JSON["nome"], nil)
			}
		}
		expect(t, "gasto", s.Statement(key).Gasto.Total, "1.35")
	})
}

package integration

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"net/http"
	"os"
	"strings"
	"testing"

	"fichario/tests/testkit"
	"fichario/tests/testkit/intaketest"
	"fichario/tests/testkit/lookuptest"
)

// toldBureau is a bureau that receives the purpose of a lookup.
func toldBureau(t *testing.T) (bureau *lookuptest.Bureau, file string, told chan string) {
	t.Helper()
	told = make(chan string, 100)
	bureau = lookuptest.StartBureau(t, func(w http.ResponseWriter, r *http.Request, document string) {
		told <- r.Header.Get("X-Purpose")
		lookuptest.Ordinary(w, r, document)
	})
	file = lookuptest.BureauFile(t, bureau.URL, lookuptest.Patient)
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	asks := `path: "/pessoas/{documento}"`
	text = bytes.Replace(text, []byte(asks), []byte(asks+`, headers: { X-Purpose: "{finalidade}" }`), 1)
	err = os.WriteFile(file, text, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	return bureau, file, told
}

// asksFor looks a person up by POST, with a header and a field where they are not empty.
func asksFor(
	t *testing.T, s *lookuptest.Service, key, document, header, field string, more ...string,
) lookuptest.Answer {
	t.Helper()
	s.Hide(document)
	headers := map[string]string{"Content-Type": "application/json"}
	if header != "" {
		headers["X-Finalidade"] = header
	}
	for i := 0; i < len(more); i += 2 {
		headers[more[i]] = more[i+1]
	}
	body := `{"produto":"cpf","documento":"` + document + `"`
	if field != "" {
		body += `,"finalidade":"` + field + `"`
	}
	a, err := s.Do(context.Background(), "POST", "/api/v1/consultas", key, headers, body+"}")
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// TestPurposes: an organisation begins to state purposes for its lookups (design, section 14).
func TestPurposes(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, env map[string]string) {
		bureau, file, told := toldBureau(t)
		s := lookuptest.StartService(t, env, file)
		docs := lookuptest.CPFs(40, 9)
		asks := func(key, document, header, field string, more ...string) string {
			t.Helper()
			return asksFor(t, s, key, document, header, field, more...).String()
		}
		before := s.NewKey(600, 50, 50)
		expect(t, "without purposes", s.CPF(before.Key, docs[0]).String(), "200")
		expect(t, "the bureau is told nothing", <-told, "")
		expect(t, "one that is said all the same", asks(before.Key, docs[1], "credito", ""), "403 finalidade_negada")

		for code, basis := range map[string]string{"credito": "protecao_do_credito", "cobranca": "legitimo_interesse"} {
			s.Command("purpose", "add", "--org", s.Org, "--code", code, "--name", "Para "+code, "--basis", basis, "--json")
		}
		list := testkit.JSON[[]map[string]any](t, s.Command("purpose", "list", "--org", s.Org, "--json"))
		expect(t, "purposes", len(list), 2)
		all := s.NewKey(600, 50, 50).Key
		one := s.NewKey(600, 50, 50, "--purposes", "cobranca").Key
		for _, instance := range s.Instances() {
			lookuptest.Eventually(t, "every instance knows", func() bool {
				return asksFor(t, instance, before.Key, docs[0], "", "").Status == 400
			})
		}
		calls := bureau.Calls()
		for what, c := range map[string]struct{ key, header, body, want string }{
			"missing":                   {all, "", "", "400 finalidade_ausente"},
			"unknown":                   {all, "marketing", "", "403 finalidade_negada"},
			"not the key's":             {one, "credito", "", "403 finalidade_negada"},
			"not the key's, in history": {one, "", "credito", "403 finalidade_negada"},
			"said twice, differently":   {all, "credito", "cobranca", "400 requisicao_invalida"},
			"too long":                  {all, strings.Repeat("x", 41), "", "400 requisicao_invalida"},
		} {
			expect(t, what, asks(c.key, docs[0], c.header, c.body), c.want)
		}
		expect(t, "calls of what was refused", bureau.Calls(), calls)
		expect(t, "lines of what was refused", len(s.Statement(all).Consultas)+len(s.Statement(one).Consultas), 0)

		expect(t, "by header", asks(all, docs[2], "credito", ""), "200")
		expect(t, "the bureau is told", <-told, "credito")
		expect(t, "by the body, and the same by header", asks(all, docs[3], "cobranca", "cobranca"), "200")
		expect(t, "the only one", asks(one, docs[4], "", ""), "200")
		expect(t, "shared history", s.CPF(one, docs[2]).JSON["cache"], true)
		expect(t, "later", asks(all, docs[5], "credito", "", "Prefer", "respond-async"), "202")
		expect(t, "later, without", asks(all, docs[6], "", "", "Prefer", "respond-async"), "400 finalidade_ausente")

		purposes := ""
		for _, e := range s.Statement(one).Consultas {
			purposes += e.Finalidade + " "
		}
		expect(t, "in the statement", purposes, "cobranca cobranca ")
		expect(t, "filtered", len(s.StatementAt("/api/v1/consultas?finalidade=cobranca", all).Consultas), 1)
		csv, err := s.Do(context.Background(), "GET", "/api/v1/consultas?finalidade=credito", all,
			map[string]string{"Accept": "text/csv"}, "")
		if err != nil || !strings.Contains(string(csv.Body), ",situacao,finalidade,bureau,seguida\n") ||
			strings.Count(string(csv.Body), ",credito") != 2 || strings.Contains(string(csv.Body), "cobranca") {
			t.Errorf("the file is %.90s, %v", csv.Body, err)
		}
		s.Command("purpose", "set", "--org", s.Org, "--code", "cobranca", "--retired=true")
		for _, instance := range s.Instances() {
			lookuptest.Eventually(t, "it is retired everywhere", func() bool {
				return asksFor(t, instance, one, docs[4], "", "").String() == "403 finalidade_negada"
			})
		}
		expect(t, "what was looked up for it stays", len(s.StatementAt("/api/v1/consultas?finalidade=cobranca", all).Consultas), 1)
	})
}

// TestHistoryOfAPurpose: an answer bought for one purpose serves another as long as the organisation shares its
// history, and batches keep their purpose.
func TestHistoryOfAPurpose(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, env map[string]string) {
		bureau, file, told := toldBureau(t)
		s := lookuptest.StartService(t, env, file)
		docs := lookuptest.CPFs(41, 4)
		for _, code := range []string{"credito", "cobranca"} {
			s.Command("purpose", "add", "--org", s.Org, "--code", code, "--name", code, "--basis", "legitimo_interesse")
		}
		s.Command("org", "set", s.Org, "--share-history=false")
		key := s.NewKey(600, 50, 50).Key
		expect(t, "bought for credit", asksFor(t, s, key, docs[0], "credito", "").String(), "200")
		quote := func(purpose, more string) lookuptest.Answer {
			return s.Quote(key, `{"produto":"cpf","documentos":`+lookuptest.List(docs[:2])+`,"finalidade":"`+purpose+`"`+more+`}`)
		}
		missing := s.Quote(key, `{"produto":"cpf","documentos":`+lookuptest.List(docs[:2])+`}`)
		expect(t, "a batch for nothing", missing.String(), "400 finalidade_ausente")
		expect(t, "for something else", quote("marketing", "").String(), "403 finalidade_negada")
		expect(t, "free for its purpose", s.BatchOf(quote("credito", "")).DoHistorico, 1)
		table := s.SendTable(key, "produto=cpf&finalidade=cobranca", "text/csv", "cpf\n"+docs[0]+"\n")
		expect(t, "not for another", s.BatchOf(table).DoHistorico, 0)
		expect(t, "the quote says for which", table.JSON["finalidade"], any("cobranca"))

		calls := bureau.Calls()
		b := s.BatchOf(quote("cobranca", `,"teto":5,"confirmar":true`))
		b = s.AwaitBatch(key, b.ID, "it ends", func(b lookuptest.Batch) bool { return b.Situacao == "concluido" })
		expect(t, "calls for another purpose", bureau.Calls()-calls, 2)
		for range calls {
			<-told
		}
		expect(t, "the bureau is told by a batch", <-told, "cobranca")
		results := s.Get("/api/v1/lotes/"+b.ID+"/resultados", key)
		expect(t, "results with the purpose", strings.Count(string(results.Body), `"finalidade":"cobranca"`), 2)
		expect(t, "lines with it", len(s.StatementAt("/api/v1/consultas?finalidade=cobranca", key).Consultas), 2)
		free := s.Post(key, `{"produto":"cpf","documento":"`+docs[1]+`","finalidade":"credito","somenteHistorico":true}`)
		expect(t, "only history of its own", free.String(), "404 fora_do_historico")
		s.Command("org", "set", s.Org, "--share-history=true")
		lookuptest.Eventually(t, "shared", func() bool {
			again := s.Post(key, `{"produto":"cpf","documento":"`+docs[1]+`","finalidade":"credito","somenteHistorico":true}`)
			return again.Status == http.StatusOK
		})
	})
}

// TestKeysBoundToNetworks: a key works only from its networks, whatever a request claims.
func TestKeysBoundToNetworks(t *testing.T) {
	t.Parallel()
	testkit.OnSQLiteAndPooled(t, func(t *testing.T, env map[string]string) {
		bureau := lookuptest.StartBureau(t, nil)
		s := lookuptest.StartService(t, env, lookuptest.BureauFile(t, bureau.URL, lookuptest.Patient))
		elsewhere := s.NewKey(600, 50, 50, "--from", "203.0.113.0/24,2001:db8::1")
		here := s.NewKey(600, 50, 50, "--from", "127.0.0.0/8,::1")
		forwarded := func(key, address string) string {
			a, err := s.Do(context.Background(), "GET", "/api/v1/cpf/"+ana, key, map[string]string{"X-Forwarded-For": address}, "")
			if err != nil {
				t.Fatal(err)
			}
			return a.String()
		}
		s.Hide(ana)
		expect(t, "from elsewhere", s.CPF(elsewhere.Key, ana).String(), "403 endereco_negado")
		expect(t, "said to be from there", forwarded(elsewhere.Key, "203.0.113.7"), "403 endereco_negado")
		expect(t, "from its network", forwarded(here.Key, "203.0.113.7"), "200")
		expect(t, "a statement", s.Get("/api/v1/consultas", elsewhere.Key).String(), "403 endereco_negado")
		expect(t, "calls", bureau.Calls(), 1)
		expect(t, "lines", len(s.Statement(here.Key).Consultas), 1)
		s.Command("key", "set", elsewhere.ID, "--from", "")
		lookuptest.Eventually(t, "bound no more", func() bool { return s.CPF(elsewhere.Key, ana).Status == 200 })
		wrong := testkit.RunErr(t, env, "key", "set", here.ID, "--from", "203.0.113.0/33")
		if !strings.Contains(wrong.Stderr, "203.0.113.0/33") {
			t.Errorf("a wrong range: %s", wrong.Stderr)
		}
	})
}

// TestKeysBoundToNetworksBehindAProxy: a trusted proxy's word on the caller's address counts.
func TestKeysBoundToNetworksBehindAProxy(t *testing.T) {
	t.Parallel()
	testkit.OnSQLiteAndPooled(t, func(t *testing.T, env map[string]string) {
		bureau := lookuptest.StartBureau(t, nil)
		behind := lookuptest.StartService(t, env, lookuptest.BureauFile(t, bureau.URL, lookuptest.Patient),
			map[string]string{"FICHARIO_TRUSTED_PROXIES": "127.0.0.0/8,::1,10.0.0.0/8"})
		key := behind.NewKey(600, 50, 50, "--from", "203.0.113.0/24,2001:db8::1").Key
		for from, want := range map[string]string{
			"203.0.113.7": "200", "198.51.100.7, 203.0.113.7": "200", "203.0.113.7, 10.0.0.1": "200", "2001:db8::1": "200",
			"203.0.113.7, 198.51.100.7": "403 endereco_negado", "nonsense": "403 endereco_negado",
		} {
			header := map[string]string{"X-Forwarded-For": from}
			a, err := behind.Do(context.Background(), "GET", "/api/v1/produtos", key, header, "")
			if err != nil {
				t.Fatal(err)
			}
			expect(t, "through a proxy, from "+from, a.String(), want)
		}
	})
}

// TestAutomationsLookUpForAPurpose: an automation states it when it is made, listeners receive it, and the record of
// operations has both.
func TestAutomationsLookUpForAPurpose(t *testing.T) {
	t.Parallel()
	testkit.OnBothDatabases(t, func(t *testing.T, env map[string]string) {
		receiver := intaketest.StartReceiver(t, nil)
		env = maps.Clone(env)
		env["FICHARIO_ALLOW_PRIVATE_TARGETS"] = "true"
		p := intaketest.StartProduct(t, env)
		o, s := p.Leads, p.Lookups
		for _, code := range []string{"credito", "cobranca"} {
			s.Command("purpose", "add", "--org", s.Org, "--code", code, "--name", "Para "+code, "--basis", "protecao_do_credito")
		}
		args := []string{
			"automation", "add", "--org", s.Org, "--name", "Receita", "--action", "lookup", "--product", "cnpj",
			"--monthly-ceiling", "5",
		}
		if failed := testkit.RunErr(t, env, args...); !strings.Contains(failed.Stderr, "credito, cobranca") {
			t.Errorf("one without a purpose: %s", failed.Stderr)
		}
		rule, _ := o.Automate("Receita", "lookup", "--product", "cnpj", "--monthly-ceiling", "5", "--purpose", "credito")
		s.Command("automation", "set", rule, "--purpose", "cobranca")
		o.Automate("Avisar", "http", "--url", receiver.URL, "--event", "lookup.completed")
		hook := o.NewHook("Crédito", "generic")
		o.Accept(hook, fmt.Sprintf(`{"nome":"Bia %s","email":"%s","cnpj":"11.222.333/0001-81"}`, intaketest.Surname,
			intaketest.Email("bia")))
		o.Eventually("it is told", func() bool { return len(receiver.Calls()) > 0 })
		if told := string(receiver.Calls()[0].Body); !strings.Contains(told, `"finalidade":"cobranca"`) {
			t.Errorf("told %.200s", told)
		}
		record := s.Command("subject", "record", "--org", s.Org, "--json")
		for _, part := range []string{
			`"code":"credito"`, "Proteção do crédito (art. 7º, X)", `"kind":"bureau"`, `"fields":["`, `"name":"Avisar"`,
			`"kind":"webhook","name":"Crédito"`, `"term":"30 dias"`, "AES-256-GCM", `"subjects":[`, `"categories":[`,
		} {
			if !strings.Contains(record, part) {
				t.Errorf("the record lacks %s", part)
			}
		}
		if strings.Contains(record, intaketest.Surname) || strings.Contains(record, "11222333000181") {
			t.Error("the record holds somebody's data")
		}
	})
}

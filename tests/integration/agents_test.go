package integration

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"fichario/tests/testkit"
	"fichario/tests/testkit/intaketest"
	"fichario/tests/testkit/lookuptest"
	"fichario/tests/testkit/patience"
)

// agent is a session of the official client.
type agent struct {
	*mcp.ClientSession
	t *testing.T
}

// withKey adds a key to each request.
type withKey string

// RoundTrip sends a request.
func (k withKey) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(k))
	return http.DefaultTransport.RoundTrip(r)
}

// overHTTP begins a session at the service's address.
func overHTTP(t *testing.T, s *lookuptest.Service, key, query string) (agent, error) {
	t.Helper()
	return begin(t, &mcp.StreamableClientTransport{
		Endpoint: s.URL + "/mcp" + query, HTTPClient: &http.Client{Transport: withKey(key)}, MaxRetries: -1,
	})
}

// overStdio begins one through the program as a client of the service.
func overStdio(t *testing.T, s *lookuptest.Service, key string, flags ...string) (agent, error) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), testkit.Build(t), append([]string{"mcp"}, flags...)...)
	cmd.Dir, cmd.Env = t.TempDir(), append(os.Environ(), "FICHARIO_URL="+s.URL, "FICHARIO_KEY="+key)
	return begin(t, &mcp.CommandTransport{Command: cmd})
}

func agentHeaders(session string) map[string]string {
	return map[string]string{
		"Content-Type": "application/json", "Accept": "application/json, text/event-stream", "Mcp-Session-Id": session,
	}
}

func begin(t *testing.T, transport mcp.Transport) (agent, error) {
	t.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: "teste", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), transport, nil)
	if err == nil {
		t.Cleanup(func() { _ = session.Close() })
	}
	return agent{session, t}, err
}

// must requires that a session begins.
func must(t *testing.T) func(agent, error) agent {
	return func(a agent, err error) agent {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
}

// said is the answer of a tool: its JSON, or its refusal in words.
type said struct {
	text               string
	refused            bool
	Documento, Proxima string
	Cache              bool
	ConsultaID         string
	ValorCobrado       json.Number
	Sessao             struct{ Teto, Gasto, Restante json.Number }
	Produtos           []struct {
		ID    string
		Preco json.Number
	}
	Gasto     struct{ Mes json.Number }
	Consultas []struct{ Documento string }
	Contatos  []struct{ Nome, Email string }
}

// use calls a tool; the protocol itself must succeed.
func (a agent) use(tool string, args any) said {
	a.t.Helper()
	out, err := a.try(tool, args)
	if err != nil {
		a.t.Fatal(err)
	}
	return out
}

func (a agent) try(tool string, args any) (out said, err error) {
	result, err := a.CallTool(a.t.Context(), &mcp.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		return out, err
	}
	for _, c := range result.Content {
		if text, ok := c.(*mcp.TextContent); ok {
			out.text += text.Text
		}
	}
	if out.refused = result.IsError; !out.refused {
		err = json.Unmarshal([]byte(out.text), &out)
	}
	return out, err
}

// tools are the descriptions and the schemas of a session's tools.
func (a agent) tools() (names []string, described, schema map[string]string) {
	a.t.Helper()
	described, schema = map[string]string{}, map[string]string{}
	for tool, err := range a.Tools(a.t.Context(), nil) {
		if err != nil {
			a.t.Fatal(err)
		}
		text, err := json.Marshal(tool.InputSchema)
		if err != nil {
			a.t.Fatal(err)
		}
		names = append(names, tool.Name)
		described[tool.Name], schema[tool.Name] = tool.Description, string(text)
	}
	return names, described, schema
}

func personOf(document string) map[string]any {
	return map[string]any{"produto": "cpf", "documento": document}
}

func has(t *testing.T, what, text string, words ...string) {
	t.Helper()
	for _, word := range words {
		if !strings.Contains(text, word) {
			t.Errorf("%s: %q is not in %q", what, word, text)
		}
	}
}

// TestAgents: by both ways an agent sees prices, spends no more than its session may, and sees no whole document.
func TestAgents(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, env map[string]string) {
		bureau := lookuptest.StartBureau(t, nil)
		s := lookuptest.StartService(t, env, lookuptest.BureauFile(t, bureau.URL, lookuptest.Patient))
		key := s.NewKey(6000, 500, 5000).Key
		for i, connect := range []func() (agent, error){
			func() (agent, error) { return overHTTP(t, s, key, "?teto=1.50") },
			func() (agent, error) { return overStdio(t, s, key, "--ceiling", "1.50") },
		} {
			a := must(t)(connect())
			people := lookuptest.CPFs(700+i, 9)
			for _, p := range people {
				s.Hide(p)
			}
			names, described, schema := a.tools()
			expect(t, "tools", strings.Join(names, " "), "lookup products statement")
			has(t, "the description", described["lookup"], "R$ 0,45", "R$ 0,30", "R$ 2,075", "R$ 1,50 in total")
			priced(t, described)
			has(t, "the schema", schema["lookup"], `"renda_presumida"`, `"required":["produto","documento"]`)

			pasted := people[0][:3] + "." + people[0][3:6] + "." + people[0][6:9] + "-" + people[0][9:]
			first := a.use("lookup", personOf(pasted))
			expect(t, "its document", first.Documento, "***."+people[0][3:6]+"."+people[0][6:9]+"-**")
			expect(t, "what it cost and what is left", fmt.Sprintf("%s %s", first.ValorCobrado, first.Sessao), "0.45 {1.5 0.45 1.05}")
			has(t, "its fields", first.text, "Ana <Lima> & é")
			expect(t, "a whole document", strings.Contains(first.text, people[0]), false)
			whole := personOf(people[0])
			whole["semMascara"] = true
			again := a.use("lookup", whole)
			expect(t, "again, unmasked", fmt.Sprintf("%t %s %s", again.Cache, again.ValorCobrado, again.Documento), "true 0 "+people[0])

			within(t, a, people[1:])
			a.refusals(bureau, people)
			asksAgain(t, a, bureau, people[0])
			statement := a.use("statement", map[string]any{"limite": 3})
			expect(t, "spent", statement.Gasto.Mes.String(), []string{"1.35", "2.7"}[i])
			expect(t, "documents in the statement", len(statement.Consultas), 3)
			has(t, "a document", statement.Consultas[0].Documento, "***.")
			if products := a.use("products", nil).Produtos; len(products) != 4 || products[0].Preco == "" {
				t.Errorf("products are %v", products)
			}
		}
		s.Command("doctor") // a session's reservations are no violation
	})
}

// priced: everything offered to an agent states its price.
func priced(t *testing.T, described map[string]string) {
	t.Helper()
	for name, text := range described {
		want := "R$ 0,00"
		if name == "lookup" {
			want = "R$ 0,45"
		}
		has(t, "the description of "+name, text, want)
	}
}

// within makes several lookups at once: R$ 1,05 suffices for two.
func within(t *testing.T, a agent, people []string) {
	t.Helper()
	var wait sync.WaitGroup
	var mu sync.Mutex
	answered := 0
	for _, p := range people {
		wait.Go(func() {
			got, err := a.try("lookup", personOf(p))
			mu.Lock()
			defer mu.Unlock()
			switch {
			case err != nil:
				t.Error(err)
			case got.refused:
				has(t, "what is refused", got.text, "R$ 0,45", "R$ 1,50", "Nada foi consultado nem cobrado", "[teto_da_sessao]")
			default:
				answered++
			}
		})
	}
	wait.Wait()
	expect(t, "answered at once", answered, 2)
}

// asksAgain: what was bought under an idempotency key is answered again although the session has nothing left.
func asksAgain(t *testing.T, a agent, bureau *lookuptest.Bureau, document string) {
	t.Helper()
	before, ask := bureau.Calls(), personOf(document)
	ask["chaveIdempotencia"], ask["maxIdade"] = "pergunta 1", 30
	first := a.use("lookup", ask)
	expect(t, "under a key, again", a.use("lookup", ask).ConsultaID, first.ConsultaID)
	ask["maxIdade"] = 29
	has(t, "another question under it", a.use("lookup", ask).text, "[chave_reutilizada]")
	ask["chaveIdempotencia"] = ""
	has(t, "no key", a.use("lookup", ask).text, "chaveIdempotencia", "[requisicao_invalida]")
	expect(t, "calls at the bureau", bureau.Calls(), before)
}

// refusals: each is explained in words, repeats nothing that was sent, and calls no bureau.
func (a agent) refusals(bureau *lookuptest.Bureau, people []string) {
	a.t.Helper()
	before := bureau.Calls()
	for _, c := range []struct {
		args any
		want string
	}{
		{personOf("529.982.247-26"), "[documento_invalido]"},
		{map[string]any{"produto": "nada", "documento": people[0]}, "[produto_desconhecido]"},
		{map[string]any{"produto": "cpf", "documento": people[0], "cpf": people[0]}, "[requisicao_invalida]"},
		{map[string]any{"produto": "cpf", "documento": people[0], "ATUALIZAR": true}, "[requisicao_invalida]"},
		{
			json.RawMessage(`{"produto":"cpf","documento":"` + people[0] + `","atualizar":false,"atualizar":true}`),
			"[requisicao_invalida]",
		},
		{map[string]any{"produto": "cpf", "documento": 52998224725}, "documento é de outro tipo"},
		{map[string]any{"produto": "cpf", "documento": people[0], "atualizar": true, "maxIdade": 1}, "atualizar não pode ser usado"},
	} {
		got := a.use("lookup", c.args)
		repeated := strings.Contains(strings.ReplaceAll(got.text, ".", ""), "529982")
		if !got.refused || !strings.Contains(got.text, c.want) || repeated {
			a.t.Errorf("%s: %q", c.want, got.text)
		}
	}
	expect(a.t, "calls at the bureau", bureau.Calls(), before)
}

// TestWhatAgentsMayNot: nothing without a currently valid key, and no lookup without a ceiling, or without its purpose.
func TestWhatAgentsMayNot(t *testing.T) {
	t.Parallel()
	testkit.OnSQLiteAndPooled(t, func(t *testing.T, env map[string]string) {
		bureau := lookuptest.StartBureau(t, nil)
		env = maps.Clone(env)
		env["FICHARIO_PUBLIC_URL"] = "https://fichario.example"
		s := lookuptest.StartService(t, env, lookuptest.BureauFile(t, bureau.URL, lookuptest.Patient))
		key := s.NewKey(6000, 500, 5000)
		old := s.NewKey(6000, 5, 5, "--expires", time.Now().Add(patience.Scaled(4*time.Second)).UTC().Format(time.RFC3339))

		a := must(t)(overHTTP(t, s, key.Key, "?teto=9"))
		none, err := s.Do(t.Context(), http.MethodPost, "/mcp", key.Key, agentHeaders("x"),
			`{"jsonrpc":"2.0","id":1,"method":"ping"}`)
		expect(t, "a session that there is not", fmt.Sprint(none.Status, err), "404 <nil>")
		for want, c := range map[string]struct{ method, query, key, body string }{
			"401 nao_autenticado":      {"POST", "", "fic_errada", "{}"},
			"405 metodo_nao_permitido": {"GET", "", key.Key, ""},
			"400 requisicao_invalida":  {"POST", "?teto=muito", key.Key, "{}"},
			"413 corpo_grande_demais":  {"POST", "", key.Key, strings.Repeat(" ", 64<<10+1)},
		} {
			got, err := s.Do(t.Context(), c.method, "/mcp"+c.query, c.key, nil, c.body)
			expect(t, want, fmt.Sprint(got, err), want+" <nil>")
		}
		from := func(origin string) map[string]string { return map[string]string{"Origin": origin} }
		for origin, want := range map[string]string{
			"https://elsewhere.example": "403 endereco_negado", "null": "403 endereco_negado", "http://fichario.example": "403 endereco_negado",
			"https://Fichario.example": "400 requisicao_invalida",
		} {
			got, err := s.Do(t.Context(), http.MethodPost, "/mcp", key.Key, from(origin), "[{},{}]")
			expect(t, "a message from "+origin, fmt.Sprint(got, err), want+" <nil>")
			got, err = s.Do(t.Context(), http.MethodPost, "/mcp", "", from("https://elsewhere.example"), "{}")
			expect(t, "before the key is looked at", fmt.Sprint(got, err), "403 endereco_negado <nil>")
		}
		several, err := s.Do(t.Context(), http.MethodPost, "/mcp", key.Key, nil, "[{},{}]")
		expect(t, "several at once", fmt.Sprint(several, err), "400 requisicao_invalida <nil>")

		free := must(t)(overHTTP(t, s, key.Key, ""))
		has(t, "without a ceiling", free.use("lookup", personOf(ana)).text, "--ceiling", "?teto=")
		expect(t, "its statement", free.use("statement", nil).refused, false)
		testkit.RunErr(t, map[string]string{"FICHARIO_URL": s.URL, "FICHARIO_KEY": key.Key}, "mcp")

		for _, p := range []string{"credito", "cobranca"} {
			s.Command("purpose", "add", "--org", s.Org, "--code", p, "--name", p, "--basis", "legitimo_interesse")
		}
		asks := must(t)(overStdio(t, s, key.Key, "--ceiling", "9"))
		_, _, schema := asks.tools()
		has(t, "the schema", schema["lookup"], `"credito"`, `"cobranca"`, `"required":["produto","documento","finalidade"]`)
		has(t, "without a purpose", asks.use("lookup", personOf(ana)).text, "credito, cobranca")
		said := personOf(ana)
		said["finalidade"] = "cobranca"
		expect(t, "with one", asks.use("lookup", said).refused, false)
		expect(t, "calls", bureau.Calls(), 1)

		s.Command("key", "revoke", key.ID)
		lookuptest.Eventually(t, "a revoked key ends its session", func() bool {
			_, err := a.try("products", nil)
			return err != nil
		})
		has(t, "to its agent", asks.use("products", nil).text, "nao_autenticado", "FICHARIO_KEY")
		lookuptest.Eventually(t, "a key expires", func() bool {
			_, err := overHTTP(t, s, old.Key, "?teto=1")
			return err != nil
		})
		gone := testkit.RunErr(t, map[string]string{"FICHARIO_URL": s.URL, "FICHARIO_KEY": old.Key}, "mcp", "--ceiling", "1")
		has(t, "on standard error", gone.Stderr, "revogada ou expirou")
		expect(t, "its secret there", strings.Contains(gone.Stderr, old.Key), false)
		s.Restart() // it writes then what it has counted
		driver := map[bool]string{true: "sqlite", false: "pgx"}[strings.HasPrefix(env["FICHARIO_DATABASE_URL"], "sqlite")]
		db, err := sql.Open(driver, strings.TrimPrefix(env["FICHARIO_DATABASE_URL"], "sqlite://"))
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = db.Close() }()
		var counted int
		query := fmt.Sprintf("SELECT sum(count) FROM key_refusals WHERE key_id = '%s' AND reason = 'finalidade_ausente'", key.ID)
		if err := db.QueryRowContext(t.Context(), query).Scan(&counted); err != nil || counted != 1 {
			t.Errorf("tools refused the key %d times: %v", counted, err)
		}
	})
}

// TestAnAgentThatWentAway: the call that it abandoned is finished, charged and counted.
func TestAnAgentThatWentAway(t *testing.T) {
	t.Parallel()
	bureau := lookuptest.StartBureau(t, nil)
	s := lookuptest.StartService(t, testkit.SQLite(t), lookuptest.BureauFile(t, bureau.URL, lookuptest.Patient))
	key := s.NewKey(6000, 500, 5000).Key
	s.Hide(ana)
	a := must(t)(overStdio(t, s, key, "--ceiling", "0.50"))
	release := bureau.Hold("")
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		_, err := a.CallTool(ctx, &mcp.CallToolParams{Name: "lookup", Arguments: personOf(ana)})
		ended <- err
	}()
	bureau.Await(t, 1)
	cancel()
	if err := <-ended; err == nil {
		t.Error("a call that was given up has an answer")
	}
	release()
	var again said
	lookuptest.Eventually(t, "history has the answer", func() bool {
		again = a.use("lookup", personOf(ana))
		return !again.refused
	})
	expect(t, "again", fmt.Sprintf("%t %s", again.Cache, again.Sessao), "true {0.5 0.45 0.05}")

	s.Restart()
	expect(t, "after a restart", fmt.Sprint(a.use("lookup", personOf(ana)).Sessao), "{0.5 0.45 0.05}")
}

// TestASessionThatEnded is over on every instance, but only for its own key.
func TestASessionThatEnded(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, env map[string]string) {
		bureau := lookuptest.StartBureau(t, nil)
		s := lookuptest.StartService(t, env, lookuptest.BureauFile(t, bureau.URL, lookuptest.Patient))
		key, other := s.NewKey(6000, 500, 5000).Key, s.NewKey(6000, 500, 5000).Key
		s.Hide(ana)
		ask := func(method, key, session, body string) lookuptest.Answer {
			t.Helper()
			a, err := s.Do(t.Context(), method, "/mcp?teto=5", key, agentHeaders(session), body)
			if err != nil {
				t.Fatal(err)
			}
			return a
		}
		begun := ask("POST", key, "", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18",`+
			`"capabilities":{},"clientInfo":{"name":"teste","version":"1"}}}`)
		session := begun.Header.Get("Mcp-Session-Id")
		call := `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"lookup","arguments":{"produto":"cpf","documento":"` +
			ana + `"}}}`
		expect(t, "ended by another key", ask("DELETE", other, session, "").Status, http.StatusNoContent)
		expect(t, "what it asks", ask("POST", key, session, call).Status, http.StatusOK)
		expect(t, "calls", bureau.Calls(), 1)
		expect(t, "ended", ask("DELETE", key, session, "").Status, http.StatusNoContent)
		refreshed := strings.Replace(call, `"cpf",`, `"cpf","atualizar":true,`, 1)
		expect(t, "what it asks then", ask("POST", key, session, refreshed).Status, http.StatusNotFound)
		expect(t, "ended again", ask("DELETE", key, session, "").Status, http.StatusNotFound)
		s.Restart()
		expect(t, "after a restart", ask("POST", key, session, refreshed).Status, http.StatusNotFound)
		expect(t, "calls", bureau.Calls(), 1)
		s.Command("doctor")
	})
}

// TestAgentsAndContacts: only a key made for it may search contacts, and the audit has the search.
func TestAgentsAndContacts(t *testing.T) {
	t.Parallel()
	p := intaketest.StartProduct(t, testkit.SQLite(t))
	hook := p.Leads.NewHook("Site", "generic")
	p.Leads.Accept(hook, intaketest.Lead("Ana"))
	key := p.Lookups.NewKey(6000, 5, 5, "--contacts").Key
	a := must(t)(overHTTP(t, p.Lookups, key, "?teto=1"))
	names, described, _ := a.tools()
	expect(t, "tools", strings.Join(names, " "), "contacts lookup products statement")
	priced(t, described)
	found := a.use("contacts", map[string]any{"busca": "ana"})
	if len(found.Contatos) != 1 || !strings.Contains(found.Contatos[0].Nome, "Ana") {
		t.Errorf("found %s", found.text)
	}
	p.Leads.Accept(hook, `{"nome":"Rui","email":"`+intaketest.Email("rui")+`","empresa":"RUI LIMA 52998224725"}`)
	firm := a.use("contacts", map[string]any{"busca": "rui"}).text
	has(t, "a firm with a document in its name", firm, "RUI LIMA ***.982.247-**")
	if strings.Contains(firm, "52998224725") {
		t.Error("an agent sees the document in a firm's name")
	}
	has(t, "without a search", a.use("contacts", nil).text, "busca")
	has(t, "the audit", p.Lookups.Command("audit", "list", "--org", p.Lookups.Org, "--json"), "contatos.baixados")
	ordinary := must(t)(overHTTP(t, p.Lookups, p.Lookups.NewKey(6000, 5, 5).Key, "?teto=1"))
	if _, err := ordinary.try("contacts", map[string]any{"busca": "ana"}); err == nil {
		t.Error("an ordinary key searches contacts")
	}
}

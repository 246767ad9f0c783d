package integration

import (
	"database/sql"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/pressly/goose/v3/lock"

	"fichario/tests/testkit"
	"fichario/tests/testkit/lookuptest"
	"fichario/tests/testkit/noon"
	"fichario/tests/testkit/postgres"
)

// TestSlowTheDemonstration: the commands that `make run` prints work when pasted, even after a restart, and a database
// with other data is left alone.
func TestSlowTheDemonstration(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, env map[string]string) {
		p := testkit.StartProgram(t, testkit.Options{Env: env, Args: []string{"--demo"}})
		pasted := func() string {
			lines := ""
			lookuptest.Eventually(t, "the lines are printed", func() bool {
				_, after, found := strings.Cut(p.Logs(), "Paste these lines")
				lines = after
				return found && strings.Contains(after, "Reference of the API")
			})
			return lines
		}
		first := pasted()
		demoHasBatches(t, env)
		audited := testkit.Run(t, env, "audit", "list", "--org", demoOrganisation, "--action", "consulta.aberta")
		expect(t, "sheets that the audit says were opened", strings.Count(audited, "\n"), 7)
		script := strings.ReplaceAll(first[strings.IndexByte(first, '\n'):strings.Index(first, "Reference of the API")],
			"curl ", "echo; curl -w '\\n' ")
		out, err := exec.CommandContext(t.Context(), "bash", "-euc", script).CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		for _, want := range []string{
			`"documento":"52998224725","cache":false`, `"valorCobrado":0.45`, `"produto":"score"`, `"gasto"`, `"bruto":{`,
			`"success":true`,
		} {
			if !strings.Contains(string(out), want) {
				t.Errorf("the pasted lines do not show %s", want)
			}
		}
		demoFetchedLeads(t, env, 3) // two that were there, and the pasted one
		key := regexp.MustCompile(`fic_[0-9A-Za-z]{46}`)
		old := key.FindString(first)
		before := strings.Count(p.Logs(), "Paste these lines")
		p.Restart()
		lookuptest.Eventually(t, "the lines are printed again", func() bool {
			return strings.Count(p.Logs(), "Reference of the API") > before
		})
		adLead := regexp.MustCompile(`curl .*/_/leads\n`).FindAllString(p.Logs(), -1)
		if out, err := exec.CommandContext(t.Context(), "bash", "-euc", adLead[len(adLead)-1]).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		demoFetchedLeads(t, env, 4)
		all := key.FindAllString(p.Logs(), -1)
		if last := all[len(all)-1]; last == old {
			t.Error("the same secret was printed twice, so it was stored")
		}
		s := &lookuptest.Service{Program: p}
		for _, k := range []string{old, all[len(all)-1]} {
			a, err := s.Do(t.Context(), "GET", "/api/v1/cpf/"+ana, k, nil, "")
			if err != nil || a.JSON["cache"] != true {
				t.Errorf("after the restart: %d, %v", a.Status, err)
			}
		}
	})
	own := testkit.SQLite(t)
	testkit.Run(t, own, "org", "create", "--name", "Minha")
	p := testkit.StartProgram(t, testkit.Options{Env: own, Args: []string{"--demo"}})
	lookuptest.Eventually(t, "it says so", func() bool {
		return strings.Contains(p.Logs(), "no demonstration data")
	})
	if strings.Contains(p.Logs(), "/_/leads") {
		t.Error("a stand-in for Meta was started for somebody's own database")
	}
}

// demoFetchedLeads waits until so many leads of the stand-in for Meta are contacts, beside one without an address.
func demoFetchedLeads(t *testing.T, env map[string]string, want int) {
	t.Helper()
	listed := testkit.Run(t, env, "webhook", "list", "--org", demoOrganisation, "--json")
	hooks := testkit.JSON[[]struct{ ID, Type string }](t, listed)
	at := slices.IndexFunc(hooks, func(h struct{ ID, Type string }) bool { return h.Type == "meta" })
	if at < 0 {
		t.Fatal("there is no webhook of Meta's")
	}
	lookuptest.Eventually(t, "leads of Meta have come in", func() bool {
		all := testkit.Run(t, env, "webhook", "deliveries", hooks[at].ID, "--json")
		return strings.Count(all, `"recebido"`) == want && strings.Count(all, `"recusado"`) == 1
	})
}

// demoHasBatches waits for a batch that is done, one that waits and one that is quoted, all notified to the team.
func demoHasBatches(t *testing.T, env map[string]string) {
	t.Helper()
	const org = demoOrganisation
	type line struct {
		Nome, Situacao, Motivo string
		Teto                   float64 // a text would not decode
		Progresso              struct{ Feitos, Cobrados, Falhas int }
	}
	var seen map[string]line
	lookuptest.Eventually(t, "batches have ended and paused", func() bool {
		seen = map[string]line{}
		for _, b := range testkit.JSON[[]line](t, testkit.Run(t, env, "batch", "list", "--org", org, "--json")) {
			seen[b.Nome+" "+b.Situacao+" "+b.Motivo] = b
		}
		_, done := seen["Carteira de clientes concluido "]
		return done && seen["Score antes da renovação pausado teto"].Progresso.Cobrados == 9
	})
	expect(t, "batches", len(seen), 3)
	all := seen["Carteira de clientes concluido "].Progresso
	expect(t, "some are from history", all.Cobrados > 15 && all.Cobrados < all.Feitos && all.Falhas == 0, true)
	expect(t, "the one that is quoted", seen["Protestos da carteira orcado "].Nome, "Protestos da carteira")
	said := testkit.Run(t, env, "notification", "list", "--org", org)
	for _, want := range []string{"Lote encerrado: Carteira de clientes: ", "Lote pausado: Score antes da renovação: "} {
		expect(t, want, strings.Count(said, want), 1)
	}
}

func TestCommands(t *testing.T) {
	t.Parallel()
	testkit.OnSQLiteAndPooled(t, func(t *testing.T, env map[string]string) {
		org := testkit.JSON[map[string]string](t, testkit.Run(t, env, "org", "create", "--name", "  Agência Um ", "--json"))
		expect(t, "name", org["name"], "Agência Um")
		member := []string{
			"member", "add", "--org", org["id"], "--name", "Ana", "--email", "Ana@Example.com", "--role", "owner",
			"--password-stdin", "--json",
		}
		m := testkit.JSON[map[string]string](t, testkit.RunInput(t, "uma-senha-longa\n", env, member...))
		expect(t, "e-mail", m["email"], "ana@example.com")
		for name, f := range map[string]testkit.Failure{
			"the same e-mail again": fail(t, env, "uma-senha-longa\n", member...),
			"a short password": fail(t, env, "curta\n", "member", "add", "--org", org["id"], "--name", "B", "--email",
				"b@example.com", "--role", "member", "--password-stdin"),
			"an unknown organisation": testkit.RunErr(t, env, "key", "create", "--org", "00000000-0000-7000-8000-000000000000",
				"--name", "x", "--scopes", "cpf"),
			"an unknown scope": testkit.RunErr(t, env, "key", "create", "--org", org["id"], "--name", "x", "--scopes",
				"cpf,rg"),
			"no scope": testkit.RunErr(t, env, "key", "create", "--org", org["id"], "--name", "x"),
			"a past expiry": testkit.RunErr(t, env, "key", "create", "--org", org["id"], "--name", "x", "--scopes",
				"cpf", "--expires", "2020-01-01"),
			"an unknown key": testkit.RunErr(t, env, "key", "revoke", org["id"]),
		} {
			if f.Code != 1 || f.Stdout != "" || !strings.HasPrefix(f.Stderr, "fichario: ") {
				t.Errorf("%s: code %d, output %q, error %q", name, f.Code, f.Stdout, f.Stderr)
			}
		}
		key := testkit.JSON[lookuptest.Key](t,
			testkit.Run(t, env, "key", "create", "--org", org["id"], "--name", "CRM", "--scopes", "email,cpf", "--expires",
				"2999-12-31", "--json"))
		list := testkit.JSON[[]map[string]any](t, testkit.Run(t, env, "key", "list", "--org", org["id"], "--json"))
		ends := time.Date(3000, 1, 1, 0, 0, 0, 0, noon.Zone()).UTC().Format(time.RFC3339)
		if len(list) != 1 || list[0]["id"] != key.ID || list[0]["prefix"] != key.Prefix ||
			list[0]["expiresAt"] != ends || list[0]["perDay"] != 500.0 {
			t.Errorf("list %v", list)
		}
		text := testkit.Run(t, env, "key", "list", "--org", org["id"])
		if strings.Contains(text, key.Key) || !strings.Contains(text, key.Prefix) {
			t.Errorf("text of the list: %s", text)
		}
		testkit.Run(t, env, "key", "revoke", key.ID)
		f := testkit.RunErr(t, env, "key", "rotate", key.ID)
		if !strings.Contains(f.Stderr, "revogada") {
			t.Errorf("rotating a revoked key: %s", f.Stderr)
		}
	})
}

func fail(t *testing.T, env map[string]string, input string, args ...string) testkit.Failure {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), testkit.Build(t), args...)
	cmd.Dir = t.TempDir()
	for k, v := range env {
		cmd.Env = append(cmd.Env, k+"="+v)
	}
	cmd.Stdin = strings.NewReader(input)
	var out, errOut strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &errOut
	_ = cmd.Run() // the exit code shows it
	return testkit.Failure{Code: cmd.ProcessState.ExitCode(), Stdout: out.String(), Stderr: errOut.String()}
}

func TestBureauCommands(t *testing.T) {
	t.Parallel()
	env := testkit.SQLite(t)
	for _, shipped := range []string{"sandbox", "brasilapi"} {
		out := testkit.JSON[map[string]any](t, testkit.Run(t, env, "bureau", "check", shipped, "--json"))
		expect(t, shipped, out["ok"], true)
	}
	if text := testkit.Run(t, env, "bureau", "check", "brasilapi"); !strings.Contains(text, "the most that a call of each may cost") {
		t.Errorf("check does not say what a price is:\n%s", text)
	}
	tried := testkit.JSON[map[string]any](t, testkit.Run(t, env, "bureau", "try", "sandbox", "cpf", ana, "--json"))
	expect(t, "found", tried["found"], true)
	text := testkit.Run(t, env, "bureau", "try", "sandbox", "cpf", "90000000175")
	if !strings.Contains(text, "8 of 8 fields null") || !strings.Contains(text, "Answered in") {
		t.Errorf("try of a person without data:\n%s", text)
	}
	f := testkit.RunErr(t, env, "bureau", "try", "sandbox", "cpf", "90000000841")
	if !strings.Contains(f.Stderr, "would be charged") {
		t.Errorf("try of a failing call: %s", f.Stderr)
	}
	text = testkit.Run(t, env, "bureau", "try", "sandbox", "cpf", "90000000418")
	for _, want := range []string{"Record found: false", "Warning: the file takes any 404 as \"no record\""} {
		if !strings.Contains(text, want) {
			t.Errorf("try of nobody does not say %q:\n%s", want, text)
		}
	}
	bureauCheckWithAnAnswer(t, env)
	bureauNew(t, env)
	bad := filepath.Join(t.TempDir(), "bad.yaml")
	const wrong = `name: x
base_url: https://x.example
products:
  cpf:
    price: "1,5"
    request: { method: GET, path: "/p/{documento}" }
    fields: { nome: '.a[', idade: .i }
extra: 1
`
	if err := os.WriteFile(bad, []byte(wrong), 0o600); err != nil {
		t.Fatal(err)
	}
	f = testkit.RunErr(t, env, "bureau", "check", bad)
	for _, want := range []string{"line 5:", "line 7:", "line 8:", "idade"} {
		if !strings.Contains(f.Stderr, want) {
			t.Errorf("check does not say %q:\n%s", want, f.Stderr)
		}
	}
}

// bureauCheckWithAnAnswer: a misspelt key is shown without a call.
func bureauCheckWithAnAnswer(t *testing.T, env map[string]string) {
	t.Helper()
	dir := t.TempDir()
	file, answer := filepath.Join(dir, "file.yaml"), filepath.Join(dir, "answer.json")
	for path, text := range map[string]string{
		file: `name: x
base_url: https://x.example
failed: '.cpf != $documento'
products:
  cpf:
    price: "1.50"
    request: { method: GET, path: "/p/{documento}" }
    fields: { nome: .nome, nomeMae: .mae, nascimento: .nacimento }
`,
		answer: `{"cpf":"` + ana + `","nome":"Ana","mae":"Eva","nascimento":"1990-01-31"}`,
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	text := testkit.Run(t, env, "bureau", "check", file, "--answer", answer, "--document", ana)
	for _, want := range []string{`"Eva"`, "nothing to read in this answer: nascimento\n", "`bruto` only): .nascimento\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("check with an answer does not say %q:\n%s", want, text)
		}
	}
	f := testkit.RunErr(t, env, "bureau", "check", file, "--answer", answer, "--document", "11144477735")
	if !strings.Contains(f.Stderr, "the bureau reports a failure") {
		t.Errorf("somebody else's answer: %s", f.Stderr)
	}
}

// bureauNew: a file that is made of an answer reads that answer.
func bureauNew(t *testing.T, env map[string]string) {
	t.Helper()
	dir := t.TempDir()
	file, answer := filepath.Join(dir, "file.yaml"), filepath.Join(dir, "answer.json")
	if err := os.WriteFile(answer, []byte(`{"pessoa":{"nome":"Ana","nascimento":"31/01/1990","fones":["11987654321"]}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	text := testkit.Run(t, env, "bureau", "new", answer, "--product", "cpf", "--out", file)
	if !strings.Contains(text, "Not recognised: nomeMae, sexo") {
		t.Errorf("new does not say what is missing:\n%s", text)
	}
	text = testkit.Run(t, env, "bureau", "check", file, "--answer", answer)
	for _, want := range []string{`"Ana"`, `"1990-01-31"`, `"987654321"`} {
		if !strings.Contains(text, want) {
			t.Errorf("check of the new file does not say %q:\n%s", want, text)
		}
	}
	if out := testkit.Run(t, env, "bureau", "new", answer, "--product", "cpf"); !strings.Contains(out, "nome: '.pessoa.nome'") {
		t.Errorf("new without a path:\n%s", out)
	}
	for _, args := range [][]string{{"bureau", "new", answer, "--product", "cpf", "--out", file}, {"bureau", "new", answer, "--product", "x"}} {
		testkit.RunErr(t, env, args...)
	}
}

// TestManyInstancesStartAtOnce: they migrate an empty database without disturbing each other.
func TestManyInstancesStartAtOnce(t *testing.T) {
	t.Parallel()
	for _, env := range []map[string]string{
		testkit.EmptySQLite(t), testkit.OnPostgreSQL(postgres.New(t, nil)),
	} {
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				if f := fail(t, env, "", "migrate"); f.Code != 0 {
					t.Errorf("code %d: %s", f.Code, f.Stderr)
				}
			})
		}
		wg.Wait()
	}
}

// TestAFieldAddedLaterIsNullInHistory: an answer stored before a field existed has it as null.
func TestAFieldAddedLaterIsNullInHistory(t *testing.T) {
	t.Parallel()
	bureau := lookuptest.StartBureau(t, nil)
	file := lookuptest.BureauFile(t, bureau.URL, lookuptest.Patient)
	s := lookuptest.StartService(t, testkit.SQLite(t), file)
	key := s.NewKey(600, 5, 5).Key
	s.Hide(ana)
	question := `{"produto":"renda_presumida","documento":"` + ana + `"}`
	s.Post(key, question)
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	grown := strings.Replace(string(text), "fields: { renda:", "fields: { faixa: { type: string, value: .faixa }, renda:",
		1)
	if err := os.WriteFile(file, []byte(grown), 0o600); err != nil {
		t.Fatal(err)
	}
	s.Restart()
	a := s.Post(key, question)
	faixa, has := a.JSON["faixa"]
	if a.JSON["cache"] != true || a.JSON["renda"] == nil || !has || faixa != nil {
		t.Errorf("cache %v, renda %v, faixa %v %t", a.JSON["cache"], a.JSON["renda"], faixa, has)
	}
}

func TestOperations(t *testing.T) {
	t.Parallel()
	bureau := lookuptest.StartBureau(t, nil)
	s := lookuptest.StartService(t, testkit.SQLite(t), lookuptest.BureauFile(t, bureau.URL, lookuptest.Patient))
	key := s.NewKey(600, 5, 5).Key
	s.CPF(key, ana)
	s.CPF(key, ana)
	s.CPF(key, "52998224726")
	s.Get("/entrar", "")
	s.Get("/nada/"+ana, "")
	metrics := string(s.Get("/metrics", "").Body)
	for _, want := range []string{
		`fichario_http_requests_total{method="GET",route="/api/v1/cpf/:documento",status="200"} 2`,
		`fichario_http_requests_total{method="GET",route="/entrar",status="200"} 1`,
		`fichario_http_requests_total{method="GET",route="unmatched",status="404"} 1`,
		`fichario_bureau_calls_total{bureau="teste",outcome="concluida",product="cpf"} 1`, `fichario_history_hits_total{product="cpf"} 1`,
		`fichario_charged_ten_thousandths_total{bureau="teste",product="cpf"} 4500`, `fichario_refusals_total{code="documento_invalido"} 1`,
		`fichario_dropped_fields_total{bureau="teste",field="nascimento",product="cpf"} 1`,
		`fichario_bureau_call_seconds_count{bureau="teste",product="cpf"} 1`,
	} {
		if !strings.Contains(metrics, want) {
			t.Errorf("the metrics lack %s", want)
		}
	}
	if strings.Contains(metrics, ana) || strings.Contains(metrics, "52998224726") || strings.Contains(metrics, key) {
		t.Error("the metrics hold something personal")
	}
	for path, want := range map[string]string{
		"/healthz": "ok", "/readyz": "ready", "/openapi.yaml": "openapi: 3.0.3", "/openapi.json": `"openapi":"3.0.3"`,
		"/openapi-3.1.yaml": "webhooks:", "/docs/erros": `id="limite_diario"`, "/docs/sandbox": "90000000760",
		"/docs": "O que custa dinheiro",
	} {
		head, err := s.Do(t.Context(), "HEAD", path, "", nil, "")
		if strings.HasSuffix(path, "z") && (err != nil || head.Status != 200) {
			t.Errorf("HEAD %s: %d, %v", path, head.Status, err)
		}
		a := s.Get(path, "")
		if a.Status != 200 || !strings.Contains(string(a.Body), want) {
			t.Errorf("%s: %d", path, a.Status)
		}
		page := string(a.Body)
		if strings.Contains(page, `src="http`) || strings.Contains(page, `href="http`) && strings.HasPrefix(path, "/docs") {
			t.Errorf("%s loads something from elsewhere", path)
		}
	}
	token := strings.Repeat("a", 48)
	for _, method := range []string{"GET", "POST"} {
		a, err := s.Do(t.Context(), method, "/api/webhooks/receive/"+token, "",
			map[string]string{"Content-Type": "application/json"}, "{}")
		if err != nil || a.Code() != "webhook_desconhecido" || a.JSON["success"] != false {
			t.Errorf("%s of an unknown webhook: %d %s, %v", method, a.Status, a.Code(), err)
		}
	}
	s.Hide(token)
}

// TestAStartWithoutItsDatabase: it reports a mistyped setting, waits, says that it is alive and not serving yet, and
// ends cleanly when asked to. A variable of the bureau file is not reported.
func TestAStartWithoutItsDatabase(t *testing.T) {
	t.Parallel()
	var said output
	addr := "127.0.0.1:" + freePort(t)
	file := filepath.Join(t.TempDir(), "bureau.yaml")
	const source = `{name: meu, base_url: "https://bureau.example", headers: {X-Token: "${FICHARIO_MEU_TOKEN}"},
		products: {score: {price: "0.45", request: {path: "/{documento}"}, fields: {score: .score}}}}`
	if err := os.WriteFile(file, []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	serve := exec.CommandContext(t.Context(), testkit.Build(t), "serve")
	serve.Env = append(os.Environ(), "FICHARIO_DATABASE_URL=postgres://ninguem@127.0.0.1:1/nada", "FICHARIO_DATABASE=x",
		"FICHARIO_LISTEN="+addr, "FICHARIO_BUREAU="+file, "FICHARIO_MEU_TOKEN=segredo", "FICHARIO_LOTE=x",
		"FICHARIO_DATA_KEY=YWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWE=", "FICHARIO_PORT_8080_TCP=tcp://10.0.0.1:8080")
	serve.Stderr = &said
	if err := serve.Start(); err != nil {
		t.Fatal(err)
	}
	lookuptest.Eventually(t, "it waits", func() bool { return strings.Contains(said.String(), "trying again") })
	s := &lookuptest.Service{Program: &testkit.Program{URL: "http://" + addr}}
	for path, want := range map[string]string{
		"/healthz": "200", "/readyz": "503 servico_indisponivel", "/api/v1/cpf/" + ana: "503 servico_indisponivel",
		"/": "503 servico_indisponivel", "/metrics": "503 servico_indisponivel", "/docs": "503 servico_indisponivel",
	} {
		a, err := s.Do(t.Context(), "GET", path, "", nil, "")
		if err != nil || a.String() != want || a.Status == 503 && a.Header.Get("Retry-After") == "" {
			t.Errorf("while it waits, %s answers %s, %v", path, a, err)
		}
	}
	page, err := s.Do(t.Context(), "GET", "/contatos", "", map[string]string{"Accept": "text/html,*/*"}, "")
	if err != nil || page.Status != 503 || !strings.Contains(string(page.Body), "está começando") {
		t.Errorf("a person sees %d %s, %v", page.Status, page.Body, err)
	}
	_ = serve.Process.Signal(syscall.SIGTERM)
	if err := serve.Wait(); err != nil {
		t.Errorf("asked to end, it ends with %v", err)
	}
	if !strings.Contains(said.String(), "names=FICHARIO_DATABASE\n") {
		t.Errorf("it says nothing of the name: %s", said.String())
	}
}

// TestAStartWhileAnotherMigrates: it is alive, serves nobody, and ends cleanly when asked to.
func TestAStartWhileAnotherMigrates(t *testing.T) {
	t.Parallel()
	env := testkit.OnPostgreSQL(postgres.New(t, nil))
	db, err := sql.Open("pgx", env["FICHARIO_DATABASE_URL"])
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	other, err := db.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := other.ExecContext(t.Context(), "SELECT pg_advisory_xact_lock($1)", lock.DefaultLockID); err != nil {
		t.Fatal(err)
	}
	addr := "127.0.0.1:" + freePort(t)
	serve := exec.CommandContext(t.Context(), testkit.Build(t), "serve")
	serve.Env = append(os.Environ(), "FICHARIO_LISTEN="+addr)
	for name, value := range env {
		serve.Env = append(serve.Env, name+"="+value)
	}
	if err := serve.Start(); err != nil {
		t.Fatal(err)
	}
	s := &lookuptest.Service{Program: &testkit.Program{URL: "http://" + addr}}
	lookuptest.Eventually(t, "it lives", func() bool {
		a, err := s.Do(t.Context(), "GET", "/healthz", "", nil, "")
		return err == nil && a.Status == 200
	})
	a, err := s.Do(t.Context(), "GET", "/readyz", "", nil, "")
	if err != nil || a.String() != "503 servico_indisponivel" {
		t.Errorf("whether it is ready: %s, %v", a, err)
	}
	_ = serve.Process.Signal(syscall.SIGTERM)
	if err := serve.Wait(); err != nil {
		t.Errorf("asked to end, it ends with %v", err)
	}
}

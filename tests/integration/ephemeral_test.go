package integration

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"fichario/tests/testkit"
	"fichario/tests/testkit/contracttest"
	"fichario/tests/testkit/lookuptest"
)

// ephemeral is the line printed by a service for test suites.
type ephemeral struct {
	URL, Organizacao, Chave, Webhook string
	Login                            struct{ Email, Senha string }
}

// startEphemeral starts a service like a test suite, below a shell that stands for the suite.
func startEphemeral(t *testing.T, dir string, env ...string) (line ephemeral, parent *exec.Cmd) {
	t.Helper()
	parent = exec.CommandContext(t.Context(), "sh", "-c",
		`"$0" serve --ephemeral --listen 127.0.0.1:0 & echo "$!" >pid; wait`, testkit.Build(t))
	parent.Dir, parent.Env = dir, append(os.Environ(), env...)
	out, err := parent.StdoutPipe()
	if err == nil {
		err = parent.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = parent.Process.Kill()
		_ = parent.Wait()
	})
	text, err := bufio.NewReader(out).ReadString('\n')
	if err == nil {
		err = json.Unmarshal([]byte(text), &line)
	}
	if err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return line, parent
}

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// askEphemeral decodes the JSON answer into out.
func askEphemeral(t *testing.T, line ephemeral, path string, out any) (status int) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, line.URL+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+line.Chave)
	res, err := contracttest.Transport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	if err := json.NewDecoder(res.Body).Decode(out); err != nil {
		t.Fatal(err)
	}
	return res.StatusCode
}

// postForm returns the status of posting a form, and where it redirects.
func postForm(t *testing.T, to string, form url.Values) (status int, location string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, to, strings.NewReader(form.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	res, err := contracttest.Transport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	return res.StatusCode, res.Header.Get("Location")
}

// TestAServiceForTestSuites: one command starts it, its bureau follows a script, and calls that failed before they were
// sent are free. It leaves no file, and ends with its parent.
func TestAServiceForTestSuites(t *testing.T) {
	t.Parallel()
	dir, scripts := t.TempDir(), t.TempDir()
	script := filepath.Join(scripts, "cases.yaml")
	writeFile(t, script, `
cases:
  - product: cpf
    document: 52998224725
    sequence: [{fault: refuse}, {fault: reset}, {merge: {nomeCompleto: Ana de Teste}}]
`)
	line, parent := startEphemeral(t, dir, "FICHARIO_SANDBOX_SCRIPT="+script, "FICHARIO_DATABASE_URL=sqlite://mine.db")
	for _, want := range []struct {
		status int
		code   string
	}{{503, "bureau_indisponivel"}, {502, "bureau_falhou"}, {200, ""}, {200, ""}} {
		var problem struct{ Code string }
		expect(t, "status", askEphemeral(t, line, "/api/v1/cpf/52998224725", &problem), want.status)
		expect(t, "code", problem.Code, want.code)
	}
	expect(t, "choosing the bureau", askEphemeral(t, line, "/api/v1/cpf/52998224725?bureau=sandbox", &struct{}{}), 200)
	for _, odd := range []string{"//api/v1/produtos", "/api/v1/x/../produtos"} {
		expect(t, odd, askEphemeral(t, line, odd, &struct{}{}), http.StatusNotFound)
	}
	var statement struct {
		Gasto struct{ Mes json.Number }
	}
	askEphemeral(t, line, "/api/v1/consultas", &statement)
	expect(t, "spent: what was refused is free", statement.Gasto.Mes.String(), "0.9")
	var calls []struct {
		Product  string
		Answered struct{ Fault string }
	}
	askEphemeral(t, line, "/_/calls", &calls)
	expect(t, "calls", len(calls), 3)
	expect(t, "the last call's fault", calls[len(calls)-1].Answered.Fault, "")

	status, _ := postForm(t, line.Webhook, url.Values{"nome": {"Bia"}, "email": {"bia@example.com"}})
	expect(t, "status of a post", status, http.StatusOK)
	_, to := postForm(t, line.URL+"/entrar", url.Values{"email": {line.Login.Email}, "senha": {line.Login.Senha}})
	expect(t, "where signing in leads", to, "/")

	text, err := os.ReadFile(filepath.Join(dir, "pid"))
	if err != nil {
		t.Fatal(err)
	}
	pid := strings.TrimSpace(string(text))
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
		t.Errorf("beside the shell's file it left %v, %v", left, err)
	}
	if err := parent.Process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	lookuptest.Eventually(t, "it ends with its parent", func() bool {
		_, err := os.Stat("/proc/" + pid)
		return os.IsNotExist(err)
	})
}

// TestAChainOfTheSandbox: a bureau that refuses free of charge is followed by the next, and the ledger names both.
func TestAChainOfTheSandbox(t *testing.T) {
	t.Parallel()
	line, _ := startEphemeral(t, t.TempDir(), "FICHARIO_BUREAU=sandbox-barato,sandbox-completo")
	expect(t, "status", askEphemeral(t, line, "/api/v1/cpf/90000002208", new(map[string]any)), http.StatusOK)
	var calls []struct {
		Bureau   string
		Answered struct{ Status int }
	}
	askEphemeral(t, line, "/_/calls", &calls)
	expect(t, "calls", fmt.Sprint(calls), "[{sandbox-barato {429}} {sandbox-completo {200}}]")
}

func TestAScriptIsChecked(t *testing.T) {
	t.Parallel()
	script := filepath.Join(t.TempDir(), "cases.yaml")
	writeFile(t, script, "cases:\n  - {product: cpf, fault: fire}\n")
	wrong := testkit.RunErr(t, nil, "sandbox-bureau", "--script", script, "--check", "--json")
	expect(t, "exit", wrong.Code, 1)
	said := testkit.JSON[struct {
		Problems []struct {
			Line          int
			Path, Message string
		}
	}](t, wrong.Stdout)
	expect(t, "line of the fault", said.Problems[0].Line, 2)
	expect(t, "its path", said.Problems[0].Path, "cases[0].fault")
	writeFile(t, script, "cases:\n  - {product: cpf, fault: hang}\n")
	expect(t, "a good one", testkit.Run(t, nil, "sandbox-bureau", "--script", script, "--check", "--json"), "{\"ok\":true}\n")
	none := testkit.RunErr(t, nil, "sandbox-bureau", "--check")
	if !strings.Contains(none.Stderr, "--script FILE") {
		t.Error(none.Stderr)
	}
	another := map[string]string{"FICHARIO_SANDBOX_SCRIPT": script, "FICHARIO_BUREAU": "brasilapi"}
	other := testkit.RunErr(t, another, "serve")
	if !strings.Contains(other.Stderr, "FICHARIO_SANDBOX_SCRIPT requires FICHARIO_BUREAU=sandbox") {
		t.Error(other.Stderr)
	}
}

// TestSlowScriptsOfTheGuides: the script on each page about the sandbox works verbatim, and its complete answer is
// one that a lookup accepts.
func TestSlowScriptsOfTheGuides(t *testing.T) {
	t.Parallel()
	for _, guide := range []string{"sandbox.md", "guides/pt/sandbox.md"} {
		text, err := os.ReadFile("../../docs/" + guide)
		if err != nil {
			t.Fatal(err)
		}
		script := regexp.MustCompile("(?s)\n```yaml\n(cases:.*?)```").FindSubmatch(text)
		if script == nil {
			t.Fatalf("%s shows no script", guide)
		}
		file := filepath.Join(t.TempDir(), "cases.yaml")
		writeFile(t, file, string(script[1]))
		testkit.Run(t, nil, "sandbox-bureau", "--script", file, "--check")
		line, _ := startEphemeral(t, t.TempDir(), "FICHARIO_SANDBOX_SCRIPT="+file)
		ask, err := http.NewRequestWithContext(t.Context(), http.MethodPost, line.URL+"/api/v1/consultas",
			strings.NewReader(`{"produto":"veiculo","documento":"ABC1D23"}`))
		if err != nil {
			t.Fatal(err)
		}
		ask.Header = http.Header{"Authorization": {"Bearer " + line.Chave}, "Content-Type": {"application/json"}}
		res, err := contracttest.Transport.RoundTrip(ask)
		if err != nil {
			t.Fatal(err)
		}
		expect(t, guide+": the vehicle", res.StatusCode, http.StatusOK)
		_ = res.Body.Close()
	}
}

package integration

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"fichario/tests/testkit/contracttest"
)

var (
	sampleBlock = regexp.MustCompile(`(?s)<pre class="code sample-(\w+)"[^>]*><code>(.*?)</code></pre>`)
	anyTag      = regexp.MustCompile(`<[^>]*>`)
)

// page is a page of the reference.
func page(t *testing.T, address string) string {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusOK {
		t.Fatalf("%s: %d, %v", address, res.StatusCode, err)
	}
	return string(text)
}

// samplesOf are the first programs on a page, by language, as they are copied from it.
func samplesOf(t *testing.T, address string) map[string]string {
	t.Helper()
	samples := map[string]string{}
	for _, m := range sampleBlock.FindAllStringSubmatch(page(t, address), -1) {
		if samples[m[1]] == "" {
			samples[m[1]] = html.UnescapeString(anyTag.ReplaceAllString(m[2], ""))
		}
	}
	return samples
}

// interpreters run the samples; `make test` ensures that they are installed.
var interpreters = map[string][]string{
	"bash": {"bash", ".sh"}, "typescript": {"node", ".mjs"}, "python": {"python3", ".py"},
	"php": {"php", ".php"}, "csharp": {"mono", ".cs"},
}

// program is a command that runs code in a language, in a folder.
func program(t *testing.T, dir, lang, name, code string) *exec.Cmd {
	t.Helper()
	with := interpreters[lang]
	path, err := exec.LookPath(with[0])
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, name+with[1])
	writeFile(t, file, code)
	if lang == "csharp" {
		source := file
		file = filepath.Join(dir, name+".exe")
		out, err := exec.CommandContext(t.Context(), "mcs", "-r:System.Net.Http", "-out:"+file, source).CombinedOutput()
		if err != nil {
			t.Fatalf("%s in C#: %v\n%s", name, err, out)
		}
	}
	return exec.CommandContext(t.Context(), path, file)
}

// goProgram compiles Go programs into one binary, which runs the one that its argument names.
func goProgram(t *testing.T, programs map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "go.mod"), "module samples\n\ngo 1.26\n")
	var cases strings.Builder
	for name, code := range programs {
		writeFile(t, filepath.Join(dir, name+".go"), strings.Replace(code, "func main() {", "func "+name+"() {", 1))
		fmt.Fprintf(&cases, "\tcase %q:\n\t\t%s()\n", name, name)
	}
	writeFile(t, filepath.Join(dir, "main.go"),
		"package main\n\nimport \"os\"\n\nfunc main() {\n\tswitch os.Args[1] {\n"+cases.String()+"\t}\n}\n")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", "samples", ".")
	build.Dir, build.Env = dir, append(os.Environ(), "GOFLAGS=")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("the samples in Go: %v\n%s", err, out)
	}
	return filepath.Join(dir, "samples")
}

// ask makes a call to the API and returns a field of its answer.
func (line ephemeral) ask(t *testing.T, method, path, body, field string) string {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, line.URL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+line.Chave)
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	res, err := contracttest.Transport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	var answer map[string]any
	if err := json.NewDecoder(res.Body).Decode(&answer); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(answer[field])
}

// batchFor makes a batch to try an operation on: one that is quoted, or, against a slow bureau, one that runs or is
// paused, and that ends with the attempt.
func (line ephemeral) batchFor(t *testing.T, operation string) (id string, end func()) {
	t.Helper()
	if operation != "pauseBatch" && operation != "resumeBatch" {
		return line.ask(t, "POST", "/api/v1/lotes", `{"produto":"cpf","documentos":["52998224725"]}`, "id"), func() {}
	}
	var plates []string
	for i := range 400 {
		plates = append(plates, fmt.Sprintf(`"LEN%dA%02d"`, i/100, i%100))
	}
	id = line.ask(t, "POST", "/api/v1/lotes",
		`{"produto":"veiculo","teto":500,"confirmar":true,"documentos":[`+strings.Join(plates, ",")+`]}`, "id")
	if operation == "resumeBatch" {
		line.ask(t, "POST", "/api/v1/lotes/"+id+"/pausar", "", "id")
	}
	return id, func() { line.ask(t, "POST", "/api/v1/lotes/"+id+"/cancelar", "", "id") }
}

var operationPage = regexp.MustCompile(`href="(/docs/api/(\w+))"`)

// TestSlowSamplesOfTheReferenceRun: the samples for each operation work when pasted, in each language, and the total
// charge is what their calls cost.
func TestSlowSamplesOfTheReferenceRun(t *testing.T) {
	t.Parallel()
	script := filepath.Join(t.TempDir(), "cases.yaml")
	writeFile(t, script, "cases:\n  - {product: veiculo, document: 'LEN*', delay: 4s}\n")
	line, _ := startEphemeral(t, t.TempDir(), "FICHARIO_SANDBOX_SCRIPT="+script)
	line.payTheBill(t)
	languages := map[string]map[string]string{}
	for _, m := range operationPage.FindAllStringSubmatch(page(t, line.URL+"/docs"), -1) {
		samples := samplesOf(t, line.URL+m[1])
		english := samplesOf(t, line.URL+strings.Replace(m[1], "/docs/", "/docs/en/", 1))
		if !maps.Equal(samples, english) {
			t.Errorf("%s has other samples in English", m[2])
		}
		for lang, code := range samples {
			if languages[lang] == nil {
				languages[lang] = map[string]string{}
			}
			languages[lang][m[2]] = code
		}
	}
	all := slices.Sorted(maps.Keys(languages))
	if !slices.Equal(all, []string{"bash", "csharp", "go", "php", "python", "typescript"}) {
		t.Fatalf("the languages are %v", all)
	}
	consulta := line.ask(t, "GET", "/api/v1/cpf/52998224725", "", "consultaId")
	for lang, samples := range languages {
		t.Run(lang, func(t *testing.T) {
			t.Parallel()
			if len(samples) != 22 {
				t.Errorf("%d operations have a sample", len(samples))
			}
			binary := ""
			if lang == "go" {
				binary = goProgram(t, samples)
			}
			dir := t.TempDir()
			writeFile(t, filepath.Join(dir, ".curlrc"), "silent\nshow-error\nfail-with-body\n")
			for operation, code := range samples {
				batch, end := line.batchFor(t, operation)
				run := func() *exec.Cmd {
					if lang == "go" {
						return exec.CommandContext(t.Context(), binary, operation)
					}
					return program(t, dir, lang, operation, code)
				}
				if operation == "lookupCpf" {
					refusedSample(t, run(), dir)
				}
				cmd := run()
				cmd.Env = append(os.Environ(), "CURL_HOME="+dir, "FICHARIO_KEY="+line.Chave, "FICHARIO_CONSULTA="+consulta,
					"FICHARIO_LOTE="+batch, "FICHARIO_WEBHOOK="+filepath.Base(line.Webhook))
				if out, err := cmd.CombinedOutput(); err != nil {
					t.Errorf("%s: %v\n%s", operation, err, out)
				} else if operation == "lookupCpf" && !bytes.Contains(out, []byte(`"produto":"cpf"`)) {
					t.Errorf("%s prints %s", operation, out)
				}
				end()
			}
		})
	}
}

// refusedSample: a sample that is refused fails, and shows the code and the detail of the problem.
func refusedSample(t *testing.T, cmd *exec.Cmd, home string) {
	t.Helper()
	cmd.Env = append(os.Environ(), "CURL_HOME="+home, "FICHARIO_KEY=fic_nobody")
	out, err := cmd.CombinedOutput()
	text := string(out)
	if err == nil || !strings.Contains(text, "nao_autenticado") || !strings.Contains(text, "uma chave do Fichário") {
		t.Errorf("with another key: %v, %s", err, out)
	}
}

var (
	billLine = regexp.MustCompile(`<td><code>(GET|POST) ([^ <]+)(?: ([^<]*))?</code></td>\s*<td>(\d+)</td>\s*<td>R\$ ([\d,.]+)</td>`)
	billSum  = regexp.MustCompile(`<td></td>\s*<td><strong>R\$ ([\d,.]+)</strong>`)
)

// payTheBill makes the calls in the guide to money and compares the cost of each, in both languages.
func (line ephemeral) payTheBill(t *testing.T) {
	t.Helper()
	here, english := page(t, line.URL+"/docs/guias/dinheiro-e-limites"), page(t, line.URL+"/docs/en/guias/dinheiro-e-limites")
	lines, sum := billLine.FindAllStringSubmatch(here, -1), billSum.FindStringSubmatch(here)
	if len(lines) != 7 || sum == nil {
		t.Fatalf("the bill has %d lines and the sum %v", len(lines), sum)
	}
	there := billLine.FindAllStringSubmatch(english, -1)
	for i, m := range lines {
		expect(t, "the line in English", strings.Join(there[i][1:5], " "), strings.Join(m[1:5], " "))
		expect(t, "its amount", there[i][5], strings.ReplaceAll(m[5], ",", "."))
		before := line.spent(t)
		status := line.ask(t, m[1], m[2], html.UnescapeString(m[3]), "status")
		if status == "<nil>" {
			status = "200"
		}
		expect(t, m[2], status, m[4])
		expect(t, m[2]+": charged", fmt.Sprintf("%.4f", line.spent(t)-before), fourDecimals(t, m[5]))
	}
	expect(t, "the sum", fmt.Sprintf("%.4f", line.spent(t)), fourDecimals(t, sum[1]))
	expect(t, "the sum in English", billSum.FindStringSubmatch(english)[1], strings.ReplaceAll(sum[1], ",", "."))
}

// spent is what the key has spent, in reais.
func (line ephemeral) spent(t *testing.T) float64 {
	t.Helper()
	var statement struct{ Gasto struct{ Total float64 } }
	askEphemeral(t, line, "/api/v1/consultas", &statement)
	return statement.Gasto.Total
}

func fourDecimals(t *testing.T, amount string) string {
	t.Helper()
	var value float64
	if _, err := fmt.Sscan(strings.ReplaceAll(amount, ",", "."), &value); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%.4f", value)
}

package sandbox_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"fichario/adapters/sandbox"
)

func following(t *testing.T, script string) (*sandbox.Bureau, *httptest.Server) {
	t.Helper()
	b := sandbox.New()
	files := fstest.MapFS{"ana.json": {Data: []byte(`{"de":"{documento}"}`)}}
	if err := b.Script([]byte(script), files); err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.Handle("/_/", b.Doors())
	mux.Handle("/", b)
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return b, s
}

func ask(t *testing.T, method, url, body string) (int, http.Header, string, error) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer segredo")
	req.Header.Set("X-Api-Key", "segredo")
	res, err := (&http.Client{Timeout: 2 * time.Second}).Do(req)
	if err != nil {
		return 0, nil, "", err
	}
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	return res.StatusCode, res.Header, string(text), err
}

func TestCasesAnswer(t *testing.T) {
	t.Parallel()
	_, s := following(t, `
cases:
  - product: [obito, score]
    document: [52998224725, "11144477735"]
    status: 503
    headers: {Retry-After: 7, X-De: bureau}
    body: fora do ar
  - product: cpf
    document: 529*
    sequence:
      - body: {nome: Ana, doc: "{documento}"}
      - file: ana.json
      - {status: 404}
  - product: cpf
    document: "111*735"
    merge: {nomeCompleto: Bia, situacao: {motivo: null, codigo: 3}}
`)
	for _, c := range []struct {
		path   string
		status int
		says   string
	}{
		{"/v1/obitos/52998224725", 503, "fora do ar"},
		{"/v1/score?documento=11144477735", 503, "fora do ar"},
		{"/v1/pessoas/52998224725", 200, `{"doc":"52998224725","nome":"Ana"}`},
		{"/v1/pessoas/52998224725", 200, `{"de":"52998224725"}`},
		{"/v1/pessoas/52998224725", 404, `"sucesso": true`},
		{"/v1/pessoas/52998224725", 404, `"sucesso": true`},
		{"/v1/pessoas/11144477735", 200, `"nomeCompleto": "Bia"`},
		{"/v1/pessoas/11144477735", 200, `"codigo": 3,` + "\n"},
		{"/v1/pessoas/39053344705", 200, `"documento": "39053344705"`},
		{"/v1/situacao/52998224725", 200, `"documento": "52998224725"`},
	} {
		status, header, text, err := ask(t, http.MethodGet, s.URL+c.path, "")
		if status != c.status || !strings.Contains(text, c.says) || err != nil {
			t.Errorf("%s: %d, %v\n%s", c.path, status, err, text)
		}
		if c.status == 503 && (header.Get("Retry-After") != "7" || header.Get("X-De") != "bureau") {
			t.Errorf("%s: %v", c.path, header)
		}
		if strings.Contains(text, "Bia") && strings.Contains(text, "motivo") {
			t.Errorf("null takes nothing away: %s", text)
		}
	}
}

func TestCasesFail(t *testing.T) {
	t.Parallel()
	_, s := following(t, `
cases:
  - document: 52998224725
    sequence: [{fault: reset}, {fault: refuse}, {fault: truncate}, {fault: html}, {fault: {slow: 20KB/s}}]
  - {document: 11144477735, fault: hang}
`)
	url := s.URL + "/v1/pessoas/52998224725"
	for _, fault := range []string{"reset", "refuse"} {
		if status, _, _, err := ask(t, http.MethodGet, url, ""); err == nil {
			t.Errorf("%s: status %d", fault, status)
		}
	}
	status, header, text, err := ask(t, http.MethodGet, url, "")
	if status != 200 || err == nil || len(text) == 0 || fmt.Sprint(len(text)) == header.Get("Content-Length") {
		t.Errorf("truncate: %d, %d of %s bytes, %v", status, len(text), header.Get("Content-Length"), err)
	}
	if status, header, text, _ := ask(t, http.MethodGet, url, ""); status != 200 || !strings.Contains(text, "<html>") ||
		!strings.HasPrefix(header.Get("Content-Type"), "text/html") {
		t.Errorf("html: %d, %v, %s", status, header, text)
	}
	if status, _, text, err := ask(t, http.MethodGet, url, ""); status != 200 || err != nil || !json.Valid([]byte(text)) {
		t.Errorf("slow: %d, %v, %s", status, err, text)
	}
	if _, _, _, err := ask(t, http.MethodGet, s.URL+"/v1/pessoas/11144477735", ""); err == nil {
		t.Error("a case that hangs answers")
	}
	var calls []sandbox.Call
	_, _, text, _ = ask(t, http.MethodGet, s.URL+"/_/calls", "")
	if err := json.Unmarshal([]byte(text), &calls); err != nil {
		t.Fatal(err)
	}
	var faults []string
	for _, c := range calls {
		faults = append(faults, fmt.Sprintf("%d.%d %s %d", c.Answered.Case, c.Answered.Answer, c.Answered.Fault, c.Answered.Status))
	}
	want := "1.1 reset 0, 1.2 refuse 0, 1.3 truncate 200, 1.4 html 200, 1.5 slow 200, 2.1 hang 0"
	if strings.Join(faults, ", ") != want {
		t.Errorf("the ledger has %s\nwant %s", strings.Join(faults, ", "), want)
	}
}

func TestLedger(t *testing.T) {
	t.Parallel()
	_, s := following(t, "cases: []\n")
	_, _, _, _ = ask(t, http.MethodPost, s.URL+"/v1/protestos", `{"documento":"52998224725"}`)
	back, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL+"/v1/pessoas/52998224725", nil)
	if err != nil {
		t.Fatal(err)
	}
	back.Header = http.Header{"X-Retorno": {"https://f.example/api/v1/retornos/segredo"}, "Api-Key": {"segredo"}}
	if a, err := http.DefaultClient.Do(back); err != nil || a.Body.Close() != nil {
		t.Fatal(err)
	}
	status, _, text, err := ask(t, http.MethodGet, s.URL+"/_/calls", "")
	if status != 200 || err != nil || strings.Contains(text, "segredo") ||
		!strings.Contains(text, `"Authorization":"***"`) ||
		!strings.Contains(text, `"X-Retorno":"https://f.example/api/v1/retornos/***"`) ||
		!strings.Contains(text, `"bureau":"sandbox","product":"protestos","document":"52998224725"`) {
		t.Errorf("%d, %v: %s", status, err, text)
	}
	if status, _, _, _ := ask(t, http.MethodDelete, s.URL+"/_/calls", ""); status != http.StatusNoContent {
		t.Errorf("forgetting: %d", status)
	}
	if _, _, text, _ := ask(t, http.MethodGet, s.URL+"/_/calls", ""); strings.TrimSpace(text) != "[]" {
		t.Errorf("it remembers %s", text)
	}
	status, _, text, _ = ask(t, http.MethodPut, s.URL+"/_/script", "cases:\n  - {document: 52998224725, fault: fire}\n")
	if status != 422 || !strings.Contains(text, `"line":2`) || !strings.Contains(text, "refuse, reset, hang") {
		t.Errorf("a wrong script: %d %s", status, text)
	}
	// Only the first script has a folder; clients of the control endpoint must not read files from it.
	status, _, text, _ = ask(t, http.MethodPut, s.URL+"/_/script", "cases:\n  - {file: ana.json}\n")
	if status != 422 || !strings.Contains(text, "file") {
		t.Errorf("a file by the door: %d %s", status, text)
	}
	status, _, text, _ = ask(t, http.MethodPut, s.URL+"/_/script", "cases:\n  - {body: novo}\n")
	if _, _, now, _ := ask(t, http.MethodGet, s.URL+"/v1/pessoas/52998224725", ""); status != 200 || now != "novo" {
		t.Errorf("a new script: %d %s, then %s", status, text, now)
	}
}

func TestARefusedConnection(t *testing.T) {
	t.Parallel()
	b, _ := following(t, "cases:\n  - {product: cpf, document: 529*, sequence: [{fault: refuse}, {status: 200}]}\n")
	refuses := b.Refuses(sandbox.Plain)
	if refuses("score", "52998224725") || !refuses("cpf", "52998224725") || refuses("cpf", "52998224725") {
		t.Error("one connection is refused, of the first question")
	}
}

func TestFaultsOfAScript(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ script, want string }{
		{"- a", "line 1: the file must be a mapping with cases"},
		{"casos: []", "line 1: casos: unknown key; allowed here: cases\nline 1: cases: is missing"},
		{"cases:\n- {product: nada}", `line 2: cases[0].product: there is no product "nada"; use * or one of cpf,`},
		{"cases:\n- {bureau: barato}", `there is no bureau "barato"; use * or one of sandbox, sandbox-completo, sandbox-barato`},
		{"cases:\n- {product: cpf, document: 52998224726}", `"52998224726" never matches`},
		{"cases:\n- {product: cpf, document: [ABC1D23]}", `"ABC1D23" never matches`},
		{"cases:\n- {document: {a: b}}", "line 2: cases[0].document: must be text or a list of texts"},
		{"cases:\n- {document: []}", "line 2: cases[0].document: is empty"},
		{"cases:\n- {status: 99}\n- {status: ok}", "line 2: cases[0].status: must be a status from 200 to 599\nline 3:"},
		{"cases:\n- {delay: 1}", `cases[0].delay: must be a duration like "250ms"`},
		{"cases:\n- {delay: 11m}", "of ten minutes at most"},
		{"cases:\n- {fault: {slow: 1 KB}}", "cases[0].fault.slow: must be a rate such as 1KB/s"},
		{"cases:\n- {fault: {fast: 1}}", "cases[0].fault.fast: unknown key"},
		{"cases:\n- {fault: slow}", "cases[0].fault: must be one of refuse, reset, hang, truncate, html, or {slow: 1KB/s}"},
		{"cases:\n- {fault: hang, body: a}", "cases[0].body: is never sent with the fault hang"},
		{"cases:\n- {body: a, file: ana.json}", "cases[0].file: cannot be used with body"},
		{"cases:\n- {file: ../ana.json}", `the file "../ana.json" cannot be read; it must be in the folder`},
		{"cases:\n- {merge: a}", "cases[0].merge: must be a mapping"},
		{"cases:\n- {sequence: []}", "cases[0].sequence: is empty"},
		{"cases:\n- {sequence: [{body: a}], status: 500}", "cases[0].status: belongs in the answers of the sequence"},
		{"cases:\n- {headers: {\"a b\": c}}", "is not a header name"},
		{"cases:\n- {headers: {A: \"b\\nc\"}}", "must be text on one line"},
		{"cases:\n- {sequence: [{sequence: []}]}", "cases[0].sequence[0].sequence: unknown key"},
	} {
		err := sandbox.New().Script([]byte(c.script), fstest.MapFS{})
		var problems sandbox.Problems
		if !errors.As(err, &problems) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s:\n%v\nwant %s", c.script, err, c.want)
		}
	}
}

// Package lookuptest sets a lookup service up for end-to-end tests: a bureau over real HTTP that keeps its own ledger, the
// real program in front of it, and a client that holds every answer to the contract.
package lookuptest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"fichario/tests/testkit"
)

// Secret is in every answer of the bureau and in its credential; a log that holds it shows what it must not.
const Secret = "SEGREDO-DO-BUREAU-8431"

// Bureau is a bureau over HTTP. Its ledger says how often it was asked about each document.
type Bureau struct {
	*httptest.Server

	mu     sync.Mutex
	ledger map[string]int
	held   map[string]chan struct{} // by document, or "" for all
	answer func(w http.ResponseWriter, r *http.Request, document string)
}

// StartBureau starts a bureau. A nil answer is an ordinary one.
func StartBureau(tb testing.TB, answer func(w http.ResponseWriter, r *http.Request, document string)) *Bureau {
	tb.Helper()
	b := &Bureau{ledger: map[string]int{}, held: map[string]chan struct{}{}, answer: answer}
	if answer == nil {
		b.answer = Ordinary
	}
	b.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		document := r.PathValue("documento")
		if document == "" {
			document = r.URL.Path[strings.LastIndexByte(r.URL.Path, '/')+1:]
		}
		b.mu.Lock()
		b.ledger[document]++
		gates := []chan struct{}{b.held[""], b.held[document]}
		b.mu.Unlock()
		for _, gate := range gates {
			if gate != nil {
				select {
				case <-gate:
				case <-r.Context().Done():
				}
			}
		}
		b.answer(w, r, document)
	}))
	tb.Cleanup(func() {
		b.CloseClientConnections()
		b.Close()
	})
	return b
}

// Hold keeps calls about a document, or about all where it is "", from being answered until they are released.
func (b *Bureau) Hold(document string) (release func()) {
	gate := make(chan struct{})
	b.mu.Lock()
	defer b.mu.Unlock()
	b.held[document] = gate
	return func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		delete(b.held, document)
		close(gate)
	}
}

// Await waits until the bureau has been asked n times, about all documents.
func (b *Bureau) Await(tb testing.TB, n int) {
	tb.Helper()
	Eventually(tb, fmt.Sprint(n, " calls reach the bureau"), 20*time.Second, func() bool { return b.Calls() >= n })
}

// Ordinary answers with a person whose mother, phone's WhatsApp and e-mails are not informed.
func Ordinary(w http.ResponseWriter, _ *http.Request, document string) {
	w.Header().Set("Content-Type", "application/json")
	_, _ = io.WriteString(w, Body(document))
}

// Body is what Ordinary answers: its spacing, order, escapes, numbers and repeated key are those of no encoder.
func Body(document string) string {
	return "{ \"z\" : 1.50, \"doc\":\"" + document + "\",\n\t\"nome\":\"Ana <Lima> & \\u00e9 " + Secret + "\", \"n\":12345678901234567890, \"e\":1e2," +
		" \"fones\":[{\"ddd\":\"11\",\"n\":\"987654321\",\"operadora\":\"X\"}], \"dup\":1, \"dup\":2 }"
}

// Calls is how often the bureau was asked, about all documents.
func (b *Bureau) Calls() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	n := 0
	for _, c := range b.ledger {
		n += c
	}
	return n
}

// Ledger is how often the bureau was asked about each document.
func (b *Bureau) Ledger() map[string]int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return maps.Clone(b.ledger)
}

// BureauFile writes a bureau file for a bureau at url and returns its path. The price of cpf is 0.45, of cnpj 0.30, of the product
// renda_presumida, which only the file knows, 2.075.
func BureauFile(tb testing.TB, url string, timeout time.Duration) string {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), "bureau.yaml")
	err := os.WriteFile(path, []byte(fmt.Sprintf(`
name: teste
base_url: %s
headers: { Authorization: "Bearer ${TESTE_TOKEN}" }
timeout: %s
failed: '.erro? // null'
products:
  cpf:
    price: "0.45"
    request: { method: GET, path: "/pessoas/{documento}" }
    fields:
      nome: .nome
      nomeMae: .mae
      nascimento: .z
      telefones: '[.fones[]? | {ddd, numero: .n, tipo, whatsapp: .zap}]'
      emails: '[.emails[]?]'
  cnpj:
    price: "0.30"
    request: { method: GET, path: "/empresas/{documento}" }
    fields: { razaoSocial: .nome }
  score:
    price: "0.60"
    request: { method: GET, path: "/score/{documento}" }
    fields: { score: .n }
  renda_presumida:
    name: Renda presumida
    description: Estimativa de renda.
    documents: [cpf]
    price: "2.075"
    request: { method: GET, path: "/renda/{documento}" }
    fields: { renda: { type: number, value: .z, description: Renda em reais. } }
`, url, timeout)), 0o600)
	if err != nil {
		tb.Fatal(err)
	}
	return path
}

// Service is the program with a database, a bureau and an organisation.
type Service struct {
	*testkit.Program

	Org string

	tb     testing.TB
	env    map[string]string
	mu     sync.Mutex
	hidden map[string]bool // what no log may hold
}

// StartService starts the program on the database that env leads to, in front of the bureau that the file describes, and makes an
// organisation. When the test ends, the log must hold no document, key or answer that went through the service.
func StartService(tb testing.TB, env map[string]string, bureauFile string, more ...map[string]string) *Service {
	tb.Helper()
	all := maps.Clone(env)
	all["FICHARIO_BUREAU"], all["TESTE_TOKEN"], all["FICHARIO_LOG_LEVEL"] = bureauFile, Secret, "debug"
	for _, m := range more {
		maps.Copy(all, m)
	}
	s := &Service{tb: tb, env: all, hidden: map[string]bool{Secret: true}}
	tb.Cleanup(func() {
		if s.Program == nil {
			return // it did not start
		}
		for text := range s.hidden {
			if strings.Contains(s.Logs(), text) {
				tb.Errorf("the log holds a document, a key or an answer (%d characters)", len(text))
			}
		}
	})
	s.Program = testkit.StartProgram(tb, testkit.Options{Env: all})
	s.Org = testkit.JSON[struct{ ID string }](tb, s.Command("org", "create", "--name", "Agência de Teste", "--json")).ID
	return s
}

// StartAnother starts another instance on the same database and organisation.
func (s *Service) StartAnother() *Service {
	s.tb.Helper()
	other := &Service{tb: s.tb, env: s.env, Org: s.Org, hidden: s.hidden}
	other.Program = testkit.StartProgram(s.tb, testkit.Options{Env: s.env})
	return other
}

// Command runs a command beside the service and returns what it printed.
func (s *Service) Command(args ...string) string {
	s.tb.Helper()
	return testkit.Run(s.tb, s.env, args...)
}

// Key is a key as `key create --json` prints it.
type Key struct{ ID, Key, Prefix string }

// NewKey makes a key with all scopes and the limits; more flags of `key create` may be added.
func (s *Service) NewKey(minute, day, month int, more ...string) Key {
	s.tb.Helper()
	return s.ScopedKey("cpf,cnpj,placa,email", minute, day, month, more...)
}

// ScopedKey makes a key with some scopes.
func (s *Service) ScopedKey(scopes string, minute, day, month int, more ...string) Key {
	s.tb.Helper()
	args := []string{
		"key", "create", "--org", s.Org, "--name", "Chave de teste", "--scopes", scopes, "--per-minute", fmt.Sprint(minute),
		"--per-day", fmt.Sprint(day), "--per-month", fmt.Sprint(month), "--json",
	}
	k := testkit.JSON[Key](s.tb, s.Command(append(args, more...)...))
	s.Hide(k.Key)
	return k
}

// Hide adds a text that no log may hold.
func (s *Service) Hide(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hidden[text] = true
}

// AwaitFollowers waits until n requests of a key, which may make limit a minute and has made none before, wait for a call
// that the bureau holds: the service has let them in, and a lookup of another document by another key, which came after
// them, has been answered.
func (s *Service) AwaitFollowers(key string, limit, n int, another string) {
	s.tb.Helper()
	asked := 0
	Eventually(s.tb, "the requests are let in", 20*time.Second, func() bool {
		asked++
		left, err := strconv.Atoi(s.Get("/api/v1/produtos", key).Header.Get("X-RateLimit-Remaining"))
		return err == nil && limit-left-asked >= n
	})
	if a := s.CPF(s.NewKey(60, 60, 60).Key, another); a.Status != http.StatusOK {
		s.tb.Errorf("another lookup is answered with %s", a)
	}
}

// Answer is an answer of the service.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
	// JSON is the body decoded, where it is an object.
	JSON map[string]any
}

// Code is the code of a problem, "" for other answers.
func (a Answer) Code() string { code, _ := a.JSON["code"].(string); return code }

// String is the status and the code, for comparisons.
func (a Answer) String() string { return strings.TrimSpace(fmt.Sprint(a.Status, " ", a.Code())) }

// Raw is the text of `bruto` as it stands in the body.
func (a Answer) Raw(tb testing.TB) string {
	tb.Helper()
	var out struct{ Bruto json.RawMessage }
	if err := json.Unmarshal(a.Body, &out); err != nil {
		tb.Fatal(err)
	}
	return string(out.Bruto)
}

var client = &http.Client{
	Timeout:       time.Minute,
	Transport:     &http.Transport{MaxIdleConnsPerHost: 128},
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

// Do sends a request with the key ("" for none) and holds the answer to the contract.
func (s *Service) Do(ctx context.Context, method, path, key string, header map[string]string, body string) (Answer, error) {
	req, err := http.NewRequestWithContext(ctx, method, s.URL+path, strings.NewReader(body))
	if err != nil {
		return Answer{}, err
	}
	if body == "" {
		req.Body, req.ContentLength = http.NoBody, 0
	}
	if key != "" {
		req.Header.Set("Authorization", "Bearer "+key)
	}
	for k, v := range header {
		req.Header.Set(k, v)
	}
	resp, err := client.Do(req)
	if err != nil {
		return Answer{}, err
	}
	defer func() { _ = resp.Body.Close() }()
	content, err := io.ReadAll(resp.Body)
	if err != nil {
		return Answer{}, err
	}
	a := Answer{Status: resp.StatusCode, Header: resp.Header, Body: content}
	if strings.HasSuffix(resp.Header.Get("Content-Type"), "json") {
		dec := json.NewDecoder(bytes.NewReader(content))
		dec.UseNumber()
		if err := dec.Decode(&a.JSON); err != nil {
			return a, fmt.Errorf("the answer is not JSON: %w", err)
		}
	}
	return a, conforms(method, path, resp, content)
}

// Get sends a GET; the test fails when there is no answer, or one that the contract does not know.
func (s *Service) Get(path, key string) Answer {
	s.tb.Helper()
	return s.must(s.Do(context.Background(), http.MethodGet, path, key, nil, ""))
}

// Post sends a JSON body to POST /api/v1/consultas.
func (s *Service) Post(key, body string) Answer {
	s.tb.Helper()
	return s.must(s.Do(context.Background(), http.MethodPost, "/api/v1/consultas", key, map[string]string{"Content-Type": "application/json"}, body))
}

func (s *Service) must(a Answer, err error) Answer {
	s.tb.Helper()
	if err != nil {
		s.tb.Fatal(err)
	}
	return a
}

// CPF asks about a person and notes the document as one that no log may hold.
func (s *Service) CPF(key, document string) Answer {
	s.tb.Helper()
	s.Hide(document)
	return s.Get("/api/v1/cpf/"+document, key)
}

// Entry is an entry of a statement.
type Entry struct {
	ID, Produto, Documento, Situacao string
	Cache, Cobrada                   bool
	Valor                            json.Number
	Em                               time.Time
}

// Amounts are what was charged, Counts how often, and Limits what a key may do.
type (
	Amounts struct{ Hoje, Mes, Total json.Number }
	Counts  struct{ Hoje, Mes, Total int }
	Limits  struct{ Minuto, Dia, Mes int }
)

// Statement is a key's statement, with up to 200 entries.
type Statement struct {
	Gasto    Amounts
	Cobradas Counts
	Limites  Limits
	Chave    struct {
		ID, Nome, Prefixo string
		Escopos           []string
	}
	Consultas []Entry
	Proxima   *string
}

// Statement reads a key's statement.
func (s *Service) Statement(key string) Statement {
	s.tb.Helper()
	return s.StatementAt("/api/v1/consultas?limite=200", key)
}

// StatementAt reads a key's statement at a path with a query.
func (s *Service) StatementAt(path, key string) Statement {
	s.tb.Helper()
	a := s.Get(path, key)
	if a.Status != http.StatusOK {
		s.tb.Fatalf("statement: %d %s", a.Status, a.Body)
	}
	return testkit.JSON[Statement](s.tb, string(a.Body))
}

// Charged counts the charged entries by their outcome, and all others as "livre".
func (s Statement) Charged() map[string]int {
	n := map[string]int{}
	for _, e := range s.Consultas {
		if e.Cobrada {
			n[e.Situacao]++
		} else {
			n["livre"]++
		}
	}
	return n
}

// CPFs makes n valid CPFs, different for each seed from 0 to 999.
func CPFs(seed, n int) []string {
	out := make([]string, n)
	for i := range out {
		digits := []byte(fmt.Sprintf("%09d", 100_000_000+seed*100_000+i))
		for range 2 {
			sum := 0
			for j, d := range digits {
				sum += int(d-'0') * (len(digits) + 1 - j)
			}
			check := (sum * 10) % 11 % 10
			digits = append(digits, byte('0'+check))
		}
		out[i] = string(digits)
	}
	return out
}

// Eventually waits until f holds.
func Eventually(tb testing.TB, what string, limit time.Duration, f func() bool) {
	tb.Helper()
	deadline := time.Now().Add(limit)
	for !f() {
		if time.Now().After(deadline) {
			tb.Fatalf("not within %s: %s", limit, what)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// Expect compares values, as reflect.DeepEqual does.
func Expect[T any](t *testing.T, what string, got, want T) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s: got %#v (%T), want %#v (%T)", what, got, got, want, want)
	}
}

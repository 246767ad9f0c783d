package lookuptest

import (
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"fichario/tests/testkit/patience"
)

// Bureau is a bureau over HTTP. Its ledger counts the calls about each document.
type Bureau struct {
	*httptest.Server

	mu     sync.Mutex
	ledger map[string]int
	traces []string                 // the traceparents of its calls
	held   map[string]chan struct{} // by document, or "" for all
	answer func(w http.ResponseWriter, r *http.Request, document string)
}

// StartBureau starts a bureau. A nil answer is Ordinary.
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
		b.traces = append(b.traces, r.Header.Get("Traceparent"))
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
		for document, gate := range b.held { // of a test that failed before it released them
			b.letGo(document, gate)
		}
		b.CloseClientConnections()
		b.Close()
	})
	return b
}

// Hold withholds the answers to calls about a document, or about all where it is "", until release.
func (b *Bureau) Hold(document string) (release func()) {
	gate := make(chan struct{})
	b.mu.Lock()
	defer b.mu.Unlock()
	b.held[document] = gate
	return func() { b.letGo(document, gate) }
}

func (b *Bureau) letGo(document string, gate chan struct{}) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.held[document] == gate {
		delete(b.held, document)
		close(gate)
	}
}

// Fail makes calls for a product, by the first segment of its path, fail with an error.
func (b *Bureau) Fail(path string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	before := b.answer
	b.answer = func(w http.ResponseWriter, r *http.Request, document string) {
		if strings.HasPrefix(r.URL.Path, "/"+path+"/") {
			w.WriteHeader(http.StatusInternalServerError)
			return
		}
		before(w, r, document)
	}
}

// Await waits until the bureau has received n calls, about all documents.
func (b *Bureau) Await(tb testing.TB, n int) {
	tb.Helper()
	Eventually(tb, fmt.Sprint(n, " calls reach the bureau"), func() bool { return b.Calls() >= n })
}

// Ordinary answers with a person without a mother, a WhatsApp flag or e-mails.
func Ordinary(w http.ResponseWriter, _ *http.Request, document string) {
	w.Header().Set("Content-Type", "application/json")
	_, _ = io.WriteString(w, Body(document))
}

// Body is Ordinary's answer: no encoder produces its spacing, order, escapes, numbers and repeated key.
func Body(document string) string {
	return "{ \"z\" : 1.50, \"doc\":\"" + document + "\",\n\t\"nome\":\"Ana <Lima> & \\u00e9 " + Secret +
		"\", \"n\":12345678901234567890, \"e\":1e2," +
		" \"fones\":[{\"ddd\":\"11\",\"n\":\"987654321\",\"operadora\":\"X\"}], \"dup\":1, \"dup\":2 }"
}

// Calls counts the calls to the bureau, about all documents.
func (b *Bureau) Calls() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	n := 0
	for _, c := range b.ledger {
		n += c
	}
	return n
}

// Traces are the traceparents of the calls, in order, empty where there was none.
func (b *Bureau) Traces() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.traces)
}

// Ledger counts the calls to the bureau for each document.
func (b *Bureau) Ledger() map[string]int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return maps.Clone(b.ledger)
}

// Patient is the bureau's timeout in tests that do not test it: the longest that a bureau file may have.
const Patient = 2 * time.Minute

// ScaledTimeout is a bureau's timeout in tests that test it, or that wait for what it bounds: longer on a slow machine,
// where a bureau of the test answers late, too.
func ScaledTimeout(timeout time.Duration) time.Duration {
	const most = 20 * time.Second
	return max(timeout, min(patience.Scaled(timeout), most))
}

// BureauFile writes a bureau file for a bureau at url, with a timeout that is scaled, and returns its path. The price
// of cpf is 0.45, of cnpj 0.30, of renda_presumida, a product of the file's own, 2.075.
func BureauFile(tb testing.TB, url string, timeout time.Duration) string {
	tb.Helper()
	timeout = ScaledTimeout(timeout)
	path := filepath.Join(tb.TempDir(), "bureau.yaml")
	err := os.WriteFile(path, []byte(fmt.Sprintf(`
name: teste
base_url: %s
headers: { Authorization: "Bearer ${TESTE_TOKEN}" }
timeout: %s
traceparent: true
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

package lookuptest

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// LateBureau is a bureau that takes questions and answers later.
type LateBureau struct {
	*Bureau
	// File is the path of its bureau file. Calls take up to half a second, and answers are fetched every second.
	File string

	mu    sync.Mutex
	ready bool
	// callbacks are the addresses that came with the questions, by document.
	callbacks map[string]string
}

// StartLateBureau starts one, whose answers are not ready.
func StartLateBureau(tb testing.TB) *LateBureau {
	tb.Helper()
	b := &LateBureau{callbacks: map[string]string{}}
	b.Bureau = StartBureau(tb, func(w http.ResponseWriter, r *http.Request, document string) {
		id, fetched := strings.CutPrefix(document, "pedido-")
		b.mu.Lock()
		ready := b.ready
		if !fetched {
			b.callbacks[document] = r.Header.Get("X-Retorno")
		}
		b.mu.Unlock()
		switch {
		case !fetched:
			w.WriteHeader(http.StatusAccepted)
			_, _ = fmt.Fprintf(w, `{"protocolo":"pedido-%s"}`, document)
		case !ready:
			w.WriteHeader(http.StatusAccepted)
		default:
			Ordinary(w, r, id)
		}
	})
	b.File = filepath.Join(tb.TempDir(), "tarde.yaml")
	err := os.WriteFile(b.File, []byte(fmt.Sprintf(`
name: tarde
base_url: %s
timeout: %s
later:
  status: [202]
  id: .body.protocolo
  poll: { path: "/pedidos/{id}", every: 1s, for: 1h }
  callback: { id: .body.protocolo }
  ready: .status == 200
products:
  cpf:
    price: "0.45"
    request: { method: GET, path: "/pessoas/{documento}", headers: { X-Retorno: "{retorno}" } }
    fields: { nome: .nome }
`, b.URL, ScaledTimeout(500*time.Millisecond))), 0o600)
	if err != nil {
		tb.Fatal(err)
	}
	return b
}

// Answer makes the answers ready.
func (b *LateBureau) Answer() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ready = true
}

// Asked is how often the bureau was asked about a document, without what was fetched.
func (b *LateBureau) Asked(document string) int { return b.Ledger()[document] }

// Fetched is how often its answer was fetched.
func (b *LateBureau) Fetched(document string) int { return b.Ledger()["pedido-"+document] }

// Posts is the body of a post that has the answer about a document.
func (*LateBureau) Posts(document string) string {
	return `{"protocolo":"pedido-` + document + `","nome":"Ana ` + Secret + `"}`
}

// Callback is the address that came with the last question about a document.
func (b *LateBureau) Callback(document string) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.callbacks[document]
}

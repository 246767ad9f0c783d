package browser

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"fichario/tests/testkit"
	"fichario/tests/testkit/browsertest"
)

// TestSlowAVisitorOfASiteIsRefusedInWords: a form on another site, without script, is refused with a page that leads
// back to it, at every width and in both schemes.
func TestSlowAVisitorOfASiteIsRefusedInWords(t *testing.T) {
	t.Parallel()
	p := start(t, testkit.SQLite(t))
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Referrer-Policy", "unsafe-url") // the whole address, even to another site
		_, _ = fmt.Fprintf(w, `<!doctype html><html lang="pt-BR"><title>Contato</title><link rel="icon" href="data:,">
			<main><form method="post" action=%q><input id="nome" name="nome"><input id="email" name="email">
			<button>Enviar</button></form></main>`, p.hook)
	}))
	t.Cleanup(site.Close)
	b := browsertest.StartBrowser(t, site.URL)
	b.Visit("/contato")
	b.Fill("#nome", "Bia Rocha")
	b.Fill("#email", "bia em example.com")
	b.Press("Enviar")
	b.See("O formulário não foi enviado", "confira o e-mail e envie de novo", "Pedido")
	for _, width := range []int64{1280, 360} {
		for _, dark := range []bool{false, true} {
			b.Size(width, dark)
			b.Accessible()
		}
	}
	b.Press("Voltar ao formulário")
	b.At("/contato")
	b.Fill("#email", "bia@example.com")
	b.Press("Enviar")
	b.See("Contato criado")
	walked.Add(1)
}

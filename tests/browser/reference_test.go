package browser

import (
	"strings"
	"testing"

	"fichario/tests/testkit"
	"fichario/tests/testkit/browsertest"
	"fichario/tests/testkit/lookuptest"
)

// everyPage visits each guide, operation and event that the reference links to: in turn in both languages, schemes and
// widths.
func everyPage(t *testing.T, b *browsertest.Browser) {
	t.Helper()
	b.Visit("/docs")
	kinds := map[string]int{}
	for i, path := range strings.Fields(browsertest.Eval[string](b,
		`[...new Set([...document.querySelectorAll('a[href^="/docs/"]')].map(e => e.pathname))].join(' ')`)) {
		kind, _, _ := strings.Cut(strings.TrimPrefix(path, "/docs/"), "/")
		kinds[kind]++
		if i%2 == 1 && kind != "en" {
			path = "/docs/en" + strings.TrimPrefix(path, "/docs")
		}
		b.Size([]int64{1280, 360}[i/2%2], i/4%2 == 0)
		b.Visit(path)
		b.Accessible()
	}
	t.Log("pages that were looked at: ", kinds)
	for kind, least := range map[string]int{"guias": 7, "api": 18, "eventos": 5} {
		if kinds[kind] < least {
			t.Errorf("the reference leads to %d pages of %s", kinds[kind], kind)
		}
	}
}

// TestSlowTheReference: its pages at both widths, in both schemes and both languages; the search finds while typing;
// a call is made with a key; and nothing is requested from elsewhere.
func TestSlowTheReference(t *testing.T) {
	t.Parallel()
	env := testkit.SQLite(t)
	p := start(t, env)
	key := testkit.JSON[map[string]any](t, testkit.Run(t, env, "key", "create", "--org", p.org, "--name", "Referência",
		"--scopes", "cpf", "--json"))["key"].(string)
	b := browsertest.StartBrowser(t, p.URL)
	for i, path := range []string{
		"/docs", "/docs/guias/eventos", "/docs/erros", "/docs/api/lookup", "/docs/en/sandbox",
		"/docs/en/eventos/batch.completed", "/docs/busca?q=limite",
	} {
		b.Size(1280, i%2 == 0)
		b.Visit(path)
		b.Accessible()
		b.Size(360, i%2 == 1)
		b.Accessible()
		for _, address := range strings.Fields(browsertest.Eval[string](b,
			"performance.getEntriesByType('resource').map(e => e.name).join(' ')")) {
			if !strings.HasPrefix(address, p.URL) {
				t.Errorf("%s asks for %s", path, address)
			}
		}
	}
	b.Click(".docs-menu")
	b.Accessible()
	everyPage(t, b)

	b.Size(1280, false)
	b.Visit("/docs/api/lookupCpf")
	b.Click(`.samples-h label:has([value=python])`)
	b.See("import urllib.request")
	b.Click(".docs-try summary")
	b.Fill("#chave", key)
	b.Press("Enviar")
	b.See("200 OK", `"consultaId"`)
	b.Accessible()
	b.Visit("/docs/en/api/getStatement")
	b.See("import urllib.request") // the chosen language
	b.Click(".docs-try summary")
	b.Press("Send")
	b.See(`"cobradas"`)
	b.Fill(".docs-find input", "idempotency")
	b.See("Idempotency and retries")
	b.Accessible()
	b.Click(".docs-found a")
	b.At("/docs/en/guias/idempotencia")
	ownKey(t, p, b)
	unfolding(t, b)
	walked.Add(1)
}

// unfolding: what is long has a page of its own, and is shown in its place to who unfolds it.
func unfolding(t *testing.T, b *browsertest.Browser) {
	t.Helper()
	b.Visit("/docs/api/lookupCpf")
	b.Click(".docs-op-code .docs-whole > summary")
	b.See(`"consultadoEm"`)
	shown := func(of string) bool {
		return browsertest.Eval[bool](b, "document.querySelector('"+of+"')?.checkVisibility() ?? false")
	}
	lookuptest.Eventually(t, "the whole example is in its place", func() bool { return shown(".docs-whole pre.code") })
	if shown(".docs-short") || shown(".docs-whole > a") {
		t.Error("the short example, or the link to the whole one, is still there")
	}
	b.Click(".docs-answer:not([open]) > summary")
	lookuptest.Eventually(t, "an answer is in its place", func() bool { return shown(".docs-answer:not(:first-of-type) pre.code") })
	b.Accessible()
	b.Visit(browsertest.Eval[string](b, "document.querySelector('details:not([open]) > summary + a').getAttribute('href')"))
	b.Accessible()
	b.Press("Ficha completa de uma pessoa") // back to the operation
	b.At("/docs/api/lookupCpf")
}

// ownKey: who is signed in has a key in the samples at one press, where the bureau invents its answers; nobody else
// has.
func ownKey(t *testing.T, p *place, b *browsertest.Browser) {
	t.Helper()
	b.Visit("/docs/api/lookupCpf")
	browsertest.Eval[bool](b, "(sessionStorage.clear(), localStorage.clear(), true)")
	b.Visit("/docs/api/lookupCpf")
	b.Press("Usar uma chave de teste minha")
	b.See("Entre no Fichário nesta janela do navegador")
	b.SignIn(email, password)
	b.Visit("/docs/api/lookupCpf")
	b.Press("Usar uma chave de teste minha")
	b.See("A chave está nas amostras desta aba", "export FICHARIO_KEY='fic_")
	b.Accessible()
	b.Click(".docs-try summary")
	b.Press("Enviar")
	b.See("200 OK", `"consultaId"`)
	b.Visit("/docs/guias/primeira-chamada")
	b.See("export FICHARIO_KEY='fic_")
	b.Visit("/docs/erros")
	b.See("Nesta página")
	b.Accessible()
	b.Size(1280, false)
	if height := browsertest.Eval[int](b, "document.documentElement.scrollHeight"); height >= 8000 {
		t.Errorf("the page of errors is %d pixels long", height)
	}
}

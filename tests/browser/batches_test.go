package browser

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"fichario/tests/testkit"
	"fichario/tests/testkit/browsertest"
	"fichario/tests/testkit/lookuptest"
)

// TestSlowABatchFromAFileToItsResult: with a file, a ceiling that is too low, and the end without script.
func TestSlowABatchFromAFileToItsResult(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "Clientes de maio.csv")
	table := "nome;CPF do cliente\nAna;900.000.001-75\nBia;52998224725\nAna de novo;90000000175\nCaio;5,29982E+10\n"
	if err := os.WriteFile(file, []byte(table), 0o600); err != nil {
		t.Fatal(err)
	}
	journey(t, func(t *testing.T, _ *place, b *browsertest.Browser) {
		b.Visit("/lotes")
		b.See("Nenhum lote ainda")
		b.Accessible()
		b.Attach("#arquivo", file)
		b.Press("Fazer orçamento")
		b.See("Clientes de maio", "Orçado", "Custo máximo", "R$ 0,90", "virou um número arredondado")
		b.Accessible()
		b.Size(360, true)
		b.Accessible()
		b.Size(1280, false)
		b.Fill("#teto", "muito")
		b.Press("Consultar 2")
		b.See("Escreva o teto em reais, como 50,00.")
		b.Accessible()
		lookuptest.Eventually(t, "after a wrong ceiling the focus is on its field", func() bool {
			return browsertest.Eval[string](b, "document.activeElement.id") == "teto"
		})
		b.Fill("#teto", "0,45")
		b.Press("Consultar 2")
		b.See("O lote chegou ao teto")
		b.Accessible()
		b.Fill("#teto", "0,90")
		b.Press("Retomar")
		b.See("Concluído", "como na linha 2")
		b.Accessible()
		b.Size(360, true)
		b.Accessible()
		b.Visit("/lotes")
		b.See("Clientes de maio", "Concluído", "2 de 2")
		b.Accessible()
		b.Fill("#documentos", "nada")
		b.Press("Fazer orçamento")
		b.See("Nenhuma coluna tem")
		comesBack(t, b, "#documentos", "nada", "documentos")
		b.Accessible()
	})
}

// refreshed waits until the page has asked for its progress once more.
func refreshed(t *testing.T, b *browsertest.Browser) {
	t.Helper()
	browsertest.Eval[bool](b, "addEventListener('htmx:after:swap', () => window.refreshed = true, {once: true}), true")
	lookuptest.Eventually(t, "the page asks for its progress", func() bool {
		return browsertest.Eval[bool](b, "window.refreshed === true && delete window.refreshed")
	})
}

// TestSlowABatchIsPausedResumedAndDownloaded by a person, while the bureau is slow with the second document.
func TestSlowABatchIsPausedResumedAndDownloaded(t *testing.T) {
	t.Parallel()
	docs := lookuptest.CPFs(91, 5)
	file, table := filepath.Join(t.TempDir(), "Clientes lentos.csv"), "nome;CPF\n"
	for i, d := range docs {
		table += fmt.Sprintf("Cliente %d;%s\n", i+1, d)
	}
	if err := os.WriteFile(file, []byte(table), 0o600); err != nil {
		t.Fatal(err)
	}
	testkit.OnBothDatabases(t, func(t *testing.T, env map[string]string) {
		bureau := lookuptest.StartBureau(t, nil)
		maps.Copy(env, map[string]string{
			"FICHARIO_BATCH_CONCURRENCY": "1", "TESTE_TOKEN": lookuptest.Secret,
			"FICHARIO_BUREAU": lookuptest.BureauFile(t, bureau.URL, lookuptest.Patient),
		})
		release := sync.OnceFunc(bureau.Hold(docs[1]))
		defer release()
		p := start(t, env)
		b := browsertest.StartBrowser(t, p.URL)
		b.SignIn(email, password)
		b.Visit("/lotes")
		b.Attach("#arquivo", file)
		b.Press("Fazer orçamento")
		b.Press("Consultar 5")
		b.See("Em andamento", "Feitos 1 de 5")
		b.Accessible()
		up := b.Hold("#pausar")
		refreshed(t, b)
		up() // a person's finger is slower than the page
		b.See("Pausado", "O lote está pausado. Nada é consultado até alguém o retomar.")
		release()
		lookuptest.Eventually(t, "the page shows what was running as ended, and stays as it is", func() bool {
			return browsertest.Eval[bool](b, "!document.querySelector('#andamento[hx-get]')")
		})
		b.Accessible()
		b.Size(360, true)
		b.Accessible()
		b.Press("Retomar")
		b.See("Concluído", "Feitos 5 de 5")
		b.Size(1280, false)
		got := browsertest.Eval[string](b, `(async () => {
			const link = [...document.links].find(a => a.innerText.trim() === 'Baixar CSV')
			const answer = await fetch(link.href)
			return answer.headers.get('Content-Disposition') + '\n' + await answer.text()
		})()`)
		lines := strings.Split(strings.TrimSpace(got), "\n")
		expect := append([]string{`filename="lote-`, "nome"}, "Cliente 1", "Cliente 2", "Cliente 3", "Cliente 4", "Cliente 5")
		for i, want := range expect {
			if len(lines) != len(expect) || !strings.Contains(lines[i], want) {
				t.Fatalf("line %d of %d is %q, and not of %q", i, len(lines), lines[i], want)
			}
		}
		b.Visit("/notificacoes")
		b.See("Clientes lentos", "documentos consultados: 5")
		b.SeeNot("pausado")
		aFormGoesFirst(t, b)
		walked.Add(1)
	})
}

// aFormGoesFirst: what a page polls for reloads it, but not while a form is on its way, which the reload would undo.
func aFormGoesFirst(t *testing.T, b *browsertest.Browser) {
	t.Helper()
	const polled = `const ctx = { sourceEvent: { type: 'every' }, response: { headers: new Headers({ 'HX-Refresh': 'true' }) } }
		document.dispatchEvent(new CustomEvent('htmx:before:response', { cancelable: true, detail: { ctx } }))`
	kept := browsertest.Eval[bool](b, `new Promise((after) => {
		window.kept = true
		document.forms[0].dispatchEvent(new Event('submit', { bubbles: true }))
		`+polled+`
		setTimeout(() => after(true), 500)
	})`)
	if !kept || !browsertest.Eval[bool](b, "window.kept === true") {
		t.Error("a form on its way was undone by a reload")
	}
	b.Visit("/notificacoes")
	browsertest.Eval[bool](b, `(window.kept = true, setTimeout(() => { `+polled+` }), true)`)
	lookuptest.Eventually(t, "the page reloads itself", func() bool { return browsertest.Eval[bool](b, "window.kept === undefined") })
}

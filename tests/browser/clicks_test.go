package browser

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"fichario/tests/testkit"
	"fichario/tests/testkit/browsertest"
)

// hands counts a person's actions: a click, a shortcut, or Enter after typing is one each, typing is none.
type hands struct {
	*browsertest.Browser
	n int
}

func (h *hands) press(words string) { h.n++; h.Press(words) }
func (h *hands) click(css string)   { h.n++; h.Click(css) }
func (h *hands) enter()             { h.n++; h.Key(kb.Enter) }

// shortcut presses a key with Control.
func (h *hands) shortcut(key string) {
	h.n++
	browsertest.Eval[bool](h.Browser, "document.activeElement.dispatchEvent(new KeyboardEvent('keydown', {key: '"+key+
		"', ctrlKey: true, bubbles: true, cancelable: true}))")
}

// choose opens a list and picks an entry: two clicks.
func (h *hands) choose(css, words string) {
	h.n += 2
	browsertest.Eval[bool](h.Browser, "(s => { s.value = [...s.options].find(o => o.text.trim() === '"+words+
		"').value; s.dispatchEvent(new Event('change', {bubbles: true})); return true })(document.querySelector('"+css+"'))")
}

// TestSlowTheCommonestJobsTakeFewClicks counts ten jobs through the interface. Together they took 29, and may take 18.
func TestSlowTheCommonestJobsTakeFewClicks(t *testing.T) {
	t.Parallel()
	glance(t, func(t *testing.T, p *place, b *browsertest.Browser) {
		p.send(t, "nome", "Gael Bittencourt", "email", "gael@example.com", "telefone", "(11) 98765-4321",
			"cpf", "111.444.777-35")
		testkit.RunInput(t, password+"\n", p.env, "member", "add", "--org", p.org, "--name", "Joana Brandolim",
			"--email", "joana@example.com", "--role", "member", "--password-stdin")
		h, total := &hands{Browser: b}, 0
		job := func(name, from string, goal int, do func()) {
			if from != "" {
				b.Visit(from)
			}
			h.n = 0
			do()
			if total += h.n; h.n > goal {
				t.Errorf("%s takes %d, not %d", name, h.n, goal)
			}
		}
		job("look up a CPF", "/contatos", 2, func() {
			h.shortcut("k")
			b.Fill("dialog.finder input", "529.982.247-25")
			b.See("CPF 529.982.247-25", "R$ 0,45")
			h.enter()
			b.See("Resposta original do bureau")
		})
		job("next product of the same person", "", 1, func() {
			h.click(".prods button")
			b.See("Cobrado: R$ 0,15", "Resposta original do bureau")
		})
		job("open from history", "/contatos", 2, func() {
			h.click(".nav a[href='/consultar']")
			h.click("main td.asked a")
			b.See("Resposta original do bureau")
		})
		job("WhatsApp the newest lead", "/", 1, func() {
			b.See("Gael Bittencourt")
			h.n++ // clicking it would leave for another site
			if got := browsertest.Eval[string](b, "document.querySelector('main a[href^=\"https://wa.me/\"]').href"); got !=
				"https://wa.me/5511987654321" {
				t.Errorf("the conversation is with %s", got)
			}
		})
		job("find and open a contact", "/", 2, func() {
			h.shortcut("k")
			b.Fill("dialog.finder input", "gael")
			b.See("gael@example.com")
			h.enter()
			b.See("Últimos acontecimentos")
		})
		job("move on its page", "", 2, func() {
			h.choose("#para", "Proposta")
			b.See("Movido para Proposta")
		})
		job("add a note", "", 2, func() {
			h.click("#texto")
			b.Fill("#texto", "Ligar às 14 h")
			h.shortcut("Enter")
			b.See("Nota acrescentada")
		})
		job("assign", "", 2, func() {
			h.choose("#resp", "Joana Brandolim")
			b.See("Responsável guardado")
		})
		job("look up in the documents tab and come back", "", 2, func() {
			h.click("nav.tabs a[href$='/documentos']")
			b.See("Consultas deste contato") // or the previous page's button would be pressed
			h.press("Cadastro de pessoa")
			b.See("Cobrado: R$ 0,45", "em 1 consulta")
		})
		b.Visit("/webhooks")
		b.Press("Formulário do site")
		b.Press("Desligar")
		b.Click("dialog:modal button.btn-x")
		b.See("Este webhook está desligado")
		p.send(t, "nome", "Bianca Lustosa", "email", "bianca@example.com")
		b.Press("Ligar")
		b.See("Webhook ligado", "Recusada")
		job("replay a post from the log", "", 1, func() {
			h.press("Refazer")
			b.See("Contato criado a partir do envio guardado")
		})
		if total > 18 {
			t.Errorf("the ten jobs take %d, not 18", total)
		}
	})
}

// TestSlowRarerJobsTakeFewClicks counts those of the phone, of a batch with its file, of an erasure and of an
// invitation.
func TestSlowRarerJobsTakeFewClicks(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "Carteira.csv")
	if err := os.WriteFile(file, []byte("nome;CPF\nAna;900.000.001-75\nBia;52998224725\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	glance(t, func(t *testing.T, p *place, b *browsertest.Browser) {
		p.send(t, "nome", "Gael Bittencourt", "email", "gael@example.com", "telefone", "(11) 98765-4321",
			"cpf", "111.444.777-35")
		h := &hands{Browser: b}
		job := func(name, from string, goal int, do func()) {
			t.Helper()
			b.Visit(from)
			h.n = 0
			if do(); h.n > goal {
				t.Errorf("%s takes %d, not %d", name, h.n, goal)
			}
		}
		b.Size(390, false)
		job("a contact's number on a phone", "/contatos", 0, func() {
			b.See("Gael Bittencourt")
			const inSight = `(r => r.width > 0 && r.bottom <= innerHeight)(document.querySelector('td a[href="tel:+5511987654321"]')` +
				`.getBoundingClientRect())`
			if !browsertest.Eval[bool](b, inSight) {
				t.Error("the number is not in sight")
			}
		})
		b.Size(1280, false)
		job("a batch with a ceiling, to its file", "/", 7, func() {
			h.click(".nav a[href='/lotes']")
			b.See("Nenhum lote ainda")
			h.n++
			b.Attach("#arquivo", file)
			h.press("Fazer orçamento")
			b.See("Custo máximo", "R$ 0,90")
			h.click("#teto")
			b.Fill("#teto", "0,90")
			h.press("Consultar 2")
			b.See("Concluído")
			h.n++ // clicking it would leave for a file
			if !browsertest.Eval[bool](b, `document.querySelector('a[href$="/resultado.csv"]').checkVisibility()`) {
				t.Error("the file is not offered")
			}
		})
		job("an invitation", "/", 4, func() {
			h.click(".nav a[href='/configuracoes']")
			h.press("Acrescentar uma pessoa")
			h.click("#nome")
			b.Fill("#nome", "Joana Brandolim")
			b.Fill("#email", "joana@example.com")
			b.Fill("#senha-nova", "outra-senha-longa")
			h.enter()
			b.See("Pessoa acrescentada", "joana@example.com")
		})
		job("an erasure", "/", 4, func() {
			h.click(".nav a[href='/privacidade']")
			b.See("Procurar um titular")
			if got := browsertest.Eval[string](b, "document.activeElement.id"); got != "valor" {
				t.Errorf("the focus is on %q", got)
			}
			b.Fill("#valor", "111.444.777-35")
			h.enter()
			h.press("Apagar tudo")
			h.press("Apagar para sempre")
			b.See("O que fica, e por quê")
		})
	})
}

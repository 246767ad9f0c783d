package browser

import (
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

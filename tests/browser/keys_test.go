package browser

import (
	"fmt"
	"testing"

	"fichario/tests/testkit/browsertest"
	"fichario/tests/testkit/lookuptest"
)

// TestSlowKeysWalkTheLists: through rows and from page to page, but not while somebody types or a question is open, nor
// where they are switched off.
func TestSlowKeysWalkTheLists(t *testing.T) {
	t.Parallel()
	glance(t, func(t *testing.T, p *place, b *browsertest.Browser) {
		for i := range 3 {
			p.send(t, "nome", fmt.Sprintf("Pessoa número %d", i), "email", fmt.Sprintf("p%d@example.com", i))
		}
		focused := func(want string) {
			t.Helper()
			if got := browsertest.Eval[string](b, "document.activeElement.textContent.trim()"); got != want {
				t.Errorf("the focus is on %q, not %q", got, want)
			}
		}
		b.Visit("/")
		b.Key("g")
		b.Key("c")
		b.At("/contatos")
		b.See("Pessoa número 2")
		b.Key("j")
		focused("Pessoa número 2")
		b.Key("j")
		focused("Pessoa número 1")
		b.Key("k")
		focused("Pessoa número 2")
		b.Key("x")
		if got := browsertest.Eval[int](b, "document.querySelectorAll('[name=c]:checked').length"); got != 1 {
			t.Errorf("%d rows are marked", got)
		}
		b.Key("?")
		b.See("Atalhos do teclado", "Próxima linha da lista")
		b.Accessible()
		b.Key("g")
		b.Key("f") // a question is open
		b.Key("\x1b")
		b.At("/contatos")
		b.Fill("#busca-contatos", "gf")
		b.At("/contatos")
		browsertest.Eval[bool](b, "(document.activeElement.blur(), true)")
		b.Key("j")
		b.Key("e")
		b.See("Guardar")
		b.Size(390, false)
		b.Visit("/atalhos")
		if got := browsertest.Eval[int](b, "document.querySelector('dialog').scrollTop + scrollY"); got != 0 {
			t.Errorf("on a phone the keys begin %d pixels above", got)
		}
		b.Window(1280, 900)
		b.Visit("/conta")
		b.Click("[name=atalhos][value=nao]")
		browsertest.Eval[bool](b, "(document.querySelector('form[action=\"/conta/atalhos\"]').requestSubmit(), true)")
		b.See("Teclas sozinhas desligadas")
		b.Accessible()
		b.Key("g")
		b.Key("c")
		b.Key("/")
		b.At("/conta")
		if browsertest.Eval[bool](b, "document.querySelector('dialog') !== null") {
			t.Error("a key opens the search though keys are switched off")
		}
	})
}

// TestSlowKeysLeaveSwitchesAlone: X marks rows that can be marked, and switches nothing on or off; E edits the contact
// whose history a row leads to.
func TestSlowKeysLeaveSwitchesAlone(t *testing.T) {
	t.Parallel()
	glance(t, func(t *testing.T, p *place, b *browsertest.Browser) {
		b.Visit("/automacoes/nova?acao=add_note")
		b.Fill("#nome", "Anotar")
		b.Fill("#texto", "Ligar hoje")
		b.Press("Guardar")
		b.See("Automação criada")
		b.Visit("/automacoes")
		b.Key("j")
		b.Key("x")
		if !browsertest.Eval[bool](b, "document.querySelector('.switch').checked") {
			t.Error("X switches an automation off")
		}
		p.send(t, "nome", "Gael Bittencourt", "email", "gael@example.com")
		b.Visit("/contatos")
		browsertest.Eval[bool](b, "(document.querySelector('.t tbody th a').pathname += '/historico', true)")
		b.Key("j")
		b.Key("e")
		b.See("Guardar")
	})
}

// shiftOf is by how much a page moved while it loaded, as browsers count it.
func shiftOf(b *browsertest.Browser) float64 {
	return browsertest.Eval[float64](b, `new Promise((done) => {
		let sum = 0
		new PerformanceObserver((all) => { for (const s of all.getEntries()) sum += s.value })
			.observe({ type: 'layout-shift', buffered: true })
		requestAnimationFrame(() => requestAnimationFrame(() => done(sum)))
	})`)
}

// TestSlowPagesDoNotMoveWhileTheyLoad: those that people look at all day.
func TestSlowPagesDoNotMoveWhileTheyLoad(t *testing.T) {
	t.Parallel()
	glance(t, func(t *testing.T, p *place, b *browsertest.Browser) {
		for i := range 40 {
			p.send(t, "nome", fmt.Sprintf("Pessoa número %d", i), "email", fmt.Sprintf("p%d@example.com", i),
				"telefone", "(11) 98765-4321", "valor", "R$ 1.273.400,50")
		}
		b.Visit("/contatos")
		contact := browsertest.Eval[string](b, "document.querySelector('.t tbody th a').pathname")
		for _, path := range []string{
			"/", "/contatos", "/contatos?retorno=sem&ordem=antigos", contact, contact + "/documentos", "/consultar", "/funil",
		} {
			for _, width := range []int64{390, 1280, 1920} {
				b.Window(width, 900)
				b.Visit(path)
				if shift := shiftOf(b); shift > 0.05 {
					t.Errorf("at %d px %s shifts by %.3f while it loads", width, path, shift)
				}
			}
		}
	})
}

// TestSlowTheBoardBreaksNoWord: at every width columns have room, no card is wider than it shows, heads stay in sight,
// won and lost are folded, and nothing moves while the page loads.
func TestSlowTheBoardBreaksNoWord(t *testing.T) {
	t.Parallel()
	glance(t, func(t *testing.T, p *place, b *browsertest.Browser) {
		for i := range 12 {
			p.send(t, "nome", "Maria Aparecida dos Santos Albuquerque", "email",
				fmt.Sprintf("financeiro.contas.a.pagar.%d@padaria-aurora-do-horizonte.example", i),
				"valor", "R$ 1.273.400,50", "empresa", "Construtora Horizontes Paranapiacaba Empreendimentos")
		}
		for _, width := range []int64{360, 390, 768, 1024, 1280, 1366, 1920} {
			b.Window(width, 900)
			b.Visit("/funil")
			b.See("Maria Aparecida dos Santos Albuquerque")
			type measured struct {
				Wide, Narrow, Broken int
				Head                 bool
			}
			got := browsertest.Eval[measured](b, `(() => {
				const cards = [...document.querySelectorAll('.lead')]
				const broken = (e) => {
					const text = e.querySelector('bdi').firstChild
					let at = 0, count = 0
					for (const word of text.data.split(' ')) {
						const r = document.createRange()
						r.setStart(text, at); r.setEnd(text, at + word.length)
						if (r.getClientRects().length > 1) count++
						at += word.length + 1
					}
					return count
				}
				const board = document.querySelector('.board')
				board.scrollTop = 200
				const head = document.querySelector('.stage header').getBoundingClientRect()
				return {
					Wide: cards.filter((c) => c.scrollWidth > c.clientWidth).length,
					Narrow: [...document.querySelectorAll('.stage:not(.stage-end)')].filter((s) => s.offsetWidth < 240).length,
					Broken: cards.reduce((n, c) => n + broken(c.querySelector('h3 a')), 0),
					Head: head.top >= board.getBoundingClientRect().top - 1 && head.bottom > board.getBoundingClientRect().top,
				}
			})()`)
			if got.Wide > 0 || got.Narrow > 0 || got.Broken > 0 || !got.Head {
				t.Errorf("at %d px: %+v", width, got)
			}
			if shift := shiftOf(b); shift > 0.05 {
				t.Errorf("at %d px the page shifts by %.3f while it loads", width, shift)
			}
		}
		b.Visit("/equipe/funis")
		b.Press("Acrescentar uma etapa")
		b.Fill("input[placeholder='Nova etapa']", "Vistoria")
		b.Key("\r")
		b.See("Funil guardado")
		b.Click("tr:nth-last-child(2) form:nth-of-type(2) button") // lost goes down, and then won
		b.See("Tirar Vistoria ⠿Perdido")
		b.Click("tr:nth-last-child(3) form:nth-of-type(2) button")
		b.See("Tirar Vistoria ⠿Ganho")
		for _, width := range []int64{1280, 1920} {
			b.Window(width, 900)
			b.Visit("/funil")
			if got := browsertest.Eval[int](b, `[...document.querySelectorAll('.stage-end')].filter((s) => {
				const r = s.getBoundingClientRect(), at = document.elementFromPoint(r.left + r.width / 2, r.top + 40)
				return r.right <= innerWidth && s.contains(at)
			}).length`); got != 2 {
				t.Errorf("at %d px, %d of won and lost are in sight beside five stages", width, got)
			}
			b.Accessible()
		}
		b.Window(1280, 900)
		b.Visit("/funil")
		b.See("Mostrar mais")
		const cards = "document.querySelectorAll('.stage:nth-of-type(1) .lead h3 a')"
		shown := browsertest.Eval[int](b, cards+".length")
		b.Press("Mostrar mais")
		lookuptest.Eventually(t, "all cards are there, and the first of the new ones has the focus", func() bool {
			return browsertest.Eval[bool](b,
				fmt.Sprintf("%s.length === 12 && %[1]s[%d] === document.activeElement", cards, shown))
		})
		b.SeeNot("Mostrar mais")
		b.Accessible()
		b.Visit("/funil")
		b.Click(".lead summary")
		b.Press("Ganho")
		b.See("Movido para Ganho", "O último")
		b.Click(".stage-fold summary")
		if !browsertest.Eval[bool](b, "document.querySelector('.stage-end .lead').checkVisibility()") {
			t.Error("what was won is not shown unfolded")
		}
		b.Accessible()
		b.Click(".stage-end .lead h3 a") // the person opens beside the board
		b.See("Últimos acontecimentos")
		b.At("/funil")
		b.Accessible()
		b.Key("\x1b")
		if !browsertest.Eval[bool](b, "document.activeElement.matches('.lead h3 a')") {
			t.Error("Esc does not give the focus back to the card")
		}
	})
}

// TestSlowListsUseTheWholeScreen: on a large screen a list's table is as wide as that, and on no screen is a page
// wider.
func TestSlowListsUseTheWholeScreen(t *testing.T) {
	t.Parallel()
	glance(t, func(t *testing.T, p *place, b *browsertest.Browser) {
		p.send(t, "nome", "Gael Bittencourt", "email", "gael@example.com")
		for _, path := range []string{"/contatos", "/extrato", "/chaves", "/webhooks", "/auditoria", "/bureaus", "/lotes"} {
			b.Window(1920, 1000)
			b.Visit(path)
			if got := browsertest.Eval[float64](b, "document.querySelector('main > .card, main > div > .card, main section')"+
				".getBoundingClientRect().right"); got < 1860 {
				t.Errorf("%s ends at %.0f of 1920 pixels", path, got)
			}
			b.Window(390, 800)
			b.Visit(path)
			if got := browsertest.Eval[float64](b, "document.documentElement.scrollWidth"); got > 390 {
				t.Errorf("%s is %.0f pixels wide on a phone of 390", path, got)
			}
		}
	})
}

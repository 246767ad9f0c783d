package browser

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"fichario/tests/testkit/browsertest"
)

// wholeRows is how many rows of a list can be seen whole, before anything is scrolled.
const wholeRows = `[...document.querySelectorAll('.t-line tbody tr')].map(r => r.getBoundingClientRect())
	.filter(r => r.top >= 0 && r.bottom <= innerHeight).length`

// rowHeights is the height of the lowest and the highest row, rounded.
const rowHeights = `(all => Math.round(Math.min(...all)) + ' to ' + Math.round(Math.max(...all)))(
	[...document.querySelectorAll('.t-line tbody tr')].map(r => r.getBoundingClientRect().height))`

// people are as many contacts as a page has, with names, companies and numbers of usual lengths.
func (p *place) people(t *testing.T, n int) {
	t.Helper()
	for i := range n {
		p.send(t, "nome", fmt.Sprintf("Maria Aparecida dos Santos %02d", i), "email", fmt.Sprintf("p%d@example.com", i),
			"telefone", fmt.Sprintf("(11) 98765-43%02d", i), "empresa", "Indústria e Comércio de Embalagens Ltda",
			"valor", "1.234.567,89")
	}
}

// TestSlowTheListIsDense: a line for each contact, at least 14 of them at 1280 by 800, and the whole width at 1920.
func TestSlowTheListIsDense(t *testing.T) {
	t.Parallel()
	glance(t, func(t *testing.T, p *place, b *browsertest.Browser) {
		p.people(t, 40)
		dense := func(want string) {
			t.Helper()
			b.Window(1280, 800)
			b.Visit("/contatos")
			if n := browsertest.Eval[int](b, wholeRows); n < 14 {
				t.Errorf("%d rows are seen whole", n)
			}
			if got := browsertest.Eval[string](b, rowHeights); got != want {
				t.Errorf("rows are %s pixels high, want %s", got, want)
			}
			b.Accessible()
		}
		dense("28 to 28")
		b.Press("Colunas")
		b.Accessible()
		b.Click(".panel [value=confortavel]")
		b.Click(".panel [value=email]")
		b.Click(".panel > button")
		b.See("Colunas guardadas.", "p1@example.com")
		dense("36 to 36")
		b.Press("Colunas")
		b.Click(".panel [name=subir][value=email]")
		b.See("Coluna movida.", "Colunas, na ordem da lista")
		if got := browsertest.Eval[string](b, "document.activeElement.ariaLabel"); got != "Subir E-mail" {
			t.Errorf("after a column is moved, the focus is on %q", got)
		}
		b.Click(".panel [value=email]")
		b.Click(".panel [value=compacto]")
		b.Click(".panel > button")
		b.See("Colunas guardadas.")
		b.Visit("/contatos?ordem=valor&quando=30")
		b.Press("Guardar vista")
		b.Fill("#vista", "Maiores do mês")
		b.Accessible()
		b.Press("Guardar")
		b.See("Vista “Maiores do mês” guardada.")
		b.Visit("/contatos")
		b.Click(".nav-v a[href*='quando=30']") // in the menu
		b.See("40 contatos com estes filtros")
		b.Window(1920, 1080)
		b.Visit("/contatos")
		if got := browsertest.Eval[int](b, "document.querySelector('.t-line').offsetWidth"); got < 1500 {
			t.Errorf("the list is %d pixels wide at 1920", got)
		}
		b.Accessible()
		for _, width := range []int64{390, 900, 1100} {
			b.Size(width, width == 900)
			b.Accessible()
		}
		b.Size(390, false)
		if top := browsertest.Eval[float64](b, "document.querySelector('tbody tr').getBoundingClientRect().top"); top > 320 {
			t.Errorf("on a phone the first row begins %.0f pixels down", top)
		}
		if !browsertest.Eval[bool](b, `document.querySelector('tbody .ct').getBoundingClientRect().bottom <=
			document.querySelector('tbody th').getBoundingClientRect().top`) {
			t.Error("on a phone the number is not above the name")
		}
		browsertest.Eval[bool](b, `(() => { // where the bar appears
			const row = document.querySelector('tbody tr:nth-child(3)')
			scrollBy(0, row.getBoundingClientRect().bottom - innerHeight + 64)
			row.querySelector('[name=c]').click()
			return true
		})()`)
		b.See("1 marcado")
		if !browsertest.Eval[bool](b, `document.querySelector('tbody tr:nth-child(3)').getBoundingClientRect().bottom <=
			document.querySelector('.bulk').getBoundingClientRect().top`) {
			t.Error("on a phone the bar hides the row that was just marked")
		}
		b.Accessible()
		b.Press("Mover para…")
		b.Accessible()
		const beside = `(() => {
			const button = document.querySelector('[popovertarget=mover-para]').getBoundingClientRect()
			const menu = document.querySelector('#mover-para').getBoundingClientRect()
			return Math.abs(button.top - menu.bottom) < 8 && menu.left < button.right && menu.right > button.left &&
				menu.left >= 0 && menu.right <= innerWidth
		})()`
		if !browsertest.Eval[bool](b, beside) {
			t.Error("on a phone the menu is not above its button")
		}
		b.Key(kb.Escape)
		b.Press("Já falei")
		b.See("Conversa anotada.")
		b.At("/contatos")
	})
}

// TestSlowManyContactsTakeFewClicks: fifty are moved and moved back with four, two are merged with two after they are
// marked; Shift marks a range.
func TestSlowManyContactsTakeFewClicks(t *testing.T) {
	t.Parallel()
	glance(t, func(t *testing.T, p *place, b *browsertest.Browser) {
		p.people(t, 51)
		h := &hands{Browser: b}
		h.job(t, "move fifty and undo", "/contatos", func() {
			h.click("[data-mark]")
			b.See("50 marcados")
			bottom := browsertest.Eval[int](b, "innerHeight - document.querySelector('.bulk').getBoundingClientRect().bottom")
			if bottom != 0 {
				t.Errorf("the bar is %d pixels above the bottom", bottom)
			}
			h.press("Mover para…")
			if apart := browsertest.Eval[float64](b, `(() => {
				const left = (of) => document.querySelector(of).getBoundingClientRect().left
				return Math.abs(left('#mover-para') - left('[popovertarget=mover-para]'))
			})()`); apart > 120 {
				t.Errorf("the menu is %.0f pixels beside its button", apart)
			}
			h.press("Proposta")
			b.See("50 contatos movidos para Proposta")
			h.press("Desfazer")
			b.See("Desfeito: 50 contatos voltaram")
		})

		shift := func(row string) {
			browsertest.Eval[bool](b, `document.querySelector('tbody tr:nth-child(`+row+`) [name=c]')
				.dispatchEvent(new MouseEvent('click', {bubbles: true, cancelable: true, shiftKey: true}))`)
		}
		b.Visit("/contatos")
		b.Click("tbody tr:nth-child(3) [name=c]")
		shift("7")
		b.See("5 marcados")
		shift("4")
		b.See("1 marcado")
		b.Click("tbody tr:nth-child(3) [name=c]")
		h.job(t, "merge two, marked", "/contatos", func() {
			h.click("tbody tr:nth-child(3) [name=c]")
			h.click("tbody tr:nth-child(4) [name=c]")
			b.See("2 marcados")
			h.press("Unir os dois")
			b.See("Unir contatos", "Maria Aparecida dos Santos 47", "Maria Aparecida dos Santos 48")
			h.press("Unir")
			b.See("foi unido a este")
		})

		p.send(t, "nome", "Maria Santos", "email", "p50@example.com")
		h.job(t, "merge two", "/contatos", func() {
			h.press("repetido?")
			b.See("Unir contatos", "Maria Aparecida dos Santos 50", "Maria Santos")
			h.press("Unir")
			b.See("foi unido a este")
		})
	})
}

// TestSlowAPersonBesideTheList: at 1280 pixels a click on a row opens the person beside the list, Esc closes it and
// gives the focus back; on a smaller screen the name leads to the page.
func TestSlowAPersonBesideTheList(t *testing.T) {
	t.Parallel()
	glance(t, func(t *testing.T, p *place, b *browsertest.Browser) {
		p.people(t, 20)
		b.Window(1280, 800)
		b.Visit("/contatos")
		b.Press("Maria Aparecida dos Santos 18")
		b.See("Últimos acontecimentos", "p18@example.com")
		b.At("/contatos")
		b.Accessible()
		if got := browsertest.Eval[string](b, "document.activeElement.id"); got != "gaveta-t" {
			t.Errorf("the focus is on %q", got)
		}
		b.Click("tbody tr:nth-child(4) .cs")
		b.See("p16@example.com")
		b.Size(1920, true)
		b.Accessible()
		const amount = "document.querySelector('tbody .cv').checkVisibility()"
		if !browsertest.Eval[bool](b, amount) {
			t.Error("at 1920 pixels the drawer leaves no room for amounts")
		}
		b.Window(1280, 800)
		if browsertest.Eval[bool](b, amount) {
			t.Error("at 1280 pixels the drawer leaves room for amounts")
		}
		b.Key(kb.Escape)
		b.SeeNot("Últimos acontecimentos")
		got := browsertest.Eval[string](b, "document.activeElement.textContent")
		if got != "Maria Aparecida dos Santos 16" {
			t.Errorf("after Esc the focus is on %q", got)
		}
		b.Press("Maria Aparecida dos Santos 16")
		b.See("p16@example.com")
		b.Key("j") // from the person who is open, and the next one follows
		b.See("p15@example.com")
		b.Key("k")
		b.Key("k")
		b.See("p17@example.com")
		if got := browsertest.Eval[string](b, "document.activeElement.textContent"); got != "Maria Aparecida dos Santos 17" {
			t.Errorf("while keys walk the list, the focus is on %q", got)
		}
		b.Press("Maria Aparecida dos Santos 18")
		b.See("p18@example.com")
		b.Press("Já falei")
		b.See("Conversa anotada.")
		b.At("/contatos")
		b.Press("Contato")
		if got := browsertest.Eval[string](b, "location.search"); got != "?ordem=nome" {
			t.Errorf("sorting by name leads to %q", got)
		}
		b.Window(1100, 800)
		b.Visit("/contatos")
		b.Press("Maria Aparecida dos Santos 18")
		b.See("Últimos acontecimentos", "Acrescentar à nota")
	})
}

// cutShort names what of a row is cut though it must be read whole: how long somebody has waited, and amounts.
const cutShort = `[...document.querySelectorAll('.t-line tbody tr')].flatMap(row => {
	const amount = row.querySelector('.cv'), mark = row.querySelector('th b'), name = row.querySelector('th input + a')
	const age = document.createRange()
	age.selectNode(mark.lastChild)
	const seen = age.getBoundingClientRect(), box = mark.getBoundingClientRect()
	return [
		amount.scrollWidth > amount.clientWidth && amount.textContent,
		(seen.right > box.right + 1 || seen.top < box.top - 1 || seen.bottom > box.bottom + 1 || seen.width < 8) &&
			mark.textContent,
		name.getBoundingClientRect().width < 44 && name.textContent.length > 12 && name.textContent,
	]
}).filter(Boolean).slice(0, 3).join(', ')`

// TestSlowNoAgeAndNoAmountIsCut in the list, however long a name and however large an amount: the name gives way.
func TestSlowNoAgeAndNoAmountIsCut(t *testing.T) {
	t.Parallel()
	glance(t, func(t *testing.T, p *place, b *browsertest.Browser) {
		for i, name := range []string{
			"O", "José Antônio de Alcântara Figueiredo Cavalcanti de Albuquerque e Mello Neto", "محمد بن عبد الله",
			"Supercalifragilisticexpialidocious" + "Supercalifragilisticexpialidocious", "🎉 Festa da Firma 🎈",
		} {
			p.send(t, "nome", name, "email", fmt.Sprintf("p%d@example.com", i), "telefone", "(11) 98765-4321", "valor", "999.999.999,99")
		}
		for _, width := range []int64{870, 1024, 1100, 1280, 1440, 1600, 1920} {
			b.Window(width, 800)
			b.Visit("/contatos")
			if cut := browsertest.Eval[string](b, cutShort); cut != "" {
				t.Errorf("at %d pixels one cannot read %s", width, cut)
			}
		}
	})
}

// TestSlowTheListOnPaper is printed across, a line for each contact and nothing beyond the edge; a browser that prints
// it upright leaves columns out.
func TestSlowTheListOnPaper(t *testing.T) {
	t.Parallel()
	glance(t, func(t *testing.T, p *place, b *browsertest.Browser) {
		p.people(t, 12)
		p.send(t, "nome", "José Antônio de Alcântara Figueiredo Cavalcanti de Albuquerque", "email", "jose@example.com",
			"valor", "999.999.999,99", "empresa", "Transportes Interestaduais Reunidos do Vale do Paraíba")
		b.Media("print")
		for _, paper := range [][2]int64{{1047, 718}, {718, 1047}} { // A4 within its margins
			b.Window(paper[0], paper[1])
			b.Visit("/contatos")
			if wide := browsertest.Eval[int64](b, "document.documentElement.scrollWidth"); wide > paper[0]+1 {
				t.Errorf("the list is %d pixels wide on paper of %d: %s", wide, paper[0], browsertest.Eval[string](b, beyond))
			}
			high := browsertest.Eval[float64](b, `Math.max(...[...document.querySelectorAll('.t-line tbody tr')]
				.map(r => r.getBoundingClientRect().height))`)
			if most := map[bool]float64{true: 24, false: 52}[paper[0] > paper[1]]; high > most {
				t.Errorf("on paper of %d a row is %.0f pixels high, not %.0f", paper[0], high, most)
			}
		}
		if across := browsertest.Eval[bool](b, `[...document.styleSheets].some(s => s.media.mediaText === 'print' &&
			[...s.cssRules].some(r => r.cssText.startsWith('@page') && r.cssText.includes('landscape')))`); !across {
			t.Error("the page does not ask for paper across")
		}
	})
}

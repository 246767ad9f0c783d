package browser

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"fichario/tests/testkit/browsertest"
)

// TestSlowTheBoardUpdatesItself when somebody else changes it, but nothing moves under the pointer.
func TestSlowTheBoardUpdatesItself(t *testing.T) {
	t.Parallel()
	journey(t, func(t *testing.T, p *place, b *browsertest.Browser) {
		b.Visit("/funil")
		b.SeeNot("Chegou Agora")
		p.send(t, "nome", "Chegou Agora", "email", "agora@example.com")
		b.See("Chegou Agora")
		b.Accessible()
		browsertest.Eval[bool](b, "document.querySelector('#quadro a').focus() || true")
		p.send(t, "nome", "Chegou Depois", "email", "depois@example.com")
		b.See("Outra pessoa mudou esta página")
		b.SeeNot("Chegou Depois")
		b.Accessible()
		b.Press("Atualizar")
		b.See("Chegou Depois")
	})
}

// TestSlowTheListUpdatesItself, but not while boxes are ticked, and they stay ticked when the update is requested.
func TestSlowTheListUpdatesItself(t *testing.T) {
	t.Parallel()
	glance(t, func(t *testing.T, p *place, b *browsertest.Browser) {
		p.send(t, "nome", "Estava Aqui", "email", "antes@example.com")
		b.Visit("/contatos")
		b.See("Estava Aqui", "1 contato")
		p.send(t, "nome", "Chegou Agora", "email", "agora@example.com")
		b.See("Chegou Agora", "2 contatos")
		browsertest.Eval[bool](b, "(document.querySelector('input[name=c]').checked = true)")
		p.send(t, "nome", "Chegou Depois", "email", "depois@example.com")
		b.See("Outra pessoa mudou esta página")
		b.SeeNot("Chegou Depois")
		for _, width := range []int64{360, 1280} {
			for _, dark := range []bool{true, false} {
				b.Size(width, dark)
				b.Accessible()
			}
		}
		b.Press("Atualizar")
		b.See("Chegou Depois", "3 contatos")
		const ticked = "document.querySelector('input[name=c]:checked').closest('tr').innerText"
		if got := browsertest.Eval[string](b, ticked); !strings.Contains(got, "Chegou Agora") {
			t.Errorf("ticked is %q", got)
		}
	})
}

// TestSlowWhatAPageRepeatsSaysSo: polling is marked, because it is no visit; a person's own actions are not.
func TestSlowWhatAPageRepeatsSaysSo(t *testing.T) {
	t.Parallel()
	glance(t, func(_ *testing.T, _ *place, b *browsertest.Browser) {
		b.Visit("/contatos")
		browsertest.Eval[bool](b, `(() => {
			addEventListener('htmx:before:request', ({ detail: { ctx } }) => {
				const said = document.createElement('p')
				said.textContent = ctx.sourceEvent.type + ' ' + ctx.request.headers['X-Unattended']
				document.querySelector('main').append(said)
			})
			for (const trigger of ['every 1s', 'click']) {
				const asks = document.createElement('button')
				asks.setAttribute('hx-get', '/notificacoes/sino')
				asks.setAttribute('hx-trigger', trigger)
				asks.setAttribute('hx-swap', 'none')
				document.querySelector('main').append(asks)
				htmx.process(asks)
				asks.click()
			}
			return true
		})()`)
		b.See("every true", "click undefined")
	})
}

// TestSlowAPhone: the search comes first, filters are folded, and whole cards are tap targets, except for the
// controls on them.
func TestSlowAPhone(t *testing.T) {
	t.Parallel()
	glance(t, func(t *testing.T, p *place, b *browsertest.Browser) {
		p.send(t, "nome", "Gael Bittencourt", "email", "gael@example.com", "telefone", "(11) 98765-4321")
		at := func(css string, x, y float64) string {
			return browsertest.Eval[string](b, fmt.Sprintf(`(e => { e.scrollIntoView({block: 'center'})
				const r = e.getBoundingClientRect(), on = document.elementFromPoint(r.x + r.width * %g, r.y + r.height * %g)
				return (on.closest('a, label, summary') || on).tagName })(document.querySelector(%q))`, x, y, css))
		}
		b.Size(360, false)
		for _, path := range []string{"/contatos?retorno=sem", "/funil?retorno=sem"} {
			b.Visit(path)
			if browsertest.Eval[bool](b, "document.querySelector('#retorno').checkVisibility({contentVisibilityAuto: true})") {
				t.Errorf("%s: the filters are not folded", path)
			}
			b.Accessible()
			b.Press("Filtros (1)")
			b.Accessible()
			b.Size(360, true)
			b.Accessible()
			b.Size(1280, false)
			b.Visit(path)
			if !browsertest.Eval[bool](b, "document.querySelector('#retorno').checkVisibility({contentVisibilityAuto: true})") {
				t.Errorf("%s: the filters are folded on a wide screen", path)
			}
			b.Accessible()
			b.Size(360, false)
		}
		b.Visit("/finalidades")
		if !browsertest.Eval[bool](b, `(() => { const open = document.querySelector('.set-n [aria-current]')
			const [l, o] = [open.closest('ul'), open].map((e) => e.getBoundingClientRect())
			return l.height < 1.5 * o.height && l.left <= o.left && o.right <= l.right })()`) {
			t.Error("the list of settings is not one line that shows where one is")
		}
		b.Accessible()
		b.Visit("/contatos")
		if !browsertest.Eval[bool](b, "document.querySelector('#busca-contatos').getBoundingClientRect().top < "+
			"document.querySelector('.ph .acts').getBoundingClientRect().top") {
			t.Error("the search is not first")
		}
		if got := at("tbody tr", .5, .9); got != "A" {
			t.Errorf("the card of a list is no target: %s", got)
		}
		if got := at("tbody [name=c]", .5, .5); got != "INPUT" {
			t.Errorf("the box of a card is not above it: %s", got)
		}
		b.Visit("/funil")
		if got := at(".lead", .5, .9); got != "A" {
			t.Errorf("the card of a board is no target: %s", got)
		}
		if got := at(".lead summary", .5, .5); got != "SUMMARY" {
			t.Errorf("the menu of a card is not above it: %s", got)
		}
		b.Visit("/")
		if got := at("a[href^='https://wa.me']", .5, .5); got != "A" {
			t.Errorf("the conversation is not above its card: %s", got)
		}
		b.Visit("/consultas")
		b.Accessible()
		b.Window(360, 740)
		for _, path := range []string{"/contatos", "/contatos/novo", "/equipe"} {
			b.Visit(path)
			for _, hidden := range hiddenStops(b) {
				t.Errorf("%s: Tab leads to what cannot be seen: %s", path, hidden)
			}
		}
		b.Window(740, 360) // landscape
		b.Click(".nav-btn")
		if got := browsertest.Eval[float64](b, "document.querySelector('#mais').getBoundingClientRect().top"); got < 0 {
			t.Errorf("the menu begins %.0f pixels above the window", -got)
		}
		b.Click("#mais a[href='/auditoria']")
		b.At("/auditoria")
	})
}

// hiddenStops are elements that Tab reaches, from the top of a page to its end, while none of their corners nor their
// middle is visible: they are behind a bar, or off the screen.
func hiddenStops(b *browsertest.Browser) (hidden []string) {
	for range 100 {
		b.Key(kb.Tab)
		const seen = `(e => {
			if (e === document.body) return 'end'
			const r = (e.closest('label') || e).getBoundingClientRect(), inside = []
			for (const x of [.05, .5, .95]) for (const y of [.05, .5, .95]) {
				inside.push(document.elementFromPoint(r.x + r.width * x, r.y + r.height * y))
			}
			return inside.some(on => on && (e.contains(on) || e.closest('label')?.contains(on))) ? '' : e.outerHTML.slice(0, 120)
		})(document.activeElement)`
		switch got := browsertest.Eval[string](b, seen); got {
		case "end":
			return hidden
		case "":
		default:
			hidden = append(hidden, got)
		}
	}
	return hidden
}

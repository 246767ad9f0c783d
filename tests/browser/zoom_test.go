package browser

import (
	"strings"
	"testing"

	"fichario/tests/testkit"
	"fichario/tests/testkit/browsertest"
	"fichario/tests/testkit/lookuptest"
)

// mainPages are the pages that people work with, of the demonstration.
var mainPages = []string{
	"/", "/?periodo=7", "/consultar", "/consultas", "/lotes", "/contatos", "/contatos?valor=10000", "/contatos/novo", "/funil",
	"/retorno", "/importacoes", "/webhooks", "/webhooks/novo", "/chaves", "/chaves/nova", "/automacoes", "/automacoes/nova",
	"/notificacoes", "/extrato", "/equipe", "/equipe/funis", "/equipe/origens", "/campos", "/rodizios", "/pacotes", "/finalidades",
	"/bureaus", "/privacidade", "/privacidade/registro", "/auditoria", "/buscar", "/conta", "/conta/acessos", "/conta/segundo-fator", "/atalhos",
}

// TestSlowPagesStandZoomForcedColoursAndPaper: at 200 % a window of 1280 pixels has 640, in colours that the reader
// forces everything is still there, and paper has no navigation and nothing beyond its edge.
func TestSlowPagesStandZoomForcedColoursAndPaper(t *testing.T) {
	t.Parallel()
	p := testkit.StartProgram(t, testkit.Options{Args: []string{"--demo"}})
	lookuptest.Eventually(t, "what it prints arrives", func() bool { return strings.Contains(p.Logs(), "The interface: ") })
	b := browsertest.StartBrowser(t, "http://"+p.Instances()[0])
	b.SignIn("helena@demo.example", "fichario-demo")
	b.Visit("/contatos")
	contact := browsertest.Eval[string](b, `document.querySelector('main th a[href^="/contatos/"]').getAttribute('href')`)
	for _, page := range append([]string{contact}, mainPages...) {
		b.Window(640, 450)
		b.Visit(page)
		b.Accessible()
		b.Window(1280, 900)
		b.Media("", "forced-colors", "active")
		b.Accessible()
		if lost := browsertest.Eval[string](b, undrawn); lost != "" {
			t.Errorf("%s: in forced colours one cannot see %s", page, lost)
		}
		b.Window(718, 1000) // A4 within its margins
		b.Media("print")
		if shown := browsertest.Eval[bool](b, "document.querySelector('.side').checkVisibility()"); shown {
			t.Errorf("%s: paper has the navigation", page)
		}
		if wide := browsertest.Eval[int](b, "document.documentElement.scrollWidth"); wide > 719 {
			t.Errorf("%s: paper has %d pixels, not 718: %s", page, wide, browsertest.Eval[string](b, beyond))
		}
		if lost := browsertest.Eval[string](b, cramped); lost != "" {
			t.Errorf("%s: on paper one cannot read %s", page, lost)
		}
		b.Media("")
	}
}

// cramped names badges whose words do not fit, drawings that reach over their neighbours, and what only a screen has a
// use for: cards for something new, what rows are dragged by, and what a contact is changed by.
const cramped = `[...document.querySelectorAll(
	'main .badge, main .spark, main .set-new, main .grip, main .field[data-auto], main [data-quick]')]
	.filter(e => e.checkVisibility()).filter(e => e.matches('.spark')
		? [...e.children].some(c => c.getBoundingClientRect().right > e.closest('td').getBoundingClientRect().right + 1)
		: !e.matches('.badge') || e.scrollHeight > e.clientHeight + 1)
	.map(e => e.tagName + '.' + (e.getAttribute('class') || '') + ' ' + e.textContent.trim().slice(0, 20))
	.slice(0, 4).join(', ')`

// undrawn names what has only a background to be seen by, which forced colours take away: bars of a drawing, switches.
const undrawn = `[...document.querySelectorAll('main .switch, main progress, main svg rect, main .badge, main a[aria-current]')]
	.filter(e => e.checkVisibility() && e.getBoundingClientRect().width > 0).filter(e => {
		const s = getComputedStyle(e), paper = getComputedStyle(document.body).backgroundColor
		const drawn = e.namespaceURI.endsWith('svg')
			? (s.fill !== 'none' && s.fill !== paper) || (s.stroke !== 'none' && s.stroke !== paper)
			: s.borderTopStyle !== 'none' && s.borderTopWidth !== '0px' || s.outlineStyle !== 'none' ||
				s.textDecorationLine !== 'none' || Number(s.fontWeight) >= 600 || e.matches('progress')
		return !drawn
	}).map(e => e.tagName + '.' + (e.getAttribute('class') || '')).slice(0, 3).join(', ')`

// beyond names what reaches over the edge.
const beyond = `[...document.querySelectorAll('main *')].filter(e => e.getBoundingClientRect().right > innerWidth + 1)
	.map(e => e.tagName + '.' + (e.getAttribute('class') || '')).slice(0, 4).join(', ')`

// TestSlowTheOpenSettingIsInSight on a phone, in the list of all of them: with script, which scrolls the list to it,
// and without. On a wide screen the list stands where it stood on the setting before.
func TestSlowTheOpenSettingIsInSight(t *testing.T) {
	t.Parallel()
	glance(t, func(t *testing.T, _ *place, b *browsertest.Browser) {
		b.Size(360, false)
		seen := func(how string) {
			t.Helper()
			for _, page := range []string{"/equipe", "/rodizios", "/bureaus", "/finalidades"} {
				b.Visit(page)
				lookuptest.Eventually(t, "the entry of "+page+" is in sight "+how, func() bool {
					return browsertest.Eval[bool](b, `(r => r.left >= 0 && r.right <= innerWidth && r.width > 0)(
						document.querySelector('.set-n [aria-current]').getBoundingClientRect())`)
				})
			}
		}
		seen("with script")
		b.WithoutScript()
		seen("without script")
		b.Window(1280, 900)
		places := map[float64]string{}
		for _, page := range []string{"/equipe", "/rodizios", "/bureaus", "/finalidades"} {
			b.Visit(page)
			places[browsertest.Eval[float64](b, "document.querySelector('.set-n').getBoundingClientRect().left")] += " " + page
		}
		if len(places) > 1 {
			t.Errorf("the list of settings moves from page to page: %v", places)
		}
	})
}

// TestSlowWhatOpensStaysInThePage: on a phone no table that is opened makes its page wider, also not by what is only
// read out.
func TestSlowWhatOpensStaysInThePage(t *testing.T) {
	t.Parallel()
	demonstration(t, func(t *testing.T, _ *place, b *browsertest.Browser) {
		b.Size(390, false)
		for _, page := range []string{"/", "/extrato", "/extrato?por=chave&e=finalidade", "/automacoes", "/retorno"} {
			b.Visit(page)
			browsertest.Eval[bool](b, "document.querySelectorAll('main details').forEach(d => { d.open = true }), true")
			if wide := browsertest.Eval[int](b, "document.documentElement.scrollWidth - innerWidth"); wide > 0 {
				t.Errorf("%s is %d pixels wider than its window", page, wide)
			}
		}
	})
}

package browser

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"fichario/tests/testkit"
	"fichario/tests/testkit/browsertest"
	"fichario/tests/testkit/lookuptest"
)

// mostShift is the cumulative layout shift that a page may have, as Web Vitals count it: what moves by itself
// from the first paint on, not what somebody's click moves.
const mostShift = 0.05

// shifted is the layout shift of a page since it began, with what moved. It is asked for once the page has been drawn
// after all of its scripts have run; the entry of the navigation, which is always there, says that no other is missing.
const shifted = `new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => {
	let sum = 0
	const moved = []
	const seen = new PerformanceObserver(list => {
		for (const e of list.getEntries()) {
			if (e.entryType === 'layout-shift' && !e.hadRecentInput) {
				sum += e.value
				for (const s of e.sources) moved.push((s.node?.nodeName ?? '?') + '.' + (s.node?.className ?? ''))
			}
			if (e.entryType !== 'navigation') continue
			seen.disconnect()
			setTimeout(() => done(sum + ' ' + moved.slice(0, 4).join(', '))) // once what came with it is counted too
		}
	})
	seen.observe({type: 'layout-shift', buffered: true})
	seen.observe({type: 'navigation', buffered: true})
})))`

// TestSlowNothingMovesByItself on any page, on a phone and on a screen: no script puts anything above what is read.
func TestSlowNothingMovesByItself(t *testing.T) {
	t.Parallel()
	p := testkit.StartProgram(t, testkit.Options{Args: []string{"--demo"}})
	lookuptest.Eventually(t, "what it prints arrives", func() bool { return strings.Contains(p.Logs(), "The interface: ") })
	b := browsertest.StartBrowser(t, "http://"+p.Instances()[0])
	b.SignIn("helena@demo.example", "fichario-demo")
	pages := slices.Concat(mainPages, []string{
		"/docs", "/docs/erros", "/docs/sandbox", "/docs/api/lookup", "/docs/guias/eventos",
	})
	for from, first := range map[string]string{
		"/contatos": "main tbody th a[href^='/contatos/']", "/consultas": "main tbody a[href^='/consultas/']",
		"/webhooks": "main tbody a[href^='/webhooks/']", "/chaves": "main tbody a[href^='/chaves/']",
		"/automacoes": "main tbody a[href^='/automacoes/']", "/lotes": "main tbody a[href^='/lotes/']",
	} {
		b.Visit(from)
		pages = append(pages, browsertest.Eval[string](b, "document.querySelector(`"+first+"`).getAttribute('href')"))
	}
	for _, page := range pages {
		for _, width := range []int64{390, 1280} {
			b.Window(width, 844)
			b.Visit(page)
			var sum float64
			said := browsertest.Eval[string](b, shifted)
			if _, err := fmt.Sscan(said, &sum); err != nil || sum > mostShift {
				t.Errorf("%s at %d pixels shifts by %s", page, width, said)
			}
		}
	}
	walked.Add(1)
}

package browser

import (
	"testing"

	"fichario/tests/testkit/browsertest"
)

// proxyAnswers makes a page's requests fail, until it clears window.answer, which window.asked counts.
const proxyAnswers = `(() => {
	const through = window.fetch
	window.asked = 0
	window.answer = async (url) => new Response(
		'<html><head><title>502 Bad Gateway</title></head><body><main><h1>502 Bad Gateway</h1></main></body></html>',
		{ status: 502, headers: { 'Content-Type': 'text/html' } })
	window.fetch = async (url, ...more) => {
		if (String(url).includes('sino')) window.asked++
		return window.answer ? window.answer(url) : through(url, ...more)
	}
	return true
})()`

// TestSlowAFailureStaysWhereItHappened: an error page is never inserted into a page. The failure of an action is shown
// beside it, in the service's words or without any; polling continues.
func TestSlowAFailureStaysWhereItHappened(t *testing.T) {
	t.Parallel()
	glance(t, func(t *testing.T, p *place, b *browsertest.Browser) {
		p.send(t, "nome", "Rita Prado", "email", "rita@example.com", "cpf", "529.982.247-25")
		b.Visit("/contatos")
		b.Press("Rita Prado")
		b.Press("Abrir")
		b.See("Resumo")
		b.Visit(b.Path() + "/documentos")
		documents := b.Path()
		// A proxy answers while the service restarts.
		down := func() { t.Helper(); browsertest.Eval[bool](b, proxyAnswers) }
		down()
		b.Fill("#documento", "529.982")
		b.See("Nada foi consultado nem cobrado; continue a digitar")
		b.Visit("/consultas")
		down()
		b.Fill("#procurar", "Rita")
		b.Press("Procurar")
		b.See("Nada foi consultado nem cobrado; tente de novo")
		for _, way := range []func(){
			func() { b.Choose("#evento", "contact.moved") },
			func() { b.Press("Experimentar com o que já houve") },
		} {
			b.Visit("/automacoes/nova")
			down()
			way()
			b.See("Nada foi consultado nem cobrado; tente de novo")
		}
		b.Visit(documents)
		down()
		sound := func(what string) {
			t.Helper()
			b.SeeNot("502 Bad Gateway")
			whole := browsertest.Eval[bool](b, `document.querySelectorAll('main').length === 1 &&
				document.querySelectorAll('h1').length === 1 && !document.title.includes('502')`)
			if !whole {
				t.Errorf("%s: the page is not itself any more", what)
			}
			b.Accessible()
		}
		b.Click(".own-d form button")
		b.See("O Fichário não respondeu")
		asked := browsertest.Eval[int](b, `(async () => {
			for (let i = 0; i < 2; i++) {
				const over = new Promise(resolve => document.addEventListener('htmx:finally:request', resolve, { once: true }))
				htmx.trigger(document.querySelector('#sino'), 'every')
				await over
			}
			return window.asked
		})()`)
		if asked != 2 {
			t.Errorf("the bell asked %d times", asked)
		}
		sound("a proxy's answer")
		browsertest.Eval[bool](b, `(() => {
			window.answer = null
			document.querySelector('.own-d form').setAttribute('hx-post', '/contatos/de-ninguem/consultar')
			return true
		})()`)
		b.Click(".own-d form button")
		b.See("Esta ficha não está na gaveta")
		b.SeeNot("O Fichário não respondeu")
		sound("a refusal")
	})
}

package browser

import (
	"fmt"
	"strings"
	"testing"

	"fichario/tests/testkit/browsertest"
)

// TestTheBoardUpdatesItself when somebody else changes it, but nothing moves under the pointer.
func TestTheBoardUpdatesItself(t *testing.T) {
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

// TestTheListUpdatesItself, but not while boxes are ticked, which stay ticked when somebody asks for the news.
func TestTheListUpdatesItself(t *testing.T) {
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

// TestAPhone has the search first, its filters folded, and cards that are targets as a whole, but for what is on them.
func TestAPhone(t *testing.T) {
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
		b.Visit("/contatos")
		if !browsertest.Eval[bool](b, "document.querySelector('#busca-contatos').getBoundingClientRect().top < "+
			"document.querySelector('.ph .acts').getBoundingClientRect().top") {
			t.Error("the search is not first")
		}
		if got := at("tbody tr", .5, .9); got != "A" {
			t.Errorf("the card of a list is no target: %s", got)
		}
		if got := at("tbody .check", .5, .5); got != "LABEL" {
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
	})
}

package browser

import (
	"slices"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"fichario/tests/testkit/browsertest"
)

// TestSlowEverythingIsFoundFromAnyPage by keyboard alone: pages, contacts, documents with their price, sheets.
func TestSlowEverythingIsFoundFromAnyPage(t *testing.T) {
	t.Parallel()
	glance(t, func(t *testing.T, p *place, b *browsertest.Browser) {
		const open = "document.querySelector('dialog.finder').open"
		// Sent this way, the browser does not type a key that the page handled.
		press := func(key, control string) {
			browsertest.Eval[bool](b, "document.activeElement.dispatchEvent(new KeyboardEvent('keydown', {key: '"+key+
				"', ctrlKey: "+control+", bubbles: true, cancelable: true}))")
		}
		b.Visit("/webhooks")
		press("/", "false")
		b.See("Páginas e ações", "Nova automação")
		for _, width := range []int64{360, 1280} {
			for _, dark := range []bool{true, false} {
				b.Size(width, dark)
				b.Accessible()
			}
		}
		b.Fill("dialog.finder input", "funil")
		b.Key("\r")
		b.At("/funil")
		press("k", "true")
		b.Fill("dialog.finder input", "529.982.247-25")
		b.See("CPF 529.982.247-25", "Cadastro de pessoa", "R$ 0,45")
		b.Key("\r") // the first product, with its price
		b.See("Resposta original do bureau", "Cobrado: R$ 0,45")
		b.Visit("/conta")
		press("k", "true")
		b.See("Páginas e ações")
		// Enter before the price was shown buys nothing: it focuses the product, with its price.
		browsertest.Eval[bool](b, `(() => {
			const field = document.querySelector('dialog.finder input')
			field.value = '111.444.777-35'
			field.dispatchEvent(new Event('input', { bubbles: true }))
			field.form.requestSubmit()
			return true
		})()`)
		b.See("CPF 111.444.777-35", "R$ 0,45")
		const chosen = "document.getElementById(document.querySelector('dialog.finder input').getAttribute('aria-activedescendant'))"
		if !browsertest.Eval[bool](b, chosen+"?.matches('button[role=option]') && location.pathname === '/conta'") {
			t.Error("the product is not chosen")
		}
		// A screen reader hears how many there are, and which one the arrows chose; the focus stays in the field.
		b.Key(kb.ArrowDown)
		b.Key(kb.ArrowUp)
		got := browsertest.Eval[[]string](b, `(() => {
			const field = document.querySelector('dialog.finder input')
			return [field.role, field.ariaExpanded, document.activeElement.name,
				document.querySelector('dialog.finder [role=status]').textContent,
				document.querySelectorAll('dialog.finder [aria-selected=true]').length + ' chosen']
		})()`)
		if want := []string{"combobox", "true", "busca", "6 resultados", "1 chosen"}; !slices.Equal(got, want) {
			t.Errorf("the field says %q, not %q", got, want)
		}
		b.Fill("dialog.finder input", "52998224725")
		b.See("Fichas", "***.982.247-**", "grátis")
		b.Accessible()
		b.Key("\x1b")
		if browsertest.Eval[bool](b, open) {
			t.Error("Esc does not close the search")
		}
		b.Size(360, false)
		b.Visit("/conta")
		b.Click(".nav-find")
		b.See("Páginas e ações")
		b.Accessible()
		b.Click("dialog.finder form button[type=button]") // a phone has no Esc
		if browsertest.Eval[bool](b, open) {
			t.Error("a phone has no way out of the search")
		}
		b.Size(1280, false)
		b.Visit("/buscar")
		b.Fill("#procura", "zzzz")
		b.See("Nada encontrado")
		b.Accessible()
		// The button lists what was found; Enter opens it.
		b.Fill("#procura", "funi")
		b.See("Funis: as etapas de cada funil")
		browsertest.Eval[bool](b, "(document.querySelector('main .ph-t p').textContent = '', true)")
		b.Click("main .finder form button")
		b.See("fichas consultadas, páginas e ações", "Funis: as etapas de cada funil")
		b.At("/buscar")
	})
}

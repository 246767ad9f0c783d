package browser

import (
	"testing"

	"github.com/chromedp/chromedp/kb"

	"fichario/tests/testkit/browsertest"
	"fichario/tests/testkit/lookuptest"
)

// TestSlowAnOwnerSaysWhatLookupsAreFor: two purposes are made, and then every way to make a lookup states one; the
// record of operations has them.
func TestSlowAnOwnerSaysWhatLookupsAreFor(t *testing.T) {
	t.Parallel()
	glance(t, func(t *testing.T, _ *place, b *browsertest.Browser) {
		looked := func() {
			for _, width := range []int64{360, 1280} {
				for _, dark := range []bool{true, false} {
					b.Size(width, dark)
					b.Accessible()
				}
			}
		}
		for code, name := range map[string]string{"credito": "Análise de crédito", "cobranca": "Cobrança"} {
			b.Visit("/finalidades")
			b.Click("#finalidade-NOVA > a")
			b.See("Base legal")
			b.Fill("#codigo", code)
			b.Fill("#nome-NOVA", name)
			b.Choose("#base-NOVA", "legitimo_interesse")
			b.Click(`form[action="/finalidades"] button`)
			b.See("Finalidade criada", name)
		}
		looked()
		b.Click("#finalidade-credito > a")
		b.See("Encerrar")
		if got := browsertest.Eval[string](b, "document.activeElement.id"); got != "nome-credito" {
			t.Errorf("the focus of the form that opens is in %q", got)
		}
		looked()
		b.Key(kb.Escape)
		b.SeeNot("Base legal")
		b.Visit("/consultar")
		b.Fill("#documento", "900.000.001-75")
		b.See("Cadastro", "R$ 0,45", "Para que é a consulta?")
		const button = `document.querySelector('.opt-a form:has(input[value=cpf]) .btn-1').disabled`
		dead := func(want bool) {
			t.Helper()
			lookuptest.Eventually(t, "the button lives, or not", func() bool { return browsertest.Eval[bool](b, button) == want })
		}
		dead(true)
		looked()
		b.Choose("#finalidade-cpf", "credito")
		dead(false)
		b.Click(`.opt-a form:has(input[value=cpf]) .btn-1`)
		b.See("Pedida por", "Análise de crédito")
		looked()
		b.Visit("/consultar")
		b.Fill("#documento", "900.000.001-75, 900.000.002-56 e 900.000.003-99, 900.000.004-18")
		b.See("3 documentos neste texto", "outro com dígito errado", "3 CPFs", "até R$ 1,35")
		if got := browsertest.Eval[string](b, "document.querySelector('#finalidade-cpf-cpf').value"); got != "credito" {
			t.Errorf("the batch is for %q", got)
		}
		looked()
		b.Press("Consultar 3")
		b.See("Lote iniciado: 3 documentos, até R$ 1,35", "Análise de crédito")
		b.Visit("/lotes")
		if got := browsertest.Eval[string](b, "document.querySelector('#finalidade').value"); got != "credito" {
			t.Errorf("the batch is for %q", got)
		}
		looked()
		b.Visit("/extrato?finalidade=credito")
		b.See("Análise de crédito", "900.000.001-75", "com este filtro")
		h := &hands{Browser: b}
		h.job(t, "spend by key and purpose", "/", func() {
			h.press("Por chave e finalidade")
			b.See("Por chave e finalidade", "Análise de crédito", "equipe e automações")
			b.At("/extrato")
		})
		looked()
		b.Visit("/")
		b.See("Hoje até agora")
		looked()
		b.Visit("/chaves/nova")
		b.See("Finalidades que pode usar", "Só de endereços")
		looked()
		b.Visit("/privacidade/registro")
		b.See("Registro das operações", "Cobrança", "Legítimo interesse")
		looked()
	})
}

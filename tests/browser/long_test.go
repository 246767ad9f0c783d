package browser

import (
	"testing"

	"fichario/tests/testkit/browsertest"
)

// longNames gives one of everything that has a name the longest word that may be one, and says what was refused.
const longNames = `(async () => {
	const name = 'Supercalifragilisticexpialidocious'.repeat(4)
	const refused = []
	for (const [to, length, form] of [
		['/webhooks', 120, {tipo: 'generic', faixas: 'zero'}], ['/automacoes', 120, {acao: 'add_note', texto: name}],
		['/equipe/origens', 120, {}], ['/rodizios', 80, {}], ['/pacotes', 60, {produtos: 'cpf'}],
		['/finalidades', 80, {codigo: 'credito', base: 'legitimo_interesse', papeis: 'owner'}],
		['/contatos', 120, {email: 'ana@example.com', empresa: name, valor: '999.999.999,99'}],
	]) {
		const body = new URLSearchParams({...form, nome: name.slice(0, length)})
		if (to === '/pacotes') body.append('produtos', 'score')
		const answer = await fetch(to, {method: 'POST', body})
		if (!answer.ok) refused.push(to + ': ' + answer.status)
	}
	return refused.join(', ')
})()`

// TestSlowTheLongestNamesFit on every page that has them, on a phone and on a screen.
func TestSlowTheLongestNamesFit(t *testing.T) {
	t.Parallel()
	glance(t, func(t *testing.T, _ *place, b *browsertest.Browser) {
		if refused := browsertest.Eval[string](b, longNames); refused != "" {
			t.Fatalf("names are refused: %s", refused)
		}
		pages := []string{
			"/", "/consultar", "/lotes", "/contatos", "/funil", "/webhooks", "/chaves/nova", "/automacoes", "/automacoes/nova",
			"/notificacoes", "/extrato", "/equipe", "/equipe/funis", "/equipe/origens", "/campos", "/rodizios", "/pacotes", "/finalidades",
			"/privacidade/registro", "/auditoria",
		}
		for from, first := range map[string]string{
			"/contatos": "a[href^='/contatos/']:has(bdi)", "/webhooks": "tbody tr:last-child a[href^='/webhooks/']",
			"/automacoes": "tbody a[href^='/automacoes/']",
		} {
			b.Visit(from)
			page := browsertest.Eval[string](b, "document.querySelector(`main "+first+"`).getAttribute('href')")
			pages = append(pages, page, page+"/editar")
		}
		for _, width := range []int64{360, 1280} {
			b.Window(width, 800)
			for _, page := range pages {
				b.Visit(page)
				if wide := browsertest.Eval[int64](b, "document.documentElement.scrollWidth"); wide > width+1 {
					t.Errorf("%s is %d pixels wide in %d: %s", page, wide, width, browsertest.Eval[string](b, beyond))
				}
			}
		}
	})
}

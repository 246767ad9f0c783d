package browser

import (
	"fmt"
	"testing"

	"fichario/tests/testkit/browsertest"
)

// TestSlowASheetFromABundleToAContact: several products at once, their dividers, and the contact that they are about.
func TestSlowASheetFromABundleToAContact(t *testing.T) {
	t.Parallel()
	journey(t, func(t *testing.T, p *place, b *browsertest.Browser) {
		looked := func() {
			for _, width := range []int64{360, 1280} {
				for _, dark := range []bool{true, false} {
					b.Size(width, dark)
					b.Accessible()
				}
			}
		}
		b.Visit("/pacotes")
		b.Press("Novo pacote")
		b.Fill("#nome-novo", "Crédito PJ")
		for _, product := range []string{"cnpj", "score", "protestos"} {
			b.Click(`form[action="/pacotes"] input[value=` + product + `]`)
		}
		b.Press("Criar")
		b.See("Pacote criado")
		looked()
		b.Visit("/consultar")
		b.Fill("#documento", "11.222.333/0001-81")
		b.See("Pacotes", "Crédito PJ", "Cadastro de empresa + Protestos + Score", "R$ 3,875")
		looked()
		b.Click(`form[action="/consultas/pacote"] button`)
		b.See("Cobrado: R$ 3,875 por 3 consultas", "CONFECÇÕES CARDOSO", "anos", "Sócios", "***.390.631-**", "Ver no mapa")
		looked()
		drawn(t, b, "#ligacoes")
		b.Click(`.prods form:has(input[value=score]) button`)
		b.See("Pontuação de crédito", "de 1.000", "Histórico, grátis")
		looked()
		b.Press("Vincular a um contato")
		b.See("Nenhum contato tem este documento")
		looked()
		b.Press("Novo contato")
		b.See("Novo contato")
		if got := browsertest.Eval[string](b, "document.querySelector('[name=documentos]').value"); got != "11.222.333/0001-81" {
			t.Errorf("the form has the document %q", got)
		}
		b.Fill("#nome", "Confecções Cardoso")
		b.Fill("#email", "financeiro@cardoso.example")
		b.Press("Guardar")
		b.See("Contato criado", "Confecções Cardoso")
	})
}

// drawn checks that the graph in an element is one: where there is room each level stands beside the one before, else
// below it, and a line leads from every node to the one that it hangs from.
func drawn(t *testing.T, b *browsertest.Browser, in string) {
	t.Helper()
	for width, wide := range map[int64]bool{390: false, 1280: true, 1920: true} {
		b.Size(width, false)
		wrong := browsertest.Eval[string](b, fmt.Sprintf(`[...document.querySelectorAll('%s .links .links > li')].map(li => {
			const box = e => e.querySelector(':scope > .link-n').getBoundingClientRect()
			const of = box(li.parentElement.parentElement), node = box(li), line = getComputedStyle(li, '::before')
			const from = li.getBoundingClientRect().left + parseFloat(line.left), to = from + parseFloat(line.width)
			if (line.borderBottomStyle !== 'solid' || Math.abs(to - node.left) > 1) return 'no line to a node'
			if (%t ? node.left < of.right + 8 || node.top < of.top - 1 : node.top < of.bottom || node.left <= of.left)
				return 'a node is out of place'
			return ''
		}).find(Boolean) ?? (document.querySelector('%s .links .links > li') ? '' : 'no node')`, in, wide, in))
		if wrong != "" {
			t.Errorf("%s at %d pixels: %s", in, width, wrong)
		}
	}
}

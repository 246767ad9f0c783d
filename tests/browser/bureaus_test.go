package browser

import (
	"testing"

	"fichario/tests/testkit/browsertest"
)

// TestSlowBureausAreMoved: who manages the organisation changes the order, takes a bureau out and calls it back.
func TestSlowBureausAreMoved(t *testing.T) {
	t.Parallel()
	journey(t, func(t *testing.T, _ *place, b *browsertest.Browser) {
		looked := func() {
			for _, width := range []int64{360, 1280} {
				for _, dark := range []bool{true, false} {
					b.Size(width, dark)
					b.Accessible()
				}
			}
		}
		first := func() string {
			return browsertest.Eval[string](b, `document.querySelector("[aria-labelledby=ordem-cpf] tbody bdi").textContent`)
		}
		b.Visit("/consultar")
		b.Fill("#documento", "529.982.247-25")
		b.See("R$ 0,90")
		b.Visit("/bureaus")
		b.See("sandbox-barato", "sandbox-completo", "sem chamadas")
		looked()
		b.Click(`[aria-labelledby=ordem-cpf] form[action="/bureaus/subir"] button`)
		b.See("Ordem guardada", "Ordem da configuração")
		if got := first(); got != "sandbox-completo" {
			t.Errorf("%s is the first", got)
		}
		looked()
		b.Click(`a[href$="tirar-sandbox-barato"]`)
		b.See("Tirar o bureau “sandbox-barato”?")
		looked()
		b.Click(`dialog form[action="/bureaus/tirar"] .btn-x`)
		b.See("sandbox-barato está fora", "até alguém o chamar de volta")
		looked()
		b.Click(`form[action="/bureaus/voltar"] button`)
		b.See("sandbox-barato está de volta")
	}, map[string]string{"FICHARIO_BUREAU": "sandbox-barato,sandbox-completo"})
}

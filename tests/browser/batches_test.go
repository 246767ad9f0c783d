package browser

import (
	"os"
	"path/filepath"
	"testing"

	"fichario/tests/testkit/browsertest"
)

// TestABatchFromAFileToItsResult is walked with a file, a ceiling that is too low, and without script at the end.
func TestABatchFromAFileToItsResult(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "Clientes de maio.csv")
	table := "nome;CPF do cliente\nAna;900.000.001-75\nBia;52998224725\nAna de novo;90000000175\nCaio;5,29982E+10\n"
	if err := os.WriteFile(file, []byte(table), 0o600); err != nil {
		t.Fatal(err)
	}
	journey(t, func(_ *testing.T, _ *place, b *browsertest.Browser) {
		b.Visit("/lotes")
		b.See("Nenhum lote ainda")
		b.Accessible()
		b.Attach("#arquivo", file)
		b.Press("Fazer orçamento, grátis")
		b.See("Clientes de maio", "Orçado", "Custo máximo", "R$ 0,90", "virou um número arredondado")
		b.Accessible()
		b.Size(360, true)
		b.Accessible()
		b.Size(1280, false)
		b.Fill("#teto", "0,45")
		b.Press("Consultar 2, até o teto")
		b.See("O lote chegou ao teto")
		b.Accessible()
		b.Fill("#teto", "0,90")
		b.Press("Retomar")
		b.See("Concluído", "como na linha 2")
		b.Accessible()
		b.Size(360, true)
		b.Accessible()
		b.Visit("/lotes")
		b.See("Clientes de maio", "Concluído", "2 de 2")
		b.Accessible()
		b.Fill("#documentos", "nada")
		b.Press("Fazer orçamento, grátis")
		b.See("Nenhuma coluna tem")
		b.Accessible()
	})
}

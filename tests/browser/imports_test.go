package browser

import (
	"os"
	"path/filepath"
	"testing"

	"fichario/tests/testkit/browsertest"
)

// TestSlowContactsFromAFile: the columns are checked and changed, then the rows become contacts.
func TestSlowContactsFromAFile(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "Clientes.csv")
	table := "Nome;E-mail;Celular;Empresa;CPF;Valor;Cor preferida\n" +
		"Ana Souza;ana@example.com;11987654321;Acme;529.982.247-25;1.500,00;azul\nBia;;;;;;\n" +
		"Caio Lima;caio@example.com;(21) 3333-4444;Lima Ltda;123;a combinar;verde\nAna de novo;ana@example.com;;;;;\n"
	if err := os.WriteFile(file, []byte(table), 0o600); err != nil {
		t.Fatal(err)
	}
	journey(t, func(t *testing.T, p *place, b *browsertest.Browser) {
		p.send(t, "nome", "Caio", "email", "caio@example.com")
		b.Visit("/contatos")
		b.Press("Importar")
		b.See("Nova importação")
		b.Accessible()
		b.Attach("#arquivo", file)
		b.Press("Conferir colunas")
		b.See("Confira antes de importar", "Falta o e-mail", "Já existe: Caio", "Cor preferida: azul", "Repete a linha 2")
		b.Accessible()
		b.Size(360, true)
		b.Accessible()
		b.Size(1280, false)
		browsertest.Eval[bool](b, `document.querySelector('#coluna-6').value = 'ignorar', true`)
		b.Click("input[value=completar]")
		b.Press("Conferir de novo")
		b.See("Confira antes de importar")
		if browsertest.Eval[string](b, `document.querySelector('#coluna-6').value`) != "ignorar" {
			t.Error("the choice of a column is gone")
		}
		b.Press("Importar 3 linhas")
		b.See("Importação concluída: 4 linhas lidas", "Resultado em Excel")
		b.Accessible()
		b.Size(360, true)
		b.Accessible()
		b.Visit("/importacoes")
		b.See("Clientes.csv", "Concluída")
		b.Accessible()
		b.Size(1280, false)
		b.Visit("/contatos")
		b.See("2 contatos", "Ana Souza")
		b.Visit("/notificacoes")
		b.See("Importação concluída", "completados: 1")
		b.Accessible()
	})
}

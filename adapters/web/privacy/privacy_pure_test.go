package privacy

import (
	"strings"
	"testing"
	"time"

	"fichario/adapters/web"
	"fichario/app/privacy"
	"fichario/domain/access"
	"fichario/domain/automation"
	"fichario/domain/catalog"
	"fichario/domain/crm"
)

// TestADetailIsSaidInWords, whether it is one value or says what was and what is.
func TestADetailIsSaidInWords(t *testing.T) {
	t.Parallel()
	server, err := web.NewServer(web.Config{
		Catalog:  catalog.Catalog{{ID: "cpf", Name: "Pessoa"}, {ID: "cnpj", Name: "Empresa"}},
		Calendar: access.Calendar{Location: time.UTC},
	}, Use{}.Pages)
	if err != nil {
		t.Fatal(err)
	}
	words := said{
		inDetail: func(value string) string { return strings.ReplaceAll(value, "id-1", "Feira") },
		purposes: map[string]string{"credito": "Análise de crédito", "cobranca": "Cobrança"},
		destinations: []automation.Destination{{
			Name: "crm", Title: "Meu CRM", Fields: []automation.DestinationField{{Name: "token", Title: "Token de acesso"}},
		}},
	}
	for _, c := range []struct{ name, value, want string }{
		{"papel", "member → admin", "papel: Membro → Administração"},
		{"papeis", "admin, member", "papéis: Administração, Membro"},
		{"teto", "13.5 → 20", "teto: R$ 13,50 → R$ 20,00"},
		{"teto", "0", ""},
		{"condicao", ".campos.score >= 600", ""},
		{"valor_minimo", "0 → 50000", "valor mínimo: nada → R$ 50.000,00"},
		{"orcamento", "nenhum → 0", "orçamento por mês: nenhum → R$ 0,00"},
		{"evento", "contact.created → contact.moved", "quando: Chega um contato → Um contato muda de etapa"},
		{"acao", "email → lookup", "o que faz: manda um e-mail → consulta os documentos"},
		{"acao", "mover", "o que faz: mover"},
		{"produto", "cpf → cnpj", "produto: Pessoa → Empresa"},
		{"produtos", "cpf → cpf, cnpj", "produtos: Pessoa → Pessoa, Empresa"},
		{"compartilha", "true", "histórico vale entre finalidades: sim"},
		{"etapas", "Novo (open) → Novo (open), Fechou (won), Não quis (lost)",
			"etapas: Novo → Novo, Fechou (ganho), Não quis (perdido)"},
		{"tipo", "generic → formservice", "tipo: genérico → formulário"},
		{"faixa", "zero → lower", "faixas de valor: ficam em zero → valem o menor"},
		{"assinatura", " → hmac", "assinatura: nada → HMAC-SHA256"},
		{"token_de_verificacao", "outro", "token de verificação: outro"},
		{"origem", "id-1 → ", "origem: Feira → nada"},
		{"para", "contact → ana@example.com", "para: o contato → ana@example.com"},
		{"porDia", "2000", "por dia: 2.000"},
		{"contatos", "sim", "contatos: sim"},
		{"escopos", "cpf, placa", "pode consultar: CPF, placa"},
		{"documento", "52998224725", "documento: 529.982.247-25"},
		{"documento", "11222333000181", "documento: 11.222.333/0001-81"},
		{"documento", "ABC1D23", "documento: ABC1D23"},
		{"encerradaEm", " → 2026-11-20T10:32:00Z", "encerrada em: nada → 20/11/2026 10:32"},
		{"nome", "Antes → Depois", "nome: Antes → Depois"},
		{"finalidade", "credito → de-antes", "finalidade: Análise de crédito → de-antes"},
		{"finalidades", "credito, cobranca", "finalidades: Análise de crédito, Cobrança"},
		{"base", "cobranca", "base legal: Cobrança"},
		{"destino", "crm → desconhecido", "destino: Meu CRM → desconhecido"},
		{"membros", "id-1=1, id-2=3", "membros: Feira, id-2 (peso 3)"},
	} {
		got := pages{Server: server}.detailSaid(map[string]string{c.name: c.value}, words)
		if got = strings.ReplaceAll(got, "\u00a0", " "); got != c.want {
			t.Errorf("%s: %s is said as %q, not %q", c.name, c.value, got, c.want)
		}
	}
	page := map[string]string{"pagina": "106000000000001", "nome": "Loja"}
	if got := (pages{Server: server}).detailSaid(page, words); got != "nome: Loja" {
		t.Errorf("a page is said as %q", got)
	}
	for destination, want := range map[string]string{
		"crm":       "destino: Meu CRM; preenchido: Token de acesso, outro",
		"":          "preenchido: Token de acesso, outro", // of a change that keeps the destination
		"nada → cr": "destino: nada → cr; preenchido: token, outro",
	} {
		detail := map[string]string{"destino": destination, "preenchido": "token, outro"}
		if got := (pages{Server: server}).detailSaid(detail, words); got != want {
			t.Errorf("the fields of the destination %q are said as %q, not %q", destination, got, want)
		}
	}
	words.purposes["consentimento"] = "Consentiu no balcão"
	for of, want := range map[bool]string{
		true: "base legal: Consentiu no balcão", false: "base legal: " + crm.Basis("consentimento").Name(),
	} {
		words.ofAutomation = of
		got := pages{Server: server}.detailSaid(map[string]string{"base": "consentimento"}, words)
		if got != want {
			t.Errorf("the basis of an automation (%t) is said as %q, not %q", of, got, want)
		}
	}
}

// TestACountThatTakesTooLongSaysSo, even where nothing has been found so far.
func TestACountThatTakesTooLongSaysSo(t *testing.T) {
	t.Parallel()
	s, err := web.NewServer(web.Config{}, Use{}.Pages)
	if err != nil {
		t.Fatal(err)
	}
	for name, block := range map[string]string{"privacidade": "held", "titular-apagar": "content"} {
		data := any(privacyPage{Found: &privacy.Held{More: true}})
		if block == "content" {
			data = web.Page{Data: data}
		}
		var out strings.Builder
		if err := s.Execute(&out, name, block, data); err != nil {
			t.Error(err)
		}
		if got := out.String(); !strings.Contains(got, "são o mínimo") || strings.Contains(got, "Não há nada guardado") ||
			strings.Contains(got, "Bloquear esta pessoa") {
			t.Errorf("%s says %s", name, got)
		}
	}
}

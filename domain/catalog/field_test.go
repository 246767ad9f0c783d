package catalog_test

import (
	"slices"
	"strings"
	"testing"

	"fichario/domain/catalog"
)

// shown writes a product's groups as people see them: labels, formats, and the fields of records.
func shown(p catalog.Product) string {
	var write func(fields []catalog.Field) string
	write = func(fields []catalog.Field) string {
		var all []string
		for _, f := range fields {
			text := f.Label
			if f.Format != "" {
				text += " " + string(f.Format)
			}
			if len(f.Fields) > 0 && f.Format == "" {
				text += " (" + write(f.Fields) + ")"
			}
			all = append(all, text)
		}
		return strings.Join(all, ", ")
	}
	var groups []string
	for _, g := range p.Groups() {
		groups = append(groups, g.Title+": "+write(g.Fields))
	}
	return strings.Join(groups, "\n")
}

// TestStandardProductsAreShown pins the labels, their order and their groups.
func TestStandardProductsAreShown(t *testing.T) {
	t.Parallel()
	for id, want := range map[string]string{
		"cpf": `Identificação: Nome, Nome da mãe, Nascimento, Sexo, Situação cadastral
Telefones: Telefones phone
E-mails: E-mails email
Endereços: Endereços address`,
		"cnpj": `Identificação: Razão social, Nome fantasia, Abertura, Situação cadastral, Natureza jurídica, Porte, ` +
			`Capital social reais
Atividades: Principal activity, Secundárias activity
Sócios: Sócios (Nome, Documento identity, Qualificação, Entrada)
Telefones: Telefones phone
E-mails: E-mails email
Endereços: Endereços address`,
		"situacao_cadastral":      `Situação na Receita Federal: Nome, Situação, Desde, Motivo`,
		"obito":                   `Registro de óbito: Há registro de óbito, Data do óbito`,
		"participacao_societaria": `Participações: Participações (CNPJ identity, Razão social, Qualificação, Participação percent, Entrada)`,
		"protestos": `Resumo: Quantidade, Valor total reais
Protestos: Protestos (Cartório, Cidade, UF, Data, Valor reais)`,
		"score": `Pontuação de crédito: Score score, Faixa, Chance de inadimplência percent`,
		"veiculo": `Veículo: Marca e modelo, Placa code, Ano de fabricação year, Ano do modelo year, Cor, Combustível
Registro: Chassi code, Renavam code, Cidade, UF, Restrições`,
		"validacao_email": `Validação: Endereço válido, Recebe mensagens, Serviço descartável, Provedor`,
	} {
		if got := shown(product(t, id)); got != want {
			t.Errorf("%s is shown as\n%s\nwant\n%s", id, got, want)
		}
	}
}

// TestStandardFieldsSayHowTheyAreShown finds fields without labels, and formats that do not fit their values.
func TestStandardFieldsSayHowTheyAreShown(t *testing.T) {
	t.Parallel()
	kinds := map[catalog.Format][]catalog.Kind{
		"":              {catalog.String, catalog.Number, catalog.Boolean, catalog.Date, catalog.List, catalog.Object},
		catalog.Reais:   {catalog.Number},
		catalog.Percent: {catalog.Number}, catalog.Year: {catalog.Number},
		catalog.Score: {catalog.Number},
		catalog.Email: {catalog.String, catalog.List}, catalog.Code: {catalog.String}, catalog.Identity: {catalog.String},
		catalog.Activity: {catalog.Object, catalog.List}, catalog.Phone: {catalog.List}, catalog.Address: {catalog.List},
	}
	var check func(path string, fields []catalog.Field)
	check = func(path string, fields []catalog.Field) {
		for _, f := range fields {
			if f.Label == "" || f.Description == "" || !f.Kind.Valid() || !slices.Contains(kinds[f.Format], f.Kind) {
				t.Errorf("%s.%s: %q, %q, a %s as %q", path, f.Name, f.Label, f.Description, f.Kind, f.Format)
			}
			check(path+"."+f.Name, f.Fields)
		}
	}
	for _, p := range catalog.Standard() {
		check(p.ID, p.Fields)
		for _, f := range p.Fields {
			if f.Group == "" && f.Twin == "" {
				t.Errorf("%s.%s has no group", p.ID, f.Name)
			}
		}
	}
}

// TestOwnFieldsAreShown is about a bureau file's own product, of which only names and kinds are known.
func TestOwnFieldsAreShown(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		field catalog.Field
		want  string
	}{
		{catalog.Field{Name: "renda", Description: " Renda mensal presumida. "}, "Renda mensal presumida"},
		{catalog.Field{Name: "faixaDeRenda"}, "Faixa de renda"}, {catalog.Field{Name: "renda_bruta"}, "Renda bruta"},
		{catalog.Field{Name: "uf", Label: "UF", Description: "Sigla."}, "UF"},
	} {
		if got := c.field.Called(); got != c.want {
			t.Errorf("%s is called %q, want %q", c.field.Name, got, c.want)
		}
	}
	own := catalog.Product{Fields: []catalog.Field{{Name: "a", Label: "A"}, {Name: "b", Label: "B"}}}
	if got := shown(own); got != "Dados: A, B" {
		t.Errorf("got %s", got)
	}
	own.Fields[1].Group = "Grupo"
	if got := shown(own); got != "Grupo: B\nOutros dados: A" {
		t.Errorf("got %s", got)
	}
	if got := shown(catalog.Product{}); got != "" {
		t.Errorf("got %s", got)
	}
}

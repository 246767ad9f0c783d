package catalog

import (
	"slices"

	"fichario/domain/document"
)

// personRecord is the complete record of a person.
func personRecord() Product {
	return Product{
		ID: CPF, Name: "Cadastro de pessoa", Documents: person(),
		Description: "Cadastro completo de uma pessoa: nome, mãe, nascimento, situação, e-mails, telefones e endereços.",
		Fields: slices.Concat(group("Identificação",
			Field{Name: "nome", Kind: String, Label: "Nome", Description: "Nome completo."},
			Field{Name: "nomeMae", Kind: String, Label: "Nome da mãe", Description: "Nome da mãe."},
			Field{Name: "nascimento", Kind: Date, Label: "Nascimento", Description: "Data de nascimento."},
			Field{Name: "sexo", Kind: String, Label: "Sexo", Description: "Sexo, nas palavras do bureau."},
			Field{Name: "situacaoCadastral", Kind: String, Label: "Situação cadastral",
				Description: "Situação do CPF na Receita Federal."},
		), reached()),
	}
}

// companyRecord is the complete record of a company.
func companyRecord() Product {
	activity := []Field{
		{Name: "codigo", Kind: String, Label: "Código", Description: "Código CNAE."},
		{Name: "descricao", Kind: String, Label: "Descrição", Description: "Descrição da atividade."},
	}
	return Product{
		ID: CNPJ, Name: "Cadastro de empresa", Documents: []document.Type{document.CNPJ},
		Description: "Cadastro completo de uma empresa: razão social, situação, atividades, sócios, telefones e endereços.",
		Fields: slices.Concat([]Field{
			{Name: "nome", Kind: String, Label: "Nome", Twin: "razaoSocial",
				Description: "Razão social; igual a razaoSocial."},
		}, group("Identificação",
			Field{Name: "razaoSocial", Kind: String, Label: "Razão social", Twin: "nome", Description: "Razão social."},
			Field{Name: "nomeFantasia", Kind: String, Label: "Nome fantasia", Description: "Nome fantasia."},
			Field{Name: "abertura", Kind: Date, Label: "Abertura", Description: "Data de início das atividades."},
			Field{Name: "situacaoCadastral", Kind: String, Label: "Situação cadastral",
				Description: "Situação do CNPJ na Receita Federal."},
			Field{Name: "naturezaJuridica", Kind: String, Label: "Natureza jurídica", Description: "Natureza jurídica."},
			Field{Name: "porte", Kind: String, Label: "Porte", Description: "Porte da empresa."},
			Field{Name: "capitalSocial", Kind: Number, Format: Reais, Label: "Capital social",
				Description: "Capital social em reais."},
		), group("Atividades",
			Field{Name: "atividadePrincipal", Kind: Object, Format: Activity, Label: "Principal",
				Description: "Atividade principal.", Fields: activity},
			Field{Name: "atividadesSecundarias", Kind: List, Format: Activity, Label: "Secundárias",
				Description: "Atividades secundárias.", Fields: activity},
		), reached(), group("Sócios", Field{
			Name: "socios", Kind: List, Label: "Sócios", Description: "Quadro de sócios e administradores.",
			Fields: []Field{
				{Name: "nome", Kind: String, Label: "Nome", Description: "Nome do sócio."},
				{Name: "documento", Kind: String, Format: Identity, Label: "Documento",
					Description: "Documento do sócio, muitas vezes mascarado na origem."},
				{Name: "qualificacao", Kind: String, Label: "Qualificação", Description: "Qualificação do sócio."},
				{Name: "entrada", Kind: Date, Label: "Entrada", Description: "Data de entrada na sociedade."},
			},
		})),
	}
}

// reached returns the contact details, which are shown after everything else of a record, telephones first.
func reached() []Field {
	return []Field{
		{Name: "emails", Kind: List, Items: String, Format: Email, Label: "E-mails", Group: "E-mails", Place: 2,
			Description: "Endereços de e-mail."},
		{Name: "telefones", Kind: List, Format: Phone, Label: "Telefones", Group: "Telefones", Place: 1,
			Description: "Telefones.", Fields: []Field{
				{Name: "ddd", Kind: String, Label: "DDD", Description: "Código de área, dois dígitos."},
				{Name: "numero", Kind: String, Label: "Número", Description: "Número sem o código de área."},
				{Name: "tipo", Kind: String, Label: "Tipo", Description: "Tipo da linha, nas palavras do bureau."},
				{Name: "whatsapp", Kind: Boolean, Label: "WhatsApp",
					Description: "Tem conta no WhatsApp: sim, não, ou null quando o bureau não informa."},
			}},
		{Name: "enderecos", Kind: List, Format: Address, Label: "Endereços", Group: "Endereços", Place: 3,
			Description: "Endereços.", Fields: []Field{
				{Name: "tipo", Kind: String, Label: "Tipo", Description: "Tipo do endereço, nas palavras do bureau."},
				{Name: "logradouro", Kind: String, Label: "Logradouro", Description: "Rua, avenida ou equivalente."},
				{Name: "numero", Kind: String, Label: "Número", Description: "Número."},
				{Name: "complemento", Kind: String, Label: "Complemento", Description: "Complemento."},
				{Name: "bairro", Kind: String, Label: "Bairro", Description: "Bairro."},
				{Name: "cidade", Kind: String, Label: "Cidade", Description: "Cidade."},
				{Name: "uf", Kind: String, Label: "UF", Description: "Sigla do estado."},
				{Name: "cep", Kind: String, Label: "CEP", Description: "CEP."},
			}},
	}
}

package catalog

import (
	"slices"

	"fichario/domain/document"
)

// The products whose complete records have routes of their own.
const (
	CPF = "cpf"
	// ScoreID is the product that gives a score.
	ScoreID = "score"
	CNPJ    = "cnpj"
	// Shares is the product of the companies that somebody is a partner of.
	Shares = "participacao_societaria"
)

// Standard returns the nine products of the contract, without prices. The slices are fresh on every call.
func Standard() Catalog {
	return Catalog{
		personRecord(), companyRecord(), registration(), death(), shares(), protests(), score(), vehicle(), emailCheck(),
	}
}

// person returns the documents that products about people take.
func person() []document.Type { return []document.Type{document.CPF} }

// anybody returns the documents that products about people and companies take.
func anybody() []document.Type { return []document.Type{document.CPF, document.CNPJ} }

// group puts fields under a title.
func group(title string, fields ...Field) []Field {
	for i := range fields {
		fields[i].Group = title
	}
	return fields
}

func registration() Product {
	return Product{
		ID: "situacao_cadastral", Name: "Situação cadastral", Documents: anybody(),
		Description: "Situação de um CPF ou CNPJ na Receita Federal.",
		Fields: group("Situação na Receita Federal",
			Field{Name: "nome", Kind: String, Label: "Nome", Description: "Nome ou razão social."},
			Field{Name: "situacao", Kind: String, Label: "Situação", Description: "Situação na Receita Federal."},
			Field{Name: "situacaoEm", Kind: Date, Label: "Desde", Description: "Data da situação."},
			Field{Name: "motivo", Kind: String, Label: "Motivo", Description: "Motivo da situação."},
		),
	}
}

func death() Product {
	return Product{
		ID: "obito", Name: "Óbito", Documents: person(),
		Description: "Registro de óbito de uma pessoa.",
		Fields: group("Registro de óbito",
			Field{Name: "obito", Kind: Boolean, Label: "Há registro de óbito",
				Description: "Há registro de óbito: sim, não, ou null quando o bureau não informa."},
			Field{Name: "obitoEm", Kind: Date, Label: "Data do óbito", Description: "Data do óbito."},
		),
	}
}

func shares() Product {
	return Product{
		ID: Shares, Name: "Participação societária", Documents: anybody(),
		Description: "Empresas das quais a pessoa ou a empresa é sócia.",
		Fields: group("Participações", Field{
			Name: "participacoes", Kind: List, Label: "Participações", Description: "Participações em empresas.",
			Fields: []Field{
				{Name: "cnpj", Kind: String, Format: Identity, Label: "CNPJ", Description: "CNPJ da empresa."},
				{Name: "razaoSocial", Kind: String, Label: "Razão social", Description: "Razão social."},
				{Name: "qualificacao", Kind: String, Label: "Qualificação", Description: "Qualificação na sociedade."},
				{Name: "percentual", Kind: Number, Format: Percent, Label: "Participação",
					Description: "Participação, em porcentagem."},
				{Name: "entrada", Kind: Date, Label: "Entrada", Description: "Data de entrada na sociedade."},
			},
		}),
	}
}

func protests() Product {
	return Product{
		ID: "protestos", Name: "Protestos", Documents: anybody(),
		Description: "Protestos em cartório.",
		Fields: slices.Concat(group("Resumo",
			Field{Name: "quantidade", Kind: Number, Label: "Quantidade", Description: "Quantidade de protestos."},
			Field{Name: "valorTotal", Kind: Number, Format: Reais, Label: "Valor total",
				Description: "Soma dos valores, em reais."},
		), group("Protestos", Field{
			Name: "protestos", Kind: List, Label: "Protestos", Description: "Cada protesto.",
			Fields: []Field{
				{Name: "cartorio", Kind: String, Label: "Cartório", Description: "Cartório."},
				{Name: "cidade", Kind: String, Label: "Cidade", Description: "Cidade do cartório."},
				{Name: "uf", Kind: String, Label: "UF", Description: "Sigla do estado."},
				{Name: "data", Kind: Date, Label: "Data", Description: "Data do protesto."},
				{Name: "valor", Kind: Number, Format: Reais, Label: "Valor", Description: "Valor em reais."},
			},
		})),
	}
}

func score() Product {
	return Product{
		ID: ScoreID, Name: "Score", Documents: anybody(),
		Description: "Pontuação de crédito.",
		Fields: group("Pontuação de crédito",
			Field{Name: "score", Kind: Number, Format: Score, Label: "Score", Description: "Pontuação, de 0 a 1000."},
			Field{Name: "faixa", Kind: String, Label: "Faixa", Description: "Faixa de risco, nas palavras do bureau."},
			Field{Name: "probabilidadeInadimplencia", Kind: Number, Format: Percent, Label: "Chance de inadimplência",
				Description: "Probabilidade de inadimplência, em porcentagem."},
		),
	}
}

func vehicle() Product {
	// Fields by which people recognise a vehicle come before its registration numbers.
	const car, register, last = "Veículo", "Registro", 1
	return Product{
		ID: "veiculo", Name: "Veículo", Documents: []document.Type{document.Plate},
		Description: "Dados de um veículo pela placa.",
		Fields: []Field{
			{Name: "placa", Kind: String, Format: Code, Label: "Placa", Group: car, Description: "Placa."},
			{Name: "chassi", Kind: String, Format: Code, Label: "Chassi", Group: register, Place: last, Description: "Chassi."},
			{Name: "renavam", Kind: String, Format: Code, Label: "Renavam", Group: register, Place: last,
				Description: "Renavam."},
			{Name: "marcaModelo", Kind: String, Label: "Marca e modelo", Group: car, Place: -1, Description: "Marca e modelo."},
			{Name: "anoFabricacao", Kind: Number, Format: Year, Label: "Ano de fabricação", Group: car,
				Description: "Ano de fabricação."},
			{Name: "anoModelo", Kind: Number, Format: Year, Label: "Ano do modelo", Group: car, Description: "Ano do modelo."},
			{Name: "cor", Kind: String, Label: "Cor", Group: car, Description: "Cor."},
			{Name: "combustivel", Kind: String, Label: "Combustível", Group: car, Description: "Combustível."},
			{Name: "cidade", Kind: String, Label: "Cidade", Group: register, Place: last, Description: "Cidade do registro."},
			{Name: "uf", Kind: String, Label: "UF", Group: register, Place: last, Description: "Sigla do estado."},
			{Name: "restricoes", Kind: List, Items: String, Label: "Restrições", Group: register, Place: last,
				Description: "Restrições."},
		},
	}
}

func emailCheck() Product {
	return Product{
		ID: "validacao_email", Name: "Validação de e-mail", Documents: []document.Type{document.Email},
		Description: "Se um endereço de e-mail existe e recebe mensagens.",
		Fields: group("Validação",
			Field{Name: "valido", Kind: Boolean, Label: "Endereço válido", Description: "O endereço é válido."},
			Field{Name: "entregavel", Kind: Boolean, Label: "Recebe mensagens",
				Description: "O servidor aceita mensagens para o endereço."},
			Field{Name: "descartavel", Kind: Boolean, Label: "Serviço descartável",
				Description: "O endereço é de um serviço descartável."},
			Field{Name: "provedor", Kind: String, Label: "Provedor", Description: "Provedor do endereço."},
		),
	}
}

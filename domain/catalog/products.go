package catalog

import "fichario/domain/document"

// The products whose complete records have routes of their own.
const (
	CPF  = "cpf"
	CNPJ = "cnpj"
)

var (
	phones = Field{Name: "telefones", Kind: List, Description: "Telefones.", Fields: []Field{
		{Name: "ddd", Kind: String, Description: "Código de área, dois dígitos."},
		{Name: "numero", Kind: String, Description: "Número sem o código de área."},
		{Name: "tipo", Kind: String, Description: "Tipo da linha, nas palavras do bureau."},
		{Name: "whatsapp", Kind: Boolean, Description: "Tem conta no WhatsApp: sim, não, ou null quando o bureau não informa."},
	}}
	addresses = Field{Name: "enderecos", Kind: List, Description: "Endereços.", Fields: []Field{
		{Name: "tipo", Kind: String, Description: "Tipo do endereço, nas palavras do bureau."},
		{Name: "logradouro", Kind: String, Description: "Rua, avenida ou equivalente."},
		{Name: "numero", Kind: String, Description: "Número."},
		{Name: "complemento", Kind: String, Description: "Complemento."},
		{Name: "bairro", Kind: String, Description: "Bairro."},
		{Name: "cidade", Kind: String, Description: "Cidade."},
		{Name: "uf", Kind: String, Description: "Sigla do estado."},
		{Name: "cep", Kind: String, Description: "CEP."},
	}}
	emails   = Field{Name: "emails", Kind: List, Items: String, Description: "Endereços de e-mail."}
	activity = []Field{
		{Name: "codigo", Kind: String, Description: "Código CNAE."},
		{Name: "descricao", Kind: String, Description: "Descrição da atividade."},
	}
)

// Standard returns the nine products of the contract, without prices. The slices
// are fresh on every call.
func Standard() Catalog {
	person := []document.Type{document.CPF}
	both := []document.Type{document.CPF, document.CNPJ}
	return Catalog{
		{ID: CPF, Name: "Cadastro de pessoa", Documents: person,
			Description: "Cadastro completo de uma pessoa: nome, mãe, nascimento, situação, e-mails, telefones e endereços.",
			Fields: []Field{
				{Name: "nome", Kind: String, Description: "Nome completo."},
				{Name: "nomeMae", Kind: String, Description: "Nome da mãe."},
				{Name: "nascimento", Kind: Date, Description: "Data de nascimento."},
				{Name: "sexo", Kind: String, Description: "Sexo, nas palavras do bureau."},
				{Name: "situacaoCadastral", Kind: String, Description: "Situação do CPF na Receita Federal."},
				emails, phones, addresses,
			}},
		{ID: CNPJ, Name: "Cadastro de empresa", Documents: []document.Type{document.CNPJ},
			Description: "Cadastro completo de uma empresa: razão social, situação, atividades, sócios, telefones e endereços.",
			Fields: []Field{
				{Name: "nome", Kind: String, Description: "Razão social; as mesmas palavras de razaoSocial.", Twin: "razaoSocial"},
				{Name: "razaoSocial", Kind: String, Description: "Razão social.", Twin: "nome"},
				{Name: "nomeFantasia", Kind: String, Description: "Nome fantasia."},
				{Name: "abertura", Kind: Date, Description: "Data de início das atividades."},
				{Name: "situacaoCadastral", Kind: String, Description: "Situação do CNPJ na Receita Federal."},
				{Name: "naturezaJuridica", Kind: String, Description: "Natureza jurídica."},
				{Name: "porte", Kind: String, Description: "Porte da empresa."},
				{Name: "capitalSocial", Kind: Number, Description: "Capital social em reais."},
				{Name: "atividadePrincipal", Kind: Object, Description: "Atividade principal.", Fields: activity},
				{Name: "atividadesSecundarias", Kind: List, Description: "Atividades secundárias.", Fields: activity},
				emails, phones, addresses,
				{Name: "socios", Kind: List, Description: "Quadro de sócios e administradores.", Fields: []Field{
					{Name: "nome", Kind: String, Description: "Nome do sócio."},
					{Name: "documento", Kind: String, Description: "Documento do sócio, muitas vezes mascarado na origem."},
					{Name: "qualificacao", Kind: String, Description: "Qualificação do sócio."},
					{Name: "entrada", Kind: Date, Description: "Data de entrada na sociedade."},
				}},
			}},
		{ID: "situacao_cadastral", Name: "Situação cadastral", Documents: both,
			Description: "Situação de um CPF ou CNPJ na Receita Federal.",
			Fields: []Field{
				{Name: "nome", Kind: String, Description: "Nome ou razão social."},
				{Name: "situacao", Kind: String, Description: "Situação na Receita Federal."},
				{Name: "situacaoEm", Kind: Date, Description: "Data da situação."},
				{Name: "motivo", Kind: String, Description: "Motivo da situação."},
			}},
		{ID: "obito", Name: "Óbito", Documents: person,
			Description: "Registro de óbito de uma pessoa.",
			Fields: []Field{
				{Name: "obito", Kind: Boolean, Description: "Há registro de óbito: sim, não, ou null quando o bureau não informa."},
				{Name: "obitoEm", Kind: Date, Description: "Data do óbito."},
			}},
		{ID: "participacao_societaria", Name: "Participação societária", Documents: both,
			Description: "Empresas das quais a pessoa ou a empresa é sócia.",
			Fields: []Field{
				{Name: "participacoes", Kind: List, Description: "Participações em empresas.", Fields: []Field{
					{Name: "cnpj", Kind: String, Description: "CNPJ da empresa."},
					{Name: "razaoSocial", Kind: String, Description: "Razão social."},
					{Name: "qualificacao", Kind: String, Description: "Qualificação na sociedade."},
					{Name: "percentual", Kind: Number, Description: "Participação em por cento."},
					{Name: "entrada", Kind: Date, Description: "Data de entrada na sociedade."},
				}},
			}},
		{ID: "protestos", Name: "Protestos", Documents: both,
			Description: "Protestos em cartório.",
			Fields: []Field{
				{Name: "quantidade", Kind: Number, Description: "Quantidade de protestos."},
				{Name: "valorTotal", Kind: Number, Description: "Soma dos valores, em reais."},
				{Name: "protestos", Kind: List, Description: "Cada protesto.", Fields: []Field{
					{Name: "cartorio", Kind: String, Description: "Cartório."},
					{Name: "cidade", Kind: String, Description: "Cidade do cartório."},
					{Name: "uf", Kind: String, Description: "Sigla do estado."},
					{Name: "data", Kind: Date, Description: "Data do protesto."},
					{Name: "valor", Kind: Number, Description: "Valor em reais."},
				}},
			}},
		{ID: "score", Name: "Score", Documents: both,
			Description: "Pontuação de crédito.",
			Fields: []Field{
				{Name: "score", Kind: Number, Description: "Pontuação, de 0 a 1000."},
				{Name: "faixa", Kind: String, Description: "Faixa de risco, nas palavras do bureau."},
				{Name: "probabilidadeInadimplencia", Kind: Number, Description: "Probabilidade de inadimplência, em por cento."},
			}},
		{ID: "veiculo", Name: "Veículo", Documents: []document.Type{document.Plate},
			Description: "Dados de um veículo pela placa.",
			Fields: []Field{
				{Name: "placa", Kind: String, Description: "Placa."},
				{Name: "chassi", Kind: String, Description: "Chassi."},
				{Name: "renavam", Kind: String, Description: "Renavam."},
				{Name: "marcaModelo", Kind: String, Description: "Marca e modelo."},
				{Name: "anoFabricacao", Kind: Number, Description: "Ano de fabricação."},
				{Name: "anoModelo", Kind: Number, Description: "Ano do modelo."},
				{Name: "cor", Kind: String, Description: "Cor."},
				{Name: "combustivel", Kind: String, Description: "Combustível."},
				{Name: "cidade", Kind: String, Description: "Cidade do registro."},
				{Name: "uf", Kind: String, Description: "Sigla do estado."},
				{Name: "restricoes", Kind: List, Items: String, Description: "Restrições."},
			}},
		{ID: "validacao_email", Name: "Validação de e-mail", Documents: []document.Type{document.Email},
			Description: "Se um endereço de e-mail existe e recebe mensagens.",
			Fields: []Field{
				{Name: "valido", Kind: Boolean, Description: "O endereço é válido."},
				{Name: "entregavel", Kind: Boolean, Description: "O servidor aceita mensagens para o endereço."},
				{Name: "descartavel", Kind: Boolean, Description: "O endereço é de um serviço descartável."},
				{Name: "provedor", Kind: String, Description: "Provedor do endereço."},
			}},
	}
}

package sandbox

// The words from which people, companies and vehicles are made up.
var (
	women = []string{
		"ANA", "BEATRIZ", "CAMILA", "DANIELA", "ELISA", "FERNANDA", "GABRIELA", "HELENA", "ISABEL", "JULIANA", "LARISSA",
		"MARIA JOSÉ", "NATÁLIA", "PATRÍCIA", "RENATA", "SÔNIA", "TEREZA", "VITÓRIA",
	}
	men = []string{
		"ANDRÉ", "BRUNO", "CARLOS", "DIEGO", "EDUARDO", "FÁBIO", "GUSTAVO", "HENRIQUE", "IGOR", "JOSÉ", "LEANDRO", "MARCELO",
		"NELSON", "OTÁVIO", "PAULO", "RAFAEL", "SÉRGIO", "THIAGO",
	}
	surname = []string{
		"ALMEIDA", "ARAÚJO", "BARBOSA", "CARDOSO", "CARVALHO", "COSTA", "DIAS", "FERREIRA", "GONÇALVES", "LIMA", "LOPES",
		"MARTINS", "MOURA", "NASCIMENTO", "OLIVEIRA", "PEREIRA", "RIBEIRO", "ROCHA", "SANTOS", "SILVA", "SOUZA", "TEIXEIRA",
	}

	streets = []struct{ kind, name string }{
		{"RUA", "DAS ACÁCIAS"}, {"RUA", "DO COMÉRCIO"}, {"AVENIDA", "BRASIL"}, {"RUA", "SETE DE SETEMBRO"},
		{"AVENIDA", "GETÚLIO VARGAS"},
		{"RUA", "QUINZE DE NOVEMBRO"}, {"TRAVESSA", "DOS IPÊS"}, {"RUA", "SANTO ANTÔNIO"}, {"ALAMEDA", "DAS PALMEIRAS"},
		{"RUA", "DOM PEDRO II"},
	}
	districts = []string{
		"CENTRO", "JARDIM AMÉRICA", "BOA VISTA", "SANTA CRUZ", "VILA NOVA", "SÃO JOSÉ", "INDUSTRIAL", "BELA VISTA",
	}
	// cities have a real name, state, area code and postal code prefix.
	cities = []struct{ name, uf, ddd, cep string }{
		{"SÃO PAULO", "SP", "11", "010"}, {"CAMPINAS", "SP", "19", "130"}, {"RIO DE JANEIRO", "RJ", "21", "200"},
		{"NITERÓI", "RJ", "21", "240"},
		{"BELO HORIZONTE", "MG", "31", "301"}, {"UBERLÂNDIA", "MG", "34", "384"}, {"CURITIBA", "PR", "41", "800"},
		{"LONDRINA", "PR", "43", "860"},
		{"PORTO ALEGRE", "RS", "51", "900"}, {"FLORIANÓPOLIS", "SC", "48", "880"}, {"JOINVILLE", "SC", "47", "892"},
		{"SALVADOR", "BA", "71", "400"},
		{"RECIFE", "PE", "81", "500"}, {"FORTALEZA", "CE", "85", "600"}, {"GOIÂNIA", "GO", "62", "740"},
		{"BRASÍLIA", "DF", "61", "700"},
		{"MANAUS", "AM", "92", "690"}, {"BELÉM", "PA", "91", "660"},
	}
	carriers = []string{"OPERADORA AZUL", "OPERADORA VERDE", "OPERADORA SUL"}

	trades = []string{
		"PADARIA", "MERCADO", "TRANSPORTES", "TECNOLOGIA", "CONSTRUTORA", "CONFECÇÕES", "AUTO PEÇAS", "CLÍNICA", "CAFÉ",
		"MÓVEIS",
	}
	activities = []struct{ code, text string }{
		{"4721102", "Padaria e confeitaria com predominância de revenda"}, {"4711302", "Comércio varejista de mercadorias em geral - supermercados"},
		{"4930202", "Transporte rodoviário de carga"}, {"6201501", "Desenvolvimento de programas de computador sob encomenda"},
		{"4120400", "Construção de edifícios"}, {"1412601", "Confecção de peças do vestuário"}, {"4530703", "Comércio a varejo de peças e acessórios novos para veículos"},
		{"8630503", "Atividade médica ambulatorial restrita a consultas"}, {"5611203", "Lanchonetes, casas de chá, de sucos e similares"}, {"0111301", "Cultivo de arroz"},
	}
	natures = []struct {
		code int
		text string
	}{
		{2062, "Sociedade Empresária Limitada"}, {2054, "Sociedade Anônima Fechada"}, {2135, "Empresário (Individual)"},
		{2305, "Empresa Individual de Responsabilidade Limitada"},
	}
	sizes = []string{"MICRO EMPRESA", "EMPRESA DE PEQUENO PORTE", "DEMAIS"}
	roles = []struct {
		code int
		text string
	}{{49, "Sócio-Administrador"}, {22, "Sócio"}, {5, "Administrador"}, {10, "Diretor"}}

	models = []string{
		"FIAT/UNO MILLE", "VW/GOL 1.0", "CHEVROLET/ONIX LT", "FORD/KA SE", "HYUNDAI/HB20 COMFORT", "TOYOTA/COROLLA XEI",
		"HONDA/CG 160 FAN", "RENAULT/SANDERO",
	}
	colors = []string{"BRANCA", "PRETA", "PRATA", "VERMELHA", "CINZA", "AZUL"}
	fuels  = []string{"ÁLCOOL/GASOLINA", "GASOLINA", "DIESEL", "ELÉTRICO"}
	limits = []string{"ALIENAÇÃO FIDUCIÁRIA", "RESERVA DE DOMÍNIO", "RESTRIÇÃO JUDICIAL"}
)

// dice yields the same numbers for the same document.
type dice struct{ state uint64 }

func newDice(text string) *dice {
	h := uint64(14695981039346656037)
	for i := range len(text) {
		h = (h ^ uint64(text[i])) * 1099511628211
	}
	return &dice{h}
}

// n returns a number from 0 to max-1 (splitmix64).
func (d *dice) n(max int) int {
	d.state += 0x9e3779b97f4a7c15
	z := d.state
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return int((z ^ z>>31) % uint64(max))
}

func pick[T any](d *dice, list []T) T { return list[d.n(len(list))] }

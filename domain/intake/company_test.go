package intake

import "testing"

// TestQuestionsAboutCompanies: a question that mentions a company asks for its name only if its other words do.
func TestQuestionsAboutCompanies(t *testing.T) {
	t.Parallel()
	check := func(title string, named bool) {
		t.Helper()
		for _, body := range []string{
			pairs("email", "a@x.com", title, "Casa Azul"),
			`{"email":"a@x.com","answers":[{"title":"` + title + `","value":"Casa Azul"}]}`,
		} {
			typ, want := formType, ""
			if body[0] == '{' {
				typ = "application/json"
			}
			if named {
				want = "Casa Azul"
			}
			if d := mustRead(t, typ, body); d.Company != want {
				t.Errorf("%s: %q", body, d.Company)
			}
		}
	}
	for _, title := range []string{
		"Nome da empresa", "Empresa que representa", "Empresa ou instituição", "Nome fantasia da empresa",
		"Razão social da empresa", "company_name_full", "Company / Organization", "What is your company called?",
		"What is the name of your company?", "¿Cuál es el nombre de tu compania?",
		"¿En qué empresa trabajas?", "Empresa onde trabalha", "Em que empresa você trabalha?", "Qual a sua empresa?",
		"Para qual empresa você trabalha hoje?", "Nome da empresa parceira", "Empresa contratante", "customer_company",
		"Digite o nome da sua empresa, por favor", "q6_nomeDaEmpresa6", "cf_nome_da_minha_empresa", "Empresa / Organização",
		"Which organization do you work for?", "Nome da sua empresa ou do seu negócio", "Seu negócio ou empresa",
		"Empresa em que trabalha", "empresa_em_que_trabalha", "Nome da empresa que você representa no evento",
		"Por favor, informe o nome completo da empresa", "2. Qual é o nome da sua empresa?",
	} {
		check(title, true)
	}
	for _, title := range []string{
		"Qual a maior dificuldade da sua empresa hoje?", "What is the biggest challenge of your company?",
		"A sua empresa já usa CRM?", "Por que sua empresa precisa de ajuda?", "O que sua empresa vende?",
		"¿Cuál es el mayor reto de tu empresa?", "Pessoas na empresa", "Dores da empresa", "Is your company hiring?",
		"qual_a_maior_dificuldade_da_sua_empresa_hoje", "Com o que sua empresa trabalha?", "Produtos da sua empresa",
		"Quem decide na sua empresa?", "Qual o diferencial do seu negócio?", "How can we help your company?",
		"q7_qualADificuldadeDaSuaEmpresa7", "Qual o momento da empresa",
	} {
		check(title, false)
	}
}

package intake

import "testing"

// TestWhoseAPartIs: of what stands near a contact, which is the contact's.
func TestWhoseAPartIs(t *testing.T) {
	t.Parallel()
	const (
		mother = `"nome_mae":"Joelma Motta","email_mae":"jo@x.com","telefone_mae":"(27) 99811-2200"`
		edna   = `{"nome":"Edna Ferraz","email":"edna@x.com"}`
	)
	for body, want := range map[string]struct{ name, phone, company string }{
		// A parent whose address is the only one is who asks for the pupil.
		`{"nome_aluno":"Enzo Motta",` + mother + `}`: {"Joelma Motta", "(27) 99811-2200", ""},
		`{"nome_aluno":"Enzo Motta","nome_pai":"Fábio Motta","telefone_pai":"(27) 99700-1100",` + mother + `}`: {
			"Joelma Motta", "(27) 99811-2200", ""},
		`{"nome_aluno":"Enzo Motta",` + mother + `,"email_unidade":"centro@escola.example"}`: {
			"Joelma Motta", "(27) 99811-2200", ""},
		`{"student":{"name":"Enzo Motta"},"mother":{"name":"Joelma Motta","email":"jo@x.com","phone":"(27) 99811-2200"}}`: {
			"Joelma Motta", "(27) 99811-2200", ""},
		`{"nome":"Ana Lima","email":"ana@x.com","mae":{"nome":"Rosa","email":"rosa@x.com","telefone":"(27) 99811-2200"}}`: {
			"Ana Lima", "", ""},

		// Who applies for a job does so at the company beside it.
		`{"candidate_name":"Ana Lima","candidate_email":"ana@x.com","company_name":"Loja","job_title":"Dev"}`:      {"Ana Lima", "", ""},
		`{"candidate_name":"Ana Lima","candidate_email":"ana@x.com","candidate_company":"Loja","job_title":"Dev"}`: {"Ana Lima", "", "Loja"},
		`{"candidate":{"name":"Ana Lima","email":"ana@x.com","company":"Loja"},"job":{"company_name":"Outra"}}`:    {"Ana Lima", "", "Loja"},
		`{"candidate":{"name":"Ana Lima","email":"ana@x.com"},"company":{"name":"Outra"},"job":{"title":"Dev"}}`:   {"Ana Lima", "", ""},
		`{"nome":"Ana Lima","email":"ana@x.com","empresa":"Loja","job_title":"Dev"}`:                               {"Ana Lima", "", "Loja"},

		// CRMs keep the people of a firm inside it, or the firms beside them.
		`{"nome":"Rota Norte","cnpj":"11222333000181","contatos":[` + edna + `]}`:                   {"Edna Ferraz", "", "Rota Norte"},
		`{"nome":"Negócio 12","contatos":[` + edna + `]}`:                                           {"Edna Ferraz", "", ""},
		`{"contatos":[` + edna + `],"empresas":[{"id":7,"nome":"Rota Norte","ramo":"Transporte"}]}`: {"Edna Ferraz", "", "Rota Norte"},

		// The line that was written to is ours, and so is the organisation beside it.
		`{"integration":{"phone":"551140028922"},"customer":{"full_name":"Ana Lima","email":"ana@x.com","cel_phone":"5563992003344"}}`: {
			"Ana Lima", "5563992003344", ""},
		`{"Organization":{"Name":"Clínica"},"Channel":{"PhoneNumber":"+554833440000"},"Contact":{"Name":"Ana Lima","Email":"ana@x.com",` +
			`"PhoneNumber":"+5548991002030"}}`: {"Ana Lima", "+5548991002030", ""},

		// Who takes the parcel may be somebody else.
		`{"contact_name":"Lia Moraes","contact_email":"lia@x.com","shipping_address":{"first_name":"Otávio","last_name":"Reis"}}`: {
			"Lia Moraes", "", ""},

		// The present state of a record, and not what it was before.
		`{"before":{"email":"antes@x.com"},"after":{"FirstName":"Ana","LastName":"Lima","email":"ana@x.com","Company":"Loja"}}`: {
			"Ana Lima", "", "Loja"},
	} {
		if d := mustRead(t, "application/json", body); d.Name != want.name || d.Phone != want.phone || d.Company != want.company {
			t.Errorf("%s: %q %q %q of %q", body, d.Name, d.Phone, d.Company, d.Email)
		}
	}
}

// TestADocumentOfThePlaceThatServes: a CNPJ under a key that does not say whose it is.
func TestADocumentOfThePlaceThatServes(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]int{
		`{"NomeCliente":"Ana Lima","EmailCliente":"ana@x.com","CNPJ":"11.222.333/0001-81","NomeConcessionaria":"Vale"}`: 0,
		`{"NomeCliente":"Ana Lima","EmailCliente":"ana@x.com","CNPJ":"11.222.333/0001-81"}`:                             1,
		`{"nome":"Ana Lima","email":"ana@x.com","CNPJ":"11.222.333/0001-81","NomeConcessionaria":"Vale"}`:               1,
	} {
		if d := mustRead(t, "application/json", body); len(d.Documents) != want {
			t.Errorf("%s: %d documents", body, len(d.Documents))
		}
	}
}

// TestTheNameUnderAWordForWhoever: the word by which a post calls whoever has the address has their name, too.
func TestTheNameUnderAWordForWhoever(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`{"tutor":"Clarissa Moura","tutor_email":"c@x.com"}`:                "Clarissa Moura",
		`{"aluno":"Enzo Motta","mae":"Joelma Motta","email_mae":"j@x.com"}`: "Joelma Motta",
		`{"nome":"Ana","tutor":"Clarissa Moura","tutor_email":"c@x.com"}`:   "Ana",
		`{"curso":"Confeitaria","curso_email":"c@x.com"}`:                   "",
		`{"unidade":"Centro Sul","unidade_email":"c@x.com"}`:                "",
		`{"comprador_nome":"Prefeitura","comprador_email":"p@x.com","participante_nome":"Yara Luz",` +
			`"participante_email":"y@x.com","participante_cpf":"529.982.247-25"}`: "Yara Luz",
		`{"referral":{"provider":{"name":"Dr. Pike","email":"p@x.com"},"patient":{"name":"Nora Quill","email":"n@x.com"}}}`: "Nora Quill",
		`{"lead":{"responsavel":{"nome":"Gil Prates","email":"g@x.com"}},"parceiro":{"nome":"Sol","email":"s@x.com"}}`:      "Gil Prates",
		`{"fields":[{"label":"Contato","type":"contact","values":[{"value":{"name":"Heitor Luz","mail":["h@x.com"]}}]}]}`:   "Heitor Luz",
		`[{"variavel":"nome","valor":"Giba Luz"},{"variavel":"email","valor":"g@x.com"}]`:                                   "Giba Luz",
	} {
		if d := mustRead(t, "application/json", body); d.Name != want {
			t.Errorf("%s: %q, %q", body, d.Name, d.Email)
		}
	}
}

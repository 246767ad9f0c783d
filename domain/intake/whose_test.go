package intake

import (
	"fmt"
	"testing"
)

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

// TestPartiesOfOneRecord: the keys of one record name several people, and that of the address says which of them asks.
func TestPartiesOfOneRecord(t *testing.T) {
	t.Parallel()
	const cpf, other = "529.982.247-25", "111.444.777-35"
	for body, want := range map[string]string{
		pairs("segurado_nome", "Ana Lima", "segurado_email", "ana@x.com", "segurado_cpf", cpf, "condutor_nome", "Zé Luz",
			"condutor_cpf", other): "Ana Lima||1",
		pairs("nomeTitular", "Ana Lima", "emailTitular", "ana@x.com", "foneTitular", "1133334444", "nomeUsufrutuario", "Zé Luz",
			"foneUsufrutuario", "1155556666"): "Ana Lima|1133334444|0",
		pairs("Nome do proponente", "Ana Lima", "E-mail do proponente", "ana@x.com", "Nome do condutor", "Zé Luz",
			"Telefone do condutor", "1155556666", "Telefone do proponente", "1133334444"): "Ana Lima|1133334444|0",
		pairs("noiva", "Ana Lima", "noivo", "Zé Luz", "email_noiva", "ana@x.com", "cel_noiva", "11987654321"):     "Ana Lima|11987654321|0",
		pairs("morador", "Ana Lima", "emailMorador", "ana@x.com", "sindico", "Zé Luz", "emailSindico", "z@x.com"): "Ana Lima||0",
		pairs("passageiro_principal", "Ana Lima", "passageiro_email", "ana@x.com", "destino", "Rio Branco"):       "Ana Lima||0",
		pairs("projeto", "Casa Nova", "projeto_email", "ana@x.com"):                                               "||0",
		pairs("curso", "Design Gráfico", "email_curso", "ana@x.com"):                                              "||0",
		pairs("morador", "casa 4", "emailMorador", "ana@x.com"):                                                   "||0",
		pairs("lead_nome", "Ana Lima", "lead_email", "ana@x.com", "lead_tel_ddd", "48", "lead_tel_num", "99999-1234",
			"loja_tel", "4833330000"): "Ana Lima|4899999-1234|0",
		pairs("empresa_nome", "Padaria", "empresa_email", "p@x.com", "responsavel_nome", "Ana Lima", "responsavel_fone",
			"1133334444"): "Ana Lima|1133334444|0",
	} {
		d := mustRead(t, formType, body)
		if got := fmt.Sprintf("%s|%s|%d", d.Name, d.Phone, len(d.Documents)); got != want {
			t.Errorf("%s: %q, not %q", body, got, want)
		}
	}
}

// TestTheFirmBesideACNPJ: whatever a record is called, a name beside the contact's CNPJ is that of the firm.
func TestTheFirmBesideACNPJ(t *testing.T) {
	t.Parallel()
	const ana = `"email":"ana@x.com","celular":"11987654321"}}`
	for body, want := range map[string]string{
		`{"restaurante":{"nome":"Sabor","cnpj":"11.222.333/0001-81"},"responsavel":{"nome":"Ana Lima",` + ana:   "Sabor",
		`{"padaria":{"name":"Sabor","CNPJ":"11222333000181"},"contato":{"nome":"Ana Lima",` + ana:               "Sabor",
		`{"dadosEmpresa":{"nome":"Sabor","documento":"11222333000181"},"contato":{"nome":"Ana Lima",` + ana:     "Sabor",
		`{"pessoa_juridica":{"razao":"Sabor Ltda","cnpj":"11222333000181"},"contato":{"nome":"Ana Lima",` + ana: "Sabor Ltda",
		`{"pj":{"fantasia":"Sabor"},"contato":{"nome":"Ana Lima",` + ana:                                        "Sabor",
		`{"concessionaria":{"nome":"Sabor","cnpj":"11.222.333/0001-81"},"cliente":{"nome":"Ana Lima",` + ana:    "",
		`{"restaurante":{"nome":"Sabor","cnpj":"11.222.333/0001-99"},"responsavel":{"nome":"Ana Lima",` + ana:   "",
		`{"titular":{"nome":"Ana Lima","cpf":"529.982.247-25"},"contato":{"nome":"Ana Lima",` + ana:             "",
	} {
		if d := mustRead(t, "", body); d.Company != want || d.Name != "Ana Lima" {
			t.Errorf("%s: %q of %q, not %q", body, d.Company, d.Name, want)
		}
	}
}

// TestOfTwoRecordsWithAddresses that of whom the post says more as a person gives the contact, however its keys are
// called.
func TestOfTwoRecordsWithAddresses(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`{"cli":{"nm":"Ana Lima","mail":"ana@x.com","fone1":"1133334444"},"oficina":{"email":"oi@x.com"}}`:                            "Ana Lima|ana@x.com|1133334444",
		`{"quem":{"nome_completo":"Ana Lima","correio":"ana@x.com","zap":"11987654321"},"estudio":{"nome":"Luz","email":"oi@x.com"}}`: "Ana Lima|ana@x.com|11987654321",
		`{"hospede_titular":{"primeiroNome":"Ana","ultimoNome":"Lima","mail":"ana@x.com","fone":{"pais":"55","area":"11","num":"987654321"}},` +
			`"hotel":{"nome":"Mar","email":"oi@x.com"}}`: "Ana Lima|ana@x.com|55 (11) 987654321",
		`{"dono":{"nome":"Raul","email":"raul@x.com"},"contato":{"nome":"Ana Lima","emails":[{"tipo":"trabalho","endereco":"ana@x.com"}]}}`: "Ana Lima|ana@x.com|",
		`{"dono":{"nome":"Raul","email":"raul@x.com"},"contato":{"nome":"Ana Lima","emails":[{"endereco":"ana@x.com"}],` +
			`"fones":[{"tipo":"celular","numero":"11 98765-4321"}]}}`: "Ana Lima|ana@x.com|11 98765-4321",
		`{"form":{"nome":"Contato","email":"dono@x.com"},"lead":{"nome":"Ana Lima","email":"ana@x.com"}}`: "Ana Lima|ana@x.com|",
	} {
		d := mustRead(t, "", body)
		if got := d.Name + "|" + d.Email + "|" + d.Phone; got != want {
			t.Errorf("%s: %q, not %q", body, got, want)
		}
	}
}

// TestWhoseNameItIs: a word for the lead in the key of a name says more than one that nobody knows.
func TestWhoseNameItIs(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		pairs("nm_guia", "Jair", "client_name", "Ana Lima", "mail", "ana@x.com"),
		pairs("nome_professora", "Jair Sá", "email_professora", "j@x.com", "inscrito_nome", "Ana Lima", "inscrito_email", "ana@x.com"),
	} {
		if d := mustRead(t, formType, body); d.Name != "Ana Lima" || d.Email != "ana@x.com" {
			t.Errorf("%s: %q %q", body, d.Name, d.Email)
		}
	}
}

// TestAFirmByItsLegalForm, in a question for either a name or a firm's, beside the name of who asks.
func TestAFirmByItsLegalForm(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		pairs("Nome ou Razão Social", "Luz Ltda", "Nome para contato", "Ana Lima", "E-mail", "ana@x.com"):       "Ana Lima|Luz Ltda",
		pairs("nome_razao_social", "Luz S.A.", "contato_nome", "Ana Lima", "email", "ana@x.com"):                "Ana Lima|Luz S.A.",
		pairs("Nome / Razão social", "LUZ EIRELI", "Pessoa de contato (nome)", "Ana Lima", "mail", "ana@x.com"): "Ana Lima|LUZ EIRELI",
		pairs("nome", "Luz Ltda", "email", "ana@x.com"):                                                         "Luz Ltda|",
		pairs("nome", "Ana Lima", "nome_do_vendedor", "Luz Ltda", "email", "ana@x.com"):                         "Ana Lima|",
		pairs("nome", "Ana Lima", "nome_social", "Ana Sá", "email", "ana@x.com"):                                "Ana Lima|",
	} {
		d := mustRead(t, formType, body)
		if got := d.Name + "|" + d.Company; got != want {
			t.Errorf("%s: %q, not %q", body, got, want)
		}
	}
}

// TestTheOnlyParent is who asks, where the only other name is a child's.
func TestTheOnlyParent(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		pairs("nome_da_mae", "Ana Lima", "nome_do_aniversariante", "Zé", "seu_email", "ana@x.com"):              "Ana Lima",
		pairs("Nome da criança", "Zé", "Nome do pai", "Rui Lima", "E-mail", "rui@x.com"):                        "Rui Lima",
		pairs("nomeMae", "Ana Lima", "nomeBebe", "Zé", "email", "ana@x.com", "turma", "Maternal"):               "Ana Lima",
		pairs("nome_mae", "Ana Lima", "nome_pai", "Rui Lima", "nome_crianca", "Zé", "email", "a@x.com"):         "",
		pairs("nome_mae", "Ana Lima", "email", "a@x.com", "cidade", "Rio"):                                      "",
		pairs("nome", "Bia Lima", "nome_mae", "Ana Lima", "nome_filho", "Zé", "email", "a@x.com"):               "Bia Lima",
		pairs("beneficiario_nome", "Ana Lima", "beneficiario_email", "ana@x.com", "evento_nome", "Peça Hamlet"): "Ana Lima",
	} {
		if d := mustRead(t, formType, body); d.Name != want {
			t.Errorf("%s: %q, not %q", body, d.Name, want)
		}
	}
}

// TestOnlyRelationBesideOurs: who is asked about is the contact, whatever of ours has an address, too.
func TestOnlyRelationBesideOurs(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		pairs("beneficiario_nome", "Ana Lima", "beneficiario_email", "ana@x.com", "beneficiario_celular", "11987654321",
			"evento_nome", "Hamlet", "produtor_email", "p@x.com"),
		pairs("nomeAmigo", "Ana Lima", "emailAmigo", "ana@x.com", "celAmigo", "11987654321", "email_vendedor", "v@x.com"),
		pairs("friend_name", "Ana Lima", "friend_email", "ana@x.com", "friend_phone", "11987654321", "campaign_name", "Amigos"),
	} {
		d := mustRead(t, formType, body)
		if d.Name != "Ana Lima" || d.Email != "ana@x.com" || d.Phone != "11987654321" {
			t.Errorf("%s: %q %q %q", body, d.Name, d.Email, d.Phone)
		}
	}
}

// TestThePhoneBesideTheAddress is the contact's before one of another record, whatever the two are called.
func TestThePhoneBesideTheAddress(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		`{"dadosEmpresa":{"razao":"Luz","foneFixo":"3832213344"},"dadosContato":{"nome":"Ana","mail":"ana@x.com","whats":"11987654321"}}`,
		`{"quem":{"nome":"Ana","contatos":{"email":"ana@x.com","celular":"11987654321"}},"entrega":{"destinatario":"Bia","telefone":"1133334444"}}`,
		`{"pessoa":{"nome":"Ana","email":"ana@x.com","zap":"11987654321"},"unidade_proxima":{"telefone":"1133334444"}}`,
		`{"cobranca":{"telefone":"1133334444"},"quem":{"emails":[{"tipo":"casa","valor":"ana@x.com"}],"fones":["11987654321"]}}`,
	} {
		if d := mustRead(t, "", body); d.Email != "ana@x.com" || d.Phone != "11987654321" {
			t.Errorf("%s: %q %q", body, d.Email, d.Phone)
		}
	}
}

// TestWhoAnswersForAPupil is the contact, where a form asks for both names.
func TestWhoAnswersForAPupil(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		pairs("Nome do(a) aluno(a)", "Zé Lima", "Nome do responsável (se menor)", "Ana Lima", "E-mail", "ana@x.com"): "Ana Lima",
		pairs("nome_aluno", "Zé Lima", "nome_responsavel", "Ana Lima", "email", "ana@x.com"):                         "Ana Lima",
		pairs("Nome da criança", "Zé Lima", "Nome da responsável", "Ana Lima", "E-mail da responsável", "a@x.com"):   "Ana Lima",
		pairs("Nome do/a paciente", "Zé Lima", "Nome do/a responsável", "Ana Lima", "E-mail", "ana@x.com"):           "Ana Lima",
		pairs("Nome do(a) aluno(a)", "Zé Lima", "E-mail", "ze@x.com"):                                                "Zé Lima",
		pairs("nome_aluno", "Zé Lima", "email_aluno", "ze@x.com", "curso", "Inglês"):                                 "Zé Lima",
	} {
		if d := mustRead(t, formType, body); d.Name != want {
			t.Errorf("%s: %q, not %q", body, d.Name, want)
		}
	}
}

// TestANameAloneBesideTheAddress, under a word that often means something else, before the names of other records.
func TestANameAloneBesideTheAddress(t *testing.T) {
	t.Parallel()
	const others = `,"destinatario":{"nome":"Loja Bela","telefone":"8133330000"}}`
	for _, body := range []string{
		`{"remetente":{"razao_social":"Luz","contato":"Ana Lima","email":"ana@x.com"}` + others,
		`{"coleta":{"responsavel":"Ana Lima","email":"ana@x.com"}` + others,
		`{"contratante":{"nm_completo":"Ana Lima","ds_email":"ana@x.com"},"beneficiarios":[{"nm_completo":"Zé Lima"}]}`,
		`{"quem":{"nm":"Ana Lima","mail":"ana@x.com"},"responsavel_interno":{"nome":"Zé","email":"z@x.com"}}`,
	} {
		if d := mustRead(t, "", body); d.Name != "Ana Lima" {
			t.Errorf("%s: %q of %q", body, d.Name, d.Email)
		}
	}
}

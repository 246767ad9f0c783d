package intake

import (
	"strconv"
	"strings"
	"testing"
)

// TestNearMisses: bodies that look like those which a rule is for, and are of somebody or something else.
func TestNearMisses(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`{"nome":"Ana Lima","email":"ana@example.com","vendedor":["Nome: Beto Reis","E-mail: beto@loja.example",` +
			`"CPF: 529.982.247-25"]}`: "Ana Lima|ana@example.com|||0|",
		`{"cliente":{"Nome":"Ana Lima","E-mail":"ana@example.com"},"proprietario":{"Nome":"Lauro Dias",` +
			`"CPF":"529.982.247-25","E-mail":"lauro@example.com"}}`: "Ana Lima|ana@example.com|||0|",
		`{"contato":{"Nome":"Ana Lima","E-mail":"ana@example.com"},"store":{"customer":{"name":"Bia Souza",` +
			`"email":"bia@example.com","cpf":"529.982.247-25"}}}`: "Ana Lima|ana@example.com|||0|",
		`{"nome":"Ana Lima","email":"ana@example.com","titular_email":"bia@example.com","titular_cpf":"529.982.247-25"}`:   "Ana Lima|ana@example.com|||0|",
		`{"nome":"Ana Lima","email":"ana@example.com","titular_email":"bia@example.com","titular_telefone":"11987654321"}`: "Ana Lima|ana@example.com|||0|",
		`{"beneficiario":{"nome":"Bia Souza","cpf":"529.982.247-25","responsavel_financeiro":{"nome":"Ana Lima",` +
			`"email":"ana@example.com"}}}`: "Ana Lima|ana@example.com|||0|",
		`{"socios":[{"nome":"Ana Lima","email":"ana@example.com"},{"cpf":"529.982.247-25","participacao":"50"}]}`:               "Ana Lima|ana@example.com|||0|",
		`{"lead_nome":"Ana Lima","lead_email":"ana@example.com","lead_nascimento":"1990-01-01","cliente_cpf":"529.982.247-25"}`: "Ana Lima|ana@example.com|||1|",
		`{"triggerType":"form_submission","payload":{"name":"Contact Form","siteId":"5f","formId":"ff",` +
			`"id":"6321","data":{"First Name":"Rui","Last Name":"Alves","Email":"rui@example.com","CNPJ":"11.222.333/0001-81"}}}`: "Rui Alves|rui@example.com|||1|",
		`{"name":"Orçamento","form_id":"7","data":{"nome":"Rui Alves","email":"rui@example.com","cnpj":"11.222.333/0001-81"}}`: "Rui Alves|rui@example.com|||1|",
		`{"nome":"Ana Lima","email":"ana@example.com","nome_banco":"Banco do Brasil S.A."}`:                                    "Ana Lima|ana@example.com|||0|",
		`{"nome":"Ana Lima","email":"ana@example.com","site_name":"Luz Materiais Ltda"}`:                                       "Ana Lima|ana@example.com|||0|",
		`{"nome":"Ana Lima","email":"ana@example.com","Nome do fornecedor atual":"Energia Sul Ltda"}`:                          "Ana Lima|ana@example.com|||0|",
		`{"nome":"Ana Lima","email":"ana@example.com","nome_seguradora":"Porto S.A."}`:                                         "Ana Lima|ana@example.com|||0|",
		`{"Nome":"Ana Lima","E-mail":"ana@example.com","vendedor":"E-mail: beto@loja.example"}`:                                "Ana Lima|ana@example.com|||0|",
		`{"nome":"Ana Lima","email":"ana@example.com","vendedor":"email: beto@loja.example"}`:                                  "Ana Lima|ana@example.com|||0|",
		`{"nome":"Ana Lima","email":"ana@example.com","amigo":"Email: bia@example.com"}`:                                       "Ana Lima|ana@example.com|||0|",
		`{"nome":"Ana Lima","email":"ana@example.com","horario":"Manhã: 8h"}`:                                                  "Ana Lima|ana@example.com|||0|",
		`{"nome":"Ana Lima","telefone":"11987654321","mensagem":"Escrevi para o seu suporte, e-mail suporte@loja.example,` +
			` e não responde"}`: "Ana Lima||11987654321||0|",
		`{"nome":"Ana Lima","telefone":"11987654321","mensagem":"Falei com meu vendedor. Email joao@loja.example"}`: "Ana Lima||11987654321||0|",
		`{"form":{"name":"Contato","email":"dono@loja.example","phone":"(11) 3333-4444"},"dados":{"Nome":"Ana Lima",` +
			`"E-mail":"ana@example.com"}}`: "Ana Lima|ana@example.com|||0|",
		`{"nome_usuario":"Ana Lima","nome_indicado":"Bia Souza","email_indicado":"bia@example.com"}`:      "||||0|",
		`{"restaurante":"Sabor Mineiro","responsavel":"Ana Lima","email_restaurante":"ana@example.com"}`:  "Ana Lima|ana@example.com|||0|",
		`{"contato":"Ana Lima","email_vaga":"ana@example.com","vaga":"Auxiliar Administrativo"}`:          "Ana Lima|ana@example.com|||0|",
		`{"Nome do professor":"Ana Lima","E-mail":"ana@example.com","CPF do professor":"529.982.247-25"}`: "Ana Lima|ana@example.com|||1|",
		`{"nome_paciente":"Bia Souza","nome_de_quem_preenche":"Ana Lima","email":"ana@example.com"}`:      "Ana Lima|ana@example.com|||0|",
		`{"email_mae":"maria@example.com","nome_pai":"José Lima","nome_crianca":"Bia"}`:                   "|maria@example.com|||0|",
		`{"cliente":"Ana Lima","email":"ana@example.com","quem":"Casal com filhos"}`:                      "Ana Lima|ana@example.com|||0|",
		`{"user_nome":"Beto Reis","responsavel":"Ana Lima","email":"ana@example.com"}`:                    "Ana Lima|ana@example.com|||0|",
		`{"pessoa":{"nome":"Ana Lima","email":"ana@example.com"},"dados_pessoais":{"celular":"11987654321"},` +
			`"whatsapp_loja":"1133334444"}`: "Ana Lima|ana@example.com|11987654321||0|",
		`{"nome":"Ana Lima","email_institucional":"ana@usp.example","telefone_institucional":"1133334444",` +
			`"celular_particular":"11987654321"}`: "Ana Lima|ana@usp.example|11987654321||0|",
		`{"nome":"Ana Lima","cliente_email":"ana@usp.example","cliente_telefone":"1133334444","celular_preferencial":"11987654321"}`: "Ana Lima|ana@usp.example|1133334444||0|",
		`{"text":"Nome: Ana Lima\nE-mail: ana@example.com\nTelefone: (11) 98765-4321\nMensagem: vi no <b>site</b>"}`:                 "Ana Lima|ana@example.com|(11) 98765-4321||0|",
		`{"nome":"Ana Lima","email":"ana@example.com","mensagens":[{"id":"m-1","texto":"Quero um orçamento"}]}`:                      "Ana Lima|ana@example.com|||0|",
		`{"nome":"Ana","email":"ana@example.com","doacao":{"valor":"150,00","meio":"pix"}}`:                                          "Ana|ana@example.com|||0|",
		`{"orc_nome_1":"Ana Lima","orc_email_1":"ana@example.com","orc_detalhes_1":"Trocar o telhado"}`:                              "Ana Lima|ana@example.com|||0|",
		`{"passageiro_nome":"Ana Lima","passageiro_email":"ana@example.com","passageiro_origem":"Curitiba",` +
			`"passageiro_destino":"Lisboa"}`: "Ana Lima|ana@example.com|||0|",
		`{"nome":"Ana","email":"ana@example.com","Como chegou o produto?":"Quebrado"}`: "Ana|ana@example.com|||0|",
		`{"contato":{"Nome":"Ana Lima","E-mail":"ana@example.com"},"proprietario":{"Nome":"Lauro Dias",` +
			`"CPF":"529.982.247-25","E-mail":"lauro@example.com"}}`: "Ana Lima|ana@example.com|||0|",
		`{"inscricao":{"nome":"Ana Lima","email":"ana@example.com"},"loja":{"nome":"Loja Centro",` +
			`"email":"centro@loja.example","telefone":"1133334444"}}`: "Ana Lima|ana@example.com|||0|",
		`{"nome":"Ana Lima","email":"ana@example.com","noivo":{"nome":"Beto Reis","email":"beto@example.com"}}`: "Ana Lima|ana@example.com|||0|",
		`{"solicitante_nome":"Ana Lima","solicitante_email":"ana@example.com","titular_nome":"Bia Souza",` +
			`"titular_email":"bia@example.com","titular_cpf":"529.982.247-25"}`: "Ana Lima|ana@example.com|||0|",
		`{"nome":"Ana Maria Lima","email":"ana@example.com","cartao":{"titular":{"nome":"ANA M LIMA",` +
			`"cpf":"529.982.247-25"}}}`: "Ana Maria Lima|ana@example.com|||1|",
		`{"nome_cliente":"Ana Lima","email_cliente":"ana@example.com","telefone":"11987654321",` +
			`"vnd_nome":"Beto Reis","vnd_email":"beto@loja.example","vnd_fone":"1133334444"}`: "Ana Lima|ana@example.com|11987654321||0|",
		`{"nome_escola":"Colégio Sol","email_escola":"contato@sol.example","nome_responsavel":"Ana Lima",` +
			`"telefone_escola":"1133334444"}`: "Ana Lima|contato@sol.example|1133334444||0|",
		`{"nome_restaurante":"Sabor Mineiro","email_restaurante":"ana@example.com","nome_responsavel":"Ana Lima"}`: "Ana Lima|ana@example.com|||0|",
		`{"advogado":{"nome":"Ana Lima","email":"ana@example.com"},"escritorio":{"nome":"Lima Advogados",` +
			`"email":"contato@lima.example"}}`: "Ana Lima|ana@example.com|||0|",
		`{"professor":{"nome":"Ana Lima","email":"ana@example.com","cpf":"529.982.247-25"},` +
			`"escola":{"nome":"Colégio Sol","email":"contato@sol.example","cnpj":"11.222.333/0001-81"}}`: "Ana Lima|ana@example.com|||1|",
		`{"email":"ana@example.com","professor":{"nome":"Ana Lima","cpf":"529.982.247-25"}}`:                                         "Ana Lima|ana@example.com|||1|",
		`{"text":"Nome: Ana Lima\nE-mail: ana@example.com\nTelefone: (11) 98765-4321\nMensagem: Quero um orçamento<br>para junho"}`:  "Ana Lima|ana@example.com|(11) 98765-4321||0|",
		`{"corpo":"Nome: Ana Lima\nE-mail: ana@example.com\nTelefone: (11) 98765-4321\nMensagem: Quero um orçamento<br>para junho"}`: "Ana Lima|ana@example.com|(11) 98765-4321||0|",
	} {
		d, _, err := ReadTraced(Options{}, "application/json", []byte(body))
		got := strings.Join([]string{d.Name, d.Email, d.Phone, d.Company, strconv.Itoa(len(d.Documents)), d.Origin}, "|")
		if err != nil || got != want {
			t.Errorf("%s: %q, not %q (%v)", body, got, want, err)
		}
	}
	for body, want := range map[string]string{
		`{"nome":"Ana","email":"ana@x.com","mensagens":[{"id":"m-1","texto":"Quero um orçamento"}]}`: "Quero um orçamento",
		`{"orc_nome_1":"Ana","orc_email_1":"ana@x.com","orc_detalhes_1":"Trocar o telhado"}`:         "Trocar o telhado",
		`{"text":"Nome: Ana Lima\nE-mail: ana@x.com\nMensagem: vi no <b>site</b>"}`:                  "vi no <b>site</b>",
	} {
		if d := mustRead(t, "", body); d.Message != want {
			t.Errorf("%s: %q, not %q", body, d.Message, want)
		}
	}
	if d := mustRead(t, "", `{"nome":"Ana","email":"ana@x.com","doacao":{"valor":"150,00","meio":"pix"}}`); d.Amount != 150*10000 {
		t.Errorf("amount %d", d.Amount)
	}
}

// TestWhomTheContactRecommends is not called for the contact, and is the contact where nobody else is named.
func TestWhomTheContactRecommends(t *testing.T) {
	t.Parallel()
	const caio = `"telefone":"21912345678"`
	for body, phone := range map[string]string{
		`"indicacao":{"nome":"Caio Reis",` + caio + `}`:       "",
		`"indicacoes":[{"nome":"Caio Reis",` + caio + `}]`:    "",
		`"referral.phone":"21912345678"`:                      "",
		`"telefone_indicacao":"21912345678"`:                  "",
		`"Telefone (indicação)":"21912345678"`:                "",
		`"indicacao":"Google","telefone":"11987654321"`:       "11987654321",
		`"referral":"Instagram","telefone":"11987654321"`:     "11987654321",
		`"telefone":"11987654321","indicacao":{` + caio + `}`: "11987654321",
	} {
		d := mustRead(t, "", `{"nome":"Ana Lima","email":"ana@x.com",`+body+`}`)
		if d.Name != "Ana Lima" || d.Phone != phone {
			t.Errorf("%s: %q %q, not %q", body, d.Name, d.Phone, phone)
		}
	}
	d := mustRead(t, "", `{"indicacao":{"nome":"Ana Lima","email":"ana@x.com","telefone":"11987654321"}}`)
	if d.Name != "Ana Lima" || d.Phone != "11987654321" {
		t.Errorf("alone: %q %q", d.Name, d.Phone)
	}
}

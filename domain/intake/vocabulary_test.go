package intake

import (
	"strings"
	"testing"
)

// TestAliases reads every listed name of every field.
func TestAliases(t *testing.T) {
	t.Parallel()
	sample := map[field]string{
		fieldEmail: "ana@exemplo.com.br", fieldPhone: "(11) 98765-4321", fieldCompany: "Casa Azul", fieldName: "Ana Lima",
		fieldAmount: "R$ 10,00", fieldMessage: "Bom dia", fieldOrigin: "Feira", fieldFirst: "Ana", fieldLast: "Lima",
		fieldArea: "21", fieldCountry: "351",
	}
	beside := map[field]string{fieldArea: `,"telefone":"98765-4321"`, fieldCountry: `,"telefone":"912345678"`}
	for f, list := range aliases {
		want, ok := sample[f]
		if !ok {
			t.Errorf("field %d has no sample", f)
		}
		for w := range strings.FieldsSeq(list) {
			key := strings.TrimSuffix(w, "*")
			body := `{"` + key + `":"` + want + `"` + beside[f] + `,"e_mail":"x@exemplo.com.br"}`
			if f == fieldEmail {
				body = `{"` + key + `":"` + want + `"}`
			}
			d := mustRead(t, "", body)
			got := map[field]string{
				fieldEmail: d.Email, fieldPhone: d.Phone, fieldCompany: d.Company, fieldName: d.Name, fieldFirst: d.Name,
				fieldLast: d.Name, fieldMessage: d.Message, fieldOrigin: d.Origin,
			}[f]
			if f == fieldAmount && d.Amount == 100000 ||
				f == fieldArea && d.PhoneE164 == "+5521987654321" || f == fieldCountry && d.PhoneE164 == "+351912345678" {
				got = want
			}
			if got != want {
				t.Errorf("%q: %q, want %q (%+v)", key, got, want, d)
			}
		}
	}
}

// TestTitlesOfOtherQuestions: titles that a rule excludes by a word stay excluded.
func TestTitlesOfOtherQuestions(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		title, answer string
		want          [4]string // company, phone, origin, note
	}{
		{"Como conheceu a empresa?", "Instagram", [4]string{"", "", "Instagram"}},
		{"Como conheceu a nossa empresa?", "Instagram", [4]string{"", "", "Instagram"}},
		{"Você prefere telefone ou e-mail?", "Telefone", [4]string{3: "Você prefere telefone ou e-mail?: Telefone"}},
		{"Você prefere telefone ou e-mail?", "(11) 98765-4321", [4]string{1: "(11) 98765-4321"}},
		{"Que dia posso ligar no telefone?", "14/09/2026", [4]string{3: "Que dia posso ligar no telefone?: 14/09/2026"}},
		{"Que dia posso ligar no telefone?", "14092026", [4]string{3: "Que dia posso ligar no telefone?: 14092026"}},
		{"Qual telefone você prefere?", "11987654321", [4]string{1: "11987654321"}},
		{"Telefone para contato durante o dia", "1133334444", [4]string{1: "1133334444"}},
		{"Qual telefone você prefere?", "o de casa", [4]string{3: "Qual telefone você prefere?: o de casa"}},
	} {
		for _, body := range []string{
			`{"email":"a@b.c","` + c.title + `":"` + c.answer + `"}`,
			`{"email":"a@b.c","fields":[{"label":"` + c.title + `","value":"` + c.answer + `"}]}`,
		} {
			d := mustRead(t, "", body)
			if got := [4]string{d.Company, d.Phone, d.Origin, d.Note()}; got != c.want {
				t.Errorf("%s: %q, want %q", body, got, c.want)
			}
		}
	}
}

// TestKeys reads keys and titles as products and people write them.
func TestKeys(t *testing.T) {
	t.Parallel()
	value := map[string]string{
		"email": "ana@exemplo.com.br", "telefone": "(11) 98765-4321", "empresa": "Casa Azul", "nome": "Ana Lima",
		"valor": "1500", "mensagem": "Bom dia", "origem": "Feira", "": "resposta 7",
	}
	for want, keys := range map[string][]string{
		"email": {
			"E-mail", "E-MAIL", "e_mail", "eMail", "Email *", "Qual é o seu melhor e-mail?", "seu e-mail", "your-email",
			"q4_email", "field:email_ab12", "cf_email", "No Label email", "Endereço de e-mail", "E-mail (corporativo)",
			"2. E-mail", "Correo electrónico", "📧 E-mail", "email_1", "input_email", "Digite seu e-mail",
			"E-mail para contato:", "emailAddress",
		},
		"telefone": {
			"Telefone", "TEL", "Celular/WhatsApp", "Telefone / WhatsApp",
			"Qual o seu telefone para contato? (DDD) + Whatsapp",
			"Qual é o melhor WhatsApp para falarmos sobre essa análise?", "your-tel", "phone_number", "Phone Number",
			"Seu WhatsApp com DDD", "q5_telefone", "Nº de telefone", "field:phone_77aa", "3. Celular", "teléfono",
			"Número de móvil", "telephone1", "Qual telefone você prefere?", "Em que telefone prefere falar?",
			"Telefone de preferência", "Qual o telefone para contato durante o dia?", "Qual o WhatsApp, em que dia e turno?",
		},
		"empresa": {
			"Nome da empresa", "Qual é o nome da sua empresa?", "Em qual empresa você trabalha?", "Sua empresa",
			"company_name", "Empresa/Organização", "Razão Social", "Empresa / CNPJ", "4) Empresa", "Compañía",
			"Nombre de la empresa", "corporateName", "Como se chama sua empresa?", "Como se chama a sua empresa?",
			"Como se chama o seu negócio?", "Como chama a empresa?", "Como é o nome da sua empresa?", "q7_comoSeChamaSuaEmpresa",
			"comosechamasuaempresa", "Qual o nome da empresa em que você atua?", "Qual é o nome da empresa que você possui?",
			"Nome da empresa que você tem hoje", "Em qual empresa você atua?", "Empresa em que atua", "Qual empresa você tem?",
			"Como se chama a empresa em que você atua?", "3. Como se chama sua empresa?", "Qual é o nome fantasia?",
			"Qual o nome fantasia da sua empresa?", "Seu nome fantasia", "Como sua empresa se chama?",
			"Você fala por qual empresa?", "De qual empresa você é?", "De que empresa vc faz parte?",
			"Você trabalha em qual empresa?", "E a sua empresa?", "Por qual empresa você fala?", "Como se chama a empresa em que você trabalha?",
		},
		"nome": {
			"Nome", "NOME COMPLETO", "Qual é o seu nome?", "nome_completo", "fullName", "Seu nome", "q3_nomeCompleto",
			"Nome e sobrenome", "Nome (completo)", "your-name", "1. Nome completo", "Nombre y apellidos",
			"Cuál es tu nombre?",
		},
		"valor": {
			"Valor", "Qual o valor que pretende investir?", "Orçamento (R$)", "Deal Value",
			"Quanto você pretende investir neste projeto?", "budget", "valor_estimado", "Investimento mensal",
			"5) Investimento previsto", "Qual verba disponível para o projeto?", "Presupuesto",
			"Qual o investimento disponível?",
		},
		"mensagem": {
			"Mensagem", "Deixe uma mensagem", "your-message", "Dúvidas ou comentários", "Observações", "comments",
			"Alguma observação adicional?", "6 - Mensagem", "mensaje", "textarea-1", "customer_note",
		},
		"origem": {
			"Origem", "Como nos conheceu?", "Como ficou sabendo de nós?", "Onde você nos encontrou?", "lead_source",
			"How did you hear about us?", "q8_comoConheceu", "lead_origem", "¿Cómo nos conociste?",
			"Como chegou até nós?", "Por onde você chegou até a gente?", "Como vocês chegaram até nós?",
		},
		"": {
			"Aceita receber e-mail?", "Autorização de contato", "Em qual cidade e estado sua empresa atua?",
			"Qual o faturamento médio mensal da sua empresa?", "Quanto sua empresa investe atualmente em marketing por mês?",
			"Nome do pet", "Nome do produto", "form_name", "formName", "page_name", "Nome da mãe",
			"Quantos telefones a empresa tem?", "Segmento da empresa", "Site da empresa", "Nome da campanha",
			"Nome fantasia do evento?", "CNPJ da empresa", "Qual o melhor horário para telefone?", "Cargo na empresa",
			"event_name", "Tempo de empresa", "Modelo do celular", "utm", "Nombre de la mascota", "Sobrenome da mãe",
			"lastMessageDate", "Nome do indicado", "Telefone do indicado", "E-mail do amigo", "Valor da conta de luz",
			"Investimento atual em anúncios", "Quando pretende investir?", "Nome fantasia que quer registrar",
			"Você prefere telefone ou e-mail?", "Que dia podemos falar por telefone?", "Sua empresa tem site?",
			"Sua empresa possui CNPJ?", "Sua empresa tem dívidas?", "Como sua empresa atua?", "Como é a sua empresa?",
			"Em que sua empresa atua?", "Você tem empresa?", "Qual problema você tem em sua empresa?",
			"Como se chama o responsável pela empresa?", "Como a empresa se chama para vender?", "Como surgiu o nome da sua empresa?",
			"Qual a maior dor da empresa em que você atua?", "Na empresa, que sistema você tem?",
			"Qual empresa te atende hoje?", "De qual empresa você compra?", "Nome da empresa desejado", "nome_empresa_pretendido", "Nome artístico",
			"Nome do aniversariante",
		},
	} {
		for _, key := range keys {
			body := `{"` + key + `":"` + value[want] + `"}`
			d := mustRead(t, "", body)
			got := map[string]string{
				"email": d.Email, "telefone": d.Phone, "empresa": d.Company, "nome": d.Name, "mensagem": d.Message,
				"origem": d.Origin,
			}
			if d.Amount != 0 {
				got["valor"] = "1500"
			}
			for field, v := range got {
				if field == want && v != value[want] || field != want && v != "" {
					t.Errorf("%q: %s = %q", key, field, v)
				}
			}
			if want == "" && len(d.Leftover) != 1 {
				t.Errorf("%q: left over %v", key, d.Leftover)
			}
		}
	}
}

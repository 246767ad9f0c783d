package intake

import (
	"strings"
	"testing"
)

func TestLongCandidatesStayInTheNote(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("á", 201)
	digits := strings.Repeat("1", 61)
	d := mustRead(t, "", `{"email":"a@b.c","nome":"`+long+`","empresa":"`+long+`","origem":"`+long+`",
		"telefone":"`+digits+`","company":"Casa"}`)
	if d.Name != "" || d.Origin != "" || d.Phone != "" || d.Company != "Casa" || strings.Count(d.Note(), long) != 3 ||
		!strings.Contains(d.Note(), digits) {
		t.Errorf("%+v", d)
	}
}

func TestSeconds(t *testing.T) {
	t.Parallel()
	d := mustRead(t, "", `{"email":"a@b.c","email_2":"z@b.c","Telefone":"11 3333-4444","celular":"11 98888-7777",
		"whatsapp":"(11) 988887777","company":"Um","empresa":"Um"}`)
	if d.Email != "a@b.c" || d.Phone != "11 98888-7777" || d.Note() != "email_2: z@b.c\nTelefone: 11 3333-4444" {
		t.Errorf("%+v", d)
	}
}

// TestParts reads names and phones that come in parts, under the keys and titles that forms and shops use.
func TestParts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		body string
		want [3]string // name, phone, note
	}{
		{`"Qual o seu nome?":"Ana","Qual o seu sobrenome?":"Lima"`, [3]string{"Ana Lima"}},
		{`"nombre":"Ana","apellido":"Lima"`, [3]string{"Ana Lima"}},
		{`"name-1-first-name":"Ana","name-1-last-name":"Lima"`, [3]string{"Ana Lima"}},
		{`"Name":{"Name_First":"Ana","Name_Last":"Lima"}`, [3]string{"Ana Lima"}},
		{`"billing_last_name":"Lima","billing_first_name":"Ana"`, [3]string{"Ana Lima"}},
		{`"Nome e sobrenome":"Ana Lima"`, [3]string{"Ana Lima"}},
		{`"owner_first_name":"Ana"`, [3]string{"", "", "owner_first_name: Ana"}},
		{`"ddi":55,"ddd":11,"telefone":988887777`, [3]string{"", "+55 11988887777"}},
		{`"ddi":"55","ddd":"11","numero":"988887777"`, [3]string{"", "+55 11988887777"}},
		{`"numero":"988887777"`, [3]string{"", "", "numero: 988887777"}},
		{`"ddd":"11","rua":"A","numero":"120"`, [3]string{"", "", "ddd: 11\nrua: A\nnumero: 120"}},
		{`"countryCode":"+351","phone":"912345678"`, [3]string{"", "+351 912345678"}},
		{`"country_code":"+55","phone":"+5511988887777"`, [3]string{"", "+5511988887777"}},
		{`"country_code":"00","phone":"11988887777"`, [3]string{"", "11988887777", "country_code: 00"}},
		{`"country_code":"BR","phone":"11988887777"`, [3]string{"", "11988887777", "country_code: BR"}},
		{`"DDD Celular":"11","Celular":"98888-7777"`, [3]string{"", "1198888-7777"}},
		{`"phone_extension":"55","phone_area_code":"11","phone_number":"988887777"`, [3]string{"", "+55 11988887777"}},
		{`"cus_tel":"1133334444","cus_cel":"11955443322"`, [3]string{"", "11955443322", "cus_tel: 1133334444"}},
		{`"telefone":11988887777.0`, [3]string{"", "11988887777"}},
		{`"phones":{"home_phone":{"area_code":"11","number":"33334444"},
			"mobile_phone":{"area_code":"11","number":"988887777"}}`,
			[3]string{"", "(11) 988887777", "phones home_phone: (11) 33334444"}},
		{`"phones":[{"country":"55","area":"11","number":"988887777","type":"MOBILE"}]`,
			[3]string{"", "55 (11) 988887777"}},
		{`"nome":"Ana","emails":["x@b.c"],"responsavel":{"nome":"Vera"}`,
			[3]string{"Ana", "", "emails: x@b.c\nnome: Vera"}},
		{`"variables":[{"name":"Nome","value":"Ana"},{"name":"Phone","value":"11988887777"}]`,
			[3]string{"Ana", "11988887777"}},
		{`"contatos":[{"tipo":"telefone","valor":"11988887777"},{"tipo":"email","valor":"x@b.c"}]`,
			[3]string{"", "11988887777", "email: x@b.c"}},
		{`"telefones":[{"tipo":"celular","numero":"11988887777"},{"tipo":"fixo","numero":"1133334444"}]`,
			[3]string{"", "11988887777", "telefones: 1133334444"}},
		{`"Name (First)":"Ana","Name (Last)":"Lima"`, [3]string{"Ana Lima"}},
		{`"Response ID":"r1","Discord ID":"ana","Seu ID":"7"`, [3]string{"", "", "Discord ID: ana\nSeu ID: 7"}},
		{`"formulario":{"nome":"Contato"},"perguntas":{"Nome":"Ana"}`, [3]string{"Ana", "", "formulario nome: Contato"}},
		{`"dados_lead":{"nome":"Ana"},"campanha":{"nome":"Verão"}`, [3]string{"Ana", "", "campanha nome: Verão"}},
		{`"vendedor":{"nome":"Vera","sobrenome":"Dias"}`, [3]string{"", "", "vendedor: Vera Dias"}},
		{`"cliente":"Ana","contato":"11988887777"`, [3]string{"Ana", "11988887777"}},
		{`"Telefone da loja":"1133334444","Telefone do contato":"1133335555"`,
			[3]string{"", "1133335555", "Telefone da loja: 1133334444"}},
		{`"lead_nome":"Ana","lead_fone":"11988887777"`, [3]string{"Ana", "11988887777"}},
		{`"cv":{"field":"x"},"fields":[{"type":"file","label":"Currículo",
			"value":{"url":"https://x/cv.pdf","filename":"cv.pdf"}}]`,
			[3]string{"", "", "Currículo: cv.pdf https://x/cv.pdf\ncv field: x"}},
		{`"endUser":{"attributes":{"name":"Ana"}}`, [3]string{"Ana"}},
		{`"email_id":"x@b.c","phone_id":"7"`, [3]string{"", "", "email_id: x@b.c"}},
		{`"session":{"utm_json":{"source":"ig"}}`, [3]string{"", "", "session utm_json source: ig"}},
		{`"phones":[{"number":"11988887777"}]`, [3]string{"", "11988887777"}},
		{`"nome":"{{nome}}","telefone":"{{contact.phone}}","empresa":"undefined","origem":"-","mensagem":"N/A"`,
			[3]string{"", "", "nome: {{nome}}\ntelefone: {{contact.phone}}\norigem: -\nmensagem: N/A"}},
	} {
		d := mustRead(t, "", `{"email":"a@b.c",`+c.body+`}`)
		if got := [3]string{d.Name, d.Phone, d.Note()}; got != c.want {
			t.Errorf("%s: %q, want %q", c.body, got, c.want)
		}
	}
	if d := mustRead(t, "", `{"telefone":"11988887777.0"}`); d.PhoneE164 != "+5511988887777" {
		t.Errorf("%+v", d)
	}
}

// TestSenderOfAnEmail: the contact is the person who wrote the e-mail.
func TestSenderOfAnEmail(t *testing.T) {
	t.Parallel()
	d := mustRead(t, "",
		`{"from":"Ana Lima <ana@b.c>","to":"nos@b.c","subject":"Preço","text":"Quanto custa?"}`)
	if d.Email != "ana@b.c" || d.Name != "Ana Lima" || d.Message != "Quanto custa?" {
		t.Errorf("%+v", d)
	}
}

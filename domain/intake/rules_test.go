package intake

import (
	"slices"
	"strings"
	"testing"
)

// ask asks one rule about an answer.
func ask(t *testing.T, name string, q candidate) bid {
	t.Helper()
	i := slices.IndexFunc(rules, func(r rule) bool { return r.name == name })
	if i < 0 {
		t.Fatalf("no rule %q", name)
	}
	q.entry = lookup(q.name())
	return rules[i].bid(&q)
}

// TestRules asks each rule alone, even where another would come first.
func TestRules(t *testing.T) {
	t.Parallel()
	key := func(key string, values ...string) *answer { return &answer{key: key, values: values} }
	title := func(title string, typ answerType) *answer {
		return &answer{title: title, key: "k1", typ: typ, labelled: true, values: []string{"x"}}
	}
	within := func(prefix string, a *answer) *answer { a.prefix = prefix; return a }
	inDeal := func(a *answer) *answer { a.deal = true; return a }
	const (
		fieldType, areaCode, brackets = "type of the field", "area code beside the phone", "part of a name in brackets"
		knownTitle, knownKey          = "known title", "known key"
		number, question              = "number under a key of names", "number question"
		titlePart, price              = "part of a name in the title", "price with cents"
	)
	for _, c := range []struct {
		rule string
		q    candidate
		want bid
	}{
		{fieldType, candidate{answer: title("Contato", emailType), service: true}, bid{fieldEmail, typeOnFormService, 1}},
		{fieldType, candidate{answer: title("Contato", emailType)}, bid{fieldEmail, typeElsewhere, 1}},
		{fieldType, candidate{answer: title("Seu e-mail", emailType)}, bid{fieldEmail, typeElsewhere, 0}},
		{fieldType, candidate{answer: title("E-mail do amigo", emailType), service: true}, bid{fieldEmail, weakName, 1}},
		{fieldType, candidate{answer: title("Celular", phoneType)}, bid{fieldPhone, typeElsewhere, 0}},
		{fieldType, candidate{answer: title("Recado", phoneType)}, bid{fieldPhone, typeElsewhere, 1 + landlinePenalty}},
		{fieldType, candidate{answer: title("Quanto?", numberType)}, bid{}},

		{areaCode, candidate{answer: key("DDD Celular", "11")}, bid{fieldArea, knownName, 0}},
		{areaCode, candidate{answer: key("DDD Celular", "11988887777")}, bid{}},
		{brackets, candidate{answer: key("Name (Last)", "Lima")}, bid{fieldLast, knownName, 0}},
		{brackets, candidate{answer: key("Last name", "Lima")}, bid{}},

		{knownTitle, candidate{answer: title("Nome da empresa", noType)}, bid{fieldCompany, knownName, 10}},
		{knownTitle, candidate{answer: key("empresa", "x")}, bid{}},
		{knownKey, candidate{answer: key("celular", "x")}, bid{fieldPhone, knownName, 6}},
		{knownKey, candidate{answer: key("telefone", "x")}, bid{fieldPhone, knownName, 9}},
		{knownKey, candidate{answer: key("email_2", "x")}, bid{fieldEmail, knownName, 10 + againPenalty}},
		{knownKey, candidate{answer: key("loja", "x")}, bid{fieldCompany, weakName, 10}},
		{knownKey, candidate{answer: within("company", key("name", "x"))}, bid{fieldCompany, knownName, 10}},
		{knownKey, candidate{answer: within("pet", key("name", "x"))}, bid{}},
		{knownKey, candidate{answer: within("pet", key("email", "x"))}, bid{fieldEmail, knownName, 10}},
		{knownKey, candidate{answer: within("pet", key("valor", "5"))}, bid{}},
		{knownKey, candidate{answer: inDeal(within("venda", key("valor", "5")))}, bid{fieldAmount, knownName, 10}},
		{knownKey, candidate{answer: within("valor", key("amount", "5"))}, bid{fieldAmount, weakName, 10}},

		{number, candidate{answer: key("contato", "11988887777")}, bid{fieldPhone, weakName, 10}},
		{number, candidate{answer: key("contato", "Ana")}, bid{}},
		{number, candidate{answer: key("nome", "11988887777")}, bid{}},

		{question, candidate{answer: title("Orçamento", numberType)}, bid{fieldAmount, knownName, 5}},
		{question, candidate{answer: title("Quanto (R$)?", numberType)}, bid{fieldAmount, knownName, 5}},
		{question, candidate{answer: title("Quanto?", numberType), onlyNumber: true},
			bid{fieldAmount, onlyNumberQuestion, 0}},
		{question, candidate{answer: title("Quanto?", numberType)}, bid{}},
		{question, candidate{answer: title("Quantos quartos?", numberType), onlyNumber: true}, bid{}},
		{question, candidate{answer: title("Investimento atual", numberType), onlyNumber: true}, bid{}},
		{question, candidate{answer: title("Orçamento", textType), onlyNumber: true}, bid{}},

		{titlePart, candidate{answer: title("Qual o seu sobrenome?", noType)}, bid{fieldLast, titleWord, 0}},
		{titlePart, candidate{answer: title("Nome e sobrenome", noType)}, bid{}},
		{titlePart, candidate{answer: title("Sobrenome da mãe", noType)}, bid{}},

		{price, candidate{answer: key("sale_amount", "197.50")}, bid{fieldAmount, weakName, 20}},
		{price, candidate{answer: key("sale_amount", "19750")}, bid{}},
		{price, candidate{answer: key("sale_amount_cents", "19750")}, bid{fieldAmount, weakName, 20}},
		{price, candidate{answer: key("tax_amount", "10.00")}, bid{}},
	} {
		if got := ask(t, c.rule, c.q); got != c.want && (c.want.field != noField || got.field != noField) {
			t.Errorf("%s of %q %q %q: %+v, want %+v", c.rule, c.q.prefix, c.q.title, c.q.key, got, c.want)
		}
	}
}

func TestRuleOfNumberedParts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		key    string
		others []string
		want   field
	}{
		{"1.3", []string{"1.6"}, fieldFirst}, {"1.6", []string{"1.3"}, fieldLast}, {"input_1_3", nil, fieldFirst},
		{"1.3", []string{"1.1"}, noField}, {"1.6", []string{"1.5"}, noField}, {"1.3", []string{"2.1"}, fieldFirst},
		{"1.4", nil, noField}, {"a.3", nil, noField}, {"13", nil, noField},
	} {
		answers := []answer{{key: c.key, values: []string{"Ana"}}}
		for _, o := range c.others {
			answers = append(answers, answer{key: o, values: []string{"x"}})
		}
		q := candidate{answer: &answers[0], answers: answers}
		if got := ask(t, "numbered part of a name", q); got.field != c.want {
			t.Errorf("%s beside %v: %v, want %v", c.key, c.others, got.field, c.want)
		}
	}
}

// TestRulesOfTitles has, for each rule, a title that it takes and a similar one that it does not.
func TestRulesOfTitles(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ rule, yes, no string }{
		{"title of an e-mail", "Qual é o seu melhor e-mail?", "Aceita receber e-mail?"},
		{"title of a phone", "Qual o WhatsApp para contato?", "Qual o melhor horário para telefone?"},
		{"title of a company", "Em qual empresa você trabalha?", "Em qual cidade sua empresa atua?"},
		{"title of a name", "Qual é o seu nome?", "Nome do produto"},
		{"title of a value", "Quanto pretende investir?", "Valor da conta de luz"},
		{"title of what one would spend", "How much do you plan to spend?", "Quanto você gasta hoje e pretende gastar?"},
		{"title of a request for help", "Em que podemos te ajudar?", "Quem pode ajudar você?"},
		{"title of an investment", "Qual o investimento disponível?", "Investimento atual em anúncios"},
		{"title of a message", "Alguma observação adicional?", "message id"},
		{"title of an origin", "Como nos conheceu?", "Qual problema já encontrou?"},
	} {
		for title, hit := range map[string]bool{c.yes: true, c.no: false} {
			q := candidate{answer: &answer{title: title, key: "k1", values: []string{"x"}}}
			if got := ask(t, c.rule, q); (got.field != noField) != hit {
				t.Errorf("%s: %q: %+v", c.rule, title, got)
			}
		}
	}
	house := candidate{answer: &answer{title: "Telefone da loja", key: "k1", values: []string{"x"}}}
	if got := ask(t, "title of a phone", house); got != (bid{fieldPhone, titleWord, landlinePenalty + housePenalty}) {
		t.Errorf("%+v", got)
	}
}

// TestTypesOfStrangers: a field's type says what it holds, not whose it is.
func TestTypesOfStrangers(t *testing.T) {
	t.Parallel()
	field := func(label, typ, value string) string {
		return `{"label":"` + label + `","type":"` + typ + `","value":"` + value + `"}`
	}
	const phone, email, full = "INPUT_PHONE_NUMBER", "INPUT_EMAIL", "full_name"
	for _, c := range []struct {
		own, theirs [2]string // label and type
		value, said string
	}{
		{[2]string{"Seu telefone", phone}, [2]string{"WhatsApp do amigo", phone}, "11987654321", "21912345678"},
		{[2]string{"Seu telefone", phone}, [2]string{"WhatsApp da mãe", phone}, "11987654321", "21912345678"},
		{[2]string{"Mobile", phone}, [2]string{"Your friend's mobile", phone}, "11987654321", "21912345678"},
		{[2]string{"Móvil", phone}, [2]string{"Móvil de tu pareja", phone}, "11987654321", "21912345678"},
		{[2]string{"Qual o seu número?", phone}, [2]string{"E o do seu cônjuge?", phone}, "11987654321", "21912345678"},
		{[2]string{"E-mail", email}, [2]string{"E-mail do amigo", email}, "ana@x.com", "beto@x.com"},
		{[2]string{"Onde te escrevemos?", email}, [2]string{"E-mail do sócio", email}, "ana@x.com", "beto@x.com"},
		{[2]string{"E-mail para receber", email}, [2]string{"Correo de tu amiga", email}, "ana@x.com", "beto@x.com"},
		{[2]string{"Nome", full}, [2]string{"Nome do cônjuge", full}, "Ana", "Beto"},
		{[2]string{"Quem é você?", full}, [2]string{"Nome do filho", full}, "Ana", "Beto"},
	} {
		for _, kind := range []Kind{Generic, FormService} {
			for _, alone := range []bool{false, true} {
				fields, want := field(c.theirs[0], c.theirs[1], c.said), c.said
				if !alone {
					fields, want = fields+","+field(c.own[0], c.own[1], c.value), c.value
				}
				d, err := Read(Options{Kind: kind}, "", []byte(`{"data":{"fields":[`+fields+`]}}`))
				if got := join(d.Email, d.Phone, d.Name); err != nil || got != want {
					t.Errorf("%s: %s, %v, want %s", fields, got, err, want)
				}
			}
		}
	}
}

// TestFullNamesTie: of two names with parts the one under a known key is the contact's.
func TestFullNamesTie(t *testing.T) {
	t.Parallel()
	const ana, rui = `{"first":"Ana","last":"Lima"}`, `{"first":"Rui","last":"Lima"}`
	for _, body := range []string{
		`{"q30_nomeDo":` + rui + `,"q3_nome3":` + ana + `}`, `{"q3_nomeDo":` + rui + `,"q30_nome":` + ana + `}`,
		`{"q3_nomeConjuge":` + rui + `,"q30_seuNomeAqui":` + ana + `}`,
	} {
		if d := mustRead(t, "", body); d.Name != "Ana Lima" {
			t.Errorf("%s: %q", body, d.Name)
		}
	}
}

// TestQuestionsForOthers: beside the contact's own address, the phone or name of somebody else is not theirs.
func TestQuestionsForOthers(t *testing.T) {
	t.Parallel()
	for _, label := range []string{"Contato de emergência - Telefone", "WhatsApp do amigo", "Telefone do cônjuge"} {
		d := mustRead(t, "", `{"fields":[{"label":"E-mail","type":"email","value":"ana@x.com"},{"label":"`+label+
			`","type":"tel","value":"11922223333"}]}`)
		if d.Phone != "" || d.Note() != label+": 11922223333" {
			t.Errorf("%s: %q, %q", label, d.Phone, d.Note())
		}
	}
}

// TestMeansOfContactInAList, each with the word for what it is.
func TestMeansOfContactInAList(t *testing.T) {
	t.Parallel()
	for _, word := range []string{"tipo", "type"} {
		list := `[{"` + word + `":"EMAIL","valor":"ana@x.com"},{"` + word + `":"CELULAR","valor":"11987654321"}]`
		for _, body := range []string{
			`{"nome":"Ana","contatos":` + list + `}`, `{"candidato":{"nomeCivil":"Ana","contatos":` + list + `}}`,
			`{"nome":"Ana","meiosContato":` + list + `}`,
		} {
			if d := mustRead(t, "", body); d.Email != "ana@x.com" || d.Phone != "11987654321" {
				t.Errorf("%s: %q %q", body, d.Email, d.Phone)
			}
		}
	}
}

// TestAnswersByPartsInPortuguese: a key with its text, and a question in an object of its own.
func TestAnswersByPartsInPortuguese(t *testing.T) {
	t.Parallel()
	one := func(shape string) string {
		list := ""
		for _, kv := range [][2]string{{"Nome do cliente", "Ana Lima"}, {"E-mail", "ana@x.com"}, {"Telefone", "1133334444"}} {
			list += "," + strings.NewReplacer("K", kv[0], "V", kv[1]).Replace(shape)
		}
		return `{"respostas":[` + list[1:] + `]}`
	}
	for _, shape := range []string{
		`{"chave":"K","texto":"V"}`, `{"campo":"K","conteudo":"V"}`,
		`{"campo":{"titulo":"K"},"valor":"V"}`, `{"pergunta":{"texto":"K","ordem":1},"resposta":"V"}`,
	} {
		if d := mustRead(t, "", one(shape)); d.Name != "Ana Lima" || d.Email != "ana@x.com" || d.Phone != "1133334444" {
			t.Errorf("%s: %q %q %q", shape, d.Name, d.Email, d.Phone)
		}
	}
	d := mustRead(t, "", `{"email":"ana@x.com","nome":"Ana Lima","avaliacoes":[{"nome":"Bia","texto":"Ótimo"}]}`)
	if d.Name != "Ana Lima" || !strings.Contains(d.Note(), "nome: Bia") {
		t.Errorf("%q %s", d.Name, d.Note())
	}
}

// TestNamesOfUsers, in either language, are those of people where the address is.
func TestNamesOfUsers(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		pairs("usuario_nome", "Ana Lima", "usuario_email", "ana@x.com"):                                  "Ana Lima",
		pairs("usuarioNomeCompleto", "Ana Lima", "usuarioEmail", "ana@x.com"):                            "Ana Lima",
		pairs("user_name", "ana", "user_email", "ana@x.com"):                                             "ana",
		pairs("user_name", "ana", "email", "ana@x.com"):                                                  "",
		pairs("usuario_nome", "ana", "email", "ana@x.com"):                                               "",
		pairs("usuario_primeiro_nome", "Ana", "usuario_sobrenome", "Lima", "usuario_email", "ana@x.com"): "Ana Lima",
	} {
		if d := mustRead(t, formType, body); d.Name != want {
			t.Errorf("%s: %q, not %q", body, d.Name, want)
		}
	}
}

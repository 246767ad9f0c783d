package intake

import (
	"slices"
	"strings"
	"testing"
)

// TestWhatColumnsBecome is decided by the names that webhooks know and by the look of the cells, with and without a
// header.
func TestWhatColumnsBecome(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ what, rows, columns, fields string }{
		{
			"a list from another system",
			"Nome completo|E-mail|Celular|Empresa|CPF|Valor estimado|Origem do lead|Observações|Cor preferida\n" +
				"Ana Souza|ana@example.com|11987654321|Acme|529.982.247-25|1.500,00|Site|Ligar cedo|azul",
			"Nome completo E-mail Celular Empresa CPF Valor estimado Origem do lead Observações Cor preferida",
			"nome email telefone empresa documentos valor origem mensagem anotar",
		},
		{
			"parts of a name and of a phone",
			"Nome|Sobrenome|Email|DDD|Telefone\nAna|Souza|ana@example.com|11|987654321",
			"Nome Sobrenome Email DDD Telefone", "nome nome email ddd telefone",
		},
		{
			"in English, with a question",
			"First Name|Last Name|Work Email|Qual o seu WhatsApp?\nAna|Souza|ana@example.com|(11) 98765-4321",
			"First Name Last Name Work Email Qual o seu WhatsApp?", "nome nome email telefone",
		},
		{
			"no header", "Ana Souza|ana@example.com|(11) 98765-4321\nBia Sá|bia@example.com|(11) 98765-4322",
			"A B C", "anotar email telefone",
		},
		{
			"documents that stand further below than what is looked at, or without their zeros", "Nome|E-mail|CPF|CNPJ da empresa|RG\n" +
				"Ana|ana@example.com||2345678000131|\nBia|bia@example.com|||\n",
			"Nome E-mail CPF CNPJ da empresa RG", "nome email documentos documentos anotar",
		},
		{
			"names of documents over what is none", "Nome|E-mail|Documento|CPF do cônjuge\nAna|ana@example.com|enviado|",
			"Nome E-mail Documento CPF do cônjuge", "nome email anotar anotar",
		},
		{
			"people with their deals, of Pipedrive",
			"Pessoa - Nome|Pessoa - E-mail - Trabalho|Pessoa - Telefone - Celular|Pessoa - Organização|Negócio - Título|" +
				"Negócio - Etapa|Negócio - Status|Pessoa - Negócios fechados|Negócio - Valor|Negócio - Moeda de Valor\n" +
				"Clara|clara@example.com|11 98000-1000|Dias ME|Site novo|Proposta|Aberto|0|12.500,00|BRL",
			"Pessoa - Nome Pessoa - E-mail - Trabalho Pessoa - Telefone - Celular Pessoa - Organização Negócio - Título " +
				"Negócio - Etapa Negócio - Status Pessoa - Negócios fechados Negócio - Valor Negócio - Moeda de Valor",
			"nome email telefone empresa anotar anotar anotar anotar valor anotar",
		},
		{"a title", "Clientes de 2026\nNome|E-mail\nAna|ana@example.com", "Nome E-mail", "nome email"},
		{"titles", "Loja Boa\nClientes||ativos\nNome|E-mail|Cor\nBia||\nAna|ana@example.com|azul", "Nome E-mail Cor", "nome email anotar"},
		{"nothing in the cells", "Nome|E-mail|Telefone\nAna|ana@example.com|", "Nome E-mail Telefone", "nome email telefone"},
	} {
		var rows [][]string
		for line := range strings.SplitSeq(c.rows, "\n") {
			rows = append(rows, strings.Split(line, "|"))
		}
		columns, fields, first := ReadColumns(rows)
		wantFirst := map[string]int{"no header": 0, "a title": 2, "titles": 3}
		want, special := wantFirst[c.what]
		if !special {
			want = 1
		}
		if got := strings.Join(columns, " "); got != c.columns || first != want {
			t.Errorf("%s: the columns are %s, first row %d", c.what, got, first)
		}
		if got := strings.Join(fields, " "); got != c.fields {
			t.Errorf("%s: they become %s, want %s", c.what, got, c.fields)
		}
	}
}

// TestARowOfATable: nothing of a row is lost except what is to be ignored.
func TestARowOfATable(t *testing.T) {
	t.Parallel()
	columns := []string{"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"}
	fields := []string{
		"nome", "nome", "email", "ddd", "telefone", "documentos", "valor", "telefone", "anotar", "ignorar",
	}
	r := ReadRecord(columns, fields, []string{
		"Ana", "Souza", "Ana <ana@example.com>", "(11)", "987654321", "2345678992", "R$ 1.500,50", "11 3333-4444", "azul", "x",
	})
	if r.Name != "Ana Souza" || r.Email != "ana@example.com" || r.Phone != "11987654321" || r.Amount != 15_005_000 {
		t.Errorf("the fields: %q %q %q %d", r.Name, r.Email, r.Phone, r.Amount)
	}
	if len(r.Documents) != 1 || r.Documents[0].Value() != "02345678992" {
		t.Errorf("%d documents", len(r.Documents))
	}
	if want := "c: Ana <ana@example.com>\nh: 11 3333-4444\ni: azul"; r.Note() != want {
		t.Errorf("the note is %q", r.Note())
	}
	r = ReadRecord(columns, fields, []string{"", "", "ana@example.com", "", "1.1987654321E+10", "123", "a combinar"})
	if r.DisplayName() != "ana" || r.Phone != "11987654321" || r.Note() != "f: 123\ng: a combinar" || len(r.Remarks) != 2 {
		t.Errorf("what cannot be read: %q %q %q %v", r.DisplayName(), r.Phone, r.Note(), r.Remarks)
	}
	r = ReadRecord(columns, fields, []string{"Ana", "", "", "11.0", "987654321.0", "52998224725.0,'52998224725"})
	if r.Phone != "11987654321" || len(r.Documents) != 1 || r.Documents[0].Value() != "52998224725" || r.Note() != "" {
		t.Errorf("numbers as amounts: %q %d %q", r.Phone, len(r.Documents), r.Note())
	}
	for _, rounded := range []string{"5,51199E+12", "5.5119876543E+12", "6E+12"} {
		r = ReadRecord(columns, fields, []string{"Ana", "", "", "", rounded})
		if r.Phone != "" || r.Note() != "e: "+rounded || len(r.Remarks) != 1 {
			t.Errorf("a phone that lost digits: %q %q %v", r.Phone, r.Note(), r.Remarks)
		}
	}
	if !slices.Contains(ColumnFields(), ColumnNote) {
		t.Error("no column can go to the note")
	}
}

// TestRowsUnderTheirHeader: the rows of a table are records, whatever the sheet calls them.
func TestRowsUnderTheirHeader(t *testing.T) {
	t.Parallel()
	const ana, anas = `["Ana","ana@x.com","11987654321"]`, "Ana ana@x.com +5511987654321 "
	const bia, bias = `["Bia","bia@x.com",""]`, "Bia bia@x.com  "
	const header = `["Nome","E-mail","WhatsApp"]`
	for body, want := range map[string]string{
		`{"headers":` + header + `,"rows":[` + ana + `]}`:                          anas,
		`{"headers":` + header + `,"row":` + ana + `}`:                             anas,
		`{"columns":` + header + `,"data":[` + ana + `,` + bia + `]}`:              anas + "; " + bias,
		`{"range":"A1:C2","values":[` + header + `,` + ana + `]}`:                  anas,
		`{"event":"x","data":{"values":[` + header + `,` + ana + `,` + bia + `]}}`: anas + "; " + bias,
		`[` + header + `,` + ana + `]`:                                             anas,
		`[["Nome","E-mail"],["Ana","ana@x.com"]]`:                                  "Ana ana@x.com  ",
		`[["nome","Ana"],["email","ana@x.com"]]`:                                   "Ana ana@x.com  ",
	} {
		if got := contactsIn(t, "", body); got != want {
			t.Errorf("%s: %q, not %q", body, got, want)
		}
	}
	for body, want := range map[string]string{
		`"headers":["Produto","Preço"],"rows":[["A","10"],["B","20"]]`:              "headers: Produto, Preço\nA: 10\nB: 20",
		`"headers":["Nome","Preço","Cor"],"rows":[["A","10","azul"]]`:               "headers: Nome, Preço, Cor\nrows: A, 10, azul",
		`"m":{"columns":["Bom","Ruim"],"rows":["Preço","Prazo"]}`:                   "m columns: Bom, Ruim\nm rows: Preço, Prazo",
		`"fields":["Cor","Cidade"],"values":["azul","Bauru"]`:                       "Cor: azul\nCidade: Bauru",
		`"headers":["Campo","Resposta"],"rows":[["Cor","azul"],["Cidade","Bauru"]]`: "Cor: azul\nCidade: Bauru",
	} {
		if d := mustRead(t, "", `{"email":"ana@x.com",`+body+`}`); d.Note() != want || d.Name != "" || d.Amount != 0 {
			t.Errorf("%s: %q %q %d", body, d.Note(), d.Name, d.Amount)
		}
	}
	d := mustRead(t, "", `{"headers":["Nome","E-mail","2024",""],"rows":[["Ana","ana@x.com","sim","b"]]}`)
	if d.Name != "Ana" || d.Note() != "2024: sim\nCampo sem nome: b" {
		t.Errorf("%q %q", d.Name, d.Note())
	}
	d = mustRead(t, "", `{"headers":["Nome","E-mail","Cor"],"rows":[["Ana","ana@x.com","Azul"]]}`)
	if d.Note() != "Cor: Azul" {
		t.Errorf("%q", d.Note())
	}
}

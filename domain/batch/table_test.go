package batch_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"fichario/domain/batch"
	"fichario/domain/catalog"
)

func product(t *testing.T, id string) catalog.Product {
	t.Helper()
	p, ok := catalog.Standard().Find(id)
	if !ok {
		t.Fatal(id)
	}
	return p
}

// table makes a table from a test's text: rows of cells between bars; the first row is line 1.
func table(text string) (rows []batch.Row) {
	for i, line := range strings.Split(text, "\n") {
		if line != "" {
			rows = append(rows, batch.Row{Line: i + 1, Cells: strings.Split(line, "|")})
		}
	}
	return rows
}

func TestColumnsThatAreAlike(t *testing.T) {
	t.Parallel()
	for came, want := range map[string]string{
		"nome,cpf": "nome,cpf", "tel,tel,tel": "tel,tel (2),tel (3)", "tel,tel,tel (2)": "tel,tel (3),tel (2)",
		"tel (2),tel,tel,tel (2)": "tel (2),tel,tel (3),tel (2) (2)", "": "",
	} {
		if got := strings.Join(batch.Distinct(strings.Split(came, ",")), ","); got != want {
			t.Errorf("%q: got %q, want %q", came, got, want)
		}
	}
}

func TestTheColumnOfTheDocuments(t *testing.T) {
	t.Parallel()
	for what, c := range map[string]struct {
		product, column, rows string
		want                  string // columns, the chosen one, and the lines below the header
	}{
		"a header":                {"cpf", "", "nome|cpf\nAna|529.982.247-25\nBia|02345678992", "[nome cpf] 1 [2 3]"},
		"no header":               {"cpf", "", "Ana|52998224725\nBia|02345678992", "[A B] 1 [1 2]"},
		"one cell":                {"cpf", "", "52998224725", "[A] 0 [1]"},
		"a first one mistyped":    {"cpf", "", "52998224726\n52998224725\n02345678992", "[A] 0 [1 2 3]"},
		"two columns":             {"cpf", "", "cliente|fiador\n52998224725|02345678992", "[cliente fiador] 0 [2]"},
		"the second by name":      {"cpf", "FIADOR ", "cliente|fiador\n52998224725|02345678992", "[cliente fiador] 1 [2]"},
		"accents and spaces":      {"cpf", "CPF do titular", "Cpf  dó Titular\n1", "[Cpf  dó Titular] 0 [2]"},
		"by letter":               {"cpf", "b", "Ana|x\nBia|02345678992", "[Ana x] 1 [2]"},
		"by letter, no header":    {"cpf", "B", "Ana|52998224725\nBia|02345678992", "[A B] 1 [1 2]"},
		"by number":               {"cpf", "2", "Ana|52998224725\nBia|02345678992", "[A B] 1 [1 2]"},
		"no such column":          {"cpf", "telefone", "nome|cpf\nAna|52998224725", "no column [nome cpf]"},
		"beyond the last":         {"cpf", "9", "nome|cpf\nAna|52998224725", "no column [nome cpf]"},
		"no header to show":       {"cpf", "telefone", "Ana|52998224725\nBia|02345678992", "no column [A B]"},
		"mistyped, no header":     {"cpf", "9", "Ana|52998224726\nBia|02345678992", "no column [A B]"},
		"an address, no header":   {"cpf", "z", "ana@example.com|Ana\nbia@example.com|Bia", "no column [A B]"},
		"few documents":           {"cpf", "", "nome|cpf\nAna|52998224725\nBia|x\nCaio|y", "no documents"},
		"another type":            {"cnpj", "", "cpf\n52998224725", "no documents"},
		"a header alone":          {"cpf", "cpf", "nome|cpf", "no rows"},
		"a column without a name": {"cpf", "", "nome|\nAna|52998224725", "[nome B] 1 [2]"},
		"a title":                 {"cpf", "", "Clientes de 2026\nnome|cpf\nAna|52998224725\nBia|02345678992", "[nome cpf] 1 [3 4]"},
		"a title, one document":   {"cpf", "", "Clientes\n\nnome|cpf\nAna|52998224725", "[nome cpf] 1 [4]"},
		"two titles, one name":    {"cpf", "", "Loja Boa\nClientes\ncpf|nome\n52998224725|Ana", "[cpf nome] 0 [4]"},
		"a title of two cells":    {"cpf", "", "Relatório||em 01/02/2026\nnome|cpf|cidade\nAna|52998224725|Sé", "[nome cpf cidade] 1 [3]"},
		"a title of one column":   {"cpf", "", "Clientes\nCPF do titular\n52998224725", "[CPF do titular] 0 [3]"},
		"a title, no name":        {"cpf", "", "Clientes\nnome|\nAna|52998224725\nBia|", "[nome B] 1 [3 4]"},
		"a first row without one": {"cpf", "", "nome|cpf\nAna|\nBia|não tem\nCaio|52998224725\nEva|02345678992\nIda|11144477735", "[nome cpf] 1 [2 3 4 5 6]"},
		"a title, by name":        {"cpf", "cliente", "Clientes\ncliente|fiador\n52998224725|1", "[cliente fiador] 0 [3]"},
		"a title, by letter":      {"cpf", "b", "Clientes\ncliente|fiador\n52998224725|1", "[cliente fiador] 1 [3]"},
		"a number that is data":   {"cpf", "2", "nome|cpf\nAna|2\nBia|52998224725", "[nome cpf] 1 [2 3]"},
		"plates":                  {"veiculo", "", "placa\nabc-1d23\nABC1234", "[placa] 0 [2 3]"},
		"addresses":               {"validacao_email", "", "ana@example.com\nbia@example.com", "[A] 0 [1 2]"},
		"numbers of spreadsheets": {"cnpj", "", "cnpj\n191\n11222333000181", "[cnpj] 0 [2 3]"},
	} {
		got, err := batch.ReadTable(product(t, c.product), table(c.rows), c.column)
		var lines []int
		for _, row := range got.Rows {
			lines = append(lines, row.Line)
		}
		said := fmt.Sprint(got.Columns, " ", got.At, " ", lines)
		var none *batch.NoColumn
		switch {
		case errors.Is(err, batch.ErrNoDocuments):
			said = "no documents"
		case errors.Is(err, batch.ErrNoRows):
			said = "no rows"
		case errors.As(err, &none):
			said = fmt.Sprint("no column ", none.Columns)
		case err != nil:
			said = err.Error()
		}
		if said != c.want {
			t.Errorf("%s: got %s, want %s", what, said, c.want)
		}
	}
}

func TestColumnsBeyondZ(t *testing.T) {
	t.Parallel()
	row := strings.Repeat("x|", 27) + "52998224725"
	got, err := batch.ReadTable(product(t, "cpf"), table(row+"\n"+row), "ab")
	if err != nil || got.At != 27 || got.Columns[27] != "AB" || got.Columns[26] != "AA" {
		t.Errorf("%d %v %v", got.At, got.Columns, err)
	}
}

func TestItems(t *testing.T) {
	t.Parallel()
	for what, c := range map[string]struct {
		product string
		strict  bool
		cells   string
		want    string
	}{
		"repeats and faults": {"cpf", false, "52998224725\nx\n529.982.247-25\n\n5,2998E+10\n2345678992",
			"pendente invalido repetido:1 invalido pendente"},
		"no masks":     {"cpf", true, "52998224725\n529.982.247-25\n2345678992", "pendente invalido invalido"},
		"either type":  {"score", false, "529.982.247-25\n11.222.333/0001-81\n11222333000182", "pendente pendente invalido"},
		"an ambiguity": {"score", false, "52998224725\n191", "pendente invalido"},
	} {
		p := product(t, c.product)
		tab := batch.Table{Columns: []string{"A"}, Rows: table(c.cells)}
		var got []string
		for _, item := range tab.Items(p, c.strict) {
			said := string(item.State)
			if item.RepeatOf > 0 {
				said += fmt.Sprint(":", item.RepeatOf)
			}
			if (item.State == batch.Invalid) != (item.Message != "") {
				t.Errorf("%s: line %d says %q", what, item.Line, item.Message)
			}
			got = append(got, said)
		}
		if said := strings.Join(got, " "); said != c.want {
			t.Errorf("%s: got %s, want %s", what, said, c.want)
		}
	}
	_, err := batch.ReadCell(product(t, "score"), "5.29982E+10")
	if err == nil || !strings.Contains(err.Error(), "arredondado") {
		t.Error(err)
	}
}

func TestWhichSheet(t *testing.T) {
	t.Parallel()
	sheet := func(name, rows string) batch.Tab { return batch.Tab{Name: name, Rows: table(rows)} }
	broken := batch.Tab{Name: "Grande", Err: errors.New("é grande demais")}
	resumo, um := sheet("Resumo", "Total|12"), sheet("Ativos", "cpf\n52998224725")
	outro, vazio := sheet("Inativos", "cpf|nome\n02345678992|Bia"), sheet("Velhos", "cpf\n123")
	for what, c := range map[string]struct {
		sheets       []batch.Tab
		name, column string
		want         string
	}{
		"a summary first":    {[]batch.Tab{resumo, um}, "", "", "Ativos, not [Resumo]"},
		"two with documents": {[]batch.Tab{resumo, um, outro}, "", "", "mais de uma aba da planilha serve. Diga em aba qual usar, pelo nome: Ativos, Inativos"},
		"by name":            {[]batch.Tab{resumo, um, outro}, " inativos", "", "Inativos, not [Resumo Ativos]"},
		"by place":           {[]batch.Tab{resumo, um, outro}, "2", "", "Ativos, not [Resumo Inativos]"},
		"by its column":      {[]batch.Tab{um, outro}, "", "nome", "Inativos, not [Ativos]"},
		"by a wrong column":  {[]batch.Tab{resumo, vazio}, "", "cpf", "Velhos, not [Resumo]"},
		"another name":       {[]batch.Tab{resumo, um}, "Todos", "", "a planilha não tem essa aba. As que tem: Resumo, Ativos"},
		"without documents":  {[]batch.Tab{resumo, vazio}, "", "", "nenhuma aba da planilha tem uma coluna que sirva. Diga em aba qual usar, pelo nome: Resumo, Velhos"},
		"one that is broken": {[]batch.Tab{um, broken}, "", "", "mais de uma aba da planilha serve. Diga em aba qual usar, pelo nome: Ativos, Grande"},
		"the other one":      {[]batch.Tab{um, broken}, "Ativos", "", "Ativos, not [Grande]"},
		"the broken one":     {[]batch.Tab{um, broken}, "Grande", "", "é grande demais"},
		"the only one":       {[]batch.Tab{vazio}, "", "", batch.ErrNoDocuments.Error()},
		"a tab of a CSV":     {[]batch.Tab{sheet("", "52998224725")}, "Todos", "", "o arquivo não tem abas: envie-o sem dizer qual usar"},
		"no workbook":        {[]batch.Tab{sheet("", "52998224725")}, "", "", ", not []"},
	} {
		_, sheet, others, err := batch.ReadTabs(product(t, "cpf"), c.sheets, c.name, c.column)
		said := fmt.Sprint(sheet.Name, ", not ", others)
		if err != nil {
			said = err.Error()
		}
		if said != c.want {
			t.Errorf("%s: got %s, want %s", what, said, c.want)
		}
	}
}

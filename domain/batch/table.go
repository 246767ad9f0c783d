package batch

import (
	"errors"
	"strconv"
	"strings"

	"fichario/domain/catalog"
	"fichario/domain/document"
	"fichario/domain/text"
)

// Row is a row of a table that is not empty.
type Row struct {
	// Line is its number in the file, as a spreadsheet shows it; the first is 1.
	Line  int
	Cells []string
}

// looked is how many filled cells of a column are looked at to see whether it holds documents.
const looked = 1000

// Table is a table that somebody sent: what its columns are called, and which of them holds the documents.
type Table struct {
	Columns []string
	// At is the column of the documents, from 0 on.
	At int
	// Rows are those under the header.
	Rows []Row
}

// The errors of ReadTable; what they say is for who sent the table, and holds nothing of it but the names of columns.
var (
	ErrNoDocuments = errors.New("nenhuma coluna tem, na maioria das linhas, documentos que o produto aceita: diga qual é em coluna, " +
		"por nome, letra ou número")
	ErrNoRows = errors.New("abaixo do cabeçalho não há nenhuma linha")
)

// NoColumn says that a column was named that the table does not have.
type NoColumn struct{ Columns []string }

// Error names those that there are.
func (e *NoColumn) Error() string {
	return "a tabela não tem essa coluna. As que tem: " + strings.Join(e.Columns, ", ")
}

// ReadTable finds the header and the column of the documents. column names it by its header, letter or number; without
// one it is the first of which most filled cells are documents that the product takes. Errors: ErrNoDocuments,
// ErrNoRows, *NoColumn.
func ReadTable(p catalog.Product, rows []Row, column string) (Table, error) {
	width := 0
	for _, row := range rows {
		width = max(width, len(row.Cells))
	}
	t := Table{Rows: rows, At: -1}
	header := false
	if column == "" {
		if t.At = documentsIn(p, rows, width); t.At < 0 {
			return t, ErrNoDocuments
		}
		header = isHeader(p, rows, t.At)
	} else {
		t.At, header = find(p, rows, width, column)
	}
	t.Columns = make([]string, width)
	for i := range t.Columns {
		t.Columns[i] = letter(i)
		if header && cell(rows[0], i) != "" {
			t.Columns[i] = cell(rows[0], i)
		}
	}
	if t.At < 0 {
		return t, &NoColumn{t.Columns}
	}
	if header {
		t.Rows = rows[1:]
	}
	if len(t.Rows) == 0 {
		return t, ErrNoRows
	}
	return t, nil
}

// Distinct are names of columns of which none comes twice, for cells that go by the names of their columns: the first
// of several that are alike keeps its name, the others get their number.
func Distinct(columns []string) []string {
	taken, out := map[string]bool{}, make([]string, len(columns))
	for _, name := range columns {
		taken[name] = true
	}
	seen := map[string]bool{}
	for i, name := range columns {
		out[i] = name
		for n := 2; seen[name] && taken[out[i]]; n++ {
			out[i] = name + " (" + strconv.Itoa(n) + ")"
		}
		seen[name], taken[out[i]] = true, true
	}
	return out
}

// find returns the column that a name means, or -1, and whether the first row is a header.
func find(p catalog.Product, rows []Row, width int, column string) (at int, header bool) {
	wanted := text.Fold(strings.TrimSpace(column))
	for i, name := range rows[0].Cells {
		if text.Fold(strings.TrimSpace(name)) == wanted {
			return i, true
		}
	}
	at = -1
	if n, err := strconv.Atoi(wanted); err == nil {
		at = n - 1
	} else if len(wanted) == 1 && wanted[0] >= 'a' && wanted[0] <= 'z' {
		at = int(wanted[0] - 'a')
	} else if len(wanted) == 2 && wanted[0] >= 'a' && wanted[0] <= 'z' && wanted[1] >= 'a' && wanted[1] <= 'z' {
		at = (int(wanted[0]-'a')+1)*26 + int(wanted[1]-'a')
	}
	if at < 0 || at >= width {
		return -1, true
	}
	return at, isHeader(p, rows, at)
}

// documentsIn returns the first column of which most filled cells are documents, the header not counted, or -1.
func documentsIn(p catalog.Product, rows []Row, width int) int {
	for at := range width {
		filled, documents := 0, 0
		for i, row := range rows {
			c := cell(row, at)
			if c == "" {
				continue
			}
			if filled++; isDocument(p, c) {
				documents++
			} else if i == 0 {
				filled-- // what the column is called
			}
			if filled == looked {
				break
			}
		}
		if documents > 0 && 2*documents > filled {
			return at
		}
	}
	return -1
}

// isHeader reports whether the first row says what the columns are: where the documents are it has a name, and neither
// a document nor digits that might be a mistyped one.
func isHeader(p catalog.Product, rows []Row, at int) bool {
	c := cell(rows[0], at)
	if c == "" {
		return len(rows) > 1 // of a row without a document in the first place
	}
	digits := 0
	for _, r := range c {
		if r >= '0' && r <= '9' {
			digits++
		}
	}
	return !isDocument(p, c) && 2*digits < len(c) && !strings.Contains(c, "@")
}

func isDocument(p catalog.Product, c string) bool {
	_, err := ReadCell(p, c)
	return err == nil
}

// errAmbiguous is of a number without its zeros that is a CPF and a CNPJ.
var errAmbiguous = errors.New("perdeu os zeros à esquerda e pode ser um CPF ou um CNPJ: formate a coluna como texto e digite-o de novo")

// ReadCell reads the document of a cell as people write them, with masks and without, and as spreadsheets spoil them.
// The error is a sentence for who sent it.
func ReadCell(p catalog.Product, c string) (document.Document, error) {
	var found []document.Document
	var why error
	lost := false
	for _, t := range p.Documents {
		d, err := document.FromCell(t, c)
		var invalid *document.Invalid
		switch {
		case err == nil:
			found = append(found, d)
		case errors.As(err, &invalid) && invalid.Reason == document.LostDigits:
			why, lost = err, true
		case why == nil:
			why = err
		}
	}
	asItIs, err := p.Parse(c)
	switch {
	case err == nil:
		return asItIs, nil
	case len(found) == 1:
		return found[0], nil
	case len(found) > 1:
		return document.Document{}, errAmbiguous
	case !lost && len(p.Documents) > 1:
		if _, err := p.Parse(bare.Replace(strings.ToUpper(c))); err != nil {
			why = err // of the type that it is most like
		}
	}
	return document.Document{}, why
}

var bare = strings.NewReplacer(".", "", "-", "", "/", "", " ", "")

// Items are the rows of a table; strict takes documents without masks only, as the API does. Those that are not valid
// say why, and those whose document came before say where.
func (t Table) Items(p catalog.Product, strict bool) []Item {
	out := make([]Item, len(t.Rows))
	first := make(map[document.Document]int, len(t.Rows))
	for i, row := range t.Rows {
		item := Item{Line: row.Line, State: Pending, Cells: row.Cells, At: t.At}
		read := ReadCell
		if strict {
			read = catalog.Product.Parse
		}
		doc, err := read(p, cell(row, t.At))
		line, known := first[doc]
		switch {
		case err != nil:
			item.State, item.Message = Invalid, err.Error()
		case known:
			item.State, item.Document, item.RepeatOf = Repeat, doc, line
		default:
			item.Document, first[doc] = doc, row.Line
		}
		out[i] = item
	}
	return out
}

func cell(r Row, at int) string {
	if at < len(r.Cells) {
		return r.Cells[at]
	}
	return ""
}

// letter is what spreadsheets call a column.
func letter(at int) string {
	if at < 26 {
		return string(rune('A' + at))
	}
	return letter(at/26-1) + letter(at%26)
}

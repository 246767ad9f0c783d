package batch

import (
	"errors"
	"strconv"
	"strings"

	"fichario/domain/catalog"
	"fichario/domain/document"
	"fichario/domain/text"
)

// Row is a non-empty row of a table.
type Row struct {
	// Line is its number in the file, as a spreadsheet shows it; the first is 1.
	Line  int
	Cells []string
}

// looked is how many filled cells of a column are examined to see whether it holds documents.
const looked = 1000

// Table is a table that somebody sent: the names of its columns, and which of them holds the documents.
type Table struct {
	Columns []string
	// At is the column of the documents, from 0 on.
	At int
	// Rows are those under the header.
	Rows []Row
}

// The errors of ReadTable. Their texts are for the sender of the table, and hold nothing of it but names of columns.
var (
	ErrNoDocuments = errors.New("nenhuma coluna tem, na maioria das linhas, documentos que o produto aceita: diga qual é em coluna, " +
		"por nome, letra ou número")
	ErrNoRows = errors.New("abaixo do cabeçalho não há nenhuma linha")
)

// NoColumn says that the table lacks the column that was named.
type NoColumn struct{ Columns []string }

// Error lists the columns that there are.
func (e *NoColumn) Error() string {
	return "a tabela não tem essa coluna. As que tem: " + strings.Join(e.Columns, ", ")
}

// ReadTable finds the header and the column of the documents. column names it by its header, letter or number; if
// empty, it is the first column in which most filled cells are documents that the product takes. Errors:
// ErrNoDocuments, ErrNoRows, *NoColumn.
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

// Distinct makes the names of columns unique, for formats that key cells by them: the first of several equal names
// stays, the others get a number.
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

// documentsIn returns the first column in which most filled cells, the header aside, are documents, or -1.
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
				filled-- // the name of the column
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

// isHeader reports whether the first row is a header: its cell in the documents' column holds a name, neither a
// document nor digits that might be a mistyped one.
func isHeader(p catalog.Product, rows []Row, at int) bool {
	c := cell(rows[0], at)
	if c == "" {
		return len(rows) > 1 // a first row without a document
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

// errAmbiguous is the error of a number without its leading zeros that may be a CPF or a CNPJ.
var errAmbiguous = errors.New("perdeu os zeros à esquerda e pode ser um CPF ou um CNPJ: formate a coluna como texto e digite-o de novo")

// ReadCell reads the document in a cell as people write it, with or without a mask, and as spreadsheets spoil it. The
// error is a sentence for the sender.
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
			why = err // the error of the likeliest type
		}
	}
	return document.Document{}, why
}

var bare = strings.NewReplacer(".", "", "-", "", "/", "", " ", "")

// Items makes items of the rows of a table; strict takes only documents without masks, as the API does. Invalid items
// say why, and repeated ones which line came first.
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

// letter returns the name that spreadsheets give a column.
func letter(at int) string {
	if at < 26 {
		return string(rune('A' + at))
	}
	return letter(at/26-1) + letter(at%26)
}

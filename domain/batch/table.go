package batch

import (
	"cmp"
	"errors"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"fichario/domain/catalog"
	"fichario/domain/document"
	"fichario/domain/lookup"
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

// ReadTable finds the header and the column of the documents; titles above the header are left out. column names it by
// its header, letter or number; if empty, it is the first column in which most filled cells are documents that the
// product takes. Errors: ErrNoDocuments, ErrNoRows, *NoColumn.
func ReadTable(p catalog.Product, rows []Row, column string) (Table, error) {
	width := 0
	for _, row := range rows {
		width = max(width, len(row.Cells))
	}
	t := Table{Rows: rows, At: -1}
	var header, first int
	if column == "" {
		if t.At = documentsIn(p, rows, width); t.At < 0 {
			return t, ErrNoDocuments
		}
		header, first = headerOf(p, rows, t.At)
	} else {
		t.At, header, first = find(p, rows, width, column)
	}
	t.Columns = make([]string, width)
	for i := range t.Columns {
		t.Columns[i] = letter(i)
		if header >= 0 && cell(rows[header], i) != "" {
			t.Columns[i] = cell(rows[header], i)
		}
	}
	if t.At < 0 {
		return t, &NoColumn{t.Columns}
	}
	if t.Rows = rows[first:]; len(t.Rows) == 0 {
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

// above is how many rows may be above the documents: titles, and the header.
const above = 10

// find returns the column that a name means, or -1, its header, or -1, and the first row of the table.
func find(p catalog.Product, rows []Row, width int, column string) (at, header, first int) {
	wanted := text.Fold(strings.TrimSpace(column))
	number, notNumber := strconv.Atoi(wanted)
	most := min(len(rows), above)
	if len(wanted) <= 2 || notNumber == nil { // a place rather than a name, which a row of data may hold too
		most = min(most, titles(rows)+1)
	}
	for line, row := range rows[:most] {
		for i, name := range row.Cells {
			if text.Fold(strings.TrimSpace(name)) == wanted {
				return i, line, line + 1
			}
		}
	}
	at = -1
	if notNumber == nil {
		at = number - 1
	} else if len(wanted) == 1 && wanted[0] >= 'a' && wanted[0] <= 'z' {
		at = int(wanted[0] - 'a')
	} else if len(wanted) == 2 && wanted[0] >= 'a' && wanted[0] <= 'z' && wanted[1] >= 'a' && wanted[1] <= 'z' {
		at = (int(wanted[0]-'a')+1)*26 + int(wanted[1]-'a')
	}
	if at < 0 || at >= width {
		return -1, namesOf(p, rows), 0
	}
	header, first = headerOf(p, rows, at)
	return at, header, first
}

// documentsIn returns the first column in which most filled cells, those above the documents aside, are documents, or
// -1.
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
			} else if i < above && documents == 0 && isName(p, c) {
				filled-- // the name of the column, or a title
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

// headerOf returns the header, or -1 where there is none, and the first row of the table, for documents in column at.
// What is above the documents are titles, then the header, and perhaps rows without a document.
func headerOf(p catalog.Product, rows []Row, at int) (header, first int) {
	top := 0
	for top < len(rows) && top < above && isName(p, cell(rows[top], at)) {
		top++
	}
	if top == 0 {
		return -1, 0
	}
	from := min(titles(rows), top-1)
	header = -1
	for i := from; i < top; i++ {
		switch c := cell(rows[i], at); {
		case documentName.MatchString(text.Fold(c)):
			header = i
		case header < 0 && c != "":
			header = i
		}
	}
	switch {
	case header >= 0:
		return header, header + 1
	case len(rows) == 1: // named by its letter, and empty
		return -1, 0
	}
	return from, from + 1 // the column of the documents has no name
}

// documentName matches the name of a column of documents, in lower case and without accents.
var documentName = regexp.MustCompile(`^(n[or.º° ]*|numero d[aeo] )?(cpf|cnpj|documento|placa|e-?mail)\b.{0,30}$`)

// titles counts the rows at the top with a single cell, of a table that is wider: the cell of a title may be merged.
func titles(rows []Row) int {
	for i, row := range rows[:min(len(rows), above)] {
		if filled(row) > 1 {
			return i
		}
	}
	return 0
}

// namesOf returns the row that seems to hold the names of columns, or -1: one that may be a person's is not shown.
func namesOf(p catalog.Product, rows []Row) int {
	at := titles(rows)
	if at >= len(rows) || slices.ContainsFunc(rows[at].Cells, func(c string) bool { return !isName(p, c) }) {
		return -1
	}
	return at
}

func filled(r Row) (n int) {
	for _, c := range r.Cells {
		if c != "" {
			n++
		}
	}
	return n
}

// isName reports whether a cell may be above the documents: it is empty or a name, neither a document nor digits that
// might be a mistyped one.
func isName(p catalog.Product, c string) bool {
	digits := 0
	for _, r := range c {
		if r >= '0' && r <= '9' {
			digits++
		}
	}
	return c == "" || !isDocument(p, c) && 2*digits < len(c) && !strings.Contains(c, "@")
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
// say why, and repeated ones which line had the same document, and the same inputs, first.
func (t Table) Items(p catalog.Product, strict bool) []Item {
	out := make([]Item, len(t.Rows))
	first := make(map[lookup.About]int, len(t.Rows))
	for i, row := range t.Rows {
		item := Item{Line: row.Line, State: Pending, Cells: row.Cells, At: t.At}
		read := ReadCell
		if strict {
			read = catalog.Product.Parse
		}
		doc, err := read(p, cell(row, t.At))
		about, why := About(p, t.Columns, Item{Document: doc, Cells: row.Cells})
		err = cmp.Or(err, why)
		line, known := first[about]
		switch {
		case err != nil:
			item.State, item.Message = Invalid, err.Error()
		case known:
			item.State, item.Document, item.RepeatOf = Repeat, doc, line
		default:
			item.Document, first[about] = doc, row.Line
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

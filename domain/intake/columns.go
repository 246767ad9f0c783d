package intake

import (
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"fichario/domain/document"
	"fichario/domain/intake/fields"
	"fichario/domain/intake/names"
	"fichario/domain/intake/tree"
	"fichario/domain/text"
)

// What a column of a table can become besides a field of the contract.
const (
	// ColumnArea is the area code of the phone.
	ColumnArea = "ddd"
	// ColumnNote goes to the note, with the name of the column before it.
	ColumnNote = "anotar"
	// ColumnNone is not read.
	ColumnNone = "ignorar"
)

// ColumnFields returns what a column of a table can become: words of the contract, then the three above.
func ColumnFields() []string {
	return []string{
		fieldNames[fieldEmail], fieldNames[fieldName], fieldNames[fieldPhone], ColumnArea, fieldNames[fieldCompany],
		fieldNames[fieldAmount], fieldDocuments, fieldNames[fieldOrigin], fieldNames[fieldMessage], ColumnNote, ColumnNone,
	}
}

// columnSample is how many rows are read to find out what columns hold.
const columnSample = 50

// ReadColumns returns the names of a table's columns, what each would become, and its first row of data, below the
// header and titles above that. Without a header, columns are named as in spreadsheets. Some rows are read as
// submissions, and a column becomes the field that it is most often taken for.
func ReadColumns(rows [][]string) (columns, fields []string, first int) {
	width := 0
	for _, row := range rows {
		width = max(width, len(row))
	}
	header := headerOf(rows)
	columns = make([]string, width)
	for i := range columns {
		columns[i] = ColumnLetter(i)
		if header >= 0 && i < len(rows[header]) && rows[header][i] != "" {
			columns[i] = text.Cut(text.OneLine(text.Clean(rows[header][i])), tree.MaxKeyText)
		}
	}
	rows = rows[header+1:]
	return columns, proposeFields(columns, rows[:min(len(rows), columnSample)]), header + 1
}

// aboveData is how many rows may be above the first one with content.
const aboveData = 10

// headerOf returns the header's row, or -1. It is above all content, below titles, which have a single cell, and has
// the most names of fields.
func headerOf(rows [][]string) int {
	top, titles := 0, -1
	for i, row := range rows[:min(len(rows), aboveData)] {
		if top == i && !slices.ContainsFunc(row, isContent) {
			top++
		}
		if titles < 0 && filledCells(row) > 1 {
			titles = i
		}
	}
	header, most := -1, -1
	for i := max(0, min(titles, top-1)); i < top; i++ {
		known := 0
		for _, name := range rows[i] {
			if fieldNames[lookup(name).field] != "" {
				known++
			}
		}
		if known > most {
			header, most = i, known
		}
	}
	return header
}

func filledCells(row []string) (n int) {
	for _, c := range row {
		if c != "" {
			n++
		}
	}
	return n
}

// isContent reports whether a cell is surely not the name of a column.
func isContent(cell string) bool {
	return strings.Contains(cell, "@") || 2*names.CountDigits(cell) >= len(cell) && len(cell) >= 4
}

// ColumnLetter returns the name that spreadsheets give a column.
func ColumnLetter(at int) string {
	if at < 26 {
		return string(rune('A' + at))
	}
	return ColumnLetter(at/26-1) + ColumnLetter(at%26)
}

// proposeFields reads each row as a submission; a column becomes what it fed most often. Where no row says anything,
// the column's name decides.
func proposeFields(columns []string, rows [][]string) []string {
	votes := make([]map[string]int, len(columns))
	for _, row := range rows {
		for i, field := range fieldsFed(columns, row) {
			if votes[i] == nil {
				votes[i] = map[string]int{}
			}
			votes[i][field]++
		}
	}
	fields, taken := make([]string, len(columns)), map[string]bool{}
	for i := range columns {
		most := 0
		for _, field := range ColumnFields() {
			if votes[i][field] > most {
				fields[i], most = field, votes[i][field]
			}
		}
	}
	for _, field := range fields {
		taken[field] = true
	}
	for i, name := range columns {
		known := lookup(name)
		switch own := fieldNames[known.field]; {
		case fields[i] != "":
		case known.field == fieldArea:
			fields[i] = ColumnArea
		case own != "" && !known.weak && !taken[own]:
			fields[i], taken[own] = own, true
		case namesOwnDocument(name) && mayHoldDocuments(rows, i):
			fields[i] = fieldDocuments
		default:
			fields[i] = ColumnNote
		}
	}
	return fields
}

// namesOwnDocument reports whether the name of a column is that of a document of the contact's.
func namesOwnDocument(name string) bool {
	a := answer{key: name}
	return a.namesDocument() && !a.namesOtherPeople(a.prefix)
}

// mayHoldDocuments reports whether a cell of a column holds documents, even as spreadsheets spoil them, or none holds
// anything: documents may stand further down.
func mayHoldDocuments(rows [][]string, column int) bool {
	empty := true
	for _, row := range rows {
		if column >= len(row) || row[column] == "" {
			continue
		}
		empty = false
		if r := (Record{}); r.addDocuments(row[column]) && len(r.Documents) > 0 {
			return true
		}
	}
	return empty
}

// fieldsFed reads a row as a submission, and returns which columns fed which field.
func fieldsFed(columns, row []string) map[int]string {
	said := map[string]string{}
	for i, cell := range row {
		if cell != "" && said[columns[i]] == "" {
			said[columns[i]] = cell
		}
	}
	body, err := json.Marshal(said)
	if err != nil {
		return nil
	}
	draft, err := Read(Options{Kind: Generic}, "application/json", body)
	if err != nil {
		return nil
	}
	fed := map[int]string{}
	for _, source := range draft.Fields {
		// The name beside an address, as in "Ana <ana@example.com>", has the address's column as its source.
		if i := slices.Index(columns, source.Key); i >= 0 && fed[i] == "" {
			fed[i] = source.Field
		}
	}
	return fed
}

// Record is what a row of a table says of a contact. The length of its texts is not limited.
type Record struct {
	Email, Name, Phone, Company, Origin, Message string
	// Amount is in ten-thousandths of a real.
	Amount    int64
	Documents []document.Document
	// Leftover is what no field took, by column.
	Leftover []Pair
	// Remarks say in Portuguese what could not be read, and is therefore in the leftover.
	Remarks []string
}

// ReadRecord reads a row by what its columns become. Names are joined, documents and messages collected. Of two columns
// for any other field the first non-empty one counts; the other is left over, as is what a field cannot hold.
func ReadRecord(columns, fields, cells []string) Record {
	var r Record
	area := ""
	for i, cell := range cells {
		if cell = text.Clean(cell); cell == "" || i >= len(fields) {
			continue
		}
		line := text.OneLine(cell)
		kept := true
		switch fields[i] {
		case ColumnNone:
		case fieldNames[fieldName]:
			r.Name = join(r.Name, line)
		case fieldNames[fieldMessage]:
			r.Message = strings.TrimPrefix(r.Message+"\n"+cell, "\n")
		case ColumnArea:
			whole, _ := wholeNumber(line)
			area = text.Digits(whole)
		case fieldDocuments:
			kept = r.addDocuments(cell)
		case fieldNames[fieldAmount]:
			kept = r.setAmount(line)
		case fieldNames[fieldEmail]:
			kept = r.setEmail(line)
		case fieldNames[fieldPhone]:
			kept = r.setPhone(line)
		case fieldNames[fieldCompany]:
			kept = first(&r.Company, line)
		case fieldNames[fieldOrigin]:
			kept = first(&r.Origin, line)
		default:
			kept = false
		}
		if !kept {
			r.Leftover = append(r.Leftover, Pair{columns[i], cell})
		}
	}
	if area != "" && names.CountDigits(r.Phone) <= 9 && r.Phone != "" {
		r.Phone = area + r.Phone
	}
	return r
}

// first sets a field that is still empty, and reports whether it now holds the given text.
func first(to *string, said string) bool {
	if *to == "" {
		*to = said
	}
	return *to == said
}

// setEmail takes the address in a cell, and reports whether that is all the cell says.
func (r *Record) setEmail(cell string) bool {
	address := fields.FindEmail([]string{cell})
	return address != "" && first(&r.Email, address) && address == cell
}

func (r *Record) setPhone(cell string) bool {
	whole, ok := wholeNumber(cell)
	if !ok {
		r.Remarks = append(r.Remarks, "O telefone virou um número arredondado na planilha, perdeu dígitos e foi para a nota.")
		return false
	}
	return first(&r.Phone, whole)
}

func (r *Record) setAmount(cell string) bool {
	amount, ok := fields.ParseAmount(cell)
	switch {
	case !ok || amount < 0:
		r.Remarks = append(r.Remarks, "O valor não é um número e foi para a nota.")
		return false
	case r.Amount == 0:
		r.Amount = amount
	}
	return r.Amount == amount
}

// addDocuments takes the documents of a cell, even as spreadsheets spoil them, and reports whether it took all of it.
func (r *Record) addDocuments(cell string) bool {
	var found []document.Document
	for part := range strings.FieldsFuncSeq(cell, func(c rune) bool { return strings.ContainsRune(",;|\n", c) }) {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		d, ok := documentIn(part, true)
		if !ok {
			r.Remarks = append(r.Remarks, "O documento não é um CPF ou CNPJ com os dígitos certos e foi para a nota.")
			return false
		}
		if !slices.Contains(r.Documents, d) && !slices.Contains(found, d) {
			found = append(found, d)
		}
	}
	if len(r.Documents)+len(found) > maxDocuments {
		r.Remarks = append(r.Remarks, "Há documentos demais para um contato; estes foram para a nota.")
		return false
	}
	r.Documents = append(r.Documents, found...)
	return true
}

// exponent and zeroes match how a spreadsheet writes a number that it took for an amount.
var (
	exponent = regexp.MustCompile(`^(\d)(?:[.,](\d+))?[eE]\+?(\d{1,2})$`)
	zeroes   = regexp.MustCompile(`^(\d+)[.,]0+$`)
)

// wholeNumber writes out a number that a spreadsheet took for an amount, as it does with long phones; false where
// digits were rounded away, because what is left is somebody else's number.
func wholeNumber(cell string) (string, bool) {
	if m := zeroes.FindStringSubmatch(cell); m != nil {
		return m[1], true
	}
	m := exponent.FindStringSubmatch(cell)
	if m == nil {
		return cell, true
	}
	n, _ := strconv.Atoi(m[3])
	return m[1] + m[2], len(m[2]) == n
}

// Note is the text of the contact's note.
func (r Record) Note() string { return Draft{Message: r.Message, Leftover: r.Leftover}.Note() }

// DisplayName is the name, or the part of the address before the @.
func (r Record) DisplayName() string {
	return Draft{Name: r.Name, Email: r.Email}.DisplayName(FormService)
}

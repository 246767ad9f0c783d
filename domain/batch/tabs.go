package batch

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"fichario/domain/catalog"
	"fichario/domain/text"
)

// Tab is a table of a file: a visible sheet of a workbook, or the only table of another file.
type Tab struct {
	// Name is empty for a file that is no workbook.
	Name string
	// Rows are those that are not empty.
	Rows []Row
	// Err is a sentence for people about why it cannot be read; nil where it can.
	Err error
}

// NoTab says that the workbook lacks the sheet that was named.
type NoTab struct{ Tabs []string }

// Error lists the sheets that there are.
func (e *NoTab) Error() string {
	if len(e.Tabs) == 1 && e.Tabs[0] == "" { // no workbook
		return "o arquivo não tem abas: envie-o sem dizer qual usar"
	}
	return "a planilha não tem essa aba. As que tem: " + strings.Join(e.Tabs, ", ")
}

// WhichTab says that a sheet has to be named: several, or none, have what is wanted.
type WhichTab struct {
	// Tabs are those to choose from.
	Tabs []string
	// None says that no sheet has it.
	None bool
}

// Error lists the sheets to choose from.
func (e *WhichTab) Error() string {
	if e.None {
		return "nenhuma aba da planilha tem uma coluna que sirva. Diga em aba qual usar, pelo nome: " + strings.Join(e.Tabs, ", ")
	}
	return "mais de uma aba da planilha serve. Diga em aba qual usar, pelo nome: " + strings.Join(e.Tabs, ", ")
}

// Choose returns the sheet with that name, or in that place from 1 on; without a name, the only one that fits. others
// are the names of those that are not read. Errors: *NoTab, *WhichTab, Tab.Err.
func Choose(sheets []Tab, name string, fits func(Tab) bool) (chosen Tab, others []string, err error) {
	at := -1
	if name = strings.TrimSpace(name); name != "" {
		if at = named(sheets, name); at < 0 {
			return chosen, nil, &NoTab{names(sheets)}
		}
	}
	if len(sheets) == 1 {
		at = 0
	}
	if at < 0 {
		// One that cannot be read may be the wanted one.
		able := slices.DeleteFunc(slices.Clone(sheets), func(s Tab) bool { return s.Err == nil && !fits(s) })
		switch len(able) {
		case 0:
			return chosen, nil, &WhichTab{names(sheets), true}
		case 1:
			at = slices.IndexFunc(sheets, func(s Tab) bool { return s.Name == able[0].Name })
		default:
			return chosen, nil, &WhichTab{names(able), false}
		}
	}
	others = names(slices.Delete(slices.Clone(sheets), at, at+1))
	return sheets[at], others, sheets[at].Err
}

func named(sheets []Tab, name string) int {
	at := slices.IndexFunc(sheets, func(s Tab) bool { return text.Fold(strings.TrimSpace(s.Name)) == text.Fold(name) })
	if place, err := strconv.Atoi(name); at < 0 && err == nil && place >= 1 && place <= len(sheets) {
		at = place - 1
	}
	return at
}

func names(sheets []Tab) []string {
	out := make([]string, len(sheets))
	for i, s := range sheets {
		out[i] = s.Name
	}
	return out
}

// ReadTabs is ReadTable for the sheet with that name; without a name, for the only one that has documents. Errors:
// those of ReadTable and Choose.
func ReadTabs(
	p catalog.Product, sheets []Tab, name, column string,
) (t Table, sheet Tab, others []string, err error) {
	fits := func(least int) func(Tab) bool {
		return func(s Tab) bool {
			t, err := ReadTable(p, s.Rows, column)
			return err == nil && t.documents(p) >= least
		}
	}
	sheet, others, err = Choose(sheets, name, fits(1))
	var which *WhichTab
	if errors.As(err, &which) && which.None { // the documents of a named column may all be wrong
		sheet, others, err = Choose(sheets, name, fits(0))
	}
	if err == nil {
		t, err = ReadTable(p, sheet.Rows, column)
	}
	return t, sheet, others, err
}

// documents counts the first documents of a table, up to a few.
func (t Table) documents(p catalog.Product) (n int) {
	for i := 0; i < len(t.Rows) && i < looked && n == 0; i++ {
		if isDocument(p, cell(t.Rows[i], t.At)) {
			n++
		}
	}
	return n
}

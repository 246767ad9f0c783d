package download

import (
	"iter"

	"fichario/app"
)

// Statement is a statement as a file. That of an organisation has two columns more,
// with who asked, and the automation: a key asks for none.
func Statement(lines app.StatementLines) Table {
	t := Table{
		Name:    "extrato.csv",
		Columns: []string{"id", "produto", "documento", "em", "cache", "cobrada", "valor", "situacao"},
		Rows:    statementRows(lines), Zone: lines.Zone,
	}
	if !lines.OfKey {
		t.Columns = append(t.Columns, "quem", "automacao")
	}
	t.Columns = append(t.Columns, "finalidade")
	return t
}

func statementRows(lines app.StatementLines) iter.Seq2[[]any, error] {
	return func(yield func([]any, error) bool) {
		for line, err := range lines.All {
			row := []any{
				line.ID, line.Product, documentCell(line), line.At, line.Cache, line.Charged, line.Amount, string(line.Status),
			}
			if !lines.OfKey {
				row = append(row, line.By, line.AutomationID)
			}
			row = append(row, line.Purpose)
			if !yield(row, err) || err != nil {
				return
			}
		}
	}
}

// documentCell is the document of a line; an empty text of one that was erased.
func documentCell(line app.StatementLine) any {
	if line.Erased {
		return ""
	}
	return line.Document
}

package download

import (
	"iter"

	"fichario/app/lookups"
)

// Statement is a statement as a file. An organisation's has three more columns: who asked, the automation, and whether
// it is a comparison. None of a key's lookups comes from either.
func Statement(lines lookups.StatementLines) Table {
	t := Table{
		Name:    "extrato.csv",
		Columns: []string{"id", "produto", "documento", "em", "cache", "cobrada", "valor", "situacao"},
		Rows:    statementRows(lines), Zone: lines.Zone,
	}
	if !lines.OfKey {
		t.Columns = append(t.Columns, "quem", "automacao")
	}
	t.Columns = append(t.Columns, "finalidade", "bureau", "seguida")
	if !lines.OfKey {
		t.Columns = append(t.Columns, "comparacao")
	}
	return t
}

func statementRows(lines lookups.StatementLines) iter.Seq2[[]any, error] {
	return func(yield func([]any, error) bool) {
		for line, err := range lines.All {
			row := []any{
				line.ID, line.Product, documentCell(line), line.At, line.Cache, line.Charged, line.Amount, string(line.Status),
			}
			if !lines.OfKey {
				row = append(row, line.By, line.AutomationID)
			}
			row = append(row, line.Purpose, line.Bureau, line.FollowedID)
			if !lines.OfKey {
				row = append(row, line.Compared)
			}
			if !yield(row, err) || err != nil {
				return
			}
		}
	}
}

// documentCell is the document of a line; empty where it was erased.
func documentCell(line lookups.StatementLine) any {
	if line.Erased {
		return ""
	}
	return line.Document
}

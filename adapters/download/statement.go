package download

import (
	"iter"
	"strconv"
	"time"

	"fichario/app"
)

// Statement is a statement as a file. That of an organisation has one column more, with
// who asked.
func Statement(lines app.StatementLines) Table {
	t := Table{
		Name:    "extrato.csv",
		Columns: []string{"id", "produto", "documento", "em", "cache", "cobrada", "valor", "situacao"},
		Rows:    statementRows(lines),
	}
	if !lines.OfKey {
		t.Columns = append(t.Columns, "quem")
	}
	return t
}

func statementRows(lines app.StatementLines) iter.Seq2[[]string, error] {
	return func(yield func([]string, error) bool) {
		for line, err := range lines.All {
			if err != nil {
				yield(nil, err)
				return
			}
			doc := Text(line.Document.Value())
			if line.Unreadable {
				doc = "ilegível"
			}
			row := []string{
				line.ID, line.Product, doc, line.At.Format(time.RFC3339Nano),
				strconv.FormatBool(line.Cache), strconv.FormatBool(line.Charged), line.Amount.String(), string(line.Status),
			}
			if !lines.OfKey {
				row = append(row, Text(line.By))
			}
			if !yield(row, nil) {
				return
			}
		}
	}
}

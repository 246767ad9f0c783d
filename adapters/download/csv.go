// Package download sends tables as files that are written while they are read, so that
// their length costs no memory. Both driving adapters use it.
package download

import (
	"encoding/csv"
	"iter"
	"net/http"
	"time"
)

const (
	// rowsAtOnce is how many rows leave together.
	rowsAtOnce = 500
	// partWithin is how long they may take: a long file on a slow line takes longer than
	// an answer may, but each part of it does not.
	partWithin = time.Minute
)

// Table is a table as a file.
type Table struct {
	// Name is the file's, with its ending.
	Name string
	// Columns are the words of the first row.
	Columns []string
	// Rows have as many cells. Texts that somebody typed have gone through Text.
	Rows iter.Seq2[[]string, error]
}

// CSV answers with a table: UTF-8, commas, a first row of column names. An error before
// the first row leaves the answer unbegun, so that it can still be a page of its own;
// after that, only a broken connection tells that the file is not whole.
func CSV(w http.ResponseWriter, t Table) (begun bool, err error) {
	out := csv.NewWriter(w)
	begin := func() {
		begun = true
		w.Header().Set("Content-Type", "text/csv; charset=utf-8")
		w.Header().Set("Content-Disposition", `attachment; filename="`+t.Name+`"`)
		extend(w)
		_ = out.Write(t.Columns) // out.Error tells
	}
	n := 0
	for row, err := range t.Rows {
		if err != nil {
			return begun, err
		}
		if !begun {
			begin()
		}
		_ = out.Write(row)
		if n++; n%rowsAtOnce == 0 {
			if out.Flush(); out.Error() != nil {
				return begun, out.Error()
			}
			extend(w)
		}
	}
	if !begun {
		begin()
	}
	out.Flush()
	return begun, out.Error()
}

func extend(w http.ResponseWriter) {
	// A connection that can have no deadline has none to extend.
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(partWithin))
}

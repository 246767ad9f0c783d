// Package download sends tables as files that are written while they are read, so that
// their length costs no memory. Both driving adapters use it.
package download

import (
	"encoding/csv"
	"io"
	"iter"
	"net/http"
	"strconv"
	"strings"
	"time"

	"fichario/domain/catalog"
	"fichario/domain/document"
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
	// Columns are the words of the first row, which no more than a text of the others is taken for a formula.
	Columns []string
	// Rows have as many cells: a string, a bool, a time.Time, a Number, a catalog.Money or a document.Document. No text is
	// taken for a formula.
	Rows iter.Seq2[[]any, error]
	// Zone is where the times of Excel are.
	Zone *time.Location
}

// Form is how a table is written.
type Form string

const (
	// Plain is for programs: UTF-8, commas, points, times in UTC, documents as they are on the wire.
	Plain Form = ""
	// Excel is for the spreadsheets of people in Brazil: a byte order mark, semicolons, decimal commas, local times, and
	// documents with their punctuation, because the zeros that a bare number begins with are cut off there.
	Excel Form = "excel"
)

// CSV answers with a table and a first row of column names. An error before the first row leaves the answer unbegun, so
// that it can still be a page of its own; after that, only a broken connection tells that the file is not whole.
func CSV(w http.ResponseWriter, t Table, f Form) (begun bool, err error) {
	out := csv.NewWriter(w)
	begin := func() {
		begun = true
		w.Header().Set("Content-Type", "text/csv; charset=utf-8")
		w.Header().Set("Content-Disposition", `attachment; filename="`+t.Name+`"`)
		extend(w)
		if f == Excel {
			out.Comma, out.UseCRLF = ';', true
			_, _ = io.WriteString(w, "\ufeff") // out.Error tells
		}
		head := make([]string, len(t.Columns))
		for i, name := range t.Columns {
			head[i] = text(name) // of batches and imports they are whatever was sent
		}
		_ = out.Write(head)
	}
	n, cells := 0, make([]string, len(t.Columns))
	for row, err := range t.Rows {
		if err != nil {
			return begun, err
		}
		if !begun {
			begin()
		}
		for i, value := range row {
			cells[i] = t.cell(value, f)
		}
		_ = out.Write(cells)
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

// cell writes one value.
func (t Table) cell(value any, f Form) string {
	switch v := value.(type) {
	case time.Time:
		if f == Excel {
			return v.In(t.Zone).Format("02/01/2006 15:04:05")
		}
		return v.UTC().Format(time.RFC3339Nano)
	case catalog.Money:
		if f == Excel {
			return strings.Replace(v.String(), ".", ",", 1)
		}
		return v.String()
	case Number:
		if f == Excel {
			return strings.Replace(string(v), ".", ",", 1)
		}
		return string(v)
	case bool:
		if f == Excel {
			return map[bool]string{true: "sim", false: "não"}[v]
		}
		return strconv.FormatBool(v)
	case document.Document:
		switch {
		case v.IsZero():
			return "ilegível"
		case f == Excel:
			return text(v.Punctuated())
		}
		return text(v.Value())
	}
	return text(value.(string))
}

func extend(w http.ResponseWriter) {
	// A connection that can have no deadline has none to extend.
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(partWithin))
}

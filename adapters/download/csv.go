// Package download streams tables as files, so that their length costs no memory. Both driving adapters use it.
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
	// rowsAtOnce is how many rows are sent together.
	rowsAtOnce = 500
	// partWithin is how long that may take: a long file on a slow line takes longer than a response may, but no part of it
	// does.
	partWithin = time.Minute
)

// Table is a table as a file.
type Table struct {
	// Name is the file's name, with its extension.
	Name string
	// Columns are the header row; like other texts, they are never taken for a formula.
	Columns []string
	// Rows have as many cells as there are columns: each a string, a bool, a time.Time, a Number, a catalog.Money or a
	// document.Document. No text is taken for a formula.
	Rows iter.Seq2[[]any, error]
	// Zone is the time zone for Excel.
	Zone *time.Location
}

// Form is the format of a file.
type Form string

const (
	// Plain is for programs: UTF-8, commas, decimal points, times in UTC, documents without punctuation.
	Plain Form = ""
	// Excel is for spreadsheets in Brazil: a byte order mark, semicolons, decimal commas, local times, and documents with
	// punctuation, because spreadsheets drop the leading zeros of a bare number.
	Excel Form = "excel"
)

// CSV sends a table with a header row. An error before the first row leaves the response unbegun, so that it can still
// be an error page; after that, only a broken connection shows that the file is incomplete.
func CSV(w http.ResponseWriter, t Table, f Form) (begun bool, err error) {
	out := csv.NewWriter(w)
	begin := func() {
		begun = true
		w.Header().Set("Content-Type", "text/csv; charset=utf-8")
		w.Header().Set("Content-Disposition", `attachment; filename="`+t.Name+`"`)
		Extend(w)
		if f == Excel {
			out.Comma, out.UseCRLF = ';', true
			_, _ = io.WriteString(w, "\ufeff") // out.Error reports it
		}
		head := make([]string, len(t.Columns))
		for i, name := range t.Columns {
			head[i] = harmless(name) // in batches and imports they come from the uploaded file
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
			Extend(w)
		}
	}
	if !begun {
		begin()
	}
	out.Flush()
	return begun, out.Error()
}

// cell formats one value.
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
			return harmless(v.Punctuated())
		}
		return harmless(v.Value())
	}
	return harmless(value.(string))
}

// Extend gives the next part of a file that is being made more time to be written.
func Extend(w http.ResponseWriter) {
	// A connection without deadlines needs no extension.
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(partWithin))
}

package download

import (
	"bytes"
	"encoding/json"
	"io"
	"iter"
	"net/http"
	"path"
	"regexp"
	"strings"

	"fichario/adapters/spreadsheet"
	"fichario/app/batches"
	"fichario/domain/batch"
	"fichario/domain/catalog"
	"fichario/domain/document"
)

// Number is a cell with a JSON number.
type Number string

// plainNumber matches numbers that a spreadsheet keeps exact.
var plainNumber = regexp.MustCompile(`^-?[0-9]{1,15}(\.[0-9]{1,6})?$`)

// Batch is the results of a batch as a file: the uploaded columns, then the product's named fields, each item's
// outcome, cost and error, and its purpose where one was given.
func Batch(r batches.Results) Table {
	t := Table{Name: "lote-" + r.Batch.ID + ".csv", Rows: batchRows(r)}
	t.Columns = append(t.Columns, r.Batch.Columns...)
	for _, f := range r.Product.Fields {
		t.Columns = append(t.Columns, f.Name)
	}
	t.Columns = append(t.Columns, "situacao", "valor", "mensagem")
	if r.Batch.Purpose != "" {
		t.Columns = append(t.Columns, "finalidade")
	}
	return t
}

func batchRows(r batches.Results) iter.Seq2[[]any, error] {
	return func(yield func([]any, error) bool) {
		for item, err := range r.All {
			var row []any
			if err == nil {
				row, err = batchRow(r, item)
			}
			if !yield(row, err) || err != nil {
				return
			}
		}
	}
}

func batchRow(r batches.Results, item batches.Result) ([]any, error) {
	row := make([]any, 0, len(r.Batch.Columns)+len(r.Product.Fields)+4)
	for i := range r.Batch.Columns {
		cell := ""
		if i < len(item.Cells) {
			cell = item.Cells[i]
		}
		row = append(row, cell)
	}
	values := map[string]any{}
	if item.Fields != nil {
		dec := json.NewDecoder(bytes.NewReader(item.Fields))
		dec.UseNumber()
		if err := dec.Decode(&values); err != nil {
			return nil, err
		}
	}
	for _, f := range r.Product.Fields {
		text := f.Text(values[f.Name])
		if f.Kind == catalog.Number && text != "" {
			row = append(row, Number(text))
		} else {
			row = append(row, text)
		}
	}
	message := item.Message
	if message == "" {
		message = item.Code
	}
	row = append(row, string(item.State), item.Amount, message)
	if r.Batch.Purpose != "" {
		row = append(row, r.Batch.Purpose)
	}
	return row, nil
}

// XLSX sends a table as a workbook, whatever the extension of its name. Every text is a text cell, never a formula.
func XLSX(w http.ResponseWriter, t Table) error {
	w.Header().Set("Content-Type", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet")
	name := strings.TrimSuffix(t.Name, path.Ext(t.Name)) + ".xlsx"
	w.Header().Set("Content-Disposition", `attachment; filename="`+name+`"`)
	Extend(w)
	n := 0
	return spreadsheet.Write(w, t.Columns, func(yield func([]any, error) bool) {
		for row, err := range t.Rows {
			if n++; n%rowsAtOnce == 0 {
				Extend(w)
			}
			for i, value := range row {
				row[i] = xlsxCell(value)
			}
			if !yield(row, err) || err != nil {
				return
			}
		}
	})
}

func xlsxCell(value any) any {
	switch v := value.(type) {
	case catalog.Money:
		return spreadsheet.Number(v.String())
	case Number:
		if plainNumber.MatchString(string(v)) {
			return spreadsheet.Number(v)
		}
		return string(v)
	case document.Document:
		return v.Value()
	}
	return value
}

// BatchLine is the outcome of an item, on the wire.
type BatchLine struct {
	Line       int               `json:"linha"`
	Columns    map[string]string `json:"colunas,omitempty"`
	Document   string            `json:"documento"`
	State      string            `json:"situacao"`
	LookupID   *string           `json:"consultaId"`
	Cache      bool              `json:"cache"`
	Amount     json.Number       `json:"valor"`
	Purpose    *string           `json:"finalidade"`
	Code       string            `json:"code,omitempty"`
	Message    string            `json:"mensagem,omitempty"`
	RepeatedOf int               `json:"repetidoDe,omitempty"`
	Fields     json.RawMessage   `json:"campos"`
}

// LineOf returns the BatchLine of an item.
func LineOf(of batches.Results, r batches.Result) BatchLine {
	l := BatchLine{
		Line: r.Line, Document: r.Document, State: string(r.State), Cache: r.Cache, Amount: json.Number(r.Amount.String()),
		Code: r.Code, Message: r.Message, RepeatedOf: r.RepeatOf, Fields: r.Fields,
	}
	if of.Batch.Purpose != "" {
		l.Purpose = &of.Batch.Purpose
	}
	if r.LookupID != "" {
		l.LookupID = &r.LookupID
	}
	return l
}

// NDJSON sends the results of a batch, one item per line.
func NDJSON(w http.ResponseWriter, r batches.Results) error {
	w.Header().Set("Content-Type", "application/x-ndjson")
	w.Header().Set("Content-Disposition", `attachment; filename="lote-`+r.Batch.ID+`.ndjson"`)
	Extend(w)
	enc, n := json.NewEncoder(io.Writer(w)), 0
	columns := batch.Distinct(r.Batch.Columns)
	enc.SetEscapeHTML(false)
	for item, err := range r.All {
		if err != nil {
			return err
		}
		l := LineOf(r, item)
		l.Columns = map[string]string{}
		for i, cell := range item.Cells {
			if i < len(columns) {
				l.Columns[columns[i]] = cell
			}
		}
		if err := enc.Encode(l); err != nil {
			return err
		}
		if n++; n%rowsAtOnce == 0 {
			Extend(w)
		}
	}
	return nil
}

// Package spreadsheet reads uploaded tables, as CSV or XLSX from any program, and writes XLSX. It contains no rules:
// cells are text.
package spreadsheet

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"unicode/utf8"

	"fichario/domain/batch"
	"fichario/domain/fault"
)

// Bounds on a table. The fault for exceeding one says which.
const (
	// MaxBytes is the maximum size of a file as it is uploaded.
	MaxBytes = 16 << 20
	// maxText bounds all text of a table together.
	maxText    = 32 << 20
	maxColumns = 300
	maxCell    = 4000
	// maxRecord bounds one row of a CSV: 16 MB of separators would be as many strings at once.
	maxRecord = 1 << 20
	// maxLines is the last line read from a sheet.
	maxLines = 1 << 20
	// maxFilled bounds the cells of a file that are kept: 16 bytes each, whatever is in them.
	maxFilled = 5 << 20
)

// Above is how many rows a reader may allow for beside those of data: the header, and titles above it.
const Above = 10

// Format is a file format.
type Format string

// The formats.
const (
	CSV  Format = "csv"
	XLSX Format = "xlsx"
)

// FormatOf detects the format by the beginning of a file.
func FormatOf(data []byte) Format {
	if bytes.HasPrefix(data, []byte("PK\x03\x04")) {
		return XLSX
	}
	return CSV
}

// Read returns the sheets of a file that are visible and not empty, in their order, each with at most maxRows rows; a
// file that is no workbook is one sheet without a name. A sheet of several that cannot be read has the fault. Faults:
// BodyTooLarge for what exceeds a bound; InvalidRequest, which names the line, for what cannot be read. When the
// context ends it returns the context's error.
func Read(ctx context.Context, data []byte, maxRows int) ([]batch.Tab, error) {
	if len(data) > MaxBytes {
		return nil, tooLarge("O arquivo passa de 16 MB. Divida-o em partes.")
	}
	b := &book{maxRows: maxRows}
	err := error(nil)
	switch {
	case bytes.HasPrefix(data, []byte("\xd0\xcf\x11\xe0")):
		return nil, unreadable("O arquivo é de um Excel antigo (.xls), ou tem senha. Salve-o como .xlsx, sem senha, ou como CSV.")
	case bytes.HasPrefix(data, []byte("%PDF")):
		return nil, unreadable("O arquivo é um PDF. Envie uma planilha .xlsx ou um CSV.")
	case FormatOf(data) == XLSX:
		err = b.readXLSX(ctx, data)
	default:
		err = b.only(func(t *table) error { return t.readCSV(ctx, data) })
	}
	switch {
	case err != nil:
		return nil, err
	case len(b.sheets) == 1 && b.sheets[0].Err != nil:
		return nil, b.sheets[0].Err
	case len(b.sheets) == 0:
		return nil, unreadable("O arquivo não tem nenhuma linha preenchida.")
	}
	return b.sheets, nil
}

// book collects sheets within the bounds.
type book struct {
	sheets               []batch.Tab
	maxRows, text, cells int
}

// only reads the only table of a file.
func (b *book) only(read func(*table) error) error { return b.add("", read) }

// add reads a sheet; what is wrong with it is kept with it. The error is the context's.
func (b *book) add(name string, read func(*table) error) error {
	t := &table{book: b}
	err := read(t)
	if refusal := (*fault.Error)(nil); err != nil && !errors.As(err, &refusal) {
		return err
	}
	if err != nil {
		b.sheets = append(b.sheets, batch.Tab{Name: name, Err: err})
	} else if len(t.rows) > 0 {
		b.sheets = append(b.sheets, batch.Tab{Name: name, Rows: t.rows})
	}
	return nil
}

// table collects the rows of a sheet.
type table struct {
	*book
	rows []batch.Row
}

func (t *table) add(line int, cells []string) error {
	last := len(cells)
	for last > 0 && cells[last-1] == "" {
		last--
	}
	if last == 0 {
		return nil
	}
	if last > maxColumns {
		return tooLarge(fmt.Sprintf("A linha %d vai até a coluna %d, e são aceitas %d. Apague as colunas que não precisam voltar "+
			"no resultado, ou copie as que importam para uma planilha nova, e envie-a outra vez.", line, last, maxColumns))
	}
	if len(t.rows) == t.maxRows {
		return tooLarge(fmt.Sprintf("O arquivo tem mais de %d linhas. Divida-o em partes.", t.maxRows))
	}
	for _, cell := range cells[:last] {
		if utf8.RuneCountInString(cell) > maxCell {
			return tooLarge(fmt.Sprintf("A linha %d tem uma célula com mais de %d caracteres.", line, maxCell))
		}
		t.text += len(cell)
	}
	if t.cells += last; t.text > maxText || t.cells > maxFilled {
		return tooLarge("O arquivo tem texto demais. Deixe só as colunas que importam, ou divida-o em partes.")
	}
	t.rows = append(t.rows, batch.Row{Line: line, Cells: append([]string(nil), cells[:last]...)})
	return nil
}

func tooLarge(message string) error { return fault.New(fault.BodyTooLarge, message) }

func unreadable(message string) error { return fault.New(fault.InvalidRequest, message) }

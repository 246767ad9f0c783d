// Package sheet reads the tables that people send, as CSV or XLSX from any program, and writes XLSX. It contains no
// rules: cells are text.
package sheet

import (
	"bytes"
	"context"
	"fmt"

	"fichario/domain/batch"
	"fichario/domain/fault"
)

// Bounds on a table. The fault for exceeding one says which.
const (
	// MaxBytes is the maximum size of a file as it is uploaded.
	MaxBytes = 16 << 20
	// maxText bounds all text of a table together.
	maxText    = 32 << 20
	maxColumns = 100
	maxCell    = 4000
	// maxRecord bounds one row of a CSV: 16 MB of separators would be as many strings at once.
	maxRecord = 1 << 20
	// maxLines is the last line read from a workbook, and maxCells bounds all cells together, including those of empty
	// rows: a row of a few bytes may declare 16,384 cells without content.
	maxLines = 1 << 20
	maxCells = 8 << 20
)

// Row is a non-empty row.
type Row = batch.Row

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

// Read returns the non-empty rows of a table, at most maxRows. Faults: BodyTooLarge for a file that exceeds a bound;
// InvalidRequest, which names the line, for an unreadable one. When the context ends it returns the context's error.
func Read(ctx context.Context, data []byte, maxRows int) ([]Row, error) {
	if len(data) > MaxBytes {
		return nil, tooLarge("O arquivo passa de 16 MB. Divida-o em partes.")
	}
	t := &table{maxRows: maxRows}
	err := error(nil)
	switch {
	case bytes.HasPrefix(data, []byte("\xd0\xcf\x11\xe0")):
		return nil, unreadable("O arquivo é de um Excel antigo (.xls), ou tem senha. Salve-o como .xlsx, sem senha, ou como CSV.")
	case bytes.HasPrefix(data, []byte("%PDF")):
		return nil, unreadable("O arquivo é um PDF. Envie uma planilha .xlsx ou um CSV.")
	case FormatOf(data) == XLSX:
		err = t.readXLSX(ctx, data)
	default:
		err = t.readCSV(ctx, data)
	}
	if err != nil {
		return nil, err
	}
	if len(t.rows) == 0 {
		return nil, unreadable("O arquivo não tem nenhuma linha preenchida.")
	}
	return t.rows, nil
}

// table collects rows within the bounds.
type table struct {
	rows    []Row
	maxRows int
	text    int
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
		return tooLarge(fmt.Sprintf("A linha %d tem mais de %d colunas. Deixe só as que importam.", line, maxColumns))
	}
	if len(t.rows) == t.maxRows {
		return tooLarge(fmt.Sprintf("O arquivo tem mais de %d linhas. Divida-o em partes.", t.maxRows))
	}
	for _, cell := range cells[:last] {
		if len(cell) > maxCell {
			return tooLarge(fmt.Sprintf("A linha %d tem uma célula com mais de %d caracteres.", line, maxCell))
		}
		t.text += len(cell)
	}
	if t.text > maxText {
		return tooLarge("O arquivo tem texto demais. Deixe só as colunas que importam, ou divida-o em partes.")
	}
	t.rows = append(t.rows, Row{Line: line, Cells: append([]string(nil), cells[:last]...)})
	return nil
}

func tooLarge(message string) error { return fault.New(fault.BodyTooLarge, message) }

func unreadable(message string) error { return fault.New(fault.InvalidRequest, message) }

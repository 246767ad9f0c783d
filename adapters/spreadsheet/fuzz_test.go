package spreadsheet_test

import (
	"bytes"
	"errors"
	"iter"
	"testing"
	"unicode/utf8"

	"fichario/adapters/spreadsheet"
	"fichario/domain/fault"
)

// FuzzCSV and FuzzXLSX check that every file is read within the bounds, or refused in words for people.
func FuzzCSV(f *testing.F) {
	for _, s := range []string{
		"Nome;CPF\nAna;529.982.247-25\n", "sep=|\na|b\n", "\xef\xbb\xbfa,b\n\"1\n2\",3\n", "\xff\xfea\x00;\x00b\x00\n\x00",
		"S\xe3o Paulo\t1\n", "a\n\"b\nc\n", "sep=\xff\n", "\n ; ;\n", "%PDF", "\xd0\xcf\x11\xe0", "sep=\n\n", "sep=\"\na\"b\n", "sep=\r\na;b\n",
		"sep=\r",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(holdsItsBounds)
}

func FuzzXLSX(f *testing.F) {
	none := func(func([]any, error) bool) {}
	two := func(yield func([]any, error) bool) {
		_ = yield([]any{"=1+1", spreadsheet.Number("1.50")}, nil) && yield([]any{"", "Ana\nBia"}, nil)
	}
	for _, rows := range []iter.Seq2[[]any, error]{none, two} {
		var out bytes.Buffer
		if err := spreadsheet.Write(&out, []string{"Nome", "Valor"}, rows); err != nil {
			f.Fatal(err)
		}
		f.Add(out.Bytes())
		f.Add(out.Bytes()[:out.Len()/2])
	}
	f.Add([]byte(`<worksheet><sheetData><row r="1"><c r="A1" t="inlineStr"><is><t>Ana</t></is></c></row></sheetData></worksheet>`))
	f.Add([]byte(`<worksheet><sheetData><row r="1048577"><c r="XFE1" t="s"><v>-1</v></c></row></sheetData></worksheet>`))
	f.Add([]byte(`<worksheet><sheetData><row r="1048576"><c r="A1048576"><v>1</v></c></row></sheetData></worksheet>`))
	f.Fuzz(func(t *testing.T, data []byte) {
		holdsItsBounds(t, data)
		// Compression hides the content from the fuzzer: so also read it as the sheet of a valid workbook.
		holdsItsBounds(t, hostile(t, map[string][]repeated{sheetPart: {{string(data), 1}}}))
	})
}

func holdsItsBounds(t *testing.T, data []byte) {
	t.Helper()
	const most = 50
	rows, err := readFirst(t.Context(), data, most)
	if err != nil {
		var known *fault.Error
		if !errors.As(err, &known) || known.Message == "" {
			t.Fatalf("no words for people: %v", err)
		}
		return
	}
	if len(rows) == 0 || len(rows) > most {
		t.Fatalf("%d rows", len(rows))
	}
	before := 0
	for _, r := range rows {
		if r.Line <= before || len(r.Cells) == 0 || len(r.Cells) > 100 || r.Cells[len(r.Cells)-1] == "" {
			t.Fatalf("line %d after %d, with %d cells", r.Line, before, len(r.Cells))
		}
		before = r.Line
		for _, cell := range r.Cells {
			if utf8.RuneCountInString(cell) > 4000 {
				t.Fatalf("a cell of %d bytes", len(cell))
			}
		}
	}
}

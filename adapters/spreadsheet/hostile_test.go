package spreadsheet_test

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"

	"fichario/adapters/spreadsheet"
	"fichario/domain/fault"
)

// repeated is a text to be written several times.
type repeated struct {
	text  string
	times int
}

// hostile is a workbook with some parts replaced.
func hostile(t *testing.T, parts map[string][]repeated) []byte {
	t.Helper()
	var good, out bytes.Buffer
	if err := spreadsheet.Write(&good, []string{"CPF"}, func(yield func([]any, error) bool) {
		yield([]any{"52998224725"}, nil)
	}); err != nil {
		t.Fatal(err)
	}
	from, err := zip.NewReader(bytes.NewReader(good.Bytes()), int64(good.Len()))
	if err != nil {
		t.Fatal(err)
	}
	to := zip.NewWriter(&out)
	for _, part := range from.File {
		if parts[part.Name] == nil {
			_ = to.Copy(part) // writes to memory
		}
	}
	for name, content := range parts {
		w, _ := to.Create(name)
		for _, some := range content {
			for left := some.times; left > 0; left -= 1000 {
				_, _ = io.WriteString(w, strings.Repeat(some.text, min(left, 1000)))
			}
		}
	}
	_ = to.Close()
	return out.Bytes()
}

const (
	main      = ` xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"`
	sheetPart = "xl/worksheets/sheet1.xml"
)

// around is a part with one element and its content.
func around(element, attributes string, content ...repeated) []repeated {
	begin := repeated{"<" + element + main + attributes + ">", 1}
	return append(append([]repeated{begin}, content...), repeated{"</" + element + ">", 1})
}

// TestSlowAWorkbookIsBoundedInMemory: files of some ten to hundred kilobytes, whose parts stay within 128 MiB, but
// would be gigabytes as values. It measures everything allocated until the file is refused, including
// what is freed at once.
//
//nolint:paralleltest // it counts what the whole process allocates
func TestSlowAWorkbookIsBoundedInMemory(t *testing.T) {
	const most = 768 << 20
	data := func(content ...repeated) []repeated {
		all := append([]repeated{{"<sheetData>", 1}}, content...)
		return around("worksheet", "", append(all, repeated{"</sheetData>", 1})...)
	}
	row := func(content ...repeated) []repeated {
		return data(append(append([]repeated{{"<row>", 1}}, content...), repeated{"</row>", 1})...)
	}
	wide := []repeated{{"<row><c r=\"XFD1\"><f/></c></row>", 100_000}}
	for what, parts := range map[string]map[string][]repeated{
		"shared texts":         {"xl/sharedStrings.xml": around("sst", "", repeated{"<si><t/></si>", 10_000_000})},
		"runs of a text":       {"xl/sharedStrings.xml": around("sst", "", repeated{"<si>", 1}, repeated{"<r/>", 10_000_000}, repeated{"</si>", 1})},
		"formats of cells":     {"xl/styles.xml": around("styleSheet", "", repeated{"<cellXfs>", 1}, repeated{"<xf/>", 10_000_000}, repeated{"</cellXfs>", 1})},
		"formats of numbers":   {"xl/styles.xml": around("styleSheet", "", repeated{"<numFmts>", 1}, repeated{"<numFmt/>", 5_000_000}, repeated{"</numFmts>", 1})},
		"runs of a cell":       {sheetPart: row(repeated{`<c t="inlineStr"><is>`, 1}, repeated{"<r/>", 10_000_000}, repeated{"</is></c>", 1})},
		"attributes of a cell": {sheetPart: row(repeated{"<c", 1}, repeated{` a=""`, 10_000_000}, repeated{"/>", 1})},
		"a text of a cell":     {sheetPart: row(repeated{`<c t="str"><v>`, 1}, repeated{"text ", 20_000_000}, repeated{"</v></c>", 1})},
		"cells of a row":       {sheetPart: row(repeated{"<c><f/></c>", 5_000_000})},
		"elements in another":  {sheetPart: data(repeated{"<a>", 20_000_000})},
		"empty wide rows":      {sheetPart: data(wide...)},
		"rows of one number":   {sheetPart: data(repeated{`<row r="1"><c><f/></c></row>`, 3_000_000})},
		"names":                {"xl/workbook.xml": around("workbook", "", repeated{"<definedNames>", 1}, repeated{"<definedName/>", 5_000_000}, repeated{"</definedNames>", 1})},
	} {
		file := hostile(t, parts)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := readFirst(t.Context(), file, 1000)
		runtime.ReadMemStats(&after)
		allocated := after.TotalAlloc - before.TotalAlloc
		if allocated > most || fault.CodeOf(err) != fault.BodyTooLarge && fault.CodeOf(err) != fault.InvalidRequest {
			t.Errorf("%s: of %d KB come %d MB, %v", what, len(file)>>10, allocated>>20, err)
		}
	}
}

// TestARowOfACSVIsBoundedInMemory: a file of nothing but separators, or with a quote that is never closed.
//
//nolint:paralleltest // it counts what the whole process allocates
func TestARowOfACSVIsBoundedInMemory(t *testing.T) {
	for what, data := range map[string]string{
		"separators": "CPF;nome\n" + strings.Repeat(";", 15<<20), "an open quote": "CPF\n\"" + strings.Repeat("52998224725\n", 1<<20),
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := readFirst(t.Context(), []byte(data), 1000)
		runtime.ReadMemStats(&after)
		var known *fault.Error
		allocated := (after.TotalAlloc - before.TotalAlloc) >> 20
		said := errors.As(err, &known) && known.Code == fault.InvalidRequest && strings.Contains(known.Message, "linha 2")
		if allocated > 256 || !said {
			t.Errorf("%s: %d MB, %v", what, allocated, known)
		}
	}
}

// TestAWorkbookIsBoundedInWork: if elements were compared pairwise, a file of some ten kilobytes would take an hour.
// These are read or refused in a moment.
func TestAWorkbookIsBoundedInWork(t *testing.T) {
	t.Parallel()
	formats := hostile(t, map[string][]repeated{
		"xl/styles.xml": around("styleSheet", "", repeated{"<numFmts>", 1},
			repeated{`<numFmt numFmtId="200" formatCode="0"/>`, 300_000},
			repeated{`<numFmt numFmtId="201" formatCode="dd/mm/yyyy"/></numFmts><cellXfs>`, 1},
			repeated{`<xf numFmtId="201"/>`, 60_000}, repeated{"</cellXfs>", 1}),
		sheetPart: around("worksheet", "", repeated{"<sheetData>", 1},
			repeated{`<row r="1"><c s="1"><v>46296</v></c></row></sheetData>`, 1}),
	})
	rows, err := readFirst(t.Context(), formats, 10)
	if err != nil || rows[0].Cells[0] != "01/10/2026" {
		t.Errorf("a date behind formats that no cell has: %v, %v", rows, err)
	}
	var many strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&many, `<numFmt numFmtId="%d" formatCode="yyyy"/>`, 300+i)
	}
	all := hostile(t, map[string][]repeated{"xl/styles.xml": around("styleSheet", "",
		repeated{"<numFmts>" + many.String() + "</numFmts><cellXfs>", 1},
		repeated{strings.NewReplacer("numFmt ", "xf ").Replace(many.String()), 1}, repeated{"</cellXfs>", 1})})
	if _, err := readFirst(t.Context(), all, 10); err != nil {
		t.Error("a thousand formats of dates: ", err)
	}
	for _, c := range []map[string][]repeated{
		{"xl/workbook.xml": around("workbook", "", repeated{"<sheets>", 1}, repeated{`<sheet name="a"/>`, 500_000}, repeated{"</sheets>", 1})},
		{sheetPart: around("worksheet", "", repeated{"<sheetData>", 1}, repeated{`<row/>`, 1_100_000}, repeated{"</sheetData>", 1})},
	} {
		if _, err := readFirst(t.Context(), hostile(t, c), 10); fault.CodeOf(err) != fault.BodyTooLarge {
			t.Error(err)
		}
	}
}

// TestNobodyWaitsForATable: parsing stops when the client has hung up.
func TestNobodyWaitsForATable(t *testing.T) {
	t.Parallel()
	gone, leave := context.WithCancel(t.Context())
	leave()
	for _, data := range [][]byte{[]byte("CPF\n"), hostile(t, nil)} {
		if _, err := readFirst(gone, data, 10); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	}
}

// TestWhatIsNoTableIsNotRead: pictures and other parts of a workbook are not read.
func TestWhatIsNoTableIsNotRead(t *testing.T) {
	t.Parallel()
	file := hostile(t, map[string][]repeated{
		"xl/media/image1.png": {{"\x89PNG<<<", 1000}}, "docProps/custom.xml": {{"<a>", 200}},
		"customXml/item1.xml": {{"text of an add-in ", 100_000}},
		// Another sheet, with more columns than a table may have.
		"xl/worksheets/sheet2.xml": around("worksheet", "", repeated{"<sheetData><row>", 1}, repeated{"<c><v>1</v></c>", 2000}),
	})
	if got := rows(t, file); len(got) != 2 || got[1] != "2 52998224725" {
		t.Errorf("%q", got)
	}
}

package spreadsheet_test

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"

	"fichario/adapters/spreadsheet"
	"fichario/domain/batch"
	"fichario/domain/fault"
)

// readFirst reads the first sheet of a file.
func readFirst(ctx context.Context, data []byte, most int) ([]batch.Row, error) {
	sheets, err := spreadsheet.Read(ctx, data, most)
	if err != nil {
		return nil, err
	}
	return sheets[0].Rows, sheets[0].Err
}

// rows are rows as texts: the line, then the cells.
func rows(t *testing.T, data []byte) (out []string) {
	t.Helper()
	got, err := readFirst(t.Context(), data, 1000)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range got {
		out = append(out, fmt.Sprint(row.Line, " ", strings.Join(row.Cells, "|")))
	}
	return out
}

func TestCSVOfEveryKind(t *testing.T) {
	t.Parallel()
	latin, _ := charmap.Windows1252.NewEncoder().String("nome;cpf\nJoão;52998224725\n")
	utf16, _ := unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewEncoder().String("nome\tcpf\nJoão\t52998224725\n")
	for what, c := range map[string]struct {
		text string
		want []string
	}{
		"commas":          {"nome,cpf\nJoão,52998224725\n", []string{"1 nome|cpf", "2 João|52998224725"}},
		"semicolons, BOM": {"\ufeffnome;cpf\r\nJoão;52998224725\r\n", []string{"1 nome|cpf", "2 João|52998224725"}},
		"Latin-1":         {latin, []string{"1 nome|cpf", "2 João|52998224725"}},
		"UTF-16, tabs":    {utf16, []string{"1 nome|cpf", "2 João|52998224725"}},
		"bars":            {"nome|cpf\nJoão|52998224725\n", []string{"1 nome|cpf", "2 João|52998224725"}},
		"one column":      {"52998224725\n\n  \n02345678992", []string{"1 52998224725", "4 02345678992"}},
		"sep=":            {"sep=;\na;b\n1,5;2\n", []string{"2 a|b", "3 1,5|2"}},
		"quotes": {
			"nome;cpf\n\"Silva; \"\"Zé\"\"\";1\n\"duas\nlinhas\";2\n", []string{"1 nome|cpf", `2 Silva; "Zé"|1`, "3 duas\nlinhas|2"},
		},
		"more commas than semicolons, in quotes": {
			"a;\"1,2,3,4\"\nb;\"5,6,7,8\"\n", []string{"1 a|1,2,3,4", "2 b|5,6,7,8"},
		},
		"addresses": {"nome;email;endereco\nAna;a@x.example;Rua X, 10, ap 2, Centro\nBia;b@x.example;Rua Y, 1, Sé\n", []string{
			"1 nome|email|endereco", "2 Ana|a@x.example|Rua X, 10, ap 2, Centro", "3 Bia|b@x.example|Rua Y, 1, Sé",
		}},
		"addresses under a title": {"Clientes, 2026\nnome;rua\nAna;X, 10, Sé\nBia;Y, 1\n", []string{
			"1 Clientes, 2026", "2 nome|rua", "3 Ana|X, 10, Sé", "4 Bia|Y, 1",
		}},
		"amounts alone":           {"1,50;2,50\n3,50;4,50\n", []string{"1 1,50|2,50", "2 3,50|4,50"}},
		"commas and a semicolon":  {"a,b\nx;y,2\nz,3\n", []string{"1 a|b", "2 x;y|2", "3 z|3"}},
		"tabs and regular commas": {"nome\tcpf\nSilva, Ana\t1\nSouza, Bia\t2\n", []string{"1 nome|cpf", "2 Silva, Ana|1", "3 Souza, Bia|2"}},
		"empty cells":             {";;x;;\n;;;\ny\n", []string{"1 ||x", "3 y"}},
		"empty cells between tabs": {
			"nome\tfone\tempresa\nAna\t\tFlor\n\t11\t\n\t\tSol\n", []string{"1 nome|fone|empresa", "2 Ana||Flor", "3 |11", "4 ||Sol"},
		},
		"texts as formulas": {"cpf;nome\n=\"01234567890\";\"=\"\"012\"\"\"\n=\"\";=\"a\"&\"b\"\n", []string{
			"1 cpf|nome", "2 01234567890|012", `3 |="a"&"b"`,
		}},
		"sep= a tab":            {"sep=\t\na\t\tb\n", []string{"2 a||b"}},
		"lines of an old Mac":   {"nome;cpf\rJoão;1\r\rRui;2", []string{"1 nome|cpf", "2 João|1", "4 Rui|2"}},
		"quotes within a cell":  {"nome;tela\nAna;24\" larga\nRui;\"24\"\" larga\"", []string{"1 nome|tela", `2 Ana|24" larga`, `3 Rui|24" larga`}},
		"a quote, and no break": {"nome;obs\nAna;\"oi\"", []string{"1 nome|obs", "2 Ana|oi"}},
	} {
		if got := rows(t, []byte(c.text)); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s:\n got %q\nwant %q", what, got, c.want)
		}
	}
}

// book is a workbook filled by a test.
func book(t *testing.T, fill func(*excelize.File)) []byte {
	t.Helper()
	f := excelize.NewFile()
	fill(f)
	var out bytes.Buffer
	if err := f.Write(&out); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestXLSX(t *testing.T) {
	t.Parallel()
	set := func(f *excelize.File, at string, value any) {
		if err := f.SetCellValue("Sheet1", at, value); err != nil {
			t.Fatal(err)
		}
	}
	got := rows(t, book(t, func(f *excelize.File) {
		_, _ = f.NewSheet("Oculta")
		_ = f.SetCellValue("Oculta", "A1", "segredo")
		_ = f.SetSheetVisible("Oculta", false)
		set(f, "A1", "nome")
		set(f, "B1", "cpf")
		set(f, "A2", "João")
		set(f, "B2", 52998224725)
		set(f, "B4", " 023.456.789-92 ")
		_ = f.MergeCell("Sheet1", "A4", "A5")
		set(f, "B5", 2345678992)
		_ = f.SetCellFormula("Sheet1", "A6", `HYPERLINK("http://x")`)
		set(f, "B6", "=1+1")
	}))
	want := []string{"1 nome|cpf", "2 João|52998224725", "4 |023.456.789-92", "5 |2345678992", "6 |=1+1"}
	if !reflect.DeepEqual(got, want) {
		t.Errorf(" got %q\nwant %q", got, want)
	}
}

// TestDatesOfXLSX: a spreadsheet stores a date as a number of days, which means nothing in a note or a result. Other
// numbers stay as they are, however they are displayed.
func TestDatesOfXLSX(t *testing.T) {
	t.Parallel()
	for _, from1904 := range []bool{false, true} {
		got := rows(t, book(t, func(f *excelize.File) {
			days := 46296.0 // 1 October 2026
			if from1904 {
				days -= 1462
				if err := f.SetWorkbookProps(&excelize.WorkbookPropsOptions{Date1904: &from1904}); err != nil {
					t.Fatal(err)
				}
			}
			for i, c := range []struct {
				value float64
				shown string
			}{
				{days, "dd/mm/yyyy"}, {days, "mm-dd-yy"}, {days, `d\-mmm\-yy`}, {days + 0.40625, "yyyy-mm-dd hh:mm:ss"},
				{0.25, "h:mm"}, {days, "0"}, {days, `"R$" #,##0.00`}, {52998224725, `000\.000\.000\-00`},
				{11987654321, `\(00\)\ 00000\-0000`}, {0.1234, "0.00%"}, {1310100, `00000\-000`}, {days, "General"}, {123456, `00\-00\-00`}, {945, `0\:00`},
			} {
				at, _ := excelize.CoordinatesToCellName(i+1, 1)
				style, err := f.NewStyle(&excelize.Style{CustomNumFmt: &c.shown})
				err = errors.Join(err, f.SetCellValue("Sheet1", at, c.value), f.SetCellStyle("Sheet1", at, at, style))
				if err != nil {
					t.Fatal(err)
				}
			}
		}))
		number := "46296"
		if from1904 {
			number = "44834"
		}
		want := []string{
			"1 01/10/2026|01/10/2026|01/10/2026|01/10/2026 09:45|06:00|" + number + "|" + number +
				"|52998224725|11987654321|0.1234|1310100|" + number + "|123456|945",
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("1904 %v:\n got %q\nwant %q", from1904, got, want)
		}
	}
}

// archiveOf is a zip with these files.
func archiveOf(t *testing.T, names ...string) []byte {
	t.Helper()
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for _, name := range names {
		w, err := z.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = w.Write([]byte("<x/>"))
	}
	_ = z.Close()
	return out.Bytes()
}

// hiddenSheet is a workbook whose only sheet is hidden, which no program writes.
func hiddenSheet(t *testing.T) []byte {
	t.Helper()
	return book(t, func(f *excelize.File) { f.WorkBook.Sheets.Sheet[0].State = "hidden" })
}

// TestSheets: all visible sheets with content are read, and one beyond the bounds does not keep the others from it.
func TestSheets(t *testing.T) {
	t.Parallel()
	data := book(t, func(f *excelize.File) {
		for name, cells := range map[string][]any{
			"Resumo": {"Total", 3}, "Oculta": {"x"}, "Vazia": nil, "Ativos": {"cpf", "52998224725"}, "Grande": {strings.Repeat("x", 4001)},
		} {
			_, _ = f.NewSheet(name)
			_ = f.SetSheetRow(name, "A1", &cells)
		}
		_ = f.DeleteSheet("Sheet1")
		shown, _ := f.GetSheetIndex("Ativos")
		f.SetActiveSheet(shown) // the active one cannot be hidden
		_ = f.SetSheetVisible("Oculta", false)
		_ = f.MergeCell("Ativos", "A3", "C3")
	})
	sheets, err := spreadsheet.Read(t.Context(), data, 10)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range sheets {
		got = append(got, fmt.Sprint(s.Name, len(s.Rows), s.Err != nil))
	}
	slices.Sort(got)
	if want := []string{"Ativos1 false", "Grande0 true", "Resumo1 false"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestFilesThatAreRefused(t *testing.T) {
	t.Parallel()
	bomb := func() []byte {
		var out bytes.Buffer
		z := zip.NewWriter(&out)
		for _, name := range []string{"[Content_Types].xml", "xl/worksheets/sheet1.xml"} {
			w, _ := z.Create(name)
			for range 100 {
				_, _ = w.Write(make([]byte, 1<<20))
			}
		}
		_ = z.Close()
		return out.Bytes()
	}
	hidden := book(t, func(f *excelize.File) { _ = f.SetCellValue("Sheet1", "A1", 1) })
	for what, c := range map[string]struct {
		data []byte
		code fault.Code
		says string
	}{
		"too large":       {bytes.Repeat([]byte("1\n"), 9<<20), fault.BodyTooLarge, "16 MB"},
		"a zip bomb":      {bomb(), fault.BodyTooLarge, "descompactada"},
		"not a workbook":  {hidden[:len(hidden)/2], fault.InvalidRequest, "incompleto"},
		"old Excel":       {[]byte("\xd0\xcf\x11\xe0rest"), fault.InvalidRequest, ".xls"},
		"PDF":             {[]byte("%PDF-1.7"), fault.InvalidRequest, "PDF"},
		"bytes":           {[]byte("a\x00b"), fault.InvalidRequest, "CSV nem .xlsx"},
		"nothing":         {nil, fault.InvalidRequest, "nenhuma linha"},
		"empty lines":     {[]byte("\n ; ;\n"), fault.InvalidRequest, "nenhuma linha"},
		"too many rows":   {bytes.Repeat([]byte("1\n"), 1001), fault.BodyTooLarge, "1000 linhas"},
		"too many cells":  {[]byte(strings.Repeat("1;", 301)), fault.BodyTooLarge, "até a coluna 301, e são aceitas 300"},
		"ODS":             {archiveOf(t, "mimetype", "content.xml", "META-INF/manifest.xml"), fault.InvalidRequest, ".ods"},
		"XLSB":            {archiveOf(t, "[Content_Types].xml", "xl/workbook.bin"), fault.InvalidRequest, ".xlsb"},
		"Numbers":         {archiveOf(t, "Index/Document.iwa"), fault.InvalidRequest, "Numbers"},
		"no visible one":  {hiddenSheet(t), fault.InvalidRequest, "aba visível"},
		"too long a cell": {[]byte(strings.Repeat("é", 4000) + "\n" + strings.Repeat("x", 4001)), fault.BodyTooLarge, "linha 2"},
		"an open quote":   {[]byte("a\n\"b\nc\n"), fault.InvalidRequest, "linha 2"},
		"an open quote, and much after it": {
			[]byte("nome;obs\nAna;oi\nBia;\"oi\n" + strings.Repeat("Rui;oi\n", 900)), fault.InvalidRequest, "linha 3",
		},
		"names in quotes before addresses": {
			[]byte("\"Ana Lima\" <ana@example.com>\n\"Rui\" <rui@example.com>\n"), fault.InvalidRequest, "aspas",
		},
	} {
		_, err := readFirst(t.Context(), c.data, 1000)
		var f *fault.Error
		if errors.As(err, &f) != (c.code != "") || f != nil && (f.Code != c.code || !strings.Contains(f.Message, c.says)) {
			t.Errorf("%s: %v %q", what, err, fmt.Sprint(f))
		}
	}
}

func TestWhatIsWrittenIsRead(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	err := spreadsheet.Write(&out, []string{"=documento", "valor"}, func(yield func([]any, error) bool) {
		_ = yield([]any{"02345678992", spreadsheet.Number("0.45")}, nil) &&
			yield([]any{`=HYPERLINK("http://x")`, ""}, nil) && yield([]any{"<a & \"b\">\n\x01", spreadsheet.Number("1")}, nil) &&
			yield([]any{"_x0041_ e _x005F_", ""}, nil)
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"1 =documento|valor", "2 02345678992|0.45", `3 =HYPERLINK("http://x")`, "4 <a & \"b\">\n\ufffd|1", "5 _x0041_ e _x005F_"}
	if got := rows(t, out.Bytes()); !reflect.DeepEqual(got, want) {
		t.Errorf(" got %q\nwant %q", got, want)
	}
	f, err := excelize.OpenReader(bytes.NewReader(out.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	head, _ := f.GetCellFormula("Resultados", "A1")
	formula, _ := f.GetCellFormula("Resultados", "A3")
	kind, _ := f.GetCellType("Resultados", "B2")
	if head+formula != "" || kind != excelize.CellTypeUnset {
		t.Errorf("formula %q, type of a number %d", formula, kind)
	}
	failing := errors.New("x")
	fails := func(yield func([]any, error) bool) { yield(nil, failing) }
	if err := spreadsheet.Write(&out, nil, fails); !errors.Is(err, failing) {
		t.Error(err)
	}
}

// TestWhatOtherProgramsWrite: parts elsewhere than Excel puts them, prefixes of names, texts in several runs with
// reading aids and escapes, cells without a name or out of order, and a row that continues the one before.
func TestWhatOtherProgramsWrite(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for _, part := range [][2]string{
		{"_rels/.rels", `<Relationships><Relationship Id="a" Type="x/officeDocument" Target="/book/main.xml"/></Relationships>`},
		{"book/_rels/main.xml.rels", `<Relationships><Relationship Id="b" Type="x/worksheet" Target="pages\One.xml"/>` +
			`<Relationship Id="c" Type="x/sharedStrings" Target="../texts.xml"/></Relationships>`},
		{"book/main.xml", `<x:workbook><x:sheets><x:sheet name="Um" r:id="b"/></x:sheets></x:workbook>`},
		{"texts.xml", `<?xml version="1.0" encoding="ISO-8859-1"?><sst><si><t>a</t><rPh><t>!</t></rPh></si>` +
			"<si><r><rPr/><t>Jo\xe3o </t></r><r><t>_x0041_na_x005F_</t></r></si></sst>"},
		{"book/pages/one.xml", `<x:worksheet><x:sheetData><x:row><x:c t="s"><x:v>1</x:v></x:c><x:c t="str"><x:v>_x0041_</x:v></x:c></x:row>` +
			`<x:row r="1"><x:c t="s"><x:v> 0 </x:v></x:c><x:c t="s"><x:v>9</x:v></x:c></x:row><x:row r="3"><x:c r="c3"><x:v>3</x:v></x:c>` +
			`<x:c r="A3" t="inlineStr"><x:is><x:t>x &amp; y</x:t></x:is></x:c><x:c t="e"><x:v>#N/A</x:v></x:c></x:row></x:sheetData></x:worksheet>`},
	} {
		w, _ := z.Create(part[0])
		_, _ = w.Write([]byte(part[1]))
	}
	_ = z.Close()
	want := []string{"1 João Ana_|_x0041_|a", "3 x & y|#N/A|3"}
	if got := rows(t, out.Bytes()); !reflect.DeepEqual(got, want) {
		t.Errorf(" got %q\nwant %q", got, want)
	}
}

// TestNumbersWithAnExponent: some programs write a number in its shortest form, and leave out the zeros that it ends
// in. Texts and numbers that no double holds exactly stay as they are.
func TestNumbersWithAnExponent(t *testing.T) {
	t.Parallel()
	for written, want := range map[string]string{
		`<c><v>5.299822472E10</v></c>`:                        "52998224720",
		`<c t="n"><v> 1.1E+1 </v></c>`:                        "11",
		`<c><v>1.122233300018e13</v></c>`:                     "11222333000180",
		`<c><v>-3E2</v></c>`:                                  "-300",
		`<c><v>1.5E-3</v></c>`:                                "0.0015",
		`<c><v>1.1000000000000001</v></c>`:                    "1.1",
		`<c><v>14.375</v></c>`:                                "14.3750",
		`<c><v>-0.45</v></c>`:                                 "-0.45",
		`<c><v>12.00</v></c>`:                                 "12",
		`<c t="str"><v>14.375</v></c>`:                        "14.375",
		`<c><v>9.007199254740992E15</v></c>`:                  "9.007199254740992E15",
		`<c><v>1E400</v></c>`:                                 "1E400",
		`<c t="str"><v>5.299822472E10</v></c>`:                "5.299822472E10",
		`<c t="inlineStr"><is><t>5.299822472E10</t></is></c>`: "5.299822472E10",
	} {
		sheet := around("sheetData", "", repeated{"<row>" + written + "</row>", 1})
		got := rows(t, hostile(t, map[string][]repeated{sheetPart: around("worksheet", "", sheet...)}))
		if len(got) != 1 || got[0] != "1 "+want {
			t.Errorf("%s: %q", written, got)
		}
	}
}

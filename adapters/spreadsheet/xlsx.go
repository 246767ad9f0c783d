package spreadsheet

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/xml"
	"fmt"
	"maps"
	"math"
	"path"
	"regexp"
	"strconv"
	"strings"
)

// readXLSX reads the visible sheets. For formulas it uses the last calculated values.
func (b *book) readXLSX(ctx context.Context, data []byte) error {
	if err := otherFormat(data); err != nil {
		return err
	}
	w, err := open(ctx, data)
	if err != nil {
		return err
	}
	sheets, err := w.describe()
	if err != nil {
		return err
	}
	for _, s := range sheets {
		if err := b.add(s.name, func(t *table) error { return t.readSheet(w, s.part) }); err != nil {
			return err
		}
	}
	if len(sheets) == 0 {
		return unreadable("A planilha não tem nenhuma aba visível.")
	}
	return nil
}

// visible is a sheet that is not hidden.
type visible struct{ name, part string }

// describe reads everything but the sheets, and returns the visible ones.
func (w *xlsx) describe() (sheets []visible, err error) {
	main := "xl/workbook.xml"
	targets, err := w.targets("_rels/.rels", "")
	if err != nil {
		return nil, err
	}
	if at := targets["/officeDocument"]; at != "" {
		main = at
	}
	dir := path.Dir(main)
	if targets, err = w.targets(path.Join(dir, "_rels", path.Base(main)+".rels"), dir); err != nil {
		return nil, err
	}
	part := func(kind, name string) string {
		if at := targets[kind]; at != "" {
			return at
		}
		return path.Join(dir, name)
	}
	if sheets, err = w.sheets(main, targets); err != nil {
		return nil, err
	}
	if err = w.readStyles(part("/styles", "styles.xml")); err != nil {
		return nil, err
	}
	return sheets, w.readShared(part("/sharedStrings", "sharedStrings.xml"))
}

// nothing is for parts of which the ends of elements do not matter.
func nothing(*part) error { return nil }

// targets reads where the related parts of a part are, by their ids and, after a slash, by the last
// words of their kinds.
func (w *xlsx) targets(name, dir string) (map[string]string, error) {
	targets := map[string]string{}
	return targets, w.read(name, false, func(_ *part, t xml.StartElement) error {
		if t.Name.Local != "Relationship" {
			return nil
		}
		at := strings.ReplaceAll(attribute(t, "Target"), `\`, "/")
		if !strings.HasPrefix(at, "/") {
			at = path.Join(dir, at)
		}
		at, kind := strings.TrimPrefix(path.Clean(at), "/"), "/"+path.Base(attribute(t, "Type"))
		targets[attribute(t, "Id")], targets[kind] = at, at
		return nil
	}, nothing)
}

// sheets reads the workbook's own part.
func (w *xlsx) sheets(name string, targets map[string]string) (sheets []visible, err error) {
	all, found := 0, false
	err = w.read(name, false, func(p *part, t xml.StartElement) error {
		switch {
		case p.in("workbook"):
			found = true
		case p.in("workbook", "workbookPr"):
			w.from1904, _ = strconv.ParseBool(attribute(t, "date1904"))
		case p.in("sheets", "sheet"):
			if state := attribute(t, "state"); state == "" || state == "visible" {
				sheets = append(sheets, visible{attribute(t, "name"), targets[attribute(t, "id")]})
			}
			if all++; all > maxSheets {
				return errTooMuch
			}
		}
		return nil
	}, nothing)
	if err == nil && !found {
		err = unreadable(unreadableXLSX)
	}
	return sheets, err
}

// readStyles finds the styles of cells that show dates.
func (w *xlsx) readStyles(name string) error {
	dates, ofStyles := maps.Clone(builtInDates), []string(nil)
	err := w.read(name, false, func(p *part, t xml.StartElement) error {
		switch {
		case p.in("numFmts", "numFmt"):
			dates[attribute(t, "numFmtId")] = isDate(attribute(t, "formatCode"))
		case p.in("cellXfs", "xf"):
			ofStyles = append(ofStyles, attribute(t, "numFmtId"))
		}
		return nil
	}, nothing)
	w.dated = make([]bool, len(ofStyles))
	for i, id := range ofStyles {
		w.dated[i] = dates[id]
	}
	return err
}

// readShared reads the texts that cells refer to by their index.
func (w *xlsx) readShared(name string) error {
	size := 0
	return w.read(name, false, func(*part, xml.StartElement) error { return nil }, func(p *part) error {
		if !p.in("sst", "si") {
			return nil
		}
		if size += len(p.value) + 16; size > maxShared {
			return errTooMuch
		}
		w.shared = append(w.shared, unescaped(string(p.value)))
		return nil
	})
}

// escape is how a workbook writes a character that XML cannot hold, and a text that looks like one.
var escape = regexp.MustCompile(`_x[0-9A-Fa-f]{4}_`)

func unescaped(text string) string {
	return escape.ReplaceAllStringFunc(text, func(code string) string {
		n, _ := strconv.ParseUint(code[2:6], 16, 32) // the expression has checked it
		return string(rune(n))
	})
}

// sheetReader is the progress of reading a sheet.
type sheetReader struct {
	*table
	*xlsx
	cells []string
	// line and column are those of the current cell, from 1, and seen is how many the row has.
	line, column, seen int
	cell               xml.StartElement
}

// readSheet reads one sheet.
func (t *table) readSheet(w *xlsx, name string) error {
	if w.parts[strings.ToLower(name)] == nil {
		return unreadable(unreadableXLSX)
	}
	s := &sheetReader{table: t, xlsx: w}
	if err := w.read(name, true, s.begin, s.end); err != nil {
		return err
	}
	return s.add(s.line, s.cells)
}

func (s *sheetReader) begin(p *part, t xml.StartElement) (err error) {
	switch {
	case p.in("sheetData", "row"):
		return s.row(attribute(t, "r"))
	case p.in("row", "c"):
		s.column++
		if s.seen++; s.seen > maxReference {
			return errTooMuch
		}
		if at := attribute(t, "r"); at != "" {
			if s.column = columnOf(at); s.column == 0 {
				return s.wrong()
			}
		}
		s.cell = t
	}
	return nil
}

// row begins a row. One that does not ascend continues the one before.
func (s *sheetReader) row(said string) (err error) {
	n := s.line + 1
	if said != "" {
		if n, err = strconv.Atoi(said); err != nil {
			return s.wrong()
		}
	}
	if n <= s.line {
		return nil
	}
	if err := s.add(s.line, s.cells); err != nil {
		return err
	}
	s.line, s.column, s.seen, s.cells = n, 0, 0, s.cells[:0]
	if n > maxLines {
		return tooLarge("A planilha tem linhas demais, mesmo vazias. Deixe só as linhas que importam.")
	}
	return nil
}

func (s *sheetReader) wrong() error {
	return unreadable(fmt.Sprintf("A linha %d da planilha não pode ser lida.", s.line))
}

// maxReference is the last column of Excel, XFD.
const maxReference = 16_384

// columnOf is the column of a cell's name, counted from 1; 0 where it is none.
func columnOf(cell string) (n int) {
	for _, c := range strings.ToUpper(strings.TrimRight(cell, "0123456789")) {
		if n = 26*n + int(c-'A') + 1; c < 'A' || c > 'Z' || n > maxReference {
			return 0
		}
	}
	return n
}

func (s *sheetReader) end(p *part) error {
	if !p.in("row", "c") || len(p.value) == 0 {
		return nil
	}
	text := string(p.value)
	switch attribute(s.cell, "t") {
	case "s":
		i, err := strconv.Atoi(strings.TrimSpace(text))
		if err != nil || i < 0 || i >= len(s.shared) {
			return nil
		}
		text = s.shared[i]
	case "inlineStr":
		text = unescaped(text)
	case "", "n":
		style, err := strconv.Atoi(attribute(s.cell, "s"))
		if err == nil && style > 0 && style < len(s.dated) && s.dated[style] {
			text = s.date(text)
		} else {
			text = decimal(digits(text))
		}
	}
	if text = strings.Trim(text, " \t\r\n\u00a0"); text == "" {
		return nil
	}
	for len(s.cells) < s.column {
		s.cells = append(s.cells, "")
	}
	s.cells[s.column-1] = text
	return nil
}

// exact is where doubles stop telling all whole numbers apart.
const exact = 1 << 53

// digits writes a whole number in digits where a workbook has it with an exponent: that form leaves out the zeros at
// the end, so that it looks rounded, though it is the whole value. Any other text stays as it is.
func digits(cell string) string {
	if !strings.ContainsAny(cell, "eE") {
		return cell
	}
	n, err := strconv.ParseFloat(strings.TrimSpace(cell), 64)
	if err != nil || n != math.Trunc(n) || math.Abs(n) >= exact {
		return cell
	}
	return strconv.FormatInt(int64(n), 10)
}

// decimal writes a number with a decimal point as people see it: a workbook stores 17 digits and shows 15 at most. A
// zero follows three decimals, which in a text would be thousands.
func decimal(cell string) string {
	if !strings.Contains(cell, ".") {
		return cell
	}
	stored, err := strconv.ParseFloat(strings.TrimSpace(cell), 64)
	if err != nil || math.Abs(stored) >= exact {
		return cell
	}
	shown, err := strconv.ParseFloat(strconv.FormatFloat(stored, 'e', 14, 64), 64)
	if err != nil {
		return cell
	}
	written := strconv.FormatFloat(shown, 'f', -1, 64)
	if _, decimals, _ := strings.Cut(written, "."); len(decimals) == 3 {
		written += "0"
	}
	return written
}

// otherFormat returns the fault of a spreadsheet in another format that is an archive too; nil for all else.
func otherFormat(data []byte) error {
	archive, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil // within says what is wrong
	}
	for _, file := range archive.File[:min(len(archive.File), maxParts)] {
		switch name := strings.ToLower(file.Name); {
		case name == "content.xml" || name == "meta-inf/manifest.xml":
			return unreadable("O arquivo é do LibreOffice ou do Google (.ods). Abra-o e salve-o como .xlsx ou como CSV, e envie esse.")
		case name == "xl/workbook.bin":
			return unreadable("O arquivo é uma pasta de trabalho binária do Excel (.xlsb). Salve-o como .xlsx ou como CSV.")
		case strings.HasSuffix(name, ".iwa"):
			return unreadable("O arquivo é do Numbers, da Apple. Exporte-o como Excel (.xlsx) ou CSV, e envie esse.")
		}
	}
	return nil
}

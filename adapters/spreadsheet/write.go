package spreadsheet

import (
	"archive/zip"
	"bufio"
	"encoding/xml"
	"fmt"
	"io"
	"iter"
	"regexp"
	"strconv"
	"strings"

	"fichario/domain/text"
)

// The parts of a workbook with one sheet, except for the sheet itself.
var workbook = map[string]string{
	"[Content_Types].xml":        `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/></Types>`,
	"_rels/.rels":                `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
	"xl/workbook.xml":            `<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets><sheet name="Resultados" sheetId="1" r:id="rId1"/></sheets></workbook>`,
	"xl/_rels/workbook.xml.rels": `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" Target="worksheets/sheet1.xml"/></Relationships>`,
}

// Number is a cell that a spreadsheet can calculate with: only digits and a decimal point.
type Number string

// Write streams a table as XLSX, row by row: it keeps nothing in memory or in a temporary file. Cells are a string or a
// Number; every string becomes text, whatever it begins with, and so never a formula.
func Write(w io.Writer, columns []string, rows iter.Seq2[[]any, error]) error {
	archive := zip.NewWriter(w)
	for name, content := range workbook {
		part, err := archive.Create(name)
		if err == nil {
			_, err = io.WriteString(part, xml.Header+content)
		}
		if err != nil {
			return err
		}
	}
	part, err := archive.Create("xl/worksheets/sheet1.xml")
	if err != nil {
		return err
	}
	out := &sheetWriter{w: bufio.NewWriterSize(part, 64<<10)}
	out.text(xml.Header + `<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews><sheetData>`)
	head := make([]any, len(columns))
	for i, c := range columns {
		head[i] = c
	}
	out.row(head)
	for row, err := range rows {
		if err != nil {
			return err
		}
		if out.row(row); out.err != nil {
			return out.err
		}
	}
	out.text(`</sheetData></worksheet>`)
	if out.err == nil {
		out.err = out.w.Flush()
	}
	if out.err != nil {
		return out.err
	}
	return archive.Close()
}

// sheetWriter writes until the first error.
type sheetWriter struct {
	w    *bufio.Writer
	line int
	err  error
}

func (s *sheetWriter) text(t string) {
	if s.err == nil {
		_, s.err = s.w.WriteString(t)
	}
}

func (s *sheetWriter) row(cells []any) {
	s.line++
	s.text(`<row r="` + strconv.Itoa(s.line) + `">`)
	for i, cell := range cells {
		reference := column(i) + strconv.Itoa(s.line)
		switch v := cell.(type) {
		case Number:
			s.text(`<c r="` + reference + `"><v>` + string(v) + `</v></c>`)
		case string:
			if v == "" {
				continue
			}
			s.text(`<c r="` + reference + `" t="inlineStr"><is><t xml:space="preserve">`)
			if s.err == nil {
				cut := text.Cut(strings.ToValidUTF8(v, "\ufffd"), cellMax)
				s.err = xml.EscapeText(s.w, []byte(escaped.ReplaceAllString(cut, "_x005F$0")))
			}
			s.text(`</t></is></c>`)
		default:
			s.err = fmt.Errorf("a cell holds no %T", cell)
		}
	}
	s.text("</row>")
}

// escaped matches what a workbook would read as an escaped character.
var escaped = regexp.MustCompile(`_x[0-9A-Fa-f]{4}_`)

// cellMax is the maximum length of a text in an Excel cell, in characters.
const cellMax = 32_767

// column is the letter name of a column, counted from 0.
func column(i int) string {
	if i < 26 {
		return string(rune('A' + i))
	}
	return column(i/26-1) + string(rune('A'+i%26))
}

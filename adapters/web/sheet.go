package web

import (
	"bytes"
	"encoding/json"
	"html/template"
	"slices"
	"strings"

	"fichario/domain/catalog"
)

// What a page shows of one answer at most. A hostile or huge answer stays a page: the rest is in the file to download.
const (
	sheetText = 30_000 // characters of all values
	cellText  = 1_000  // characters of one value
	labelText = 80
	listRows  = 80
)

// section is a group of an answer's fields.
type section struct {
	Title string
	Rows  []sheetRow
	// Phones, Addresses and Table are lists of records; only one is set.
	Phones    []phone
	Addresses []address
	Table     *sheetTable
	// Bare is set for a single row that is called as its section.
	Bare bool
	// Absent is a list that the bureau does not inform.
	Absent bool
	// More is how many elements are not shown.
	More int
}

type sheetRow struct {
	Label string
	Value cell
}

type sheetTable struct {
	Columns []sheetColumn
	Rows    [][]cell
}

type sheetColumn struct {
	Label string
	Right bool
}

type phone struct {
	Shown cell
	Call  template.URL
	Kind  cell
	// WhatsApp is sim, não, or empty when the bureau does not inform it.
	WhatsApp string
}

type address struct{ Street, Place, Kind, Code cell }

// sheet makes the named fields of an answer readable. left is how many characters may still be shown of it.
type sheet struct{ left int }

// readSheet makes the groups of an answer's named fields.
func readSheet(p catalog.Product, fields []byte) []section {
	dec := json.NewDecoder(bytes.NewReader(fields))
	dec.UseNumber()
	values := map[string]any{}
	if dec.Decode(&values) != nil {
		return nil
	}
	s := &sheet{left: sheetText}
	var out []section
	for _, g := range p.Groups() {
		out = append(out, s.sections(g, values)...)
	}
	return out
}

// sections makes one section of a group's plain values, and one for each list of records or object.
func (s *sheet) sections(g catalog.Group, values map[string]any) []section {
	var out []section
	plain := section{Title: g.Title}
	for _, f := range g.Fields {
		nested := len(f.Fields) > 0 && f.Format != catalog.Activity
		switch {
		case nested && f.Kind == catalog.List:
			records := s.records(f, values[f.Name])
			records.Title = called(f)
			if len(g.Fields) == 1 {
				records.Title = g.Title
			}
			out = append(out, records)
		case nested && f.Kind == catalog.Object:
			object, _ := values[f.Name].(map[string]any)
			record := section{Title: called(f), Absent: object == nil}
			if object != nil {
				for _, in := range f.Fields {
					record.Rows = append(record.Rows, sheetRow{called(in), s.cell(in, object[in.Name])})
				}
			}
			out = append(out, record)
		default:
			plain.Rows = append(plain.Rows, sheetRow{called(f), s.cell(f, values[f.Name])})
		}
	}
	if len(plain.Rows) > 0 {
		plain.Bare = len(plain.Rows) == 1 && plain.Rows[0].Label == g.Title
		out = slices.Insert(out, 0, plain)
	}
	return out
}

// called is a field's name in the width of a page.
func called(f catalog.Field) string { return shorten(labelText, f.Called()) }

// records makes the section of a list of records.
func (s *sheet) records(f catalog.Field, v any) section {
	list, _ := v.([]any)
	out := section{Absent: len(list) == 0}
	if len(list) > listRows {
		out.More, list = len(list)-listRows, list[:listRows]
	}
	table := &sheetTable{}
	for _, in := range f.Fields {
		table.Columns = append(table.Columns, sheetColumn{called(in), in.Kind == catalog.Number || in.Kind == catalog.Date})
	}
	for _, item := range list {
		object, _ := item.(map[string]any)
		switch f.Format {
		case catalog.Phone:
			out.Phones = append(out.Phones, s.phone(object))
		case catalog.Address:
			out.Addresses = append(out.Addresses, s.address(object))
		default:
			row := make([]cell, len(f.Fields))
			for i, in := range f.Fields {
				row[i] = s.cell(in, object[in.Name])
				row[i].Label, row[i].Right = table.Columns[i].Label, table.Columns[i].Right
			}
			table.Rows = append(table.Rows, row)
		}
	}
	if len(table.Rows) > 0 {
		out.Table = table
	}
	return out
}

func (s *sheet) phone(v map[string]any) phone {
	ddd, number := onlyDigits(plainText(v["ddd"])), onlyDigits(plainText(v["numero"]))
	p := phone{Kind: s.text(plainText(v["tipo"]))}
	whole := ddd + number
	p.Shown = cell{Kind: "doc", Text: shorten(cellText, plainText(v["numero"]))}
	if n := len(number); (n == 8 || n == 9) && len(ddd) == 2 {
		p.Shown.Text = "(" + ddd + ") " + number[:n-4] + "-" + number[n-4:]
		whole = "+55" + whole
	}
	if p.Shown.Text == "" {
		p.Shown.Kind = "none"
	}
	if n := len(onlyDigits(whole)); n >= 8 && n <= 15 {
		p.Call = template.URL("tel:" + whole) //nolint:gosec // it is digits only
	}
	if yes, known := v["whatsapp"].(bool); known {
		p.WhatsApp = map[bool]string{true: "sim", false: "não"}[yes]
	}
	return p
}

func (s *sheet) address(v map[string]any) address {
	join := func(names ...string) cell {
		var parts []string
		for _, name := range names {
			if t := strings.TrimSpace(plainText(v[name])); t != "" {
				parts = append(parts, t)
			}
		}
		return s.text(strings.Join(parts, ", "))
	}
	code := s.text(plainText(v["cep"]))
	if d := onlyDigits(code.Text); len(d) == 8 && len(code.Text) <= 10 {
		code = cell{Kind: "doc", Text: d[:5] + "-" + d[5:]}
	}
	return address{
		Street: join("logradouro", "numero", "complemento"), Place: join("bairro", "cidade", "uf"),
		Kind: s.text(plainText(v["tipo"])), Code: code,
	}
}

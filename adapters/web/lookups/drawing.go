package lookups

import (
	"html/template"
	"net/url"
	"slices"
	"strings"
	"time"

	"fichario/adapters/web"
	"fichario/domain/catalog"
	"fichario/domain/document"
	"fichario/domain/text"
)

// The most that a page shows of one answer, so that a huge or hostile answer still fits a page; the download has the
// rest.
const (
	drawnText = 30_000 // characters of all values
	cellText  = 1_000  // characters of one value
	labelText = 80
	listRows  = 80
)

// section is a group of an answer's fields.
type section struct {
	Title string
	Rows  []drawnRow
	// Phones, Addresses and Table are lists of records; only one is set.
	Phones    []phone
	Addresses []address
	Table     *drawnTable
	// Bare is set for a single row with the same name as its section.
	Bare bool
	// Absent marks a list that the bureau did not provide.
	Absent bool
	// More is how many elements no page shows.
	More int
	// List is the name of the field whose elements these are, empty where it is no list; Page is which of them are shown.
	List string
	Page web.Paged[struct{}]
	// asks are the lookups offered for the document that each row of Table names; identity, named and role are the
	// columns of that document, of a name and of a role, and negative for none.
	asks                  []*choiceLine
	identity, named, role int
}

type drawnRow struct {
	Label string
	Value cell
}

type drawnTable struct {
	Columns []drawnColumn
	Rows    [][]cell
}

type drawnColumn struct {
	Label string
	Right bool
}

type phone struct {
	Shown cell
	Call  template.URL
	// Chat opens a chat with a mobile that is known to have WhatsApp.
	Chat template.URL
	Kind cell
	// WhatsApp is sim, não, or empty where the bureau does not say.
	WhatsApp string
}

type address struct {
	Street, Place, Kind, Code cell
	// Map opens the address on a map; empty where too little is known.
	Map template.URL
}

// drawing makes the named fields of an answer readable.
type drawing struct {
	// left is how many more characters may be shown.
	left int
	// today is the local date, at midnight UTC like the dates of answers; zero where unknown.
	today time.Time
	// ask returns the lookup to offer for a document that the answer names; nil for none.
	ask func(document.Document) *choiceLine
	// named are the documents that the answer names, as far as it has been read.
	named []document.Document
}

// sections makes the groups of an answer's named fields.
func (s *drawing) sections(p catalog.Product, values map[string]any) (out []section) {
	for _, g := range p.Groups() {
		out = append(out, s.group(g, values)...)
	}
	return out
}

// group makes one section of a group's plain values, and one for each list of records or object.
func (s *drawing) group(g catalog.Group, values map[string]any) []section {
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
					record.Rows = append(record.Rows, drawnRow{called(in), s.cell(in, object[in.Name])})
				}
			}
			out = append(out, record)
		default:
			plain.Rows = append(plain.Rows, drawnRow{called(f), s.cell(f, values[f.Name])})
		}
	}
	if len(plain.Rows) > 0 {
		plain.Bare = len(plain.Rows) == 1 && plain.Rows[0].Label == g.Title
		out = slices.Insert(out, 0, plain)
	}
	return out
}

// called is a field's name, shortened to fit a page.
func called(f catalog.Field) string { return web.Shorten(labelText, f.Called()) }

// records makes the section of a list of records.
func (s *drawing) records(f catalog.Field, v any) section {
	list, _ := v.([]any)
	out := section{Absent: len(list) == 0, List: f.Name}
	if len(list) > listRows {
		out.More, list = len(list)-listRows, list[:listRows]
	}
	table := &drawnTable{}
	out.identity, out.named, out.role = -1, -1, -1
	for i, in := range f.Fields {
		switch {
		case in.Format == catalog.Identity:
			out.identity = i
		case in.Name == "nome", in.Name == "razaoSocial":
			out.named = i
		case in.Name == "qualificacao":
			out.role = i
		}
		table.Columns = append(table.Columns, drawnColumn{called(in), in.Kind == catalog.Number || in.Kind == catalog.Date})
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
			var ask *choiceLine
			for i, in := range f.Fields {
				row[i] = s.cell(in, object[in.Name])
				row[i].Label, row[i].Right = table.Columns[i].Label, table.Columns[i].Right
				if in.Format == catalog.Identity && ask == nil {
					ask = s.asks(catalog.Plain(object[in.Name]))
				}
			}
			table.Rows, out.asks = append(table.Rows, row), append(out.asks, ask)
		}
	}
	if len(table.Rows) > 0 {
		out.Table = table
	}
	return out
}

// rowsShown is how many elements of a list a page shows.
const rowsShown = 12

// turn leaves of each list in an answer at an address one page: the first, or what the request asks for of the chosen
// one.
func turn(c *web.Call, sections []section, address, chosen string) {
	for i := range sections {
		s := &sections[i]
		rows := 0
		if s.Table != nil {
			rows = len(s.Table.Rows)
		}
		all := make([]struct{}, max(rows, len(s.Phones), len(s.Addresses)))
		if s.Page = web.PageWith(address+"?lista="+s.List, all, rowsShown, 0); s.List == chosen {
			s.Page = web.PageOf(c, address, all, rowsShown)
		}
		for _, beside := range []*string{&s.Page.Before, &s.Page.After} {
			if *beside != "" {
				*beside += "#lista-" + s.List
			}
		}
		switch from, to := s.Page.From-1, s.Page.To; {
		case rows > 0:
			s.Table.Rows, s.asks = s.Table.Rows[from:to], s.asks[from:to]
		case len(s.Phones) > 0:
			s.Phones = s.Phones[from:to]
		case len(s.Addresses) > 0:
			s.Addresses = s.Addresses[from:to]
		}
	}
}

// asks returns the lookup to offer for a document that an answer names; nil for a masked document.
func (s *drawing) asks(text string) *choiceLine {
	if s.ask == nil {
		return nil
	}
	for _, t := range []document.Type{document.CPF, document.CNPJ} {
		if d, err := document.Normalize(t, text); err == nil {
			s.named = append(s.named, d)
			return s.ask(d)
		}
	}
	return nil
}

func (s *drawing) phone(v map[string]any) phone {
	ddd, number := text.Digits(catalog.Plain(v["ddd"])), text.Digits(catalog.Plain(v["numero"]))
	p := phone{Kind: s.text(catalog.Plain(v["tipo"]))}
	whole := ddd + number
	p.Shown = cell{Kind: "doc", Text: web.Shorten(cellText, catalog.Plain(v["numero"]))}
	if n := len(number); (n == 8 || n == 9) && len(ddd) == 2 {
		p.Shown.Text = "(" + ddd + ") " + number[:n-4] + "-" + number[n-4:]
		whole = "+55" + whole
	}
	if p.Shown.Text == "" {
		p.Shown.Kind = "none"
	}
	if n := len(text.Digits(whole)); n >= 8 && n <= 15 {
		p.Call = template.URL("tel:" + whole) //nolint:gosec // it is digits only
	}
	if yes, said := v["whatsapp"].(bool); said {
		p.WhatsApp = map[bool]string{true: "sim", false: "não"}[yes]
		if yes && len(ddd) == 2 && len(number) == 9 && number[0] == '9' {
			p.Chat = template.URL("https://wa.me/55" + ddd + number) //nolint:gosec // it is digits only
		}
	}
	return p
}

func (s *drawing) address(v map[string]any) address {
	join := func(names ...string) cell {
		var parts []string
		for _, name := range names {
			if t := strings.TrimSpace(catalog.Plain(v[name])); t != "" {
				parts = append(parts, t)
			}
		}
		return s.text(strings.Join(parts, ", "))
	}
	code := s.text(catalog.Plain(v["cep"]))
	if written, is := catalog.PostalCode(code.Text); is {
		code = cell{Kind: "doc", Text: written}
	}
	out := address{
		Street: join("logradouro", "numero", "complemento"), Place: join("bairro", "cidade", "uf"),
		Kind: s.text(catalog.Plain(v["tipo"])), Code: code,
	}
	var all []string
	for _, part := range []cell{join("logradouro", "numero"), out.Place, code} {
		if part.Kind != "none" {
			all = append(all, part.Text)
		}
	}
	if len(all) > 1 {
		//nolint:gosec // the host is fixed, and what follows is escaped
		out.Map = template.URL(mapSearch + url.QueryEscape(strings.Join(append(all, "Brasil"), ", ")))
	}
	return out
}

// mapSearch finds an address on a map. It is opened only when clicked; the Referrer-Policy hides the page it came from.
const mapSearch = "https://www.google.com/maps/search/?api=1&query="

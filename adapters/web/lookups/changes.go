package lookups

import (
	"slices"
	"strings"

	"fichario/adapters/web"
	"fichario/domain/catalog"
)

// changeLine is how a field, or an element of its list, differs from the previous answer.
type changeLine struct {
	Label string
	// Was and Is are shown as "was → is"; for an element of a list only one is set.
	Was, Is cell
	// New and Gone mark an element that was added or removed.
	New, Gone bool
}

// changesShown is how many changes a page lists; the answers show the rest.
const changesShown = 20

// readAnswer fills the page of an answer that has fields.
func (s pages) readAnswer(c *web.Call, p *ResultPage, list string) error {
	answer, values := s.drawingOf(c, p.Entry), catalog.Values(p.Record.Fields)
	p.Warnings, p.Glance = warningsOf(p.Product, values), answer.glance(p.Product, values)
	p.Sections = answer.sections(p.Product, values)
	turn(c, p.Sections, "/consultas/"+p.Entry.ID, list)
	var err error
	if p.Graph, err = s.graphOf(c, *p, answer); err != nil {
		return err
	}
	i := slices.IndexFunc(p.Earlier, func(l lookupLine) bool {
		return l.Record.Found && l.Record.ID < p.Record.ID // ids begin with the time
	})
	if i < 0 {
		return nil
	}
	before, err := s.Sheet.Show(c.Ctx(), c.By, p.Earlier[i].Entry.ID)
	if err == nil && before.Record != nil {
		p.Before = before.Record.AnsweredAt
		p.Changed = answer.changes(p.Product.Changes(before.Record.Fields, p.Record.Fields))
	}
	return err
}

// warningsOf are the warnings of an answer, with the bureau's words shortened to fit a page.
func warningsOf(p catalog.Product, values map[string]any) []catalog.Warning {
	all := p.Warnings(values)
	for i, w := range all {
		most := labelText
		if f, _ := p.Field(w.Field); f.Kind == catalog.List {
			most = cellText
		}
		if w.Said != "" {
			all[i].Text += ": " + web.Shorten(most, w.Said)
		}
	}
	return all
}

func (s *drawing) changes(found []catalog.Change) (out []changeLine) {
	for _, c := range found {
		label := called(c.Field)
		if c.Gone == nil && c.New == nil {
			out = append(out, changeLine{Label: label, Was: s.brief(c.Field, c.Was), Is: s.brief(c.Field, c.Is)})
		}
		element := c.Field
		element.Kind = c.Field.Items
		for _, one := range c.New {
			out = append(out, changeLine{Label: label, Is: s.brief(element, one), New: true})
		}
		for _, one := range c.Gone {
			out = append(out, changeLine{Label: label, Was: s.brief(element, one), Gone: true})
		}
	}
	return out[:min(len(out), changesShown)]
}

// brief writes a value on one line: of a record, what identifies it.
func (s *drawing) brief(f catalog.Field, v any) cell {
	if list, ok := v.([]any); ok {
		return cell{Kind: "text", Text: web.Plural(len(list), "informado", "informados")}
	}
	record, ok := v.(map[string]any)
	if !ok {
		return s.cell(f, v)
	}
	switch f.Format {
	case catalog.Phone:
		return s.phone(record).Shown
	case catalog.Address:
		a := s.address(record)
		return s.joined(a.Street, a.Place)
	case catalog.Activity:
		return s.activity(record)
	}
	var parts []cell
	for _, in := range f.Fields {
		parts = append(parts, s.cell(in, record[in.Name]))
	}
	return s.joined(parts...)
}

// joined joins the known ones of several values into one text.
func (s *drawing) joined(parts ...cell) cell {
	var texts []string
	for _, part := range parts {
		if part.Text != "" {
			texts = append(texts, part.Text)
		}
	}
	return s.text(strings.Join(texts, ", "))
}

// glance is what one first wants to know of a company: whether it is active, for how long, its size and its owners.
func (s *drawing) glance(p catalog.Product, values map[string]any) (out []drawnRow) {
	if p.ID != catalog.CNPJ {
		return nil
	}
	for _, name := range []string{"situacaoCadastral", "abertura", "porte"} {
		f, _ := p.Field(name)
		out = append(out, drawnRow{called(f), s.cell(f, values[name])})
	}
	if age := &out[1]; age.Value.Note != "" {
		age.Label, age.Value = "Idade", cell{Kind: "text", Text: age.Value.Note}
	}
	partners := cell{Kind: "none"}
	if list, ok := values["socios"].([]any); ok && len(list) > 0 {
		partners = cell{Kind: "text", Text: web.Count(len(list))}
	}
	return append(out, drawnRow{"Sócios", partners})
}

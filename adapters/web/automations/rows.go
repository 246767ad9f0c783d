package automations

import (
	"encoding/json"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"fichario/adapters/web"
	"fichario/app"
	"fichario/domain/automation"
)

// conditionRows is a condition as rows, for the form.
type conditionRows struct {
	// Rows are those of the condition and empty ones; none where Written is no rows.
	Rows []automation.Row
	// Written is the expression that the rows stand for.
	Written string
	// InRows is false for an expression that only jq can say.
	InRows bool
	// Fields are the fields of the event, each with an example.
	Fields []eventField
}

// eventField is a field of an event with what the newest one holds.
type eventField struct{ Path, Example string }

// The form shows at least rowsShown rows, one of them empty, and reads at most rowsRead; fieldsShown bounds the fields
// that it offers.
const (
	rowsShown   = 2
	rowsRead    = 20
	fieldsShown = 80
)

// rowsOf shows an expression as rows, if it is any, with the fields of the event that a form is about: those that the
// newest ones had, of one webhook's contacts if a webhook is chosen, and those that every such event has.
func (s pages) rowsOf(
	c *web.Call, event automation.EventName, when, webhookID string,
) (conditionRows, error) {
	var out conditionRows
	if out.Rows, out.InRows = automation.RowsOf(when); !out.InRows {
		return conditionRows{}, nil
	}
	out.Written = automation.Rows(out.Rows)
	out.Rows = append(out.Rows, automation.Row{})
	for len(out.Rows) < rowsShown {
		out.Rows = append(out.Rows, automation.Row{})
	}
	samples, err := s.Automations.Samples(c.Ctx(), c.By, event, webhookID)
	for i, sample := range samples { // the newest event's examples, and none of the last one
		var data any
		if json.Unmarshal([]byte(sample), &data) != nil {
			continue
		}
		for _, field := range fieldsOf(nil, "", data) {
			known := slices.ContainsFunc(out.Fields, func(f eventField) bool {
				return f.Path == field.Path || strings.HasPrefix(f.Path, field.Path+".")
			})
			if i == len(samples)-1 {
				field.Example = ""
			}
			if !known && len(out.Fields) < fieldsShown {
				out.Fields = append(out.Fields, field)
			}
		}
	}
	return out, err
}

// fieldsOf adds the fields of an event's data, by their names.
func fieldsOf(all []eventField, path string, data any) []eventField {
	object, ok := data.(map[string]any)
	if !ok {
		if written, err := json.Marshal(data); err == nil && path != "" && len(all) < fieldsShown {
			example := web.Shorten(40, strings.Trim(string(written), `"`))
			if app.ValidID(example) {
				example = "" // an id says nothing to people
			}
			all = append(all, eventField{path, example})
		}
		return all
	}
	names := make([]string, 0, len(object))
	for name := range object {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		all = fieldsOf(all, strings.TrimPrefix(path+"."+fieldName(name), "."), object[name])
	}
	return all
}

// fieldName is a name as a part of a field, in quotes where it needs them.
func fieldName(name string) string {
	if automation.ValidField(name) && !strings.Contains(name, ".") {
		return name
	}
	return strconv.Quote(name)
}

// whenOf is the condition that was sent, of which changed says which way of writing was changed last, if known: the
// expression, if it is another than the rows or the expression stood for when they were shown, and else the rows.
func whenOf(sent url.Values, changed string) string {
	when, fields := strings.TrimSpace(sent.Get("se")), sent["se.campo"]
	if changed != inRows && (changed != "" || !slices.Contains(sent["se.linhas"], when)) || len(fields) == 0 {
		return when
	}
	var rows []automation.Row
	for i, field := range fields[:min(len(fields), rowsRead)] {
		field = strings.TrimPrefix(strings.TrimSpace(field), ".")
		if field == "" || i >= len(sent["se.compara"]) || i >= len(sent["se.valor"]) {
			continue
		}
		if !automation.ValidField(field) {
			field = strconv.Quote(field)
		}
		rows = append(rows, automation.Row{
			Field: field, Is: automation.Comparison(sent["se.compara"][i]), Value: valueOf(sent["se.valor"][i]),
		})
	}
	return automation.Rows(rows)
}

// valueOf reads a value as people write it: 1.234,56 is a number.
func valueOf(typed string) string {
	typed = strings.TrimSpace(typed)
	if plain := strings.ReplaceAll(strings.ReplaceAll(typed, ".", ""), ",", "."); strings.Contains(typed, ",") {
		if _, err := strconv.ParseFloat(plain, 64); err == nil {
			return plain
		}
	}
	return typed
}

// What a request to keep both ways of writing in step says was changed.
const (
	changeOf = "mudou"
	inRows   = "linhas"
)

// keepInStep answers a change of one way of writing the condition with the other one; it reports whether that was asked
// for.
func (s pages) keepInStep(c *web.Call, event automation.EventName, when string) (bool, error) {
	changed := c.URL.Query().Get(changeOf)
	if !c.Script() || changed == "" {
		return false, nil
	}
	if err := c.Manager(); err != nil {
		return true, err
	}
	data := automationForm{Form: web.Filled(automationFields{Event: event, When: when})}
	if changed == inRows { // what it says needs no example, which would be in the audit
		if rows, ok := automation.RowsOf(when); ok {
			data.Conditions = conditionRows{Written: automation.Rows(rows), InRows: true}
		}
		return true, c.RenderPart("automacao-form", "in-jq", data)
	}
	var err error
	if data.Conditions, err = s.rowsOf(c, event, when, c.PostForm.Get("webhook")); err != nil {
		return true, err
	}
	return true, c.RenderPart("automacao-form", "in-rows", data)
}

// comparison is a choice of a row, in words.
type comparison struct {
	Is   automation.Comparison
	Text string
}

// Comparisons are the choices of a row.
func (conditionRows) Comparisons() []comparison {
	return []comparison{
		{automation.AtLeast, "é pelo menos"}, {automation.AtMost, "é no máximo"}, {automation.Equal, "é igual a"},
		{automation.Unequal, "é diferente de"}, {automation.Above, "é maior que"}, {automation.Below, "é menor que"},
		{automation.Contains, "contém"}, {automation.Exists, "tem valor"},
	}
}

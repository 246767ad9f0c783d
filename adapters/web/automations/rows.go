package automations

import (
	"cmp"
	"encoding/json"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"fichario/adapters/web"
	"fichario/app"
	"fichario/domain/automation"
	"fichario/domain/catalog"
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
	// More is whether one more row can be asked for; New is the place of the one that was, and 0 where none was.
	More bool
	New  int
}

// eventField is a field of an event with what people call it, and what the newest one holds.
type eventField struct {
	Path, Label, Example string
	// Kind is empty where nothing says it.
	Kind catalog.Kind
}

// The form shows at least rowsShown rows, one of them empty, and at most rowsRead: a condition of more is one that only
// jq can say, so that none is lost. fieldsShown bounds the fields that it offers.
const (
	rowsShown   = 2
	rowsRead    = 20
	fieldsShown = 80
)

// rowsOf shows an expression as rows, if it is any, with the fields of the event that a form is about: those that the
// newest ones had, of one webhook's contacts if a webhook is chosen, and those that every such event has. Rows that
// were typed stay as they are, also those that do not count yet.
func (s pages) rowsOf(
	c *web.Call, event automation.EventName, when, webhookID string, typed rowsTyped,
) (conditionRows, error) {
	var out conditionRows
	if out.Rows, out.InRows = automation.RowsOf(when); !out.InRows || len(out.Rows) > rowsRead {
		return conditionRows{}, nil
	}
	out.Written = automation.Rows(out.Rows)
	empty := 1
	if len(typed.Rows) > 0 {
		out.Rows, empty = typed.Rows, 0
	}
	if typed.More && len(out.Rows) < rowsRead {
		out.New, empty = len(out.Rows), 1
	}
	for range max(empty, rowsShown-len(out.Rows)) {
		out.Rows = append(out.Rows, automation.Row{})
	}
	out.Rows = out.Rows[:min(len(out.Rows), rowsRead)]
	out.More = len(out.Rows) < rowsRead
	samples, err := s.Automations.Samples(c.Ctx(), c.By, event, webhookID)
	var said []eventField            // offered last: one sender decides how many there are
	for i, sample := range samples { // the newest event's examples, and none of the last one
		var data any
		if json.Unmarshal([]byte(sample), &data) != nil {
			continue
		}
		for _, field := range fieldsOf(nil, "", data) {
			if i == len(samples)-1 {
				field.Example = ""
			}
			if isSaid(field.Path) {
				said = append(said, field)
			} else {
				out.offer(field)
			}
		}
	}
	products := s.Terms.Offers(c.By)
	for _, field := range append(answerFields(event, products), said...) {
		out.offer(field)
	}
	for i, f := range out.Fields {
		out.Fields[i].Label = labelOf(f.Path, products)
	}
	return out, err
}

// offer adds a field to those that are offered, or its kind to the one that is.
func (r *conditionRows) offer(field eventField) {
	at := slices.IndexFunc(r.Fields, func(f eventField) bool {
		return f.Path == field.Path || strings.HasPrefix(f.Path, field.Path+".")
	})
	switch {
	case at < 0 && len(r.Fields) < fieldsShown:
		r.Fields = append(r.Fields, field)
	case at >= 0 && r.Fields[at].Path == field.Path:
		r.Fields[at].Kind = cmp.Or(r.Fields[at].Kind, field.Kind)
	}
}

// fieldsOf adds the fields of an event's data, by their names.
func fieldsOf(all []eventField, path string, data any) []eventField {
	object, ok := data.(map[string]any)
	if !ok {
		if path != "" {
			example := web.Shorten(40, exampleOf(data))
			if list, is := data.([]any); app.ValidID(example) || data == nil || is && len(list) == 0 {
				example = "" // an id says nothing to people, and nor does null or a list of nothing
			}
			all = append(all, eventField{Path: path, Example: example, Kind: kindOf(data)})
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

// exampleOf is a value as people read it: a text as it is, and nothing escaped for HTML, which the page does.
func exampleOf(value any) string {
	if plain, ok := value.(string); ok {
		return plain
	}
	var written strings.Builder
	to := json.NewEncoder(&written)
	to.SetEscapeHTML(false)
	if to.Encode(value) != nil {
		return ""
	}
	return strings.TrimSpace(written.String())
}

// kindOf is the kind of a value; empty for one that says none.
func kindOf(value any) catalog.Kind {
	switch value.(type) {
	case float64:
		return catalog.Number
	case bool:
		return catalog.Boolean
	case string:
		return catalog.String
	}
	return ""
}

// fieldName is a name as a part of a field, in quotes where it needs them, also where it has some itself.
func fieldName(name string) string {
	if automation.ValidField(name) && !strings.ContainsAny(name, `."`) {
		return name
	}
	return automation.Quoted(name)
}

// isSaid reports whether a field holds what a sender said in its own words, which is a text also where it is a number.
func isSaid(path string) bool {
	path = strings.TrimPrefix(path, "contato.")
	return strings.HasPrefix(path, "respostas.") || strings.HasPrefix(path, "atribuicao.")
}

// rowsTyped are the rows that a form came back with, none where the expression beside them counts; More is whether one
// more was asked for.
type rowsTyped struct {
	Rows []automation.Row
	More bool
}

// typedIn are the rows of a form that was sent, of which changed says which way of writing was changed last, if known:
// the expression counts, if it is another than the rows or the expression stood for when they were shown, and else the
// rows.
func typedIn(sent url.Values, changed string) rowsTyped {
	out := rowsTyped{More: sent.Get("mais") != ""}
	written := slices.Contains(sent["se.linhas"], strings.TrimSpace(sent.Get("se")))
	if changed == inJQ || changed != inRows && !written {
		return out
	}
	fields, is, values := sent["se.campo"], sent["se.compara"], sent["se.valor"]
	for i := range min(len(fields), len(is), len(values), rowsRead) {
		out.Rows = append(out.Rows, automation.Row{Field: fields[i], Is: automation.Comparison(is[i]), Value: values[i]})
	}
	return out
}

// whenOf is the condition that was sent.
func whenOf(sent url.Values, typed rowsTyped) string {
	if len(typed.Rows) == 0 {
		return strings.TrimSpace(sent.Get("se"))
	}
	var rows []automation.Row
	for _, row := range typed.Rows {
		if row.Field = fieldTyped(automation.EventName(sent.Get("evento")), row.Field); row.Field == "" {
			continue
		}
		row.Value = valueOf(row.Value)
		rows = append(rows, row)
	}
	return automation.Rows(rows)
}

// named begins the fields whose last part somebody else has named.
var named = regexp.MustCompile(`^((contato\.)?(respostas|atribuicao)|campos)\.`)

// fieldTyped is the field that was typed. What is none by itself is a question of a form, in its own words.
func fieldTyped(event automation.EventName, typed string) string {
	field := strings.TrimPrefix(strings.TrimSpace(typed), ".")
	if field == "" || automation.ValidField(field) {
		return field
	}
	within := named.FindString(field)
	name := automation.Quoted(field[len(within):])
	switch event = cmp.Or(event, automation.ContactCreated); {
	case within != "" || !event.OfContact():
		return within + name
	case event == automation.LookupCompleted:
		return "contato.respostas." + name
	}
	return "respostas." + name
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

// What a request to keep both ways of writing in step says was changed: inRows, inJQ, or anything else on which the
// offered fields and rows depend.
const (
	changeOf = "mudou"
	inRows   = "linhas"
	inJQ     = "jq"
)

// keepInStep answers a change of one way of writing the condition with the other one; it reports whether that was asked
// for.
func (s pages) keepInStep(c *web.Call, event automation.EventName, when string, typed rowsTyped) (bool, error) {
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
	if data.Conditions, err = s.rowsOf(c, event, when, c.PostForm.Get("webhook"), typed); err != nil {
		return true, err
	}
	return true, c.RenderPart("automacao-form", "in-rows", data)
}

// comparison is a choice of a row, in words.
type comparison struct {
	Is   automation.Comparison
	Text string
}

// comparisons are the choices of a row, first the one of a row that is new: it fits every kind, and fichario.js takes
// AtLeast instead once a field of numbers is chosen.
var comparisons = []comparison{
	{automation.Equal, "é igual a"}, {automation.Unequal, "é diferente de"}, {automation.AtLeast, "é pelo menos"},
	{automation.AtMost, "é no máximo"}, {automation.Above, "é maior que"}, {automation.Below, "é menor que"},
	{automation.Contains, "contém"}, {automation.Exists, "tem valor"},
}

// Comparisons are the choices of a row.
func (conditionRows) Comparisons() []comparison { return comparisons }

// dated is a value that has an order as a text: a day, or a time.
var dated = regexp.MustCompile(`^\d{4}-\d{2}(-\d{2}|$)`)

// orderOf refuses rows that ask which of two texts is more: jq answers, by the alphabet, and nobody means that. To jq
// every text is more than any number, also "5".
func orderOf(event automation.EventName, rows []automation.Row) error {
	for _, row := range rows {
		switch row.Is {
		case automation.Above, automation.AtLeast, automation.Below, automation.AtMost:
			field, value := fieldTyped(event, row.Field), valueOf(row.Value)
			if isSaid(field) {
				return app.Invalid("when", "“"+web.Shorten(40, labelOf(field, nil))+"” é um texto, também quando parece um "+
					"número: maior e menor não servem. Escolha “é igual a” ou “contém”, ou compare em jq, com tonumber.")
			}
			_, err := strconv.ParseFloat(value, 64)
			if field != "" && err != nil && !dated.MatchString(value) {
				return app.Invalid("when", "Em “"+web.Shorten(40, row.Field)+"”, maior e menor precisam de um número, ou de uma data "+
					"como 2026-11-29. Para um texto, escolha “é igual a” ou “contém”.")
			}
		}
	}
	return nil
}

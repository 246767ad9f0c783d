package command

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"text/tabwriter"
	"unicode"

	"fichario/adapters/download"
)

// Shown is the output format of an API answer.
type Shown struct {
	Output string `short:"o" enum:"table,json,csv" default:"table" help:"table, json (as the service sent it) or csv."`
}

// Is returns the requested format; --json, which every command takes, also sets it.
func (s Shown) Is(e *Environment) string {
	if e.JSON {
		return "json"
	}
	return s.Output
}

// One writes an object: in a table one field per line, in CSV one row. Only JSON includes bruto.
func (s Shown) One(e *Environment, body []byte) error {
	if s.Is(e) == "json" {
		return asItCame(e, body)
	}
	fields, err := fieldsOf(body)
	if err != nil {
		return notUnderstood(err)
	}
	fields = slices.DeleteFunc(fields, func(f field) bool { return f.name == "bruto" })
	if s.Is(e) == "csv" {
		names, values := make([]string, len(fields)), make([]any, len(fields))
		for i, f := range fields {
			names[i], values[i] = f.name, cell(f.value)
		}
		return writeCSV(e, names, [][]any{values})
	}
	rows := make([][]string, len(fields))
	for i, f := range fields {
		rows[i] = []string{f.name, Readable(f.value)}
	}
	return writeTable(e, rows)
}

// List writes the objects under a name, with these columns: a dot leads into a nested object, and the text after a bar
// replaces an absent value. Below a table it says how to get the next page.
func (s Shown) List(e *Environment, body []byte, name string, columns ...string) error {
	if s.Is(e) == "json" {
		return asItCame(e, body)
	}
	var answer map[string]json.RawMessage
	var items []json.RawMessage
	err := json.Unmarshal(body, &answer)
	if err == nil {
		err = json.Unmarshal(answer[name], &items)
	}
	if err != nil {
		return notUnderstood(err)
	}
	names := make([]string, len(columns))
	for i, column := range columns {
		names[i], _, _ = strings.Cut(column, "|")
	}
	words, cells := [][]string{names}, [][]any{}
	for _, item := range items {
		line, row := make([]string, len(columns)), make([]any, len(columns))
		for i, column := range columns {
			value := Within(item, names[i])
			if _, other, has := strings.Cut(column, "|"); has && len(value) == 0 {
				value = Within(item, other)
			}
			line[i], row[i] = Readable(value), cell(value)
		}
		words, cells = append(words, line), append(cells, row)
	}
	if s.Is(e) == "csv" {
		return writeCSV(e, names, cells)
	}
	if err := writeTable(e, words); err != nil {
		return err
	}
	if next := Readable(answer["proxima"]); next != "" && next != absent {
		_, err = fmt.Fprintf(e.Out, "\nNext page: --cursor %s\n", next)
	}
	return err
}

func notUnderstood(err error) error {
	return fmt.Errorf("the answer is not that of a Fichário service of this version: %w", err)
}

func asItCame(e *Environment, body []byte) error {
	_, err := e.Out.Write(append(bytes.TrimRight(body, "\n"), '\n'))
	return err
}

// field is a field of an object, in its original order.
type field struct {
	name  string
	value json.RawMessage
}

func fieldsOf(raw json.RawMessage) (fields []field, err error) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	if _, err := dec.Token(); err != nil {
		return nil, err
	}
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return nil, err
		}
		f := field{name: fmt.Sprint(name)}
		if err := dec.Decode(&f.value); err != nil {
			return nil, err
		}
		fields = append(fields, f)
	}
	return fields, nil
}

// Within is the value at a path such as progresso.gasto.
func Within(raw json.RawMessage, path string) json.RawMessage {
	for name := range strings.SplitSeq(path, ".") {
		var object map[string]json.RawMessage
		if json.Unmarshal(raw, &object) != nil {
			return nil
		}
		raw = object[name]
	}
	return raw
}

// absent stands for an unknown value.
const absent = "–"

// Readable formats a value for people, without terminal control characters.
func Readable(raw json.RawMessage) string {
	switch raw = bytes.TrimSpace(raw); {
	case len(raw) == 0:
		return ""
	case string(raw) == "null":
		return absent
	case raw[0] == '"':
		return Printable(fmt.Sprint(cell(raw)))
	case raw[0] == '[':
		var items []json.RawMessage
		if json.Unmarshal(raw, &items) != nil {
			return ""
		}
		words := make([]string, len(items))
		for i, item := range items {
			words[i] = Readable(item)
		}
		return strings.Join(words, "; ")
	case raw[0] == '{':
		fields, err := fieldsOf(raw)
		if err != nil {
			return ""
		}
		var words []string
		for _, f := range fields {
			if value := Readable(f.value); value != absent && value != "" {
				words = append(words, f.name+" "+value)
			}
		}
		return strings.Join(words, ", ")
	}
	return string(raw)
}

// Printable is a text without what would command a terminal.
func Printable(s string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) && r != ' ' {
			return -1
		}
		return r
	}, s)
}

// OnScreen is printable for multi-line text.
func OnScreen(s string) string {
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		parts := strings.Split(line, "\t")
		for j, part := range parts {
			parts[j] = Printable(strings.ToValidUTF8(part, ""))
		}
		lines[i] = strings.Join(parts, "\t")
	}
	return strings.Join(lines, "\n")
}

// cell is a value in a file: a text without quotes, empty for an unknown value, else JSON.
func cell(raw json.RawMessage) any {
	var text string
	switch {
	case len(raw) == 0, string(raw) == "null":
		return ""
	case json.Unmarshal(raw, &text) == nil:
		return text
	case raw[0] == '-' || raw[0] >= '0' && raw[0] <= '9':
		return download.Number(raw)
	}
	return string(raw)
}

func writeTable(e *Environment, rows [][]string) error {
	w := tabwriter.NewWriter(e.Out, 0, 0, 2, ' ', 0)
	for _, row := range rows {
		if _, err := io.WriteString(w, strings.TrimRight(strings.Join(row, "\t"), "\t")+"\n"); err != nil {
			return err
		}
	}
	return w.Flush()
}

// writeCSV writes rows below the columns' names, in the format of the service's own files.
func writeCSV(e *Environment, columns []string, rows [][]any) error {
	_, err := download.CSV(Output{e.Out, http.Header{}}, download.Table{
		Columns: columns, Rows: func(yield func([]any, error) bool) {
			for _, row := range rows {
				if !yield(row, nil) {
					return
				}
			}
		},
	}, download.Plain)
	return err
}

package command

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	"fichario/adapters/spreadsheet"
	"fichario/app"
	"fichario/domain/catalog"
	"fichario/domain/fault"
)

// Print writes the result of a command: one JSON value, or text for people.
func (e *Environment) Print(value any, text string, args ...any) error {
	if e.JSON {
		enc := json.NewEncoder(e.Out)
		enc.SetEscapeHTML(false)
		return enc.Encode(value)
	}
	_, err := fmt.Fprintf(e.Out, text, args...)
	return err
}

// PrintList writes a list: a JSON array of views, or one line each for people.
func PrintList[T, View any](e *Environment, all []T, view func(T) View, line func(T) string) error {
	views := make([]View, len(all))
	var text strings.Builder
	for i, item := range all {
		views[i] = view(item)
		text.WriteString(line(item) + "\n")
	}
	return e.Print(views, "%s", text.String())
}

// TimeOrNull is a time, or null in JSON where it is zero.
func TimeOrNull(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

// OrAll is the given limit, or none.
func OrAll(limit *int) int {
	if limit == nil {
		return app.All
	}
	return *limit
}

// OnOff is a flag in words.
func OnOff(enabled bool) string {
	if enabled {
		return "enabled"
	}
	return "disabled"
}

// ErrTwoForms is for results requested in two formats.
var ErrTwoForms = errors.New("--format and --json ask for two formats: use one of them")

// PrintResults prints lines of JSON as one value, in the form of a page of results.
func (e *Environment) PrintResults(write func(lines io.Writer) error) error {
	var lines bytes.Buffer
	if err := write(&lines); err != nil {
		return err
	}
	all := []json.RawMessage{}
	for line := range bytes.Lines(lines.Bytes()) {
		all = append(all, bytes.TrimSpace(line))
	}
	return e.Print(map[string]any{"resultados": all, "proxima": nil}, "")
}

// Output receives a file that is otherwise an HTTP response.
type Output struct {
	io.Writer
	header http.Header
}

// NewOutput returns one that writes to w.
func NewOutput(w io.Writer) Output { return Output{w, http.Header{}} }

// Header is ignored.
func (o Output) Header() http.Header { return o.header }

// WriteHeader is ignored.
func (o Output) WriteHeader(int) {}

// ReadTable reads at most spreadsheet.MaxBytes + 1 bytes of a file, or of standard input.
func ReadTable(e *Environment, name string) ([]byte, error) {
	from := e.In
	if name != "-" {
		file, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		defer func() { _ = file.Close() }()
		from = file
	}
	data, err := io.ReadAll(io.LimitReader(from, spreadsheet.MaxBytes+1))
	if err == nil && len(data) == 0 {
		err = fault.New(fault.InvalidRequest, "O arquivo está vazio.")
	}
	return data, err
}

// Reais is a flag with an amount.
type Reais struct{ Amount *catalog.Money }

// UnmarshalText parses it.
func (r *Reais) UnmarshalText(b []byte) error {
	m, err := catalog.ParseMoney(string(b))
	if err != nil {
		return fmt.Errorf("%q is not an amount in reais, such as 12.50", b)
	}
	r.Amount = &m
	return nil
}

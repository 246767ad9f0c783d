package main

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

	"fichario/adapters/sheet"
	"fichario/app"
	"fichario/domain/catalog"
	"fichario/domain/fault"
)

// print writes the result of a command: one JSON value, or text for people.
func (e *environment) print(value any, text string, args ...any) error {
	if e.json {
		enc := json.NewEncoder(e.out)
		enc.SetEscapeHTML(false)
		return enc.Encode(value)
	}
	_, err := fmt.Fprintf(e.out, text, args...)
	return err
}

// printList writes a list: a JSON array of views, or one line each for people.
func printList[T, View any](e *environment, all []T, view func(T) View, line func(T) string) error {
	views := make([]View, len(all))
	var text strings.Builder
	for i, item := range all {
		views[i] = view(item)
		text.WriteString(line(item) + "\n")
	}
	return e.print(views, "%s", text.String())
}

func textOrNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

func timeOrNull(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

// orAll is the given limit, or none.
func orAll(limit *int) int {
	if limit == nil {
		return app.All
	}
	return *limit
}

func onOff(enabled bool) string {
	if enabled {
		return "enabled"
	}
	return "disabled"
}

// errTwoForms is for results requested in two formats.
var errTwoForms = errors.New("--format and --json ask for two formats: use one of them")

// printResults prints lines of JSON as one value, in the form of a page of results.
func (e *environment) printResults(write func(lines io.Writer) error) error {
	var lines bytes.Buffer
	if err := write(&lines); err != nil {
		return err
	}
	all := []json.RawMessage{}
	for line := range bytes.Lines(lines.Bytes()) {
		all = append(all, bytes.TrimSpace(line))
	}
	return e.print(map[string]any{"resultados": all, "proxima": nil}, "")
}

// output receives a file that is otherwise an HTTP response.
type output struct {
	io.Writer
	header http.Header
}

// Header is ignored.
func (o output) Header() http.Header { return o.header }

// WriteHeader is ignored.
func (o output) WriteHeader(int) {}

// readTable reads at most sheet.MaxBytes + 1 bytes of a file, or of standard input.
func readTable(e *environment, name string) ([]byte, error) {
	from := e.in
	if name != "-" {
		file, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		defer func() { _ = file.Close() }()
		from = file
	}
	data, err := io.ReadAll(io.LimitReader(from, sheet.MaxBytes+1))
	if err == nil && len(data) == 0 {
		err = fault.New(fault.InvalidRequest, "O arquivo está vazio.")
	}
	return data, err
}

// reais is a flag with an amount.
type reais struct{ amount *catalog.Money }

// UnmarshalText parses it.
func (r *reais) UnmarshalText(b []byte) error {
	m, err := catalog.ParseMoney(string(b))
	if err != nil {
		return fmt.Errorf("%q is not an amount in reais, such as 12.50", b)
	}
	r.amount = &m
	return nil
}

package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"fichario/app"
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

package destinations

import (
	"maps"
	"slices"
	"strings"
)

const (
	// maxLine bounds a line of a summary in characters, and maxSummary the lines.
	maxLine    = 300
	maxSummary = 60
)

// summaryOf lists the named fields of a lookup, one per line; empty where the event has no lookup. It is for notes and
// messages; jq finds the fields themselves in .campos.
func summaryOf(data any) string {
	object, _ := data.(map[string]any)
	fields, _ := object["campos"].(map[string]any)
	var lines []string
	if product, is := object["produto"].(string); is && len(fields) > 0 {
		lines = append(lines, "Consulta: "+product)
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		v := fields[name]
		if v == nil || v == "" || len(lines) > maxSummary {
			continue
		}
		text := jsonText(v)
		if list, is := v.([]any); is && !slices.ContainsFunc(list, nested) {
			texts := make([]string, len(list))
			for i, e := range list {
				texts[i] = jsonText(e)
			}
			text = strings.Join(texts, ", ")
		}
		if cut := []rune(text); len(cut) > maxLine {
			text = string(cut[:maxLine]) + "…"
		}
		lines = append(lines, name+": "+text)
	}
	return strings.Join(lines, "\n")
}

func nested(v any) bool {
	switch v.(type) {
	case []any, map[string]any:
		return true
	}
	return false
}

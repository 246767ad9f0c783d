package docsite

import (
	"encoding/json"
	"strings"

	"go.yaml.in/yaml/v4"
)

// asJSON writes an example as JSON with its keys in the contract's order: on several lines, or on one where indent is
// empty.
func (c contract) asJSON(n *yaml.Node, indent string) string {
	var out strings.Builder
	c.writeJSON(&out, n, "\n", indent)
	return out.String()
}

// fits is the length up to which a list or an object is written on one line.
const fits = 64

func (c contract) writeJSON(out *strings.Builder, n *yaml.Node, line, indent string) {
	n = c.whole(n)
	if n.Kind == yaml.ScalarNode {
		out.WriteString(scalarJSON(n))
		return
	}
	opening, closing, step := "[", "]", 1
	if n.Kind == yaml.MappingNode {
		opening, closing, step = "{", "}", 2
	}
	inner, between := line+indent, ","
	if indent == "" || line != "\n" && len(c.asJSON(n, "")) <= fits || len(n.Content) == 0 {
		inner, line, indent, between = "", "", "", ", "
	}
	out.WriteString(opening)
	for i := 0; i < len(n.Content); i += step {
		if i > 0 {
			out.WriteString(between)
		}
		out.WriteString(inner)
		if step == 2 {
			key, _ := json.Marshal(n.Content[i].Value)
			out.Write(key)
			out.WriteString(": ")
		}
		c.writeJSON(out, n.Content[i+step-1], inner, indent)
	}
	out.WriteString(line + closing)
}

// shortLines is the most lines of an example that is shown whole at once.
const shortLines = 16

// excerpt is the beginning of a long example: its own fields, with an ellipsis for what lies deeper, and for the rest.
func (c contract) excerpt(n *yaml.Node) string {
	n = c.whole(n)
	top := &yaml.Node{Kind: n.Kind}
	for i, part := range n.Content {
		isKey := n.Kind == yaml.MappingNode && i%2 == 0
		if whole := c.whole(part); !isKey && whole.Kind != yaml.ScalarNode && len(c.asJSON(whole, "")) > fits {
			inside := "[ … ]"
			if whole.Kind == yaml.MappingNode {
				inside = "{ … }"
			}
			part = &yaml.Node{Kind: yaml.ScalarNode, Style: ellipsis, Value: inside}
		}
		top.Content = append(top.Content, part)
	}
	lines := strings.Split(c.asJSON(top, "  "), "\n")
	if len(lines) > shortLines {
		lines = append(lines[:shortLines-2], "  …", lines[len(lines)-1])
	}
	return strings.Join(lines, "\n")
}

// ellipsis is the style of a scalar that stands for what is left out.
const ellipsis = yaml.Style(1 << 30)

// scalarJSON writes a number, a boolean or null as in the contract, anything else as a string.
func scalarJSON(n *yaml.Node) string {
	if n.Style == ellipsis {
		return n.Value
	}
	var value any
	if n.Decode(&value) == nil {
		switch value.(type) {
		case nil, bool, int, float64:
			return n.Value
		}
	}
	var quoted strings.Builder
	enc := json.NewEncoder(&quoted)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(n.Value) // a string always encodes
	return strings.TrimSuffix(quoted.String(), "\n")
}

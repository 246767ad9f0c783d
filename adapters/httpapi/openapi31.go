package httpapi

import (
	"fmt"

	"go.yaml.in/yaml/v4"
)

// asOpenAPI31 says the contract, which is OpenAPI 3.0.3, in the words of 3.1: the events are its webhooks, what may be
// null has that among its types, and schemas have lists of examples.
func asOpenAPI31(contract []byte) ([]byte, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal(contract, &doc); err != nil {
		return nil, fmt.Errorf("openapi.yaml: %w", err)
	}
	rewrite(&doc)
	for i, key := range pairs(doc.Content[0]) {
		switch key.Value {
		case "openapi":
			doc.Content[0].Content[i+1].SetString("3.1.0")
		case "x-webhooks":
			key.Value = "webhooks"
		}
	}
	return yaml.Marshal(&doc)
}

// pairs are the keys of a mapping by their place; the value of each is in the next.
func pairs(n *yaml.Node) map[int]*yaml.Node {
	keys := map[int]*yaml.Node{}
	if n.Kind == yaml.MappingNode {
		for i := 0; i < len(n.Content); i += 2 {
			keys[i] = n.Content[i]
		}
	}
	return keys
}

// rewrite goes through everything but values of examples, which have no schemas; what has a type is one.
func rewrite(n *yaml.Node) {
	at := map[string]int{}
	for i, key := range pairs(n) {
		at[key.Value] = i
	}
	for i, child := range n.Content {
		key := ""
		if n.Kind == yaml.MappingNode && i%2 == 1 {
			key = n.Content[i-1].Value
		}
		if key != "example" && key != "value" && key != "enum" {
			rewrite(child)
		}
	}
	kind, ok := at["type"]
	if !ok || n.Content[kind+1].Kind != yaml.ScalarNode {
		return
	}
	if i, ok := at["example"]; ok {
		n.Content[i].Value = "examples"
		n.Content[i+1] = &yaml.Node{Kind: yaml.SequenceNode, Content: []*yaml.Node{n.Content[i+1]}}
	}
	if i, ok := at["nullable"]; ok {
		text := func(s string) *yaml.Node { return &yaml.Node{Kind: yaml.ScalarNode, Value: s, Tag: "!!str"} }
		null := &yaml.Node{Kind: yaml.SequenceNode, Style: yaml.FlowStyle, Content: []*yaml.Node{
			n.Content[kind+1], text("null"),
		}}
		n.Content[kind+1] = null
		if all, ok := at["allOf"]; ok {
			// The others do not take null, so that it is beside them and no longer among them.
			n.Content[all].Value = "anyOf"
			n.Content[all+1].Content = append(n.Content[all+1].Content, &yaml.Node{
				Kind: yaml.MappingNode, Style: yaml.FlowStyle, Content: []*yaml.Node{text("type"), text("null")},
			})
		}
		n.Content = append(n.Content[:i], n.Content[i+2:]...)
	}
}

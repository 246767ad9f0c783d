package httpapi

import (
	"fmt"

	"go.yaml.in/yaml/v4"
)

// asOpenAPI31 converts the contract from OpenAPI 3.0.3 to 3.1: events become webhooks, nullable schemas get the type
// null, and schemas have lists of examples.
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

// pairs maps the index of each key of a mapping to the key; its value is the next node.
func pairs(n *yaml.Node) map[int]*yaml.Node {
	keys := map[int]*yaml.Node{}
	if n.Kind == yaml.MappingNode {
		for i := 0; i < len(n.Content); i += 2 {
			keys[i] = n.Content[i]
		}
	}
	return keys
}

// rewrite converts every schema, which is any mapping with a type; it skips the values of examples, which contain none.
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
		n.Content = append(n.Content[:i], n.Content[i+2:]...)
	}
}

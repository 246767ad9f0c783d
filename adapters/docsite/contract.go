package docsite

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"
)

// contract is the OpenAPI document in one language, with its order preserved.
type contract struct{ root *yaml.Node }

func readContract(source []byte) (contract, error) {
	var document yaml.Node
	if err := yaml.Unmarshal(source, &document); err != nil {
		return contract{}, err
	}
	return contract{document.Content[0]}, nil
}

// at is the node below another by keys, nil where there is none; it follows aliases and references.
func (c contract) at(n *yaml.Node, keys ...string) *yaml.Node {
	n = c.whole(n)
	for _, key := range keys {
		if n == nil || n.Kind != yaml.MappingNode {
			return nil
		}
		i := 0
		for i < len(n.Content) && n.Content[i].Value != key {
			i += 2
		}
		if i >= len(n.Content) {
			return nil
		}
		n = c.whole(n.Content[i+1])
	}
	return n
}

// whole resolves an alias or a reference.
func (c contract) whole(n *yaml.Node) *yaml.Node {
	for n != nil {
		if n.Kind == yaml.AliasNode {
			n = n.Alias
			continue
		}
		to, isReference := reference(n)
		if !isReference {
			return n
		}
		n = c.at(c.root, strings.Split(strings.TrimPrefix(to, "#/"), "/")...)
	}
	return nil
}

func reference(n *yaml.Node) (string, bool) {
	if n.Kind == yaml.MappingNode && len(n.Content) == 2 && n.Content[0].Value == "$ref" {
		return n.Content[1].Value, true
	}
	return "", false
}

// text is a scalar below a node, "" where there is none.
func (c contract) text(n *yaml.Node, keys ...string) string {
	if found := c.at(n, keys...); found != nil && found.Kind == yaml.ScalarNode {
		return found.Value
	}
	return ""
}

// each visits the members of an object.
func (c contract) each(n *yaml.Node, visit func(key string, value *yaml.Node)) {
	n = c.whole(n)
	if n == nil || n.Kind != yaml.MappingNode {
		return
	}
	for pair := range slices.Chunk(n.Content, 2) {
		visit(pair[0].Value, pair[1])
	}
}

// list returns the elements of a list.
func (c contract) list(n *yaml.Node, keys ...string) []*yaml.Node {
	if found := c.at(n, keys...); found != nil && found.Kind == yaml.SequenceNode {
		return found.Content
	}
	return nil
}

// texts are the scalars of a list.
func (c contract) texts(n *yaml.Node, keys ...string) (all []string) {
	for _, e := range c.list(n, keys...) {
		all = append(all, e.Value)
	}
	return all
}

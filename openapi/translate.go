//go:build ignore

// The program that make generate runs here: it writes the contract with what it says of itself in Portuguese. An action
// of the overlay that has no place in the contract is an error.
package main

import (
	"errors"
	"log"
	"os"

	"github.com/speakeasy-api/openapi/overlay"
	"gopkg.in/yaml.v3"
)

func main() {
	words, err := overlay.Parse("overlay.pt.yaml")
	if err != nil {
		log.Fatal(err)
	}
	source, err := os.ReadFile("openapi.yaml")
	if err != nil {
		log.Fatal(err)
	}
	translate := func(contract *yaml.Node) {
		if _, err := words.ApplyToStrict(contract); err != nil {
			log.Fatal(err)
		}
	}
	// An action replaces an alias that it says something about by what it says. So these become copies first, of what the
	// anchors are in Portuguese.
	first, contract := parsed(source), parsed(source)
	translate(first)
	anchors := map[string]*yaml.Node{}
	anchored(first, anchors)
	unalias(contract, first, anchors)
	translate(contract)
	translated, err := yaml.Marshal(contract)
	if err = errors.Join(err, os.WriteFile("openapi.pt.gen.yaml", translated, 0o644)); err != nil {
		log.Fatal(err)
	}
}

func parsed(source []byte) *yaml.Node {
	var contract yaml.Node
	if err := yaml.Unmarshal(source, &contract); err != nil {
		log.Fatal(err)
	}
	return &contract
}

// anchored adds the nodes with anchors by their names.
func anchored(n *yaml.Node, to map[string]*yaml.Node) {
	if n.Anchor != "" {
		to[n.Anchor] = n
	}
	for _, child := range n.Content {
		anchored(child, to)
	}
}

// unalias replaces the aliases that are none in translated by copies.
func unalias(n, translated *yaml.Node, anchors map[string]*yaml.Node) {
	if n.Kind == yaml.AliasNode {
		if translated.Kind != yaml.AliasNode {
			*n = *copied(anchors[n.Value])
		}
		return
	}
	for i, child := range n.Content {
		unalias(child, translated.Content[i], anchors)
	}
}

// copied is a copy of a node without anchors.
func copied(n *yaml.Node) *yaml.Node {
	out := *n
	out.Anchor, out.Content = "", nil
	for _, child := range n.Content {
		out.Content = append(out.Content, copied(child))
	}
	return &out
}

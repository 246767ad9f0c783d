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
	var contract yaml.Node
	source, err := os.ReadFile("openapi.yaml")
	if err = errors.Join(err, yaml.Unmarshal(source, &contract)); err != nil {
		log.Fatal(err)
	}
	words, err := overlay.Parse("overlay.pt.yaml")
	if err != nil {
		log.Fatal(err)
	}
	if _, err := words.ApplyToStrict(&contract); err != nil {
		log.Fatal(err)
	}
	translated, err := yaml.Marshal(&contract)
	if err = errors.Join(err, os.WriteFile("openapi.pt.gen.yaml", translated, 0o644)); err != nil {
		log.Fatal(err)
	}
}

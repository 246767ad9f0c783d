// Package openapi embeds the contract: openapi.yaml, exactly as it is served, and its translations.
package openapi

import (
	_ "embed"
	"fmt"
	"strings"

	"github.com/speakeasy-api/openapi/overlay"
	"gopkg.in/yaml.v3"
)

// YAML is the contract as it is served at /openapi.yaml.
//
//go:embed openapi.yaml
var YAML []byte

//go:embed overlay.pt.yaml
var portuguese string

// Portuguese is the contract with what it says of itself in Portuguese, as YAML. An action of the overlay that has no
// place in the contract is an error.
func Portuguese() ([]byte, error) {
	var contract yaml.Node
	if err := yaml.Unmarshal(YAML, &contract); err != nil {
		return nil, fmt.Errorf("openapi.yaml: %w", err)
	}
	words, err := overlay.ParseReader(strings.NewReader(portuguese))
	if err != nil {
		return nil, fmt.Errorf("overlay.pt.yaml: %w", err)
	}
	if _, err := words.ApplyToStrict(&contract); err != nil {
		return nil, fmt.Errorf("overlay.pt.yaml: %w", err)
	}
	return yaml.Marshal(&contract)
}

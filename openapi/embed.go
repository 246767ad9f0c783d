// Package openapi holds the contract: openapi.yaml, exactly as it is served, and the same with its texts in Portuguese.
package openapi

import _ "embed"

//go:generate go run translate.go

// YAML is the contract as it is served at /openapi.yaml.
//
//go:embed openapi.yaml
var YAML []byte

// Portuguese is the contract with what it says of itself in Portuguese, as YAML.
//
//go:embed openapi.pt.gen.yaml
var Portuguese []byte

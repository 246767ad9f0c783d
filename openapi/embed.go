// Package openapi holds the contract: openapi.yaml, exactly as it is served.
package openapi

import _ "embed"

// YAML is the contract as it is served at /openapi.yaml.
//
//go:embed openapi.yaml
var YAML []byte

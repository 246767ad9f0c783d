// Command sbom writes the components of a Go binary as a CycloneDX document, from what the linker recorded in it,
// and validates that against the CycloneDX schema.
//
//	sbom BINARY >BINARY.cdx.json
package main

import (
	"bytes"
	"debug/buildinfo"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"

	cdx "github.com/CycloneDX/cyclonedx-go"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// version is the newest one whose schema the library brings whole.
const (
	version    = cdx.SpecVersion1_6
	schemaURL  = "http://cyclonedx.org/schema/"
	schemaName = "bom-1.6.schema.json"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: sbom BINARY")
		os.Exit(2)
	}
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "sbom:", err)
		os.Exit(1)
	}
}

func run(binary string) error {
	info, err := buildinfo.ReadFile(binary)
	if err != nil {
		return err
	}
	var out bytes.Buffer
	if err := cdx.NewBOMEncoder(&out, cdx.BOMFileFormatJSON).SetPretty(true).EncodeVersion(bomOf(info), version); err != nil {
		return err
	}
	if err := valid(out.Bytes()); err != nil {
		return err
	}
	_, err = os.Stdout.Write(out.Bytes())
	return err
}

// bomOf has neither a serial number nor a time, so that it is the same whenever it is written.
func bomOf(info *buildinfo.BuildInfo) *cdx.BOM {
	program := component(cdx.ComponentTypeApplication, info.Main)
	std := component(cdx.ComponentTypeLibrary, debug.Module{Path: "std", Version: info.GoVersion})
	var settings []cdx.Property
	for _, s := range info.Settings {
		settings = append(settings, cdx.Property{Name: "go:build:" + s.Key, Value: s.Value})
	}
	program.Properties = &settings
	all, uses := []cdx.Component{std}, []string{std.BOMRef}
	for _, module := range info.Deps {
		if module.Replace != nil {
			module = module.Replace
		}
		c := component(cdx.ComponentTypeLibrary, *module)
		all, uses = append(all, c), append(uses, c.BOMRef)
	}
	bom := cdx.NewBOM()
	bom.SerialNumber = ""
	bom.Metadata = &cdx.Metadata{Component: &program}
	bom.Components = &all
	bom.Dependencies = &[]cdx.Dependency{{Ref: program.BOMRef, Dependencies: &uses}}
	return bom
}

func component(kind cdx.ComponentType, m debug.Module) cdx.Component {
	url := "pkg:golang/" + m.Path + "@" + m.Version
	c := cdx.Component{Type: kind, BOMRef: url, Name: m.Path, Version: m.Version, PackageURL: url}
	// The sum of go.sum: SHA-256 over the module's files and their hashes.
	if sum, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(m.Sum, "h1:")); err == nil && len(sum) > 0 {
		c.Hashes = &[]cdx.Hash{{Algorithm: cdx.HashAlgoSHA256, Value: hex.EncodeToString(sum)}}
	}
	return c
}

// valid holds a document to the schema that comes with the library.
func valid(document []byte) error {
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/CycloneDX/cyclonedx-go").Output()
	if err != nil {
		return err
	}
	c, schemas := jsonschema.NewCompiler(), filepath.Join(strings.TrimSpace(string(dir)), "schema")
	for name, file := range map[string]string{
		schemaName: schemaName, "spdx.schema.json": "spdx.schema.json", "jsf-0.82.schema.json": "jsf-0.82.schemax.json",
	} {
		data, err := os.ReadFile(filepath.Join(schemas, file))
		if err != nil {
			return err
		}
		schema, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
		if err != nil {
			return err
		}
		if err := c.AddResource(schemaURL+name, schema); err != nil {
			return err
		}
	}
	schema, err := c.Compile(schemaURL + schemaName)
	if err != nil {
		return err
	}
	var read any
	if err := json.Unmarshal(document, &read); err != nil {
		return err
	}
	return schema.Validate(read)
}

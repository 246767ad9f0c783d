// Package contract checks the code against the contract and the architecture.
package contract

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"fichario/domain/catalog"
	"fichario/domain/document"
	"fichario/tests/testkit/contracttest"
)

func contract(t *testing.T) *openapi3.T {
	t.Helper()
	doc, err := contracttest.Contract()
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

func TestTheContractIsValidAndSoAreItsExamples(t *testing.T) {
	t.Parallel()
	if err := contract(t).Validate(t.Context(), openapi3.EnableExamplesValidation()); err != nil {
		t.Error(err)
	}
}

// TestEveryOperationIsDescribed: a client can be built from the contract alone.
func TestEveryOperationIsDescribed(t *testing.T) {
	t.Parallel()
	doc := contract(t)
	for path, item := range doc.Paths.Map() {
		for method, op := range item.Operations() {
			name := method + " " + path
			if op.Summary == "" || op.Description == "" || op.OperationID == "" || len(op.Tags) == 0 {
				t.Errorf("%s lacks a summary, a description, an operationId or a tag", name)
			}
			for _, p := range op.Parameters {
				if p.Value.Description == "" {
					t.Errorf("%s: parameter %s has no description", name, p.Value.Name)
				}
			}
			for status, r := range op.Responses.Map() {
				for kind, media := range r.Value.Content {
					if len(media.Examples) == 0 {
						t.Errorf("%s: %s %s has no example", name, status, kind)
					}
					page := kind == "text/html" && op.OperationID == "receiveLead" // for a browser's form
					said := status == "431"                                        // answered before the program sees the request
					if status >= "400" && kind != "application/problem+json" && !page && !said {
						t.Errorf("%s: %s answers %s", name, status, kind)
					}
				}
			}
		}
	}
}

// closing are the fields that every result has after its own.
var closing = []string{"produto", "documento", "cache", "consultaId", "consultadoEm", "valorCobrado", "bureau", "bruto"}

// TestNamedFieldsAreTheContract compares the catalogue with the result schemas, in both directions and by type.
func TestNamedFieldsAreTheContract(t *testing.T) {
	t.Parallel()
	doc := contract(t)
	for _, p := range catalog.Standard() {
		ref := doc.Components.Schemas["Resultado"+camel(p.ID)]
		if ref == nil {
			t.Errorf("no schema of the fields of %s", p.ID)
			continue
		}
		own := *ref.Value
		own.Properties = maps.Clone(own.Properties)
		delete(own.Properties, "fontes") // only where fields are from several bureaus
		for _, name := range closing {
			if own.Properties[name] == nil || !slices.Contains(own.Required, name) {
				t.Errorf("%s may be without %s", p.ID, name)
			}
			delete(own.Properties, name)
		}
		own.Required = slices.DeleteFunc(slices.Clone(own.Required), func(name string) bool {
			return slices.Contains(closing, name)
		})
		compare(t, p.ID, &own, p.Fields)
	}
}

func camel(id string) string {
	out := ""
	for _, word := range strings.Split(id, "_") {
		out += strings.ToUpper(word[:1]) + word[1:]
	}
	return out
}

func compare(t *testing.T, path string, schema *openapi3.Schema, fields []catalog.Field) {
	t.Helper()
	names := []string{}
	for _, f := range fields {
		names = append(names, f.Name)
		prop := schema.Properties[f.Name]
		if prop == nil {
			t.Errorf("%s.%s is not in the contract", path, f.Name)
			continue
		}
		s := prop.Value
		if len(s.AllOf) == 1 {
			if !s.Nullable {
				t.Errorf("%s.%s is not nullable", path, f.Name)
			}
			s = s.AllOf[0].Value
		} else if !s.Nullable {
			t.Errorf("%s.%s is not nullable", path, f.Name)
		}
		want := map[catalog.Kind]string{
			catalog.String: "string", catalog.Date: "string/date", catalog.Number: "number/double", catalog.Boolean: "boolean",
			catalog.List: "array", catalog.Object: "object",
		}[f.Kind]
		got := strings.Join(s.Type.Slice(), ",")
		if s.Format != "" {
			got += "/" + s.Format
		}
		if got != want {
			t.Errorf("%s.%s is a %s in the contract, a %s in the catalogue", path, f.Name, got, want)
		}
		switch {
		case f.Kind == catalog.List && len(f.Fields) > 0:
			compare(t, path+"."+f.Name, s.Items.Value, f.Fields)
		case f.Kind == catalog.List && !s.Items.Value.Type.Is(string(f.Items)):
			t.Errorf("%s.%s has items of another kind", path, f.Name)
		case f.Kind == catalog.Object:
			compare(t, path+"."+f.Name, s, f.Fields)
		}
	}
	required := slices.Sorted(slices.Values(schema.Required))
	slices.Sort(names)
	if !slices.Equal(required, names) || len(schema.Properties) != len(names) {
		t.Errorf("%s: the contract has %v, the catalogue %v", path, required, names)
	}
}

func TestWordsOfTheContract(t *testing.T) {
	t.Parallel()
	doc := contract(t)
	types := []any{}
	for _, d := range document.Types() {
		types = append(types, string(d))
	}
	if got := doc.Components.Schemas["TipoDocumento"].Value.Enum; fmt.Sprint(got) != fmt.Sprint(types) {
		t.Errorf("document types %v, want %v", got, types)
	}
	field := doc.Components.Schemas["Produto"].Value.Properties["campos"].Value.Items.Value
	for _, kind := range field.Properties["tipo"].Value.Enum {
		if !catalog.Kind(fmt.Sprint(kind)).Valid() {
			t.Errorf("%v is no kind of field", kind)
		}
	}
}

package contract

import (
	"fmt"
	"slices"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"fichario/domain/catalog"
)

// eachSchema visits every schema of the contract once, including unnamed ones.
func eachSchema(t *testing.T, visit func(where string, schema *openapi3.Schema)) {
	t.Helper()
	doc, seen := contract(t), map[*openapi3.Schema]bool{}
	var walk func(where string, ref *openapi3.SchemaRef)
	walk = func(where string, ref *openapi3.SchemaRef) {
		if ref == nil || ref.Value == nil || seen[ref.Value] {
			return
		}
		s := ref.Value
		seen[s] = true
		visit(where, s)
		for name, property := range s.Properties {
			walk(where+"."+name, property)
		}
		for _, part := range slices.Concat(s.AllOf, s.AnyOf, s.OneOf, openapi3.SchemaRefs{s.Items, s.Not}) {
			walk(where, part)
		}
		walk(where, s.AdditionalProperties.Schema)
	}
	for name, schema := range doc.Components.Schemas {
		walk(name, schema)
	}
	for _, parameter := range doc.Components.Parameters {
		walk(parameter.Value.Name, parameter.Value.Schema)
	}
	for path, item := range doc.Paths.Map() {
		for method, op := range item.Operations() {
			where := method + " " + path
			for _, parameter := range op.Parameters {
				walk(where+" "+parameter.Value.Name, parameter.Value.Schema)
			}
			if op.RequestBody != nil {
				for kind, media := range op.RequestBody.Value.Content {
					walk(where+" "+kind, media.Schema)
				}
			}
			for status, response := range op.Responses.Map() {
				for kind, media := range response.Value.Content {
					walk(where+" "+status+" "+kind, media.Schema)
				}
				for name, header := range response.Value.Headers {
					walk(where+" "+status+" "+name, header.Value.Schema)
				}
			}
		}
	}
}

// TestWhatGeneratorsMisread: in Go a number without a format becomes a float32, which loses cents; in TypeScript a
// default makes an optional field required; some tools ignore nullable where no type is stated.
func TestWhatGeneratorsMisread(t *testing.T) {
	t.Parallel()
	eachSchema(t, func(where string, s *openapi3.Schema) {
		if s.Type.Is("number") && s.Format != "double" {
			t.Errorf("%s is a number of format %q", where, s.Format)
		}
		if s.Default != nil {
			t.Errorf("%s has a default", where)
		}
		if s.Nullable && s.Type == nil {
			t.Errorf("%s may be null and has no type", where)
		}
	})
}

// TestResultsAreToldApart: the union has every product of the catalogue, each schema is flat and has the id of one
// product alone, which is what generators can tell apart. The open schema takes any product.
func TestResultsAreToldApart(t *testing.T) {
	t.Parallel()
	schemas := contract(t).Components.Schemas
	results := schemas["Resultado"].Value
	mapping := map[string]string{}
	for _, p := range catalog.Standard() {
		name := "Resultado" + camel(p.ID)
		mapping[p.ID] = "#/components/schemas/" + name
		s := schemas[name].Value
		if got := s.Properties["produto"]; got == nil || fmt.Sprint(got.Value.Enum) != fmt.Sprint([]any{p.ID}) || len(s.AllOf) > 0 {
			t.Errorf("%s takes another produto than %s, or is not flat", name, p.ID)
		}
	}
	if d := results.Discriminator; d == nil || d.PropertyName != "produto" || len(d.Mapping) != len(mapping) ||
		len(results.OneOf) != len(mapping) {
		t.Fatalf("%d schemas of %d products: %+v", len(results.OneOf), len(mapping), d)
	}
	for key, ref := range results.Discriminator.Mapping {
		if ref.Ref != mapping[key] {
			t.Errorf("%s leads to %s", key, ref.Ref)
		}
	}
	open := schemas["ResultadoOutro"].Value
	if got := open.Properties["produto"]; got == nil || got.Value.Enum != nil || len(open.AllOf) > 0 {
		t.Error("ResultadoOutro does not take every product, or is not flat")
	}
}

// TestOperationsSayWhoMayAsk: every operation declares its security, even where no key is needed; HEAD has no bodies.
func TestOperationsSayWhoMayAsk(t *testing.T) {
	t.Parallel()
	for path, item := range contract(t).Paths.Map() {
		for method, op := range item.Operations() {
			if op.Security == nil {
				t.Errorf("%s %s does not say whether it needs a key", method, path)
			}
			for status, response := range op.Responses.Map() {
				if method == "HEAD" && len(response.Value.Content) > 0 {
					t.Errorf("%s %s: %s has a body", method, path, status)
				}
			}
		}
	}
}

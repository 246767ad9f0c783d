package httpapi

import (
	"encoding/json"
	"maps"
	"slices"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v4"

	"fichario/openapi"
	"fichario/tests/testkit/contracttest"
)

func contract31(t *testing.T) *openapi3.T {
	t.Helper()
	text, err := asOpenAPI31(openapi.YAML)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := openapi3.NewLoader().LoadFromData(text)
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// TestTheContractIn31: it is valid, and has the same operations, with the events as its webhooks.
func TestTheContractIn31(t *testing.T) {
	t.Parallel()
	old, doc := contract(t), contract31(t)
	if err := doc.Validate(t.Context(), openapi3.EnableExamplesValidation()); err != nil {
		t.Error(err)
	}
	same := func(a, b []string) bool { slices.Sort(a); slices.Sort(b); return slices.Equal(a, b) }
	if !same(old.Paths.InMatchingOrder(), doc.Paths.InMatchingOrder()) {
		t.Error("other paths")
	}
	events, _ := old.Extensions["x-webhooks"].(map[string]any)
	if len(events) < 7 || !same(slices.Collect(maps.Keys(events)), slices.Collect(maps.Keys(doc.Webhooks))) {
		t.Errorf("events %d, webhooks %d", len(events), len(doc.Webhooks))
	}
}

// TestNullIsTakenByStrictReaders: null is a type of its own to a strict reader of 3.0 (and in 3.1), so that nothing
// beside it may exclude it: no schema that another one refers to, and no list of values without it.
func TestNullIsTakenByStrictReaders(t *testing.T) {
	t.Parallel()
	var doc any
	if err := yaml.Unmarshal(openapi.YAML, &doc); err != nil {
		t.Fatal(err)
	}
	seen := 0
	var look func(at string, v any)
	look = func(at string, v any) {
		switch v := v.(type) {
		case []any:
			for _, one := range v {
				look(at, one)
			}
		case map[string]any:
			if v["nullable"] == true {
				seen++
				for _, other := range []string{"allOf", "anyOf", "oneOf", "not", "$ref", "const"} {
					if v[other] != nil {
						t.Errorf("%s: %s beside nullable", at, other)
					}
				}
				if values, is := v["enum"].([]any); is && !slices.Contains(values, nil) {
					t.Errorf("%s: null is none of the values", at)
				}
				if v["type"] == nil {
					t.Errorf("%s: nullable without a type", at)
				}
			}
			for name, one := range v {
				look(at+"."+name, one)
			}
		}
	}
	look("", doc)
	if seen < 100 {
		t.Errorf("only %d schemas with null", seen)
	}
	schema := schemas31(t)["EventLookupContact"]
	if err := schema.Validate(nil); err != nil {
		t.Error(err)
	}
}

// TestBothContractsTakeTheSame: the schemas of both versions accept and refuse the same, for each example of the
// contract, and for each with a field missing, null, or of another type.
func TestBothContractsTakeTheSame(t *testing.T) {
	t.Parallel()
	old, err := contracttest.Contract()
	if err != nil {
		t.Fatal(err)
	}
	schemas31, samples := schemas31(t), examples(t, old)
	taken, refused := 0, 0
	for name, ref := range old.Components.Schemas {
		schema := *ref.Value
		schema.Discriminator = nil // a hint for generators, see contracttest
		agree := func(sample any) bool {
			before, after := schema.VisitJSON(sample), schemas31[name].Validate(sample)
			if (before == nil) != (after == nil) {
				text, _ := json.Marshal(sample)
				t.Errorf("%s: 3.0 says %v, 3.1 %v of %.300s", name, before, after, text)
			}
			if before == nil {
				taken++
			} else {
				refused++
			}
			return before == nil
		}
		for _, sample := range samples {
			fields, ok := sample.(map[string]any)
			if !agree(sample) || !ok {
				continue
			}
			for field := range fields {
				for _, value := range []any{nil, "x", 1.5, true, []any{}, map[string]any{}} {
					other := maps.Clone(fields)
					other[field] = value
					agree(other)
				}
				without := maps.Clone(fields)
				delete(without, field)
				agree(without)
			}
		}
	}
	if taken < 500 || refused < 500 {
		t.Errorf("only %d are taken, %d refused", taken, refused)
	}
}

// schemas31 are the schemas of version 3.1, by name.
func schemas31(t *testing.T) map[string]*jsonschema.Schema {
	t.Helper()
	text, err := asOpenAPI31(openapi.YAML)
	if err != nil {
		t.Fatal(err)
	}
	var doc map[string]any
	if err := yaml.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	const at = "contract.json"
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	if err := compiler.AddResource(at, doc); err != nil {
		t.Fatal(err)
	}
	all := map[string]*jsonschema.Schema{}
	for name := range contract31(t).Components.Schemas {
		if all[name], err = compiler.Compile(at + "#/components/schemas/" + name); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// examples are the values of all examples in the contract, and the values inside them.
func examples(t *testing.T, doc *openapi3.T) (all []any) {
	t.Helper()
	text, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	var root any
	if err := json.Unmarshal(text, &root); err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	var walk func(v any, inside bool)
	walk = func(v any, inside bool) {
		if key, _ := json.Marshal(v); inside && !seen[string(key)] {
			seen[string(key)] = true
			all = append(all, v)
		}
		switch v := v.(type) {
		case map[string]any:
			for name, child := range v {
				walk(child, inside || name == "value" || name == "example")
			}
		case []any:
			for _, child := range v {
				walk(child, inside)
			}
		}
	}
	walk(root, false)
	return all
}

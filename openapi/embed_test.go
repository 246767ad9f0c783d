package openapi

import (
	"fmt"
	"regexp"
	"slices"
	"testing"

	"go.yaml.in/yaml/v4"
)

// TestAllIsSaidInPortuguese: every summary and description of the contract has its words in Portuguese, with the same
// numbers. What is the same in both languages are names. (make generate refuses an overlay with an action that has no
// place.)
func TestAllIsSaidInPortuguese(t *testing.T) {
	t.Parallel()
	names := []string{
		"Typeform", "Tally", "Respondi", "RD Station", "Zapier, Make, n8n", "Renavam.", "Reais.",
		"Standard Webhooks: `v1,` and base64.",
	}
	before, after := texts(t, YAML), texts(t, Portuguese)
	if len(before) < 400 || len(before) != len(after) {
		t.Fatalf("the contract has %d texts, in Portuguese %d", len(before), len(after))
	}
	for where, english := range before {
		if after[where] == english && !slices.Contains(names, english) {
			t.Errorf("%s is not translated: %q", where, english)
		}
		if said, want := numbers(after[where]), numbers(english); !slices.Equal(said, want) {
			t.Errorf("%s: the numbers in Portuguese are %v, in English %v", where, said, want)
		}
	}
}

// TestThePortugueseContractSaysAllTheRest as the English one does: types, formats, fields, examples.
func TestThePortugueseContractSaysAllTheRest(t *testing.T) {
	t.Parallel()
	untold := func(source []byte) map[string]string {
		found := map[string]string{}
		visit(t, source, func(place string, of map[string]any) {
			for key, value := range of {
				if key != "description" && key != "summary" {
					found[place+"."+key] = shortOf(value)
				}
			}
		})
		return found
	}
	want, got := untold(YAML), untold(Portuguese)
	if len(want) < 4000 {
		t.Fatalf("the contract has only %d places", len(want))
	}
	for where, value := range want {
		if got[where] != value {
			t.Errorf("%s is %s in Portuguese, %s in English", where, got[where], value)
		}
	}
}

// shortOf shows a value of the contract; of lists and mappings only how many they have, since each is visited itself.
func shortOf(value any) string {
	switch of := value.(type) {
	case map[string]any:
		return fmt.Sprintf("a mapping of %d", len(of))
	case []any:
		return fmt.Sprintf("a list of %d", len(of))
	}
	return fmt.Sprint(value)
}

var number = regexp.MustCompile(`[0-9]+`)

// numbers are those of a text in any order, because each language has its own.
func numbers(text string) []string {
	found := number.FindAllString(text, -1)
	slices.Sort(found)
	return found
}

// texts are the summaries and descriptions, by their place.
func texts(t *testing.T, source []byte) map[string]string {
	t.Helper()
	found := map[string]string{}
	visit(t, source, func(place string, of map[string]any) {
		for _, key := range []string{"summary", "description"} {
			if text, isText := of[key].(string); isText {
				found[place+"."+key] = text
			}
		}
	})
	return found
}

// visit calls each for every mapping of a contract, with its place; examples' values are data.
func visit(t *testing.T, source []byte, each func(place string, of map[string]any)) {
	t.Helper()
	var contract any
	if err := yaml.Unmarshal(source, &contract); err != nil {
		t.Fatal(err)
	}
	var walk func(place string, of any)
	walk = func(place string, of any) {
		switch of := of.(type) {
		case map[string]any:
			each(place, of)
			for key, value := range of {
				if key != "value" && key != "example" {
					walk(place+"."+key, value)
				}
			}
		case []any:
			for i, value := range of {
				walk(fmt.Sprintf("%s[%d]", place, i), value)
			}
		}
	}
	walk("$", contract)
}

// TestExamplesBesideOthersHaveATitle: the reference shows them one below the other, and "Example" four times tells
// nobody which one to open.
func TestExamplesBesideOthersHaveATitle(t *testing.T) {
	t.Parallel()
	several := 0
	visit(t, YAML, func(place string, of map[string]any) {
		examples, _ := of["examples"].(map[string]any)
		if len(examples) < 2 || place == "$.components" { // those stand beside nothing
			return
		}
		several++
		for name, example := range examples {
			e, _ := example.(map[string]any)
			if e["summary"] == nil && e["$ref"] == nil {
				t.Errorf("%s.examples.%s has no summary", place, name)
			}
		}
	})
	if several < 5 {
		t.Errorf("only %d places with several examples were found", several)
	}
}

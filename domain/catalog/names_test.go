package catalog_test

import (
	"slices"
	"testing"

	"fichario/domain/catalog"
)

// TestWhatAnAnswerNames: a file of a product that is no longer offered has the answer's fields, in its order.
func TestWhatAnAnswerNames(t *testing.T) {
	t.Parallel()
	names := catalog.NamesOf([]byte(`{"renda":1,"faixa":{"de":2},"lista":[{"x":null}],"vazio":null}`))
	if want := []string{"renda", "faixa", "lista", "vazio"}; !slices.Equal(names, want) {
		t.Errorf("%v, want %v", names, want)
	}
	for _, none := range []string{"", "null", "[1]", `{"a":`} {
		if names := catalog.NamesOf([]byte(none)); names != nil {
			t.Errorf("%q: %v, want none", none, names)
		}
	}
}

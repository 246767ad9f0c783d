package download

import (
	"os"
	"slices"
	"strings"
	"testing"

	"fichario/domain/privacy"
)

// TestEveryKindIsShown: the file and the page of a person have each kind of data, and docs/privacy.md says so.
func TestEveryKindIsShown(t *testing.T) {
	t.Parallel()
	read := func(name string) string {
		text, err := os.ReadFile("../../" + name)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	docs, page := read("docs/privacy.md"), read("adapters/web/privacy/titular.html")
	for _, k := range privacy.Kinds() {
		if k == privacy.Parts {
			continue // among the contacts
		}
		if !slices.ContainsFunc(inFile, func(one written) bool { return one.kind == k }) ||
			!strings.Contains(docs, "`"+string(k)+"`") {
			t.Errorf("the file or docs/privacy.md lacks %s", k)
		}
		if k != privacy.Notices && !strings.Contains(page, `index .Shown "`+string(k)+`"`) {
			t.Errorf("the page lacks %s", k)
		}
	}
}

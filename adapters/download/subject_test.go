package download

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	privacyapp "fichario/app/privacy"
	"fichario/domain/lookup"
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

// TestWhatWasAskedAndWhoAnswered are in the file: what was sent beside the document, the bureau, and where fields of
// other bureaus are from.
func TestWhatWasAskedAndWhoAnswered(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	answer := lookup.Record{Bureau: "serasa", Sources: map[string]lookup.Source{"nome": {Bureau: "receita", At: at}}}
	for _, c := range []struct {
		lookup privacyapp.SubjectLookup
		want   []string
	}{
		{
			privacyapp.SubjectLookup{
				Entry: lookup.Entry{Inputs: `{"nascimento":"1980-02-29"}`, Bureau: "serasa"}, Record: &answer,
				Parts: []lookup.Record{answer},
			},
			[]string{
				`"entradas":{"nascimento":"1980-02-29"},"bureau":"serasa"`,
				`"bureau":"serasa","fontes":{"nome":{"bureau":"receita","em":"2026-03-04T05:06:07Z"}}`,
			},
		},
		{
			privacyapp.SubjectLookup{Record: &lookup.Record{}},
			[]string{`"entradas":null,"bureau":null`, `"bureau":null,"fontes":null`},
		},
	} {
		text, err := json.Marshal(lookupOf(nil, c.lookup))
		for n, want := range c.want {
			if found := strings.Count(string(text), want); err != nil || found != 1+n*len(c.lookup.Parts) {
				t.Errorf("%d times %s in %s, %v", found, want, text, err)
			}
		}
	}
}

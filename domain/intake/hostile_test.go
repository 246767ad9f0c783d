package intake

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"fichario/domain/intake/fields"
	"fichario/tests/testkit/patience"
)

// TestSlowHostileBodies bounds the time for a megabyte of anything. It runs alone: other tests would take time from it.
func TestSlowHostileBodies(t *testing.T) {
	fill := func(s string) string { return strings.Repeat(s, 1<<20/len(s)) }
	wrap := `{"email":"a@b.c","payload":`
	nested := `{"email":"a@b.c"}`
	for range 12 {
		nested = fmt.Sprintf(`{"payload":%q}`, nested)
	}
	keys := make([]string, 100000)
	for i := range keys {
		keys[i] = fmt.Sprintf("k%d=v", i)
	}
	items := make([]string, 9000)
	for i := range items {
		items[i] = fmt.Sprintf(`{"key":"question_%d_%s","value":true}`, i, strings.Repeat("_", 60))
	}
	list := func(element string, n int) string {
		return `{"email":"a@b.c","x":[` + strings.TrimSuffix(strings.Repeat(element+",", n), ",") + `]}`
	}
	numbered := make([]string, 18000)
	for i := range numbered {
		numbered[i] = fmt.Sprintf(`"%d.3":"a"`, 10001+i)
	}
	people := make([]string, MaxPeople)
	for i := range people {
		people[i] = fmt.Sprintf(`{"email":"a%d@b.c"}`, i)
	}
	crowd := `"leads":[` + strings.Join(people, ",") + `]`
	ids, options := make([]string, 6000), make([]string, 6000)
	for i := range ids {
		ids[i], options[i] = fmt.Sprintf(`"o%d"`, i), fmt.Sprintf(`{"id":"o%d","text":"t"}`, 6000-i)
	}
	choices := `{"email":"a@b.c","fields":[{"label":"x","type":"CHECKBOXES","value":[` + strings.Join(ids, ",") +
		`],"options":[` + strings.Join(options, ",") + `]}]}`
	questions := make([]string, 10000)
	for i := range questions {
		questions[i] = fmt.Sprintf(`"q%d_x":"aa"`, i)
	}
	jotform := `{"email":"a@b.c","pretty":"` + strings.Repeat(":a", 200000) + `","rawRequest":{` + strings.Join(questions, ",") + `}}`
	record := `{"email":"a@b.c","nome":"Ana"`
	for i := range 18000 {
		record += fmt.Sprintf(`,"k%d":"v"`, i)
	}
	record += "}"
	lists := strings.Repeat(`{"leads":[`, 31) + record + strings.Repeat("]}", 31)
	texts := `{"leads":[` + record + `]}`
	for range 3 {
		text, _ := json.Marshal(strings.Repeat(`{"leads":[`, 20) + texts + strings.Repeat("]}", 20))
		texts = `{"leads":` + string(text) + "}"
	}
	deep := strings.Repeat(`{"`+strings.Repeat("k ", 2000)+`":`, 60) + "1" + strings.Repeat("}", 60)
	for name, c := range map[string][2]string{
		"brackets in a key": {formType, fill("a[b]") + "=1"}, "open brackets": {formType, fill("[") + "=1"},
		"huge index": {formType, "a[999999999]=x&a[1]=y&email=a@b.c"}, "many keys": {formType, strings.Join(keys, "&")},
		"same key": {formType, strings.Repeat("email=a&", 19000)}, "equals": {formType, fill("=&")},
		"percent": {formType, "email=" + fill("%40")}, "forms": {"", `{"email":"a@b.c","query":"` + fill("query=") + `"}`},
		"form in form": {formType, "email=a@b.c&query=" + strings.ReplaceAll(fill("query="), "=", "%3D")},

		"json in json": {"", nested}, "broken json": {"", `{"a":"` + fill("\n")}, "quotes": {"", fill(`"`)},
		"deep prefixes": {"", `{"email":"a@b.c","a":` + deep + "}"}, "spaces": {"", fill(" ")},
		"many items":   {"", `{"email":"a@b.c","fields":[` + strings.Join(items, ",") + `]}`},
		"many objects": {"", list(`{"a":{"b":1}}`, 6000)}, "lists": {"", list(`{"a":["b","c","d"]}`, 3900)},
		"area codes": {"", list(`{"ddd":"11","n":"988887777"}`, 6000)},

		"escapes":        {"", `{"email":"` + fill(`\u0041`) + `"}`},
		"accents":        {"", `{"email":"a@b.c","nome":"` + fill("é́") + `"}`},
		"one long value": {"", wrap + `"` + fill("a@b ") + `"}`}, "mailto": {"", `{"email":"` + fill("<@") + `"}`},
		"long value of digits": {"", `{"email":"a@b.c","valor":"` + fill("9") + `","telefone":"` + fill("1")[:500000] + `"}`},
		"long number":          {"", `{"email":"a@b.c","valor":` + fill("9") + `}`},
		"long key":             {"", `{"email":"a@b.c","` + fill("Qual ") + `":"x"}`},
		"url":                  {"", `{"email":"a@b.c","page_url":"http://x/?` + fill("utm_a=b&") + `"}`},

		"lists in lists": {"", lists}, "texts in lists": {"", texts},
		"numbered keys":                {"", `{"email":"a@b.c",` + strings.Join(numbered, ",") + "}"},
		"numbered keys of many people": {"", "{" + crowd + "," + strings.Join(numbered, ",") + "}"},
		"choices":                      {"", choices}, "labels": {"", jotform},

		"lines": {"", "a: @" + fill("\nx")}, "elements": {"", "<a>@" + fill("x<!---->") + "</a>"},
		"open elements": {"", fill("<a>@")},
	} {
		took := spent(t, func() {
			if d, err := Read(Options{Kind: FormService, Band: fields.BandLower}, c[0], []byte(c[1])); err == nil {
				checkStorable(t, d)
			}
		})
		if took > patience.Scaled(2*time.Second) {
			t.Errorf("%s took %s", name, took)
		}
		took = spent(t, func() {
			if _, err := ReadAll(Options{Kind: FormService, Band: fields.BandLower}, c[0], []byte(c[1])); err == nil {
				t.Logf("%s is read", name)
			}
		})
		if took > patience.Scaled(4*time.Second) {
			t.Errorf("all of %s took %s", name, took)
		}
	}
}

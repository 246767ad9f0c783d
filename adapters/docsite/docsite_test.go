package docsite_test

import (
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	"fichario/adapters/docsite"
	"fichario/adapters/httpapi"
	"fichario/adapters/web"
	"fichario/openapi"
)

// open returns the reference as the program serves it: one for all tests, because it is long in the making.
var open = sync.OnceValue(func() http.Handler {
	return docsite.New(docsite.Config{
		PublicURL: "https://fichario.example", Light: web.Asset("fichario.css"), Dark: web.Asset("dark.css"),
		Icon: web.Asset("icon.svg"), Theme: web.Theme, Problems: httpapi.Problems(),
		Sandbox: []docsite.SandboxDocument{
			{Type: "cpf", Document: "90000000760", What: "Nunca responde", WhatEnglish: "Never answers"},
		},
	})
})

func get(t *testing.T, h http.Handler, path string, header ...string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil)
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// TestTheThemeOfTheInterface also applies to the reference.
func TestTheThemeOfTheInterface(t *testing.T) {
	t.Parallel()
	h, dark := open(), `href="`+web.Asset("dark.css")+`"`
	for _, path := range []string{"/docs", "/docs/busca?q=limite", "/docs/none"} {
		for theme, want := range map[string]string{
			"": dark + ` media="(prefers-color-scheme: dark)">`, "x": dark + ` media="(prefers-color-scheme: dark)">`,
			"escuro": dark + `>`, "claro": "",
		} {
			answer := get(t, h, path, "Cookie", "tema="+theme)
			page, differs := answer.Body.String(), strings.Join(answer.Header().Values("Vary"), ", ")
			if strings.Contains(page, dark) != (want != "") || !strings.Contains(page, want) ||
				differs != "Cookie, Accept-Encoding" {
				t.Errorf("%s in the theme %q, by %s", path, theme, differs)
			}
		}
	}
}

var (
	links = regexp.MustCompile(`(?:href|src|action)="([^"]*)"`)
	// written matches the links of a Markdown file to its neighbours, without the anchor.
	written = regexp.MustCompile(`\]\(([^():#/][^():#]*)(?:#[^)]*)?\)`)
	ids     = regexp.MustCompile(` id="([^"]+)"`)
)

// TestEveryLinkLeadsSomewhere crawls all pages in both languages: each exists, with the anchor that a link names, loads
// only this service's own files, and has no inline script or style. Links from the pages' sources into the repository
// work too.
func TestEveryLinkLeadsSomewhere(t *testing.T) {
	t.Parallel()
	h, pages := open(), map[string]string{}
	elsewhere := regexp.MustCompile(`^(/static/|/openapi\.(yaml|json)$)`)
	ahead := []string{"/docs"}
	var parts [][2]string
	for len(ahead) > 0 {
		path := ahead[0]
		ahead = ahead[1:]
		if _, seen := pages[path]; seen {
			continue
		}
		w := get(t, h, path)
		if w.Code != http.StatusOK {
			t.Errorf("%s is answered with %d", path, w.Code)
		}
		pages[path] = w.Body.String()
		if !strings.HasPrefix(w.Header().Get("Content-Type"), "text/html") {
			continue
		}
		if size := w.Body.Len(); size > 60_000 {
			t.Errorf("%s has %d bytes", path, size)
		}
		if strings.Contains(w.Body.String(), " style=") || strings.Contains(w.Body.String(), "<script>") {
			t.Errorf("%s has a script or a style of its own", path)
		}
		for _, m := range links.FindAllStringSubmatch(w.Body.String(), -1) {
			to, part, _ := strings.Cut(m[1], "#")
			switch {
			case strings.HasPrefix(to, "https://fichario.example"), strings.HasPrefix(to, "https://www.standardwebhooks.com"),
				elsewhere.MatchString(to):
				continue
			case to == "":
				to = path
			}
			if !strings.HasPrefix(to, "/docs") {
				t.Errorf("%s leads to %q", path, m[1])
				continue
			}
			ahead = append(ahead, to)
			if part != "" {
				parts = append(parts, [2]string{to, part})
			}
		}
	}
	for path := range pages {
		of, number, _ := strings.Cut(path, "/api/")
		of, number = of+"/api/"+filepath.Dir(number), filepath.Base(number)
		// One that is small here may be long in the other language, whose page leads here.
		if n, err := strconv.Atoi(number); err == nil && n > 1 && get(t, h, of+"/"+strconv.Itoa(n-1)).Code != http.StatusOK {
			t.Errorf("%s has no page before it", path)
		}
	}
	if len(pages) < 70 {
		t.Errorf("there are %d pages", len(pages))
	}
	for _, p := range parts {
		if !strings.Contains(pages[p[0]], ` id="`+p[1]+`"`) {
			t.Errorf("%s has no part %s", p[0], p[1])
		}
	}
	for path, page := range pages {
		seen := map[string]bool{}
		for _, m := range ids.FindAllStringSubmatch(page, -1) {
			if seen[m[1]] {
				t.Errorf("%s has two parts %s", path, m[1])
			}
			seen[m[1]] = true
		}
	}
	linksOfSources(t)
}

// linksOfSources: links in a guide or another text of the repository work where the text is kept.
func linksOfSources(t *testing.T) {
	t.Helper()
	found := 0
	done := filepath.WalkDir("../../docs", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".md" {
			return err
		}
		text, err := os.ReadFile(path)
		for _, m := range written.FindAllSubmatch(text, -1) {
			found++
			if _, err := os.Stat(filepath.Join(filepath.Dir(path), string(m[1]))); err != nil {
				t.Errorf("%s leads to %s, which is not there", path, m[1])
			}
		}
		return err
	})
	if done != nil || found < 20 {
		t.Errorf("%d links between files, %v", found, done)
	}
}

// TestAPageIsSentOnce: compressed where that is accepted, and not again to whoever has it; a missing page says so
// inside the usual frame.
func TestAPageIsSentOnce(t *testing.T) {
	t.Parallel()
	h := open()
	first := get(t, h, "/docs", "Accept-Encoding", "gzip")
	if first.Header().Get("Content-Encoding") != "gzip" || first.Body.Len() > 20_000 {
		t.Errorf("the page is %s and has %d bytes", first.Header().Get("Content-Encoding"), first.Body.Len())
	}
	if again := get(t, h, "/docs", "Accept-Encoding", "gzip", "If-None-Match", first.Header().Get("ETag")); again.Code != http.StatusNotModified {
		t.Errorf("the same page again is answered with %d", again.Code)
	}
	style := regexp.MustCompile(`/docs/static/docs\.\w+\.css`).FindString(get(t, h, "/docs").Body.String())
	if kept := get(t, h, style).Header().Get("Cache-Control"); !strings.Contains(kept, "immutable") {
		t.Errorf("the stylesheet is kept as %q", kept)
	}
	for path, words := range map[string]string{
		"/docs/nada": "Não há nada neste endereço", "/docs/en/api/nothing": "There is nothing at this address",
	} {
		w := get(t, h, path)
		if w.Code != http.StatusNotFound || !strings.Contains(w.Body.String(), words) {
			t.Errorf("%s is answered with %d", path, w.Code)
		}
		if policy := w.Header().Get("Content-Security-Policy"); strings.Contains(policy, "unsafe") || policy == "" {
			t.Errorf("%s has the policy %q", path, policy)
		}
	}
}

func TestSearch(t *testing.T) {
	t.Parallel()
	h := open()
	for query, want := range map[string]string{
		"/docs/busca?q=limite+di%C3%A1rio":     "/docs/erros#limite_diario",
		"/docs/busca?q=HISTORICO":              "/docs/guias/historico",
		"/docs/busca?q=somenteHistorico":       "/docs/api/lookupCpf",
		"/docs/en/busca?q=webhook-signature":   "/docs/en/guias/eventos",
		"/docs/en/busca?q=confirm+batch+quote": "/docs/en/api/confirmBatch",
		"/docs/busca?q=":                       "Escreva o que procura",
		"/docs/busca?q=%3Cscript%3Exyz":        "Nada encontrado",
	} {
		page := get(t, h, query).Body.String()
		if !strings.Contains(hits(page), want) || strings.Contains(page, "<script>xyz") {
			t.Errorf("%s does not find %s", query, want)
		}
	}
	// An operation is a single result, without the box that only script shows.
	for query, never := range map[string]string{"somenteHistorico": "lookupCpf#", "experimentar": "/docs/api/"} {
		if found := hits(get(t, h, "/docs/busca?q="+query).Body.String()); strings.Contains(found, never) {
			t.Errorf("%s finds %s", query, found)
		}
	}
}

// hits are the results on a page of the search.
func hits(page string) string {
	_, found, _ := strings.Cut(page, `id="encontrado"`)
	found, _, _ = strings.Cut(found, "</div>")
	return found
}

// apart is the link to what is folded on a page of its own.
var apart = regexp.MustCompile(`</summary><a href="([^"]+)"`)

// TestEveryErrorIsExplained in both languages, at the address in its `type`.
func TestEveryErrorIsExplained(t *testing.T) {
	t.Parallel()
	h := open()
	for root, words := range map[string][]string{"/docs": {"Causa", "O que fazer"}, "/docs/en": {"Cause", "What to do"}} {
		page := get(t, h, root+"/erros").Body.String()
		for _, p := range httpapi.Problems() {
			_, section, _ := strings.Cut(page, `<h2 id="`+p.Code+`">`)
			section, _, _ = strings.Cut(section, "</section>")
			if example := apart.FindStringSubmatch(section); example != nil {
				section += get(t, h, example[1]).Body.String()
			}
			for _, w := range append(words, "requestId") {
				if !strings.Contains(section, w) {
					t.Errorf("%s/erros says of %s no %s", root, p.Code, w)
				}
			}
		}
	}
}

// TestEveryEventHasAReceiver in every language of the guide.
func TestEveryEventHasAReceiver(t *testing.T) {
	t.Parallel()
	page := get(t, open(), "/docs/eventos/contact.created").Body.String()
	for _, lang := range []string{"go", "typescript", "python", "php", "csharp"} {
		if !strings.Contains(page, `<pre class="code sample-`+lang+`"`) {
			t.Errorf("there is no receiver in %s", lang)
		}
	}
	if len(page) > 60_000 {
		t.Errorf("a page of %d bytes", len(page))
	}
}

// TestOnlyOneErrorShowsItsExampleAtOnce: all of them would make the page three times as long.
func TestOnlyOneErrorShowsItsExampleAtOnce(t *testing.T) {
	t.Parallel()
	page := get(t, open(), "/docs/erros").Body.String()
	_, page, _ = strings.Cut(page, `class="docs-error"`)
	if all, shown := strings.Count(page, "<details"), strings.Count(page, "<details open"); all < 20 || shown != 1 {
		t.Errorf("%d of %d examples are open", shown, all)
	}
}

// TestWhatMayBeCharged: a new operation must be put into one of the two lists, so that none is called free by mistake.
func TestWhatMayBeCharged(t *testing.T) {
	t.Parallel()
	h, charged := open(), map[string]bool{
		"lookupCpf": true, "lookupCnpj": true, "lookup": true, "createBatch": true, "confirmBatch": true, "resumeBatch": true,
		"getStatement": false, "getLookup": false, "listBatches": false, "getBatch": false, "pauseBatch": false,
		"cancelBatch": false, "getBatchResults": false, "listProducts": false, "verifyWebhook": false, "probeWebhook": false,
		"preflightWebhook": false, "receiveLead": false, "lookupOpen": true, "getLookupOpen": false,
		"getStatementFile": false, "getBatchResultsFile": false, "receiveAnswer": false,
	}
	for _, m := range regexp.MustCompile(`operationId: (\w+)`).FindAllSubmatch(openapi.YAML, -1) {
		id := string(m[1])
		page := get(t, h, "/docs/api/"+id)
		if page.Code != http.StatusOK {
			continue // an event
		}
		want, known := charged[id]
		if !known || strings.Contains(page.Body.String(), "Pode cobrar") != want {
			t.Errorf("%s may be charged: %t, known: %t", id, want, known)
		}
		delete(charged, id)
	}
	if len(charged) > 0 {
		t.Errorf("there is no %v", charged)
	}
}

// TestALongPageHasItsContents: each heading of a long text, in order; operations, which are alike, have none.
func TestALongPageHasItsContents(t *testing.T) {
	t.Parallel()
	h, here := open(), regexp.MustCompile(`(?s)<details class="docs-here">.*?</details>`)
	for path, want := range map[string]int{
		"/docs/erros": len(httpapi.Problems()), "/docs/guias/lotes": 3, "/docs/api/lookupCpf": 0, "/docs/eventos/batch.completed": 0,
	} {
		page := get(t, h, path).Body.String()
		if got := strings.Count(here.FindString(page), `<a href="#`); want == 0 && got > 0 || got < want {
			t.Errorf("%s lists %d of %d parts", path, got, want)
		}
	}
}

// TestALongExampleIsShortAtFirst: its own fields, and the whole on demand; a short one is whole.
func TestALongExampleIsShortAtFirst(t *testing.T) {
	t.Parallel()
	h := open()
	short := regexp.MustCompile(`(?s)<pre class="code docs-short"[^>]*>(.*?)</pre>`)
	found := short.FindAllStringSubmatch(get(t, h, "/docs/api/lookupCpf").Body.String(), -1)
	if len(found) == 0 {
		t.Fatal("an answer with a person's data is whole at once")
	}
	for _, m := range found {
		if lines := strings.Count(m[1], "\n") + 1; lines > 16 || !strings.Contains(m[1], "…") {
			t.Errorf("%d lines: %s", lines, m[1])
		}
	}
	if page := get(t, h, "/docs/erros").Body.String(); short.MatchString(page) {
		t.Error("the example of an error is shortened")
	}
}

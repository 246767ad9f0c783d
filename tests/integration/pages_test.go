package integration

import (
	"html"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"fichario/tests/testkit"
	"fichario/tests/testkit/lookuptest"
)

var (
	linkIn = regexp.MustCompile(`href="(/[^"#]*|\?[^"#]*)`)
	idIn   = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`)
	// unread are parts of a page that hold code, an answer as it came, or what is not shown; they count as a word.
	unread = regexp.MustCompile(`(?s)<(script|style|svg|pre|code|textarea)\b.*?</(script|style|svg|pre|code|textarea)>`)
	inline = regexp.MustCompile(`</?(b|i|em|strong|a|bdi)\b[^>]*>`)
	tagIn  = regexp.MustCompile(`<[^>]*>`)
	chosen = regexp.MustCompile(`=[^&]*`)
)

// broken are what no page may show to people; the id of a lookup, of an erasure's receipt and of a request is shown on
// purpose.
var broken = map[string]*regexp.Regexp{
	"an error of a template":      regexp.MustCompile(`%!|<nil>|\{\{|\}\}|<no value>`),
	"a name of a field or a code": regexp.MustCompile(`(^|[\s:(])([a-z]+_[a-z_]+|[a-z]+\.(created|updated|moved|completed|reached|refused))([\s:;,)]|$)`),
	"an id":                       idIn,
	"an English role":             regexp.MustCompile(`\b(owner|admin|member)\b`),
	"a space before a stop":       regexp.MustCompile(`\pL [.,;] `),
	"no space after a stop":       regexp.MustCompile(`\p{Ll}{2}[.;]\d`),
	"doubled spaces":              regexp.MustCompile(`\S {2,}\S`),
}

// TestNoPageShowsWhatIsNotForPeople walks the demonstration's pages as its owner.
func TestNoPageShowsWhatIsNotForPeople(t *testing.T) {
	t.Parallel()
	p := testkit.StartProgram(t, testkit.Options{Args: []string{"--demo"}})
	lookuptest.Eventually(t, "what it prints arrives", func() bool { return strings.Contains(p.Logs(), "The interface: ") })
	v := signIn(t, "http://"+p.Instances()[0], "helena@demo.example", "fichario-demo")
	// Of pages of one kind, the first three are read: others have the same template.
	kinds, queue, read := map[string]int{}, []string{"/"}, 0
	for len(queue) > 0 {
		path := queue[0]
		queue = queue[1:]
		kind := chosen.ReplaceAllString(idIn.ReplaceAllString(path, "ID"), "=")
		if kinds[kind]++; kinds[kind] > 3 {
			continue
		}
		page := v.page(t, path)
		if page == "" {
			continue
		}
		read++
		for _, link := range linkIn.FindAllStringSubmatch(page, -1) {
			to := html.UnescapeString(link[1])
			if strings.HasPrefix(to, "?") {
				before, _, _ := strings.Cut(path, "?")
				to = before + to
			}
			if !strings.HasPrefix(to, "/docs") && !strings.HasPrefix(to, "/static") {
				queue = append(queue, to)
			}
		}
		text := inline.ReplaceAllString(unread.ReplaceAllString(page, "X"), "")
		for line := range strings.Lines(tagIn.ReplaceAllString(text, "\n")) {
			line = html.UnescapeString(strings.TrimSpace(line))
			for what, pattern := range broken {
				if found := pattern.FindString(line); found != "" && !onPurpose(what, path, line) {
					t.Errorf("%s shows %s, %q: %s", path, what, found, line)
				}
			}
		}
	}
	if read < 60 {
		t.Errorf("only %d pages were read", read)
	}
}

// onPurpose are ids that people hand on, and addresses of others.
func onPurpose(what, path, line string) bool {
	return what == "an id" && (strings.HasPrefix(path, "/consultas/") || strings.HasPrefix(path, "/privacidade/eliminacoes/")) ||
		strings.Contains(line, "como fichario_consulta") || strings.Contains(line, " .pipedrive") || strings.Contains(line, " .kommo")
}

// page is the text of a page; empty for what is none, such as a file.
func (v *visitor) page(t *testing.T, path string) string {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, v.base+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := v.http.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	switch {
	case err != nil:
		t.Fatal(err)
	case resp.StatusCode >= http.StatusBadRequest:
		t.Errorf("%s: %d", path, resp.StatusCode)
	case strings.HasPrefix(resp.Header.Get("Content-Type"), "text/html") && resp.StatusCode == http.StatusOK:
		return string(body)
	}
	return ""
}

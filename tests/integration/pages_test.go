package integration

import (
	"html"
	"io"
	"net/http"
	"regexp"
	"slices"
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
	// raw is a bureau's answer as it came.
	raw    = regexp.MustCompile(`(?s)<div class="tree">.*?</section>`)
	inline = regexp.MustCompile(`</?(b|i|em|strong|a|bdi)\b[^>]*>`)
	tagIn  = regexp.MustCompile(`<[^>]*>`)
	chosen = regexp.MustCompile(`=[^&]*`)
	// saysIn are attributes that are read out or seen, and what stands in fields that one types into.
	saysIn = regexp.MustCompile(`(?:title|aria-label|placeholder|alt|data-l)="([^"]*)"|<input class="in[^>]*? value="([^"]*)"`)
)

// broken are what no page may show to people, but for what onPurpose allows.
var broken = map[string]*regexp.Regexp{
	"an error of a template": regexp.MustCompile(`%!|<nil>|\{\{|\}\}|<no value>|\[object |\bundefined\b|\bNaN\b`),
	"a name of a field":      regexp.MustCompile(`(^|[^\w@./-])[a-z]+(_[a-z]+)+([^\w@./=-]|$)`),
	"a code": regexp.MustCompile(`(^|[^\w@./-])((contact|lookup|batch|cap|key|webhook|automation|delivery|` +
		`contato|consulta|lote|chave|automacao|organizacao|membro|entrada|fonte)\.[a-z_]{4,})([^\w@/]|$)`),
	"an expression":         regexp.MustCompile(`(^|[\s(])\.[a-z_.]+ (==|!=|[<>]=?) `),
	"an id":                 regexp.MustCompile(idIn.String() + `|\b[a-z]{2,5}_[0-9A-Za-z]*\d[0-9A-Za-z]{4,}`),
	"a number as stored":    regexp.MustCompile(`(^|[:(]\s?|R\$\s?)\d+\.\d{1,2}([\s;,)]|$)|(^|[^+\d./-])\d{11,}([^\d]|$)`),
	"a word of English":     regexp.MustCompile(`\b(owner|admin|member|won|lost|open|generic|true|false|null|nil|done|failed)\b`),
	"a space before a stop": regexp.MustCompile(`\pL [.,;] `),
	"no space after a stop": regexp.MustCompile(`\p{Ll}{2}[.;]\d`),
	"doubled spaces":        regexp.MustCompile(`\S[ \x{a0}]{2,}\S`),
}

// byChance are parts of a line that are made at random: an id may end in eleven digits, a key begin with letters alone.
var byChance = regexp.MustCompile(idIn.String() + `|\bfic_\w+`)

// brokenIn is what a line shows that no page may show, by what it is.
func brokenIn(line string) map[string]string {
	found := map[string]string{}
	for what, pattern := range broken {
		read := line
		if what != "an id" {
			read = byChance.ReplaceAllString(line, "X")
		}
		if part := pattern.FindString(read); part != "" {
			found[what] = part
		}
	}
	return found
}

// TestWhatIsNotForPeopleIsFound, and what is for them is not.
func TestWhatIsNotForPeopleIsFound(t *testing.T) {
	t.Parallel()
	for line, what := range map[string]string{
		"%!s(<nil>)": "an error of a template", "Olá, {{.Nome}}": "an error of a template",
		"quando: contact.created; nome: A": "a code", "Ação (lookup.completed)": "a code", "chave.trocada": "a code",
		"idade_maxima: 7": "a name of a field", "evento: cap_reached;": "a name of a field",
		"teto: 13.5": "a number as stored", "teto: 13.50; nome: A": "a number as stored", "R$ 2.5": "a number as stored",
		"documento: 52998224725": "a number as stored", "papel: owner": "a word of English", "ligada: true": "a word of English",
		"contato: 01a22705-7e3f-7aad-bd70-d1832fa866c9": "an id", "Recibo 01a22b23-a288-74e5-988a-a25919916104.": "an id",
		"Chave fic_abcdefgh": "", "Webhook whk_01HXYZ7Q2": "an id",
		"condição: .campos.score >= 600": "an expression",
		"Gasto  hoje":                    "doubled spaces", "Pronto , e": "a space before a stop",
		"teto: R$ 13,50": "", "1.284 contatos, 53%": "", "ana.lima_2@exemplo.com.br": "", "+5511987654321": "",
		"29/11/2026 10:32": "", "12.ABC.345/01DE-35": "", "192.168.0.10": "", "https://a.example/b_c?d_e=1": "",
	} {
		found := brokenIn(line)
		if what != "" && found[what] == "" {
			t.Errorf("%q does not show %s", line, what)
		}
		delete(found, what)
		if what == "" || what == "an id" {
			for name := range found {
				t.Errorf("%q shows %s", line, name)
			}
		}
	}
}

// TestSlowNoPageShowsWhatIsNotForPeople walks the demonstration's pages as its owner.
func TestSlowNoPageShowsWhatIsNotForPeople(t *testing.T) {
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
		for line := range strings.Lines(shown(page)) {
			line = html.UnescapeString(strings.TrimSpace(line))
			for what, found := range brokenIn(line) {
				if !onPurpose(what, path, line) {
					t.Errorf("%s shows %s, %q: %s", path, what, found, line)
				}
			}
		}
	}
	if read < 60 {
		t.Errorf("only %d pages were read", read)
	}
}

// shown is the text of a page, with what its attributes and its fields say.
func shown(page string) string {
	page = raw.ReplaceAllString(unread.ReplaceAllString(page, "X"), "")
	var out strings.Builder
	for _, said := range saysIn.FindAllStringSubmatch(page, -1) {
		out.WriteString(said[1] + said[2] + "\n")
	}
	out.WriteString(tagIn.ReplaceAllString(inline.ReplaceAllString(page, ""), "\n"))
	return out.String()
}

// onPurpose are ids that people hand on, what a form sent, and words of other systems.
func onPurpose(what, path, line string) bool {
	switch what {
	case "an id":
		return !idIn.MatchString(line) && strings.Contains(line, "fic_") || // by the beginning of a key one tells it
			strings.HasPrefix(path, "/privacidade/eliminacoes/") || strings.HasPrefix(line, "Fichário, ") ||
			strings.HasPrefix(path, "/consultas/") && idIn.FindString(line) == line
	case "a number as stored": // a lead's number at Meta is one of its answers
		return strings.HasPrefix(path, "/contatos/") || strings.HasPrefix(line, "Lead na Meta")
	}
	return slices.ContainsFunc([]string{
		"como fichario_consulta", " .pipedrive", " .kommo", "como aceite_ofertas. Só sim e true",
	}, func(words string) bool { return strings.Contains(line, words) })
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

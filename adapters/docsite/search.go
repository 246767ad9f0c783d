package docsite

import (
	"cmp"
	"html"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"fichario/adapters/stored"
	"fichario/domain/text"
)

// found is a search result.
type found struct {
	Href, Title, Group string
	// Text is the beginning of the content.
	Text string
	rank int
}

// mostFound bounds the number of results, and longestQuery the length of a query.
const (
	mostFound    = 20
	longestQuery = 100
	shownOfPlace = 160
)

var (
	inline  = regexp.MustCompile(`</?(?:a|b|code|em|small|span|strong)\b[^>]*>`)
	tag     = regexp.MustCompile(`<[^>]*>`)
	title   = regexp.MustCompile(`(?s)^.*?</h1>`)
	heading = regexp.MustCompile(`<h2 id="([^"]+)">(.*?)</h2>`)
	tryBox  = regexp.MustCompile(`(?s)<details class="docs-try.*?</details>`) // hidden without script
)

// place is something that can be found, with its words folded for comparison.
type place struct {
	found
	title, whole string
}

// readPlaces returns the pages, and the sections of guides and of the list of errors.
func (s *language) readPlaces() (all []place) {
	add := func(f found, content string) {
		f.Text = bare(content)
		all = append(all, place{f, text.Fold(f.Title), text.Fold(f.Title + " " + f.Group + " " + f.Text)})
	}
	for _, p := range s.order {
		content, here := title.ReplaceAllString(s.unfolded(string(p.content)), ""), s.Root+p.Path
		content = tryBox.ReplaceAllString(content, "")
		sections := [][]int{{len(content)}}
		if p.Method == "" { // an operation's sections have the same names as all others'
			sections = append(heading.FindAllStringSubmatchIndex(content, -1), sections...)
		}
		add(found{Href: here, Title: p.Title, Group: p.Group}, content[:sections[0][0]])
		for i, m := range sections[:len(sections)-1] {
			part := found{Href: here + "#" + content[m[2]:m[3]], Title: bare(content[m[4]:m[5]]), Group: p.Title}
			add(part, content[m[1]:sections[i+1][0]])
		}
	}
	return all
}

// bare strips a text of markup and puts it on one line.
func bare(content string) string {
	content = tag.ReplaceAllString(inline.ReplaceAllString(content, ""), " ")
	return strings.Join(strings.Fields(html.UnescapeString(content)), " ")
}

// find returns places that have every word; those with the words in the title come first.
func (s *language) find(query string) (all []found) {
	wanted := strings.Fields(text.Fold(query))
	for _, p := range s.places() {
		rank, missing := 0, len(wanted) == 0
		for _, w := range wanted {
			missing = missing || !strings.Contains(p.whole, w)
			if strings.Contains(p.title, w) {
				rank++
			}
		}
		if !missing {
			p.rank, p.Text = rank, text.Cut(p.Text, shownOfPlace)
			all = append(all, p.found)
		}
	}
	slices.SortStableFunc(all, func(a, b found) int { return cmp.Compare(b.rank, a.rank) })
	return all[:min(len(all), mostFound)]
}

// search answers a search. The query is never logged: the log has routes, not addresses.
func (s *language) search(w http.ResponseWriter, r *http.Request) {
	query := text.Cut(text.OneLine(r.URL.Query().Get("q")), longestQuery)
	p := &page{Path: "/busca", Title: s.say("Buscar", "Search")}
	made, err := s.render("search", struct {
		Query string
		Found []found
	}{query, s.find(query)})
	if err != nil {
		panic(err) // a template in the binary; the tests render this page
	}
	answer := s.frame(view{page: p, Query: query, Content: made, Theme: s.Theme(r)})
	stored.New("text/html; charset=utf-8", answer).Serve(w, r, http.StatusOK, "no-store")
}

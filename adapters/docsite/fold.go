package docsite

import (
	"bytes"
	"fmt"
	"html/template"
	"regexp"
	"strings"
	"sync"

	"fichario/adapters/stored"
)

// folds is the size from which what is folded away is on a page of its own, in bytes: a page has what is read first,
// and stays small for a phone.
const folds = 400

// foldedPart is what is folded on a page, as a page of its own.
type foldedPart struct {
	Root string
	// Of is the page that it is folded on.
	Of         *page
	Name, Body template.HTML
}

// fold renders a template, and the one of its name, as something folded: in place where it is small, else as a link to
// its own page, which docs.js shows in place. It has that page in any case, because it may be longer in the other
// language, whose page leads here.
func (s *language) fold(class, body string, data any) (template.HTML, error) {
	of := s.making
	of.folded++
	where := fmt.Sprintf("%s/%d", of.Path, of.folded)
	name, err := s.render(body+"-name", data)
	if err != nil {
		return "", err
	}
	inside, err := s.render(body, data)
	if err != nil {
		return "", err
	}
	p := &page{Path: where, Title: of.Title + ": " + bare(string(name))}
	if p.content, err = s.render("part", foldedPart{s.Root, of, name, inside}); err != nil {
		return "", err
	}
	s.prepare(p)
	if len(inside) > folds {
		words := s.say("Abrir à parte", "Open by itself")
		inside = template.HTML(`<a href="` + s.Root + where + `" rel="nofollow">` + words + `</a>`) //nolint:gosec // our own words
	}
	if class != "" {
		class = ` class="` + class + `"`
	}
	return template.HTML(`<details`+class+`><summary>`) + name + `</summary>` + inside + `</details>`, nil //nolint:gosec // made by templates
}

// render is a template's output.
func (s *language) render(name string, data any) (template.HTML, error) {
	var out bytes.Buffer
	err := s.templates.ExecuteTemplate(&out, name, data)
	return template.HTML(out.String()), err //nolint:gosec // a template made it
}

// prepare puts a page with its content at its address.
func (s *language) prepare(p *page) {
	p.made = map[string]func() stored.Answer{}
	for _, theme := range []string{"", "claro", "escuro"} {
		p.made[theme] = sync.OnceValue(func() stored.Answer {
			return stored.New("text/html; charset=utf-8", s.frame(view{page: p, Content: p.content, Theme: theme}))
		})
	}
	s.pages[p.Path] = p
}

// apart is the link to what is folded on a page of its own.
var apart = regexp.MustCompile(`<a href="([^"]+)" rel="nofollow">[^<]*</a>`)

// unfolded is a page's content with what is folded on pages of its own, for the search.
func (s *language) unfolded(content string) string {
	return apart.ReplaceAllStringFunc(content, func(link string) string {
		part := s.pages[strings.TrimPrefix(apart.FindStringSubmatch(link)[1], s.Root)]
		_, inside, _ := strings.Cut(string(part.content), `<div class="docs-part">`)
		return s.unfolded(inside)
	})
}

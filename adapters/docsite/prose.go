package docsite

import (
	"bytes"
	"fmt"
	"html"
	"html/template"
	"image/png"
	"regexp"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
)

var markdown = goldmark.New(
	goldmark.WithExtensions(extension.Table), goldmark.WithParserOptions(parser.WithAutoHeadingID()))

var (
	fenced  = regexp.MustCompile(`(?s)<pre><code(?: class="language-(\w+)")?>(.*?)</code></pre>\n?`)
	several = regexp.MustCompile(`(?s)(?:<pre><code class="language-\w+">[^<]*</code></pre>\n){2,}`)
	// beside is a link to another file of the repository, which is not served here.
	beside  = regexp.MustCompile(`<a href="(?:\.\.|\w+)/?[^":]*">(.*?)</a>`)
	picture = regexp.MustCompile(`<img src="(?:[\w./]+/static/)([\w-]+\.png)" `)
	tables  = regexp.MustCompile(`(?s)<table>.*?</table>`)
	column  = regexp.MustCompile(`<th[^>]*>(.*?)</th>`)
	named   = map[string]string{"bash": "curl", "go": "Go", "typescript": "TypeScript", "python": "Python", "php": "PHP",
		"csharp": "C#"}
)

// prose renders Markdown. Consecutive code blocks in several languages become a choice of one.
func (s *language) prose(text string) template.HTML {
	if text == "" {
		return ""
	}
	var out bytes.Buffer
	if err := markdown.Convert([]byte(strings.ReplaceAll(text, "{base_url}", s.PublicURL)), &out); err != nil {
		panic(err) // writing to memory cannot fail
	}
	page := several.ReplaceAllStringFunc(out.String(), func(group string) string {
		var all []sample
		for _, m := range fenced.FindAllStringSubmatch(group, -1) {
			all = append(all, sample{m[1], named[m[1]], html.UnescapeString(m[2])})
		}
		return s.choice(all)
	})
	page = fenced.ReplaceAllStringFunc(page, func(block string) string {
		m := fenced.FindStringSubmatch(block)
		return s.choice([]sample{{m[1], "", html.UnescapeString(m[2])}})
	})
	page = beside.ReplaceAllString(page, "$1")
	page = picture.ReplaceAllStringFunc(page, func(tag string) string {
		return s.picture(picture.FindStringSubmatch(tag)[1])
	})
	page = s.labelled(page)
	if s.English() {
		page = strings.ReplaceAll(page, `href="`+portugueseRoot, `href="`+englishRoot)
	}
	return template.HTML(page) //nolint:gosec // goldmark escapes what is no Markdown, and the sources are in the binary
}

// picture begins the tag of a picture with its address and its size, so that nothing moves when it arrives.
func (s *language) picture(name string) string {
	file, err := staticFiles.Open("static/" + name)
	if err != nil {
		panic(err) // it is in the binary, and tests read every page
	}
	defer func() { _ = file.Close() }()
	of, err := png.DecodeConfig(file)
	if err != nil {
		panic(err) // as above
	}
	return fmt.Sprintf(`<img src="%s" width="%d" height="%d" loading="lazy" `, s.asset(name), of.Width, of.Height)
}

// labelled makes each table a labelled region, because tables are wider than a phone. The label has its columns and,
// for a repeated label, a number, so that screen reader users can tell the regions apart.
func (s *language) labelled(page string) string {
	seen := map[string]int{}
	return tables.ReplaceAllStringFunc(page, func(table string) string {
		var columns []string
		for _, m := range column.FindAllStringSubmatch(table, -1) {
			columns = append(columns, tag.ReplaceAllString(m[1], "")) // goldmark has escaped it
		}
		name := s.say("Tabela: ", "Table: ") + strings.Join(columns, ", ")
		if seen[name]++; seen[name] > 1 {
			name += fmt.Sprintf(" (%d)", seen[name])
		}
		return `<div class="tw" role="region" tabindex="0" aria-label="` + name + `">` + table + `</div>`
	})
}

// choice shows code: in its only language, or in the chosen one.
func (s *language) choice(all []sample) string {
	out, err := s.render("code", all)
	if err != nil {
		panic(err) // a template in the binary; the tests render every page
	}
	return string(out)
}

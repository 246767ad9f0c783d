package docsite

import (
	"cmp"
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"net/http"
	"path"
	"regexp"
	"slices"
	"strings"

	"fichario/adapters/stored"
	"fichario/docs"
)

// page is a page of the reference.
type page struct {
	// Path is the address below the root of its language.
	Path, Title, Group string
	// Method is set for an operation.
	Method string
	// made has the page as it is sent, by theme.
	made map[string]func() stored.Answer
	// content is the main part of the page, and folded how many folds it has.
	content template.HTML
	folded  int
	// Parts are the headings of a long page of text; an operation has none, because all of them are alike.
	Parts []part
}

// part is a section of a page, with the id of its heading.
type part struct{ ID, Title string }

// fewParts is below how many sections a page needs no contents.
const fewParts = 3

// view is the data of the page frame.
type view struct {
	*page
	Site    *language
	Content template.HTML
	// Other is the address of the same page in the other language.
	Other string
	Query string
	// Theme is the theme, as in Config.Theme.
	Theme string
}

// Groups returns the pages under the headings of the navigation.
func (s *language) Groups() (groups []group) {
	for _, p := range s.order {
		if len(groups) == 0 || groups[len(groups)-1].Title != p.Group {
			groups = append(groups, group{Title: p.Group})
		}
		last := &groups[len(groups)-1]
		last.Pages = append(last.Pages, p)
	}
	return groups
}

type group struct {
	Title string
	Pages []*page
}

// guides are the files of the guides, in display order.
var guides = []string{
	"primeira-chamada", "dinheiro-e-limites", "historico", "idempotencia", "formularios", "lotes", "eventos",
}

// makePages builds every page of the language.
func (s *language) makePages() error {
	operations := s.operations()
	overview := page{Group: s.say("Começo", "Start"), Title: s.say("Visão geral", "Overview")}
	if err := s.add(overview, "home", s.contract.text(s.contract.root, "info", "description")); err != nil {
		return err
	}
	for _, name := range append(guides, "erros", "sandbox") {
		title, text, err := s.guide(name, operations)
		if err != nil {
			return err
		}
		p, form := page{Path: "/guias/" + name, Group: s.say("Guias", "Guides"), Title: title}, "guide"
		if !slices.Contains(guides, name) {
			p.Path, form = "/"+name, name
		}
		if err := s.add(p, form, text); err != nil {
			return err
		}
	}
	for _, op := range s.byTag(operations) {
		p := page{Path: "/api/" + op.ID, Group: s.groupOf(op.Tag), Title: op.Summary, Method: op.Method}
		if err := s.add(p, "operation", op); err != nil {
			return err
		}
	}
	for _, op := range s.events() {
		p := page{Path: "/eventos/" + op.Path, Group: s.say("Eventos enviados", "Events sent"), Title: op.Path}
		if err := s.add(p, "event", op); err != nil {
			return err
		}
	}
	return nil
}

// byTag sorts the operations by the order of the contract's tags.
func (s *language) byTag(operations []operation) (ordered []operation) {
	for _, t := range s.contract.list(s.contract.root, "tags") {
		for _, op := range operations {
			if op.Tag == s.contract.text(t, "name") {
				ordered = append(ordered, op)
			}
		}
	}
	return ordered
}

// groupOf is the heading for a tag's operations.
func (s *language) groupOf(tag string) string {
	words := map[string]string{"Lookups": "Consultas", "Batches": "Lotes", "Account": "Conta", "Webhook": "Webhook de entrada"}
	return s.say(cmp.Or(words[tag], tag), tag)
}

// inserted is a line of a guide that stands for code: the samples of an operation, with a header perhaps, or a program.
var inserted = regexp.MustCompile(`(?m)^\{(samples|code):(\w+)(?: ([\w-]+: [^}]+))?\}$`)

// programs are the extensions of a program's files, with their languages.
var programs = []sample{
	{Lang: "go", Name: "go"}, {Lang: "typescript", Name: "ts"}, {Lang: "python", Name: "py"}, {Lang: "php", Name: "php"},
	{Lang: "csharp", Name: "cs"},
}

// programsOf are the files of a program, by language.
func programsOf(name string) (all []sample) {
	for _, p := range programs {
		if code, missing := docs.Guides.ReadFile("guides/_code/" + name + "." + p.Name); missing == nil {
			all = append(all, sample{p.Lang, named[p.Lang], string(code)})
		}
	}
	return all
}

// guide returns the title and the text of a guide.
func (s *language) guide(name string, operations []operation) (title, text string, err error) {
	source, err := docs.Guides.ReadFile(path.Join("guides", s.say("pt", "en"), name+".md"))
	if errors.Is(err, fs.ErrNotExist) {
		source, err = docs.Guides.ReadFile(name + ".md")
	}
	if err != nil {
		return "", "", err
	}
	title, text, _ = strings.Cut(string(source), "\n")
	text = inserted.ReplaceAllStringFunc(text, func(line string) string {
		m := inserted.FindStringSubmatch(line)
		var all []sample
		var blocks strings.Builder
		for _, op := range operations {
			if m[1] == "samples" && op.ID == m[2] {
				var variables []variable
				all, variables = s.samples(op, m[3])
				for _, v := range variables {
					fmt.Fprintf(&blocks, "- `%s`: %s\n", v.Name, v.What)
				}
				blocks.WriteString("\n")
			}
		}
		if m[1] == "code" {
			all = programsOf(m[2])
		}
		if len(all) == 0 {
			err = fmt.Errorf("the guide %s: there is no %s", name, line)
		}
		for _, one := range all {
			blocks.WriteString("```" + one.Lang + "\n" + one.Code + "```\n\n")
		}
		return blocks.String()
	})
	return strings.TrimPrefix(title, "# "), text, err
}

// add builds a page with the template form; data is a Markdown text, or an operation.
func (s *language) add(made page, form string, data any) error {
	if text, isText := data.(string); isText {
		data = s.prose(text)
	}
	p := &made
	s.making = p
	var err error
	if p.content, err = s.render(form, struct {
		*page
		Site *language
		Data any
	}{p, s, data}); err != nil {
		return err
	}
	if headings := heading.FindAllStringSubmatch(string(p.content), -1); p.Method == "" && len(headings) >= fewParts {
		for _, h := range headings {
			p.Parts = append(p.Parts, part{h[1], bare(h[2])})
		}
	}
	s.prepare(p)
	s.order = append(s.order, p)
	return nil
}

// frame renders a whole page.
func (s *language) frame(v view) []byte {
	v.Site, v.Other = s, map[bool]string{true: portugueseRoot, false: englishRoot}[s.English()]+v.Path
	out, err := s.render("frame", v)
	if err != nil {
		panic(err) // a template in the binary; the tests render every page
	}
	return []byte(out)
}

// missing answers an address without a page.
func (s *language) missing(w http.ResponseWriter, r *http.Request) {
	// Such a page does not exist in the other language either, so that link leads to its first page.
	p := &page{Path: "?", Title: s.say("Não há nada neste endereço", "There is nothing at this address")}
	content, err := s.render("missing", s)
	if err != nil {
		panic(err) // as above
	}
	v := view{page: p, Content: content, Theme: s.Theme(r)}
	stored.New("text/html; charset=utf-8", s.frame(v)).Serve(w, r, http.StatusNotFound, "no-store")
}

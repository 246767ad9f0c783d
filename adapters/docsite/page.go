package docsite

import (
	"bytes"
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
	"sync"

	"fichario/adapters/stored"
	"fichario/docs"
)

// page is a page of the reference.
type page struct {
	// Path is where it is below the root of its language.
	Path, Title, Group string
	// Method is that of an operation.
	Method string
	// made are the page as it is sent, by the theme.
	made map[string]func() stored.Answer
	// content is its main part.
	content template.HTML
}

// view is what the frame of a page is made of.
type view struct {
	*page
	Site    *language
	Content template.HTML
	// Other is the same page in the other language.
	Other string
	Query string
	// Theme is as Config.Theme says.
	Theme string
}

// Groups are the pages under the headings of the navigation.
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

// guides are the files of the guides, in their order.
var guides = []string{
	"primeira-chamada", "dinheiro-e-limites", "historico", "idempotencia", "formularios", "lotes", "eventos",
}

// makePages makes every page of the language.
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

// byTag puts the operations in the order of the contract's tags.
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

// groupOf is the heading of a tag's operations.
func (s *language) groupOf(tag string) string {
	words := map[string]string{"Lookups": "Consultas", "Batches": "Lotes", "Account": "Conta", "Webhook": "Webhook de entrada"}
	return s.say(cmp.Or(words[tag], tag), tag)
}

// inserted is a line of a guide in whose place code stands: the samples of an operation, or a program.
var inserted = regexp.MustCompile(`(?m)^\{(samples|code):(\w+)\}$`)

// programs are the endings of a program's files, and what they are written in.
var programs = []sample{{Lang: "go", Name: "go"}, {Lang: "typescript", Name: "ts"}, {Lang: "python", Name: "py"}}

// guide reads the title and the text of a guide.
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
				all = op.Samples
				for _, v := range op.Variables {
					fmt.Fprintf(&blocks, "- `%s`: %s\n", v.Name, v.What)
				}
				blocks.WriteString("\n")
			}
		}
		for _, p := range programs {
			code, missing := docs.Guides.ReadFile("guides/_code/" + m[2] + "." + p.Name)
			if m[1] == "code" && missing == nil {
				all = append(all, sample{Lang: p.Lang, Code: string(code)})
			}
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

// add makes a page by the template form; data is a text in Markdown, or an operation.
func (s *language) add(made page, form string, data any) error {
	if text, isText := data.(string); isText {
		data = s.prose(text)
	}
	var content bytes.Buffer
	p := &made
	if err := s.templates.ExecuteTemplate(&content, form, struct {
		*page
		Site *language
		Data any
	}{p, s, data}); err != nil {
		return err
	}
	p.content = template.HTML(content.String()) //nolint:gosec // a template made it
	p.made = map[string]func() stored.Answer{}
	for _, theme := range []string{"", "claro", "escuro"} {
		p.made[theme] = sync.OnceValue(func() stored.Answer {
			return stored.New("text/html; charset=utf-8", s.frame(view{page: p, Content: p.content, Theme: theme}))
		})
	}
	s.pages[p.Path] = p
	s.order = append(s.order, p)
	return nil
}

// frame makes a whole page.
func (s *language) frame(v view) []byte {
	v.Site, v.Other = s, map[bool]string{true: portugueseRoot, false: englishRoot}[s.English()]+v.Path
	var out bytes.Buffer
	if err := s.templates.ExecuteTemplate(&out, "frame", v); err != nil {
		panic(err) // of a template in the binary; the tests make every page
	}
	return out.Bytes()
}

// missing answers an address without a page.
func (s *language) missing(w http.ResponseWriter, r *http.Request) {
	// No page has this path, and the one in the other language is the first one there.
	p := &page{Path: "?", Title: s.say("Não há nada neste endereço", "There is nothing at this address")}
	var content bytes.Buffer
	if err := s.templates.ExecuteTemplate(&content, "missing", s); err != nil {
		panic(err) // as above
	}
	v := view{page: p, Content: template.HTML(content.String()), Theme: s.Theme(r)} //nolint:gosec // a template made it
	stored.New("text/html; charset=utf-8", s.frame(v)).Serve(w, r, http.StatusNotFound, "no-store")
}

package web

import (
	"embed"
	"html/template"
	"io"
	"io/fs"
	"path"
	"strings"
	"sync"
)

//go:embed templates
var templateFiles embed.FS

// parseTemplates reads what pages share. Each page, in a file named after it, is parsed with a copy of that when it is
// first shown: parsing all of them would take half of the program's start-up time.
func (s *Server) parseTemplates(rooms []Pages) error {
	shared := template.New("").Funcs(s.functions())
	if err := parseAll(shared, templateFiles, "templates/shared/*.html"); err != nil {
		return err
	}
	s.pages = map[string]func() (*template.Template, error){}
	for _, room := range rooms {
		if room.Templates == nil {
			continue
		}
		files, err := fs.Glob(room.Templates, "*.html")
		if err != nil {
			return err
		}
		for _, file := range files {
			s.pages[strings.TrimSuffix(file, ".html")] = sync.OnceValues(func() (*template.Template, error) {
				page, err := shared.Clone()
				if err != nil {
					return nil, err
				}
				return page, parseAll(page, room.Templates, file)
			})
		}
	}
	return nil
}

// frameTemplates holds the pages that belong to no room.
func frameTemplates() fs.FS {
	own, err := fs.Sub(templateFiles, "templates")
	if err != nil {
		panic(err) // the folder is in the program
	}
	return own
}

// Execute renders a block of a page.
func (s *Server) Execute(out io.Writer, name, block string, data any) error {
	page, err := s.pages[name]()
	if err != nil {
		return err
	}
	return page.ExecuteTemplate(out, block, data)
}

// parseAll adds the definitions in the files that match a pattern.
func parseAll(t *template.Template, from fs.FS, pattern string) error {
	files, err := fs.Glob(from, pattern)
	if err != nil {
		return err
	}
	for _, file := range files {
		source, err := fs.ReadFile(from, file)
		if err != nil {
			return err
		}
		if _, err := t.New(path.Base(file)).Parse(squeeze(string(source))); err != nil {
			return err
		}
	}
	return nil
}

// squeeze removes line breaks and indentation from a template's source: they only serve its editors, and would be a
// third of a page. A break between two words becomes a space, any other is dropped. An empty comment replaces each, so
// that errors still report the right line. The content of pre and textarea is untouched.
func squeeze(source string) string {
	var out strings.Builder
	before, action, pre, area := "", false, false, false
	for i, line := range strings.Split(source, "\n") {
		verbatim := pre || area
		if !verbatim {
			line = strings.TrimSpace(line)
		}
		switch {
		case i == 0:
		case verbatim || action:
			out.WriteString("\n")
		case betweenWords(before, line):
			out.WriteString(" {{/*\n*/}}")
		default:
			out.WriteString("{{/*\n*/}}")
		}
		out.WriteString(line)
		before, action = line, within(action, line, "{{", "}}")
		pre, area = within(pre, line, "<pre", "</pre"), within(area, line, "<textarea", "</textarea")
	}
	return out.String()
}

// betweenWords reports whether a break separates two words, of a text or a tag.
func betweenWords(before, after string) bool {
	return before != "" && after != "" && !strings.HasSuffix(before, ">") && !strings.HasSuffix(before, "}}") &&
		!strings.HasPrefix(after, "<") && !strings.HasPrefix(after, "{{")
}

// within reports whether the end of a line lies between two marks; inside says whether its beginning does.
func within(inside bool, line, opening, closing string) bool {
	opened, closed := strings.LastIndex(line, opening), strings.LastIndex(line, closing)
	if opened == closed { // the line has neither
		return inside
	}
	return opened > closed
}

package web

import (
	"embed"
	"html/template"
	"io/fs"
	"path"
	"strings"
)

//go:embed templates
var templateFiles embed.FS

// parseTemplates reads every page together with the layout and the parts that pages share. A page's file is named
// after it.
func (s *server) parseTemplates() error {
	shared := template.New("").Funcs(s.functions())
	if err := parseAll(shared, "templates/shared/*.html"); err != nil {
		return err
	}
	files, err := fs.Glob(templateFiles, "templates/*.html")
	if err != nil {
		return err
	}
	s.pages = map[string]*template.Template{}
	for _, file := range files {
		page := template.Must(shared.Clone())
		if err := parseAll(page, file); err != nil {
			return err
		}
		s.pages[strings.TrimSuffix(path.Base(file), ".html")] = page
	}
	return nil
}

// parseAll adds the definitions in the files that match a pattern.
func parseAll(t *template.Template, pattern string) error {
	files, err := fs.Glob(templateFiles, pattern)
	if err != nil {
		return err
	}
	for _, file := range files {
		source, err := templateFiles.ReadFile(file)
		if err != nil {
			return err
		}
		if _, err := t.New(path.Base(file)).Parse(squeeze(string(source))); err != nil {
			return err
		}
	}
	return nil
}

// squeeze takes the line breaks and the indentation out of a template's source: they are for who reads it, and would be
// a third of a page. A break between two words is a space, any other is nothing. An empty comment stands in its place,
// so that errors still name the line. What pre and textarea hold is not touched.
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

// betweenWords reports whether a break lies between two words, of a text or of a tag.
func betweenWords(before, after string) bool {
	return before != "" && after != "" && !strings.HasSuffix(before, ">") && !strings.HasSuffix(before, "}}") &&
		!strings.HasPrefix(after, "<") && !strings.HasPrefix(after, "{{")
}

// within reports whether the end of a line lies between two marks; inside is whether its beginning does.
func within(inside bool, line, opening, closing string) bool {
	opened, closed := strings.LastIndex(line, opening), strings.LastIndex(line, closing)
	if opened == closed { // there is neither
		return inside
	}
	return opened > closed
}

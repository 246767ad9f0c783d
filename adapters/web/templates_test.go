package web

import (
	"io/fs"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"fichario/app/privacy"
)

func TestSqueezeKeepsWhatIsRead(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]string{
		"<p>\n  Olá, <b>{{.}}</b>\n</p>\n":                                 "<p>Olá, <b>{{.}}</b></p>",
		"<p>\n  um\n  dois\n\n</p>":                                        "<p>um dois</p>",
		"<input class=\"in\"\n    id=\"x\"\n    {{if .}} required{{end}}>": `<input class="in" id="x"{{if .}} required{{end}}>`,
		"{{if .}}\n  <i>a</i>\n{{else}}\n  b\n{{end}}":                     "{{if .}}<i>a</i>{{else}}b{{end}}",
		"{{template \"x\" dict\n    \"a\" 1}}":                             "{{template \"x\" dict\n\"a\" 1}}",
		"<pre>a\n  b</pre>\n<p>\n  c\n</p>":                                "<pre>a\n  b</pre><p>c</p>",
		"<textarea\n  rows=\"2\">a\n\n  b</textarea>\n  c":                 "<textarea\n  rows=\"2\">a\n\n  b</textarea>c",
	} {
		got := squeeze(source)
		if strings.Count(got, "\n") != strings.Count(source, "\n") {
			t.Errorf("%q lost lines: %q", source, got)
		}
		if got = strings.ReplaceAll(got, "{{/*\n*/}}", ""); got != want {
			t.Errorf("%q is %q, want %q", source, got, want)
		}
	}
}

// eachTemplate calls check with every template and the lines of its source.
func eachTemplate(t *testing.T, check func(file string, lines []string)) {
	t.Helper()
	err := fs.WalkDir(templateFiles, "templates", func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		source, err := templateFiles.ReadFile(file)
		check(file, strings.Split(string(source), "\n"))
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

func TestEveryPageIsRead(t *testing.T) {
	t.Parallel()
	s := &server{}
	if err := s.parseTemplates(); err != nil {
		t.Fatal(err)
	}
	for name, page := range s.pages {
		if _, err := page(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestACountThatTakesTooLongSaysSo, even where nothing has been found so far.
func TestACountThatTakesTooLongSaysSo(t *testing.T) {
	t.Parallel()
	s := &server{}
	if err := s.parseTemplates(); err != nil {
		t.Fatal(err)
	}
	for name, block := range map[string]string{"privacidade": "held", "titular-apagar": "content"} {
		data := any(privacyPage{Found: &privacy.Held{More: true}})
		if block == "content" {
			data = page{Data: data}
		}
		var out strings.Builder
		if err := s.execute(&out, name, block, data); err != nil {
			t.Error(err)
		}
		if got := out.String(); !strings.Contains(got, "são o mínimo") || strings.Contains(got, "Não há nada guardado") ||
			strings.Contains(got, "Bloquear esta pessoa") {
			t.Errorf("%s says %s", name, got)
		}
	}
}

func TestTemplatesAreNarrow(t *testing.T) {
	t.Parallel()
	eachTemplate(t, func(file string, lines []string) {
		for i, line := range lines {
			if n := utf8.RuneCountInString(line); n > 120 || strings.TrimRight(line, " \t") != line {
				t.Errorf("%s:%d: %d columns, or a space at the end", file, i+1, n)
			}
		}
	})
}

// TestPartsSayWhatTheyTake requires a comment on every definition: its name, what it is, what its dot is.
func TestPartsSayWhatTheyTake(t *testing.T) {
	t.Parallel()
	definition := regexp.MustCompile(`^\{\{define "([^"]+)"\}\}`)
	eachTemplate(t, func(file string, lines []string) {
		for i, line := range lines {
			defined := definition.FindStringSubmatch(line)
			if defined == nil {
				continue
			}
			first := i
			for first > 0 && lines[first-1] != "" {
				first--
			}
			comment := strings.Join(lines[first:i], " ")
			if !strings.HasPrefix(comment, "{{/* "+defined[1]+": ") || !strings.Contains(comment, " Takes ") {
				t.Errorf("%s:%d: %s has the comment %q", file, i+1, defined[1], comment)
			}
		}
	})
}

// TestBreaksSeparateNothing finds words that a line break joins to the next line where a reader expects a space: see
// squeeze. Write {{" "}} before the break, or put both on one line.
func TestBreaksSeparateNothing(t *testing.T) {
	t.Parallel()
	const value = `\{\{(?:[.$]|template|money|plural|count|date|age|or|doc|shorten|icons? )`
	const inline = `(?:a|b|bdi|span|small|code|time|kbd)\b`
	after := regexp.MustCompile(`[\pL\pN.,:;”]\n *(?:` + value + `|<` + inline + `)`)
	before := regexp.MustCompile(`(?m)(?:</` + inline + `>|^ *` + value + `[^}]*\}\})\n *[\pL\pN“(]`)
	eachTemplate(t, func(file string, lines []string) {
		source := strings.Join(lines, "\n")
		for _, at := range append(after.FindAllStringIndex(source, -1), before.FindAllStringIndex(source, -1)...) {
			t.Errorf("%s:%d: %q", file, 1+strings.Count(source[:at[0]], "\n"), source[at[0]:at[1]])
		}
	})
}

package web

import (
	"io/fs"
	"strings"
	"testing"
	"unicode/utf8"
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

// TestTemplatesAreReadable holds what templates are written like: lines of at most 120 columns.
func TestTemplatesAreReadable(t *testing.T) {
	t.Parallel()
	err := fs.WalkDir(templateFiles, "templates", func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		source, err := templateFiles.ReadFile(file)
		for i, line := range strings.Split(string(source), "\n") {
			if n := utf8.RuneCountInString(line); n > 120 {
				t.Errorf("%s:%d: %d columns", file, i+1, n)
			}
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

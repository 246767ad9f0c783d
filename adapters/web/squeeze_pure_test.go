package web

import (
	"strings"
	"testing"
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

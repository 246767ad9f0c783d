package docsite

import (
	"html/template"
	"regexp"
	"strings"
)

// tokens matches what is highlighted in code: comments, strings, keywords.
var tokens = map[string]*regexp.Regexp{
	"bash": regexp.MustCompile(`(?m)(^\s*#.*$)|("(?:[^"\\]|\\.)*"|'[^']*')|(\bcurl\b|\bexport\b)`),
	"go": regexp.MustCompile("(//.*)|(\"(?:[^\"\\\\\n]|\\\\.)*\"|`[^`]*`)|" +
		`(\b(?:break|case|const|continue|defer|else|for|func|go|if|import|nil|package|range|return|struct|switch|type|var)\b)`),
	"typescript": regexp.MustCompile("(//.*)|(\"(?:[^\"\\\\\n]|\\\\.)*\"|`[^`]*`)|" +
		`(\b(?:async|await|const|else|export|for|function|if|import|from|let|new|of|return|throw|true|false|null)\b)`),
	"python": regexp.MustCompile(`(#.*)|("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')|` +
		`(\b(?:as|class|def|else|except|False|for|from|if|import|in|None|not|or|and|raise|return|True|try|with)\b)`),
	"php": regexp.MustCompile(`(//.*)|("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')|` +
		`(\b(?:echo|else|exit|false|fn|foreach|function|if|or|return|true)\b|<\?php)`),
	"csharp": regexp.MustCompile(`(//.*)|(@?"(?:[^"\\\n]|\\.|"")*")|` +
		`(\b(?:class|if|int|new|return|static|using|var|void)\b)`),
	"json": regexp.MustCompile(`()("(?:[^"\\]|\\.)*")|(\b(?:true|false|null)\b)`),
}

// highlight marks code up; code in an unknown language is only escaped.
func highlight(lang, code string) template.HTML {
	finder := tokens[alike(lang)]
	if finder == nil {
		return template.HTML(template.HTMLEscapeString(code)) //nolint:gosec // it is escaped
	}
	var out strings.Builder
	last := 0
	for _, m := range finder.FindAllStringSubmatchIndex(code, -1) {
		out.WriteString(template.HTMLEscapeString(code[last:m[0]]))
		class := "k"
		switch {
		case m[2] >= 0 && m[2] < m[3]:
			class = "c"
		case m[4] >= 0 && m[4] < m[5]:
			class = "s"
		}
		out.WriteString(`<span class="tok-` + class + `">` + template.HTMLEscapeString(code[m[0]:m[1]]) + `</span>`)
		last = m[1]
	}
	out.WriteString(template.HTMLEscapeString(code[last:]))
	return template.HTML(out.String()) //nolint:gosec // every part is escaped
}

// alike maps a language to the one whose tokens it shares.
func alike(lang string) string {
	switch lang {
	case "sh":
		return "bash"
	case "javascript":
		return "typescript"
	}
	return lang
}

package web_test

import (
	"io/fs"
	"os"
	"path"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"fichario/adapters/web"
	"fichario/adapters/web/site"
)

// eachTemplate calls check with every template and the lines of its source.
func eachTemplate(t *testing.T, check func(file string, lines []string)) {
	t.Helper()
	err := fs.WalkDir(os.DirFS("."), ".", func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || path.Ext(file) != ".html" {
			return err
		}
		source, err := fs.ReadFile(os.DirFS("."), file)
		check(file, strings.Split(string(source), "\n"))
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

func TestEveryPageIsRead(t *testing.T) {
	t.Parallel()
	s, err := web.NewServer(web.Config{}, site.Use{}.Rooms()...)
	if err == nil {
		err = s.ReadTemplates()
	}
	if err != nil {
		t.Error(err)
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

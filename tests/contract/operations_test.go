package contract

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// logged matches the message of a warning or an error in a logging call.
var logged = regexp.MustCompile(`(?s)[Ll]og\.(?:(?:Warn|Error)(?:Context)?\((?:\s*[\w.]+(?:\(\))?,)?` +
	`|LogAttrs\([^"]*slog\.Level(?:Warn|Error),)\s*"([^"]+)"`)

// coded matches the declaration of a problem's code.
var coded = regexp.MustCompile(`\bCode += "([a-z_]+)"`)

// TestOperationsTellsEveryError: docs/operations.md explains every problem code and every logged warning and error, and
// all links to its anchors work.
func TestOperationsTellsEveryError(t *testing.T) {
	t.Parallel()
	src, err := os.ReadFile("../../docs/operations.md")
	if err != nil {
		t.Fatal(err)
	}
	page, said := string(src), map[string]bool{}
	tell := func(what, text string) {
		if strings.HasSuffix(text, ": ") { // the text continues with details
			text += "…"
		}
		if !strings.Contains(page, "`"+text+"`") {
			t.Errorf("docs/operations.md does not tell what the %s %q means", what, text)
		}
		said[text] = true
	}
	for _, dir := range []string{"app", "adapters", "cmd", "domain/fault"} {
		err := filepath.WalkDir("../../"+dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			src, err := os.ReadFile(path)
			for _, m := range logged.FindAllSubmatch(src, -1) {
				tell("line of the log", string(m[1]))
			}
			for _, m := range coded.FindAllSubmatch(src, -1) {
				tell("code", string(m[1]))
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, section := range []string{"### Codes of problems", "### Lines of the log"} {
		_, rows, _ := strings.Cut(page, section)
		rows, _, _ = strings.Cut(rows, "\n##")
		for _, row := range regexp.MustCompile("(?m)^\\| (`.+?`) \\|").FindAllStringSubmatch(rows, -1) {
			for text := range strings.SplitSeq(strings.Trim(row[1], "`"), "`, `") {
				if !said[text] {
					t.Errorf("docs/operations.md explains %q, which nothing says", text)
				}
			}
		}
	}
	if len(said) < 50 {
		t.Errorf("only %d codes and lines were found", len(said))
	}
	anchors := map[string]bool{}
	for _, heading := range regexp.MustCompile(`(?m)^#+ (.+)$`).FindAllStringSubmatch(page, -1) {
		anchors["#"+strings.ReplaceAll(strings.ToLower(heading[1]), " ", "-")] = true
	}
	for _, link := range regexp.MustCompile(`\]\((#[^)]+)\)`).FindAllStringSubmatch(page, -1) {
		if !anchors[link[1]] {
			t.Errorf("docs/operations.md has no heading for %s", link[1])
		}
	}
}

package contract

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestTheListOfSecurityNamesItsTests: each line of SECURITY.md, and each chapter, names existing files and
// tests.
func TestTheListOfSecurityNamesItsTests(t *testing.T) {
	t.Parallel()
	const root = "../../"
	text, err := os.ReadFile(root + "SECURITY.md")
	if err != nil {
		t.Fatal(err)
	}
	isTest := regexp.MustCompile(`^(\S+) ((?:Test|Fuzz)\w+)$`)
	there := func(name string) bool {
		if of := isTest.FindStringSubmatch(name); of != nil {
			files, _ := filepath.Glob(root + of[1] + "/*_test.go")
			for _, file := range files {
				source, err := os.ReadFile(file)
				if err == nil && strings.Contains(string(source), "\nfunc "+of[2]+"(") {
					return true
				}
			}
			return false
		}
		_, err := os.Stat(root + name)
		return err == nil
	}
	lines, chapters := 0, 0
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		if len(cells) != 4 || strings.HasPrefix(line, "|---") || strings.Contains(line, "| shown by |") {
			continue
		}
		shown := ticked.FindAllStringSubmatch(cells[3], -1)
		if n, err := strconv.Atoi(strings.TrimSpace(cells[0])); err == nil {
			if lines++; n != lines {
				t.Errorf("line %d stands where %d should", n, lines)
			}
			shown = append(shown, ticked.FindAllStringSubmatch(cells[2], -1)...)
		} else {
			chapters++
		}
		if len(ticked.FindAllString(cells[3], -1)) == 0 {
			t.Errorf("nothing shows %s", cells[1])
		}
		for _, name := range shown {
			if !there(name[1]) {
				t.Errorf("%s: %s is not there", strings.TrimSpace(cells[0]), name[1])
			}
		}
	}
	if lines != 45 || chapters < 15 {
		t.Errorf("%d lines and %d chapters", lines, chapters)
	}
}

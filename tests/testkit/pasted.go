package testkit

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

var shellBlock = regexp.MustCompile("(?s)\n```\n(.*?)\n```\n")

// ShellBlocks returns the shell commands in a section of a document, by its heading.
func ShellBlocks(t *testing.T, path, heading string) (blocks []string) {
	t.Helper()
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(page), "\n## "+heading+"\n")
	section, _, _ = strings.Cut(section, "\n## ")
	for _, m := range shellBlock.FindAllStringSubmatch(section, -1) {
		blocks = append(blocks, m[1])
	}
	return blocks
}

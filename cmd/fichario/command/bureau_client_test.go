package command

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestAFolderOfBureaus: its chain.yaml, or else its files in order.
func TestAFolderOfBureaus(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if _, _, _, err := planned(dir); err == nil || !strings.Contains(err.Error(), "has no *.yaml") {
		t.Error("an empty folder: ", err)
	}
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("b.yaml", "name: b")
	write("a.yaml", "name: a")
	said := func() string {
		names, refs, _, err := planned(dir)
		if err != nil {
			t.Fatal(err)
		}
		return strings.ReplaceAll(strings.Join(append(names, refs...), " "), dir+"/", "")
	}
	if got := said(); got != "a.yaml b.yaml a.yaml b.yaml" {
		t.Error(got)
	}
	write("chain.yaml", "bureaus: { barato: b.yaml, publico: brasilapi }")
	if got := said(); got != "barato publico b.yaml brasilapi" {
		t.Error(got)
	}
}

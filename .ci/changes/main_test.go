package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/oasdiff/oasdiff/checker"
)

// TestCompare: removals break clients, additions do not, and both are listed.
func TestCompare(t *testing.T) {
	const released = "../../openapi/released.yaml"
	source, err := os.ReadFile(released)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		old, new  string
		told, bad bool
	}{
		"nothing":     {},
		"words alone": {old: "One stable contract", new: "A stable contract"},
		"a route more": {
			old: "\npaths:\n", new: "\npaths:\n  /novo: {get: {responses: {'200': {description: Novo}}}}\n", told: true,
		},
		"a route less":     {old: "\n  /api/v1/produtos:\n", new: "\n  /api/v1/catalogo:\n", told: true, bad: true},
		"a parameter less": {old: "name: somenteHistorico\n", new: "name: soHistorico\n", told: true, bad: true},
		"a parameter less where a file was": {
			old: "name: cursor\n", new: "name: marcador\n", told: true, bad: true,
		},
	} {
		if !strings.Contains(string(source), c.old) {
			t.Fatalf("%s: the contract has no %q", name, c.old)
		}
		changed := filepath.Join(t.TempDir(), "openapi.yaml")
		if err := os.WriteFile(changed, []byte(strings.Replace(string(source), c.old, c.new, 1)), 0o600); err != nil {
			t.Fatal(err)
		}
		_, told, err := compare(released, changed, checker.INFO)
		if err != nil || told > 0 != c.told {
			t.Errorf("%s: %d changes, %v", name, told, err)
		}
		_, bad, err := compare(released, changed, checker.WARN)
		if err != nil || bad > 0 != c.bad {
			t.Errorf("%s: %d break clients, %v", name, bad, err)
		}
	}
}

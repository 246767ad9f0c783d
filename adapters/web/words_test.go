package web_test

import (
	"html"
	"strings"
	"testing"
)

const (
	aPerson       = "52998224725"
	anotherPerson = "11144477735"
	aCompany      = "11222333000181"
)

func has(t *testing.T, what, page string, texts ...string) {
	t.Helper()
	page = strings.ReplaceAll(html.UnescapeString(page), "\u00a0", " ")
	for _, text := range texts {
		if !strings.Contains(page, text) {
			t.Errorf("%s: there is no %q", what, text)
		}
	}
}

func hasNot(t *testing.T, what, page string, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if strings.Contains(page, text) {
			t.Errorf("%s: there is %q", what, text)
		}
	}
}

// unescaped is a page's text with its entities decoded.
func unescaped(page string) string { return html.UnescapeString(page) }

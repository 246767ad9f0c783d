package text

import (
	"strings"
	"testing"
)

func TestFold(t *testing.T) {
	t.Parallel()
	for _, c := range [][2]string{
		{" Indicação  de\tAmigo ", "indicacao de amigo"}, {"GOOGLE Ads", "google ads"}, {"ΣΊΣΥΦΟΣ", "σισυφος"},
		{"Straße", "STRASSE"}, {"İstanbul", "istanbul"}, {"É", "é"}, {"a\u00a0b", "A B"}, {"  a  b ", "A B"},
		{"a\u200bb", "AB"}, {"ı", "I"},
	} {
		if Fold(c[0]) != Fold(c[1]) {
			t.Errorf("%q and %q differ: %q %q", c[0], c[1], Fold(c[0]), Fold(c[1]))
		}
	}
	if Fold("Abc") == Fold("Abd") {
		t.Error("different texts are equal")
	}
}

func TestClean(t *testing.T) {
	t.Parallel()
	for sent, want := range map[string]string{
		"  Ana ": "Ana", "um\r\ndois\rtrês\n\tquatro": "um\ndois\ntrês\n\tquatro", "a\x00b\x1bc": "abc", "ç\xff\xfe": "ç",
		"\u202a+55 11\u202c": "+55 11", "\ufeffAna": "Ana", "\u200b ": "", "👩\u200d👧": "👩\u200d👧", "": "",
	} {
		if got := Clean(sent); got != want {
			t.Errorf("%q: %q, want %q", sent, got, want)
		}
	}
}

func TestOneLine(t *testing.T) {
	t.Parallel()
	for sent, want := range map[string]string{"a\n b\tc": "a b c", "a  b": "a  b", "\n": ""} {
		if got := OneLine(sent); got != want {
			t.Errorf("%q: %q, want %q", sent, got, want)
		}
	}
}

// TestCut: lengths are characters, not bytes.
func TestCut(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text string
		n    int
		want string
	}{
		{"ação", 4, "ação"}, {"ação", 3, "açã"}, {"a b", 2, "a"}, {"abc", 0, ""}, {"", 5, ""},
	} {
		if got := Cut(c.text, c.n); got != c.want {
			t.Errorf("%q to %d: %q, want %q", c.text, c.n, got, c.want)
		}
		if within := Within(c.text, c.n); within != (Cut(c.text, c.n) == c.text) {
			t.Errorf("%q within %d: %v", c.text, c.n, within)
		}
	}
}

func TestDigits(t *testing.T) {
	t.Parallel()
	for sent, want := range map[string]string{"+55 (11) 9": "55119", "１２": "", "a": ""} {
		if got := Digits(sent); got != want {
			t.Errorf("%q: %q, want %q", sent, got, want)
		}
	}
}

func TestPrintable(t *testing.T) {
	t.Parallel()
	for sent, want := range map[string]bool{"": true, "a b~": true, "a\n": false, "é": false, "\x7f": false} {
		if Printable(sent) != want {
			t.Errorf("%q: %v", sent, !want)
		}
	}
	if !Printable(strings.Repeat(" ", 3)) {
		t.Error("spaces")
	}
}

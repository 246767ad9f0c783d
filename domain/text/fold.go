package text

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Upper returns s with its letters a to z in upper case. What identifies something needs this: strings.ToUpper makes
// ASCII letters of other alphabets' too, and so another identifier.
func Upper(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' {
			return r - 'a' + 'A'
		}
		return r
	}, s)
}

// Lower returns s with its letters A to Z in lower case; see Upper.
func Lower(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' {
			return r - 'A' + 'a'
		}
		return r
	}, s)
}

// Fold returns the form in which names are compared: without case (all of Unicode), accents and surrounding or repeated
// space.
func Fold(s string) string {
	if Printable(s) {
		s = strings.TrimSpace(s)
		if strings.Contains(s, "  ") {
			s = strings.Join(strings.Fields(s), " ")
		}
		return strings.ToLower(s)
	}
	var b strings.Builder
	b.Grow(len(s))
	space := false
	for _, r := range norm.NFKD.String(s) {
		switch {
		case unicode.IsSpace(r):
			space = b.Len() > 0
		case unicode.Is(unicode.Mn, r), invisible(r), unicode.IsControl(r):
		default:
			if space {
				b.WriteByte(' ')
				space = false
			}
			// To upper and back to lower case, so that variants become one: ß and ẞ, ς and σ, the letters with three cases.
			switch r = unicode.ToLower(unicode.ToUpper(r)); r {
			case 'ß':
				b.WriteString("ss")
			case 'ı':
				b.WriteByte('i')
			default:
				b.WriteRune(r)
			}
		}
	}
	return b.String()
}

// Package text holds text rules that several packages need: which characters can be displayed, how names are compared,
// how a text is truncated.
package text

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Clean returns text that any store and any screen can hold: valid UTF-8, trimmed, with no control character but line
// feed and tab, and without the invisible direction marks that come along when a number is copied from an address book.
func Clean(s string) string {
	s = strings.TrimSpace(s)
	if Printable(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for i, r := range s {
		switch {
		case r == '\r':
			if i+1 >= len(s) || s[i+1] != '\n' {
				b.WriteByte('\n')
			}
		case r == '\n', r == '\t':
			b.WriteRune(r)
		case r == utf8.RuneError, unicode.IsControl(r), invisible(r):
		default:
			b.WriteRune(r)
		}
	}
	return strings.TrimSpace(b.String())
}

// Printable reports whether s is printable ASCII from end to end, which most answers are.
func Printable(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

// invisible reports marks that carry no text. The joiners (U+200C, U+200D) stay: scripts and emoji need them.
func invisible(r rune) bool {
	switch r {
	case '\u00ad', '\u200b', '\u2060', '\u200e', '\u200f', '\ufeff':
		return true
	}
	return r >= '\u202a' && r <= '\u202e' || r >= '\u2066' && r <= '\u2069'
}

// OneLine turns line breaks into spaces, for the fields that are one line on every screen.
func OneLine(s string) string {
	if strings.IndexByte(s, '\n') < 0 && strings.IndexByte(s, '\t') < 0 {
		return s
	}
	return strings.Join(strings.Fields(s), " ")
}

// Cut cuts s to at most n characters.
func Cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for i := range s {
		if n == 0 {
			return strings.TrimSpace(s[:i])
		}
		n--
	}
	return s
}

// Within reports whether s has at most n characters.
func Within(s string, n int) bool { return len(s) <= n || utf8.RuneCountInString(s) <= n }

// Digits returns the ASCII digits of s.
func Digits(s string) string {
	b := make([]byte, 0, len(s))
	for i := range len(s) {
		if s[i] >= '0' && s[i] <= '9' {
			b = append(b, s[i])
		}
	}
	return string(b)
}

// PlainDigits writes the digits of any script as 0 to 9, and with them the full-width signs around them: a text without
// such digits stays as it is.
func PlainDigits(s string) string {
	foreign := func(r rune) bool { return r >= utf8.RuneSelf && unicode.IsDigit(r) }
	if !strings.ContainsFunc(s, foreign) {
		return s
	}
	return strings.Map(func(r rune) rune {
		switch {
		case foreign(r): // scripts have their digits in a row, in order
			value := rune(0)
			for before := r - 1; foreign(before); before-- {
				value++
			}
			return '0' + value%10
		case r >= '！' && r <= '～':
			return r - '！' + '!'
		case r == '\u3000':
			return ' '
		}
		return r
	}, s)
}

// OrNil returns a text, or nil for an empty one: the null of JSON.
func OrNil(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

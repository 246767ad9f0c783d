package names

import "strings"

// Set makes a set of the words of a list.
func Set(list string) map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq(list) {
		m[w] = true
	}
	return m
}

// HasAny reports whether one of the words of a title is in a set.
func HasAny(title []string, set map[string]bool) bool {
	for _, w := range title {
		if set[w] {
			return true
		}
	}
	return false
}

// IsLetter reports whether a character is a lower-case letter without an accent.
func IsLetter(c byte) bool { return c >= 'a' && c <= 'z' }

// HasLetter reports whether a lower-case text has such a letter.
func HasLetter(s string) bool {
	for i := range len(s) {
		if IsLetter(s[i]) {
			return true
		}
	}
	return false
}

// CountDigits returns how many of the digits 0 to 9 a text has.
func CountDigits(s string) int {
	n := 0
	for i := range len(s) {
		if s[i] >= '0' && s[i] <= '9' {
			n++
		}
	}
	return n
}

// ByWord looks up the key of each word in lists by key.
func ByWord[K comparable](lists map[K]string) map[string]K {
	m := map[string]K{}
	for k, list := range lists {
		for w := range strings.FieldsSeq(list) {
			m[w] = k
		}
	}
	return m
}

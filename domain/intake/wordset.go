package intake

import "strings"

// words makes a set of the words of a list.
func words(list string) map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq(list) {
		m[w] = true
	}
	return m
}

// speaksOf reports whether one of the words of a title is in a set.
func speaksOf(title []string, set map[string]bool) bool {
	for _, w := range title {
		if set[w] {
			return true
		}
	}
	return false
}

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' }

func hasLetter(s string) bool {
	for i := range len(s) {
		if isLetter(s[i]) {
			return true
		}
	}
	return false
}

func countDigits(s string) int {
	n := 0
	for i := range len(s) {
		if s[i] >= '0' && s[i] <= '9' {
			n++
		}
	}
	return n
}

// namesOf looks up the key of each word in lists by key.
func namesOf[K comparable](lists map[K]string) map[string]K {
	m := map[string]K{}
	for k, list := range lists {
		for w := range strings.FieldsSeq(list) {
			m[w] = k
		}
	}
	return m
}

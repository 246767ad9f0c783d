// Package names compares the names of fields: the normal form of a key, the words of a title, and sets of either.
package names

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"fichario/domain/text"
)

// Append appends the normal form of a key, in which keys are compared: decomposed, without accents, lower case,
// letters and digits only. Thus "E-mail", "e_mail" and "eMail" are one word.
func Append(dst []byte, s string) []byte {
	for i := range len(s) {
		c := s[i]
		switch {
		case c >= 'a' && c <= 'z', c >= '0' && c <= '9':
			dst = append(dst, c)
		case c >= 'A' && c <= 'Z':
			dst = append(dst, c+('a'-'A'))
		case c >= utf8.RuneSelf:
			return appendAccented(dst, s[i:])
		}
	}
	return dst
}

// bareLetters are the letters and digits that characters become without their accents, so that the scripts of Western
// Europe need no search in the Unicode tables; 0 where nothing is left, manyLetters where more than one is.
var bareLetters = func() (t [0x180]byte) {
	for r := rune(utf8.RuneSelf); r < rune(len(t)); r++ {
		switch left := appendDecomposed(nil, string(r)); len(left) {
		case 0:
		case 1:
			t[r] = left[0]
		default:
			t[r] = manyLetters
		}
	}
	return t
}()

const manyLetters = 1

func appendAccented(dst []byte, s string) []byte {
	for _, r := range s {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			dst = append(dst, byte(r))
		case r >= 'A' && r <= 'Z':
			dst = append(dst, byte(r)+('a'-'A'))
		case r < utf8.RuneSelf:
		case r < rune(len(bareLetters)) && bareLetters[r] != manyLetters:
			if bareLetters[r] != 0 {
				dst = append(dst, bareLetters[r])
			}
		case r >= 0x300 && r < 0x370: // combining accents
		default:
			dst = appendDecomposed(dst, string(r))
		}
	}
	return dst
}

func appendDecomposed(dst []byte, s string) []byte {
	for _, r := range norm.NFKD.String(s) {
		if r = unicode.ToLower(r); r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			dst = append(dst, byte(r))
		}
	}
	return dst
}

// Of returns the normal form of a key.
func Of(s string) string { return string(Append(make([]byte, 0, 64), s)) }

// Words splits a title or a key into normalised words: at spaces, at punctuation, and where camelCase changes. "e"
// and "mail" become one.
func Words(s string) []string {
	words, letters := make([]string, 0, 8), make([]byte, 0, 24)
	last := separator
	for _, r := range text.Cut(s, 400) {
		kind, c := runeOf(r)
		switch {
		case kind == accent:
			continue
		case kind == separator, kind == upperLetter && last == lowerLetter:
			words = endWord(words, letters)
			letters = letters[:0]
		}
		switch kind {
		case upperLetter, lowerLetter, digit:
			letters = append(letters, c)
		case rareRune:
			before := len(letters)
			if letters = appendDecomposed(letters, string(r)); len(letters) == before {
				words = endWord(words, letters)
				letters = letters[:0]
			}
		}
		last = kind
	}
	return endWord(words, letters)
}

// runeKind is the effect of a character on a word.
type runeKind uint8

const (
	separator runeKind = iota
	accent             // belongs to the letter before it
	upperLetter
	lowerLetter
	digit
	rareRune // a letter only by the Unicode tables, if at all
)

// runeOf returns the kind of a character, and its letter or digit in normal form.
func runeOf(r rune) (runeKind, byte) {
	switch {
	case r >= 'a' && r <= 'z':
		return lowerLetter, byte(r)
	case r >= 'A' && r <= 'Z':
		return upperLetter, byte(r) + ('a' - 'A')
	case r >= '0' && r <= '9':
		return digit, byte(r)
	case r < utf8.RuneSelf:
		return separator, 0
	case unicode.Is(unicode.Mn, r):
		return accent, 0
	case r >= 0x2000:
		return rareRune, 0
	case r >= rune(len(bareLetters)) || bareLetters[r] <= manyLetters:
		return separator, 0
	case unicode.IsUpper(r):
		return upperLetter, bareLetters[r]
	case bareLetters[r] < 'a':
		return digit, bareLetters[r]
	}
	return lowerLetter, bareLetters[r]
}

// endWord adds the word that the letters form, if there are any.
func endWord(words []string, letters []byte) []string {
	if len(letters) == 0 {
		return words
	}
	word := string(letters)
	if n := len(words); n > 0 && words[n-1] == "e" && (word == "mail" || word == "mails") {
		words[n-1] = "e" + word
		return words
	}
	return append(words, word)
}

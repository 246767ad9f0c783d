package intake

import (
	"unicode"
	"unicode/utf8"

	"fichario/domain/text"

	"golang.org/x/text/unicode/norm"
)

// appendName appends the normal form of a key (aliases are compared in it): decomposed, without accents, lower case,
// letters and digits only. That also makes one word of "E-mail", "e_mail" and "eMail".
func appendName(dst []byte, s string) []byte {
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

// bareLetters are the letters and digits that are left of characters without their accents, for the scripts of Western
// Europe, which need no search in the tables of Unicode; 0 where nothing is left, manyLetters where more than one is.
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
		case r >= 0x300 && r < 0x370: // accents of their own
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

// nameOf returns the normal form of a key.
func nameOf(s string) string { return string(appendName(make([]byte, 0, 64), s)) }

// wordsOf splits a title or a key into normalised words: at spaces, at punctuation, and where camelCase changes. "e"
// and "mail" are one.
func wordsOf(s string) []string {
	w := wordSplitter{words: make([]string, 0, 8), letters: make([]byte, 0, 24)}
	for _, r := range text.Cut(s, 400) {
		w.add(r)
	}
	w.end()
	return w.words
}

// wordSplitter collects the letters of a word until it ends.
type wordSplitter struct {
	words   []string
	letters []byte
	lower   bool // the last one was a lower-case letter
}

func (w *wordSplitter) add(r rune) {
	switch {
	case r >= 'a' && r <= 'z':
		w.letter(byte(r), false)
	case r >= 'A' && r <= 'Z':
		w.letter(byte(r)+('a'-'A'), true)
	case r >= '0' && r <= '9':
		w.letters = append(w.letters, byte(r))
		w.lower = false
	case unicode.Is(unicode.Mn, r): // an accent of its own
	case r >= utf8.RuneSelf && r < rune(len(bareLetters)) && bareLetters[r] > manyLetters:
		w.letter(bareLetters[r], unicode.IsUpper(r))
	case r >= 0x2000:
		before := len(w.letters)
		if w.letters = appendDecomposed(w.letters, string(r)); len(w.letters) == before {
			w.end()
		}
		w.lower = false
	default:
		w.end()
		w.lower = false
	}
}

func (w *wordSplitter) letter(c byte, upper bool) {
	if upper && w.lower {
		w.end()
	}
	w.letters = append(w.letters, c)
	w.lower = !upper && c >= 'a'
}

// end ends a word.
func (w *wordSplitter) end() {
	if len(w.letters) == 0 {
		return
	}
	word := string(w.letters)
	w.letters = w.letters[:0]
	if n := len(w.words); n > 0 && w.words[n-1] == "e" && (word == "mail" || word == "mails") {
		w.words[n-1] = "e" + word
		return
	}
	w.words = append(w.words, word)
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

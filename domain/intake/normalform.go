package intake

import (
	"unicode"
	"unicode/utf8"

	"fichario/domain/text"

	"golang.org/x/text/unicode/norm"
)

// appendName appends the normal form of a key (aliases are compared in it): decomposed, without accents, lower case, letters and digits
// only. That also makes one word of "E-mail", "e_mail" and "eMail".
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

// bare is the letter or digit that is left of a character without its accent, for the scripts of Western Europe, which need no search in
// the tables of Unicode; 0 where nothing is left.
var bare = func() (t [0x180]byte) {
	for r := rune(utf8.RuneSelf); r < rune(len(t)); r++ {
		for _, d := range norm.NFKD.String(string(r)) {
			if d = unicode.ToLower(d); t[r] == 0 && (d >= 'a' && d <= 'z' || d >= '0' && d <= '9') {
				t[r] = byte(d)
			}
		}
	}
	// The few that come apart into more than one letter or digit take the long way.
	for r := range t {
		if n := len(appendSlow(nil, string(rune(r)))); r >= utf8.RuneSelf && n > 1 {
			t[r] = 1
		}
	}
	return t
}()

func appendAccented(dst []byte, s string) []byte {
	for _, r := range s {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			dst = append(dst, byte(r))
		case r >= 'A' && r <= 'Z':
			dst = append(dst, byte(r)+('a'-'A'))
		case r < utf8.RuneSelf:
		case r < rune(len(bare)) && bare[r] != 1:
			if bare[r] != 0 {
				dst = append(dst, bare[r])
			}
		case r >= 0x300 && r < 0x370: // accents of their own
		default:
			dst = appendSlow(dst, string(r))
		}
	}
	return dst
}

func appendSlow(dst []byte, s string) []byte {
	for _, r := range norm.NFKD.String(s) {
		if r = unicode.ToLower(r); r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			dst = append(dst, byte(r))
		}
	}
	return dst
}

// nameOf returns the normal form of a key.
func nameOf(s string) string { return string(appendName(make([]byte, 0, 64), s)) }

// wordsOf splits a title or a key into normalised words: at spaces, at punctuation, and where camelCase changes. "e" and "mail" are one.
func wordsOf(s string) []string {
	if len(s) > 400 {
		s = text.Cut(s, 400)
	}
	words := make([]string, 0, 8)
	cur := make([]byte, 0, 24)
	flush := func() {
		if len(cur) == 0 {
			return
		}
		w := string(cur)
		cur = cur[:0]
		if n := len(words); n > 0 && words[n-1] == "e" && (w == "mail" || w == "mails") {
			words[n-1] = "e" + w
			return
		}
		words = append(words, w)
	}
	var prev rune
	for _, r := range s {
		switch {
		case unicode.Is(unicode.Mn, r):
			continue
		case r >= 'A' && r <= 'Z':
			if prev >= 'a' && prev <= 'z' {
				flush()
			}
			cur = append(cur, byte(r)+('a'-'A'))
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			cur = append(cur, byte(r))
		case r >= utf8.RuneSelf && r < rune(len(bare)) && bare[r] > 1:
			upper := unicode.IsUpper(r)
			if upper && prev >= 'a' && prev <= 'z' {
				flush()
			}
			cur = append(cur, bare[r])
			if r = rune(bare[r]); upper {
				r = 'A'
			}
		case r >= 0x2000:
			before := len(cur)
			if cur = appendSlow(cur, string(r)); len(cur) == before {
				flush()
			}
		default:
			flush()
		}
		prev = r
	}
	flush()
	return words
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

package fields

import (
	"strings"
	"unicode"

	"fichario/domain/intake/names"
	"fichario/domain/text"
)

// TrimEmail removes what surrounds an address that stands alone.
func TrimEmail(s string) string {
	s = withoutStrayQuotes(strings.TrimSpace(s))
	if len(s) > len(mailto) && hasMailto(s) {
		s = s[len(mailto):]
	}
	if len(s) > 2 && s[0] == '<' && s[len(s)-1] == '>' {
		if s = strings.TrimSpace(s[1 : len(s)-1]); strings.IndexByte(s, '|') > 0 {
			s, _, _ = strings.Cut(strings.TrimPrefix(s, mailto), "|") // Slack's link
		}
	}
	return s
}

// withoutQuotes removes pairs of quotes around a text.
func withoutQuotes(s string) string {
	for len(s) > 1 && (s[0] == '"' || s[0] == '\'') && s[len(s)-1] == s[0] {
		s = strings.TrimSpace(s[1 : len(s)-1])
	}
	return s
}

const mailto = "mailto:"

func hasMailto(s string) bool {
	return len(s) >= len(mailto) && strings.EqualFold(s[:len(mailto)], mailto)
}

// FindEmail returns the address in an answer: the whole text, what stands between angle brackets, or the first of
// several. Whatever has an @ counts (specification, 2.5).
func FindEmail(values []string) string {
	for _, v := range values {
		if strings.IndexByte(v, '@') < 0 || len(v) > 4000 {
			continue
		}
		s := TrimEmail(WithoutTags(text.OneLine(v)))
		if from := strings.LastIndexByte(s, '<'); from >= 0 {
			if inner, _, ok := strings.Cut(s[from+1:], ">"); ok && strings.IndexByte(inner, '@') >= 0 {
				s = TrimEmail(inner)
			}
		}
		s = tidyAddress(firstAddress(s))
		if i := strings.IndexByte(s, '?'); i > 0 && hasMailto(strings.TrimSpace(v)) {
			s = s[:i]
		}
		if s = strings.TrimSpace(s); strings.IndexByte(s, '@') >= 0 && text.Within(s, MaxEmail) {
			return s
		}
	}
	return ""
}

// WithoutTags replaces each HTML tag of a text by a space. The brackets of "Ana <ana@x.com>" are not a tag.
func WithoutTags(s string) string {
	if !strings.Contains(s, "</") && !strings.Contains(s, "/>") {
		return s
	}
	var b strings.Builder
	for s != "" {
		before, rest, opened := strings.Cut(s, "<")
		tag, after, closed := strings.Cut(rest, ">")
		b.WriteString(before)
		switch {
		case !opened || !closed:
			b.WriteString(rest)
			return strings.TrimSpace(b.String())
		case isTag(tag):
			b.WriteByte(' ')
		default:
			b.WriteString("<" + tag + ">")
		}
		s = after
	}
	return strings.TrimSpace(b.String())
}

// isTag tells an HTML tag from an address in brackets.
func isTag(s string) bool {
	switch {
	case s == "":
		return false
	case s[0] == '/', strings.IndexByte(s, '=') > 0:
		return true
	}
	return names.IsLetter(s[0]|0x20) && strings.IndexByte(s, '@') < 0
}

// firstAddress picks the first of several addresses, or the address out of a sentence.
func firstAddress(s string) string {
	if !strings.ContainsAny(s, " ,;") {
		return s
	}
	for rest := s; rest != ""; {
		rest = strings.TrimLeft(rest, addressEnds)
		end := quotedLocal(rest)
		if next := strings.IndexAny(rest[end:], addressEnds); next >= 0 {
			end += next
		} else {
			end = len(rest)
		}
		token := TrimEmail(rest[:end])
		rest = rest[end:]
		if at := strings.IndexByte(token, '@'); at > 0 && at < len(token)-1 {
			return token
		}
	}
	return s
}

// tidyAddress removes what surrounds an address in a sentence, and everything after the first of several.
func tidyAddress(s string) string {
	between := unicode.IsSpace
	if strings.Count(s, "@") > 1 {
		between = func(c rune) bool { return unicode.IsSpace(c) || c == '/' || c == '|' }
	}
	for token := range strings.FieldsFuncSeq(s, between) {
		if token = strings.TrimRight(strings.TrimLeft(token, "(<["), ".,;:!)>]"); WholeAddress(token) {
			return token
		}
	}
	return s
}

// addressEnds separate the words of a sentence and the addresses of a list.
const addressEnds = " ,;"

// quotedLocal returns the length of the quoted local part that a text begins with, or 0.
func quotedLocal(s string) int {
	if s == "" || s[0] != '"' {
		return 0
	}
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '"':
			if strings.HasPrefix(s[i+1:], "@") {
				return i + 1
			}
			return 0
		}
	}
	return 0
}

// withoutStrayQuotes removes quotes at either end of an address, except those of its local part: "joão silva"@x.com.
func withoutStrayQuotes(s string) string {
	if s = withoutQuotes(s); quotedLocal(s) > 0 {
		return strings.TrimRight(s, `"'`)
	}
	return strings.Trim(s, `"'`)
}

// WholeAddress reports whether a value is one e-mail address and nothing else.
func WholeAddress(s string) bool {
	at := strings.IndexByte(s, '@')
	if at < 1 || len(s) > MaxEmail || strings.ContainsAny(s, " ,;<>()\n\t/\"") || strings.Count(s, "@") != 1 {
		return false
	}
	if strings.HasSuffix(s, "whatsapp.net") || strings.HasSuffix(s, "msging.net") {
		return false // the id of a chat
	}
	dot := strings.LastIndexByte(s, '.')
	return dot > at+1 && dot < len(s)-1
}

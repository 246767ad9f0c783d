package privacy

import (
	"bytes"
	"encoding/base64"
	"html"
	"iter"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"fichario/domain/intake/tree"
)

// Bounds on the readings of one text. A sender encodes once or twice; what is beyond them nobody sends by accident.
const (
	readingsMost  = 48
	readingsDepth = 6
	// readingsFree and readingsTimes bound the bytes of all readings together: so many, or that many times the text.
	readingsFree, readingsTimes = 1 << 20, 6
)

// decoders take one kind of encoding off a text, wherever it stands. Each returns the text itself where there is none.
var decoders = []func(string) string{
	withoutZeros, normal, unpercented, unescaped, unentitled, unquoted, unworded, unbased,
}

// readings yields a text as it stands, and then what it says with encodings taken off, one after the other in every
// order: UTF-16, percent signs, escapes of JSON, HTML's entities, quoted-printable, the words of e-mail headers and
// base64. An encoding that is only apparent does no harm, because what it spoils is read without it as well.
func readings(s string) iter.Seq[string] {
	return func(yield func(string) bool) {
		s = tree.Text([]byte(s))
		type reading struct {
			text  string
			depth int
		}
		queue, left := []reading{{s, 0}}, max(readingsFree, readingsTimes*len(s))
		seen := map[string]bool{s: true}
		for n := 0; n < len(queue); n++ {
			now := queue[n]
			if !yield(now.text) {
				return
			}
			of := decoders
			if unworded(now.text) != now.text { // words break what they encode anywhere: they are put together first
				of = []func(string) string{unworded}
			}
			for _, decoded := range of {
				if now.depth == readingsDepth || len(queue) == readingsMost || left <= 0 {
					break
				}
				if next := decoded(now.text); next != now.text && !seen[next] {
					seen[next] = true
					left -= len(next)
					queue = append(queue, reading{next, now.depth + 1})
				}
			}
		}
	}
}

// withoutZeros reads what is left of UTF-16 inside another encoding.
func withoutZeros(s string) string { return strings.ReplaceAll(s, "\x00", "") }

var (
	percents = regexp.MustCompile(`(?:%[0-9a-fA-F]{2})+`)
	quotes   = regexp.MustCompile(`(?:=(?:[0-9a-fA-F]{2}|[ \t]*\r?\n))+`)
	escapes  = regexp.MustCompile(`(?:[\\%]u[0-9a-fA-F]{4})+|(?:\\x[0-9a-fA-F]{2})+|\\["'\\/bfnrt]`)
	words    = regexp.MustCompile(`=\?[^?\s]{1,40}\?([bBqQ])\?([^?]*)\?=`)
	between  = regexp.MustCompile(`\?=(?:[+ \t\r\n]|&nbsp;)+=\?`)
	hexes    = regexp.MustCompile(`[0-9a-fA-F]{2}`)
)

// bytesIn reads the pairs of hexadecimal digits of a text, as the characters that their bytes mean.
func bytesIn(coded string) string {
	var out []byte
	for _, pair := range hexes.FindAllString(coded, -1) {
		c, _ := strconv.ParseUint(pair, 16, 8)
		out = append(out, byte(c))
	}
	return tree.Text(out)
}

func unpercented(s string) string {
	if strings.IndexByte(s, '%') < 0 {
		return s
	}
	return percents.ReplaceAllStringFunc(s, bytesIn)
}

func unquoted(s string) string {
	if strings.IndexByte(s, '=') < 0 {
		return s
	}
	return quotes.ReplaceAllStringFunc(s, bytesIn)
}

// unescaped reads the escapes of JSON and JavaScript, and the old ones of addresses (%u0040).
func unescaped(s string) string {
	if strings.IndexByte(s, '\\') < 0 && !strings.Contains(s, "%u") {
		return s
	}
	return escapes.ReplaceAllStringFunc(s, func(e string) string {
		switch e[1] {
		case 'u':
			var units []uint16
			for ; e != ""; e = e[6:] {
				unit, _ := strconv.ParseUint(e[2:6], 16, 16)
				units = append(units, uint16(unit))
			}
			return string(utf16.Decode(units))
		case 'x':
			return bytesIn(e)
		case 'b', 'f', 'n', 'r', 't':
			return "\n"
		}
		return e[1:]
	})
}

func unentitled(s string) string {
	if strings.IndexByte(s, '&') < 0 {
		return s
	}
	return html.UnescapeString(s)
}

// unworded reads the encoded words of e-mail headers (RFC 2047); the space between two of them means nothing.
func unworded(s string) string {
	if !strings.Contains(s, "=?") {
		return s
	}
	return words.ReplaceAllStringFunc(between.ReplaceAllString(s, "?==?"), func(word string) string {
		m := words.FindStringSubmatch(word)
		if m[1] == "q" || m[1] == "Q" {
			return unquoted(strings.ReplaceAll(m[2], "_", " "))
		}
		plain, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(m[2], "="))
		if err != nil {
			return word
		}
		return tree.Text(plain)
	})
}

const (
	// baseLeast is the least number of characters that are tried as base64: an address of six.
	baseLeast = 8
	// baseLine is the least number of characters of a line of base64 that goes on in the next line.
	baseLine = 56
)

// unbased reads what is in base64, of either alphabet, in lines or not, with or without padding.
func unbased(s string) string {
	var b strings.Builder
	copied := 0
	for start := 0; start < len(s); {
		if !inBase(s[start]) {
			start++
			continue
		}
		end, code := baseRun(s, start)
		padded := end
		for padded < len(s) && s[padded] == '=' {
			padded++
		}
		inWord := start > 0 && s[start-1] == '?' && strings.HasPrefix(s[padded:], "?=")
		if plain, ok := plainOf(code); ok && !inWord {
			b.WriteString(s[copied:start])
			b.WriteString(" " + plain + " ")
			copied = padded
		}
		start = end
	}
	if copied == 0 {
		return s
	}
	b.WriteString(s[copied:])
	return b.String()
}

func inBase(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' ||
		c == '+' || c == '/' || c == '-' || c == '_'
}

// baseRun returns the end of the characters of base64 from start on, and these without the ends of lines among them.
func baseRun(s string, start int) (end int, code string) {
	end = baseEnd(s, start)
	lines := []string{s[start:end]}
	for end-start >= baseLine {
		next := end
		for next < len(s) && strings.IndexByte(" \t\r\n", s[next]) >= 0 {
			next++
		}
		last := baseEnd(s, next)
		if strings.IndexByte(s[end:next], '\n') < 0 || (end-start)%4 > 0 || !mayGoOn(s[next:last]) {
			break
		}
		start, end = next, last
		lines = append(lines, s[start:end])
	}
	return end, strings.Join(lines, "")
}

func baseEnd(s string, start int) int {
	for start < len(s) && inBase(s[start]) {
		start++
	}
	return start
}

// mayGoOn reports whether a line may go on with the base64 of the line before it: a word of the text behind it may not.
func mayGoOn(line string) bool {
	plain, err := base64.RawStdEncoding.DecodeString(alphabet.Replace(line[:len(line)-len(line)%4]))
	if err != nil || !mayBeText(plain) {
		return false
	}
	for n := 0; n < utf8.UTFMax && n < len(plain) && !utf8.RuneStart(plain[0]); n++ { // the line before has its beginning
		plain = plain[1:]
	}
	for n := 0; n < utf8.UTFMax && !utf8.Valid(plain); n++ { // the line behind has its end
		plain = plain[:len(plain)-1]
	}
	return len(plain) > 0 && (utf8.Valid(plain) || beyondASCII(plain) <= len(plain)/4)
}

func beyondASCII(b []byte) (n int) {
	for _, c := range b {
		if c >= utf8.RuneSelf {
			n++
		}
	}
	return n
}

// plainOf reads a run of characters of base64, or else what follows one of the first separators in it, or the parts
// between them: other things may stand beside the code, such as the steps of an address or a form's spaces.
func plainOf(code string) (string, bool) {
	if plain, ok := decoded(code); ok {
		return plain, true
	}
	apart := func(c rune) bool { return strings.ContainsRune("+/-_", c) }
	rest := code
	for range separatorsMost {
		at := strings.IndexFunc(rest, apart)
		if at < 0 {
			break
		}
		rest = rest[at+1:]
		if plain, ok := decoded(rest); ok {
			return code[:len(code)-len(rest)] + " " + plain, true
		}
	}
	if rest == code {
		return "", false
	}
	some := false
	parts := strings.FieldsFunc(code, apart)
	for n, part := range parts {
		if plain, ok := decoded(part); ok {
			parts[n], some = plain, true
		}
	}
	return strings.Join(parts, " "), some
}

// decoded reads base64 that means a text; almost no word does by chance.
func decoded(code string) (string, bool) {
	code = strings.TrimRight(code, "=")
	if len(code)%4 == 1 { // cut short
		code = code[:len(code)-1]
	}
	if len(code) < baseLeast {
		return "", false
	}
	first, err := base64.RawStdEncoding.DecodeString(alphabet.Replace(code[:4]))
	if err != nil || !mayBeText(first) {
		return "", false
	}
	plain, err := base64.RawStdEncoding.DecodeString(alphabet.Replace(code))
	if err != nil || !isText(plain) {
		return "", false
	}
	if !inUTF16(plain) && hasUTF8(plain) {
		return strings.ToValidUTF8(string(plain), "\ufffd"), true
	}
	return tree.Text(plain), true
}

// hasUTF8 reports whether a letter beyond ASCII is written in UTF-8: then what is not is no text.
func hasUTF8(b []byte) bool {
	for len(b) > 0 {
		r, size := utf8.DecodeRune(b)
		if r != utf8.RuneError && size > 1 {
			return true
		}
		b = b[size:]
	}
	return false
}

var alphabet = strings.NewReplacer("-", "+", "_", "/")

// mayBeText reports whether a text may begin with bytes: no control characters, unless it is UTF-16.
func mayBeText(b []byte) bool {
	for _, c := range b {
		if c < ' ' && c != '\t' && c != '\n' && c != '\r' || c == 0x7f {
			return inUTF16(b)
		}
	}
	return true
}

func inUTF16(b []byte) bool {
	return len(b) > 1 && (b[0] == 0) != (b[1] == 0) ||
		bytes.HasPrefix(b, []byte("\xff\xfe")) || bytes.HasPrefix(b, []byte("\xfe\xff"))
}

// isText reports whether bytes are a text in UTF-16, in UTF-8 or, if there are enough to tell, in Windows-1252.
func isText(b []byte) bool {
	if inUTF16(b) {
		return !strings.ContainsFunc(tree.Text(b), func(r rune) bool { return unicode.IsControl(r) && !unicode.IsSpace(r) })
	}
	return mayBeText(b) && (utf8.Valid(b) || len(b) >= 24 && beyondASCII(b) <= len(b)/4)
}

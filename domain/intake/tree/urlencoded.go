package tree

import (
	"bytes"
	"strings"

	"fichario/domain/intake/fields"
)

// LooksURLEncoded reports whether a text that is not JSON is clearly a form: key=value, without spaces or line breaks.
func LooksURLEncoded(s string) bool {
	s = strings.TrimSpace(s)
	key, _, ok := strings.Cut(s, "=")
	if !ok || key == "" || len(key) > 500 || strings.ContainsAny(s, " \n\t<>\"") {
		return false
	}
	return key[0] != '&' && key[0] != '='
}

// ParseURLEncoded reads an urlencoded body. Each text is decoded on its own, so that a broken one does not spoil the
// others. A body that was encoded twice, as its @ shows, is decoded once beforehand.
func ParseURLEncoded(body []byte, charset string) (Node, error) {
	var form bracketTree
	body = bytes.TrimPrefix(bytes.TrimSpace(body), []byte("\xef\xbb\xbf"))
	switch {
	case bytes.IndexByte(body, '=') < 0 && bytes.Contains(body, []byte("%3D")):
		body = []byte(Unescape(string(body)))
	case bytes.Contains(body, []byte("%2540")):
		body = bytes.ReplaceAll(body, []byte("%25"), []byte("%"))
	}
	err := EachPair(string(body), func(key, value string) error {
		key = DecodeText(Unescape(key), charset)
		if isPlainAddress(key, value) {
			value = strings.ReplaceAll(value, "+", "%2B")
		}
		return form.add(key, Node{Kind: String, Text: DecodeText(Unescape(value), charset)})
	})
	if err != nil {
		return Node{}, err
	}
	return form.tree(), nil
}

// isPlainAddress reports whether an e-mail address was sent unencoded: beside its bare @, a plus does not stand for a
// space, as in maria+site@x.com.
func isPlainAddress(key, value string) bool {
	return strings.Contains(value, "+") && strings.Contains(strings.ToLower(key), "mail") && fields.WholeAddress(value)
}

// EachPair yields each key=value of an urlencoded text, in order, still encoded.
func EachPair(s string, yield func(key, value string) error) error {
	for s != "" {
		var pair string
		pair, s, _ = strings.Cut(s, "&")
		if pair == "" {
			continue
		}
		key, value, _ := strings.Cut(pair, "=")
		if err := yield(key, value); err != nil {
			return err
		}
	}
	return nil
}

// Unescape decodes %XX and +. A broken escape stays as it is: refusing the form would lose the lead.
func Unescape(s string) string {
	if !strings.ContainsAny(s, "%+") {
		return s
	}
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '+':
			b = append(b, ' ')
		case s[i] == '%' && i+2 < len(s) && Unhex(s[i+1]) >= 0 && Unhex(s[i+2]) >= 0:
			b = append(b, byte(Unhex(s[i+1])<<4|Unhex(s[i+2])))
			i += 2
		default:
			b = append(b, s[i])
		}
	}
	return string(b)
}

// Unhex returns the value of a hexadecimal digit, or -1.
func Unhex(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c >= 'a' && c <= 'f':
		return int(c-'a') + 10
	case c >= 'A' && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}

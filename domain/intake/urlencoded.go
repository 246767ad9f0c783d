package intake

import (
	"bytes"
	"strings"
)

// looksURLEncoded reports whether a text that is not JSON is clearly a form: key=value, without spaces or line breaks.
func looksURLEncoded(s string) bool {
	s = strings.TrimSpace(s)
	key, _, ok := strings.Cut(s, "=")
	if !ok || key == "" || len(key) > 500 || strings.ContainsAny(s, " \n\t<>\"") {
		return false
	}
	return key[0] != '&' && key[0] != '='
}

// parseURLEncoded reads an urlencoded body. Each text is decoded on its own, so that a broken one does not spoil the
// others. A body that was encoded twice, as its @ shows, is decoded once beforehand.
func parseURLEncoded(body []byte, charset string) (node, error) {
	var form bracketTree
	body = bytes.TrimPrefix(bytes.TrimSpace(body), []byte("\xef\xbb\xbf"))
	switch {
	case bytes.IndexByte(body, '=') < 0 && bytes.Contains(body, []byte("%3D")):
		body = []byte(unescape(string(body)))
	case bytes.Contains(body, []byte("%2540")):
		body = bytes.ReplaceAll(body, []byte("%25"), []byte("%"))
	}
	err := eachPair(string(body), func(key, value string) error {
		key = decodeText(unescape(key), charset)
		if isPlainAddress(key, value) {
			value = strings.ReplaceAll(value, "+", "%2B")
		}
		return form.add(key, node{kind: isString, text: decodeText(unescape(value), charset)})
	})
	if err != nil {
		return node{}, err
	}
	return form.tree(), nil
}

// isPlainAddress reports whether an e-mail address was sent unencoded: beside its bare @, a plus does not stand for a
// space, as in maria+site@x.com.
func isPlainAddress(key, value string) bool {
	return strings.Contains(value, "+") && strings.Contains(strings.ToLower(key), "mail") && wholeAddress(value)
}

// eachPair yields each key=value of an urlencoded text, in order, still encoded.
func eachPair(s string, yield func(key, value string) error) error {
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

// unescape decodes %XX and +. A broken escape stays as it is: refusing the form would lose the lead.
func unescape(s string) string {
	if !strings.ContainsAny(s, "%+") {
		return s
	}
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '+':
			b = append(b, ' ')
		case s[i] == '%' && i+2 < len(s) && unhex(s[i+1]) >= 0 && unhex(s[i+2]) >= 0:
			b = append(b, byte(unhex(s[i+1])<<4|unhex(s[i+2])))
			i += 2
		default:
			b = append(b, s[i])
		}
	}
	return string(b)
}

// unhex returns the value of a hexadecimal digit, or -1.
func unhex(c byte) int {
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

package intake

import (
	"bytes"
	"mime"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"fichario/domain/fault"
	"fichario/domain/text"

	"golang.org/x/text/encoding/charmap"
)

// mediaType is what a Content-Type says, in lower case. A header that cannot be parsed says what stands before its first semicolon.
func mediaType(contentType string) (typ, charset string) {
	switch contentType {
	case "application/json", "application/x-www-form-urlencoded":
		return contentType, ""
	}
	typ, params, err := mime.ParseMediaType(contentType)
	if err != nil {
		typ, _, _ = strings.Cut(contentType, ";")
		typ = strings.ToLower(strings.TrimSpace(typ))
	}
	return typ, strings.ToLower(params["charset"])
}

// parseBody makes a tree of the bytes, whatever they are written in.
func parseBody(contentType string, body []byte) (node, error) {
	typ, charset := mediaType(contentType)
	if len(bytes.TrimSpace(body)) == 0 {
		return node{}, fault.New(fault.InvalidRequest, "O corpo está vazio.")
	}
	if IsMultipart(contentType) {
		return readMultipart(contentType, body)
	}
	text := decode(body, charset)
	switch {
	case looksJSON(text) || text != "" && text[0] == '"':
		return parseTop(text)
	case typ == "application/x-www-form-urlencoded", urlencoded(text):
		return readForm(body, charset)
	}
	return parseTop(text)
}

// parseTop reads the outermost JSON value, also one that was written as a JSON string, as some senders do by encoding twice.
func parseTop(text string) (node, error) {
	for range 3 {
		n, err := parseJSON(text)
		if err != nil {
			if n, ok := parsePlain(text); ok {
				return n, nil
			}
			return node{}, err
		}
		switch n.kind {
		case isObject, isArray:
			if len(n.kids) == 0 {
				return node{}, fault.New(fault.InvalidRequest, "O corpo está vazio: nenhum campo chegou.")
			}
			return n, nil
		case isString:
			if text = strings.TrimSpace(n.text); looksJSON(text) || strings.HasPrefix(text, `"`) {
				continue
			}
			if urlencoded(text) {
				return readForm([]byte(text), "")
			}
		}
		break
	}
	return node{}, fault.New(fault.InvalidRequest, `O corpo não tem campos: envie um objeto JSON, como {"email": "…", "nome": "…"}.`)
}

// urlencoded reports whether a text that is no JSON is clearly a form: key=value, without a space or a line before the first &.
func urlencoded(s string) bool {
	s = strings.TrimSpace(s)
	key, _, ok := strings.Cut(s, "=")
	if !ok || key == "" || len(key) > 500 || strings.ContainsAny(s, " \n\t<>\"") {
		return false
	}
	return key[0] != '&' && key[0] != '='
}

// readForm reads an urlencoded body. Each text is decoded on its own: a broken one must not spoil the others. One that was encoded twice, as
// its @ tells, is decoded once before.
func readForm(body []byte, charset string) (node, error) {
	var t formTree
	body = bytes.TrimPrefix(bytes.TrimSpace(body), []byte("\xef\xbb\xbf"))
	switch {
	case bytes.IndexByte(body, '=') < 0 && bytes.Contains(body, []byte("%3D")):
		body = []byte(unescape(string(body)))
	case bytes.Contains(body, []byte("%2540")):
		body = bytes.ReplaceAll(body, []byte("%25"), []byte("%"))
	}
	err := eachPair(string(body), func(key, value string) error {
		key = decodeText(unescape(key), charset)
		return t.add(key, node{kind: isString, text: decodeText(unescape(value), charset)})
	})
	if err != nil {
		return node{}, err
	}
	n := t.root.tree(true)
	if len(n.kids) == 0 {
		return node{}, fault.New(fault.InvalidRequest, "O corpo está vazio: nenhum campo chegou.")
	}
	return n, nil
}

// decode makes UTF-8 of a whole body, by its byte order mark first, which cannot be mistaken.
func decode(body []byte, charset string) string {
	switch {
	case bytes.HasPrefix(body, []byte("\xef\xbb\xbf")):
		return decodeText(string(body[3:]), "")
	case bytes.HasPrefix(body, []byte("\xff\xfe")):
		return decodeUTF16(body[2:], false)
	case bytes.HasPrefix(body, []byte("\xfe\xff")):
		return decodeUTF16(body[2:], true)
	}
	// Without a mark, the zero bytes of ASCII brackets and quotes tell: JSON has none of its own.
	if len(body) >= 4 && len(body)%2 == 0 && charset != "utf-8" {
		if body[0] == 0 && body[1] != 0 {
			return decodeUTF16(body, true)
		}
		if body[0] != 0 && body[1] == 0 {
			return decodeUTF16(body, false)
		}
	}
	return decodeText(string(body), charset)
}

func decodeUTF16(b []byte, big bool) string {
	units := make([]uint16, len(b)/2)
	for i := range units {
		lo, hi := b[2*i], b[2*i+1]
		if big {
			lo, hi = hi, lo
		}
		units[i] = uint16(hi)<<8 | uint16(lo)
	}
	return string(utf16.Decode(units))
}

// charsets are the one-byte encodings that a header may name. ISO-8859-1 is read as Windows-1252, as every browser does.
var charsets = map[string]*charmap.Charmap{
	"iso-8859-1": charmap.Windows1252, "iso8859-1": charmap.Windows1252, "iso_8859-1": charmap.Windows1252, "latin1": charmap.Windows1252,
	"latin-1": charmap.Windows1252, "windows-1252": charmap.Windows1252, "cp1252": charmap.Windows1252, "ansi": charmap.Windows1252,
	"iso-8859-15": charmap.ISO8859_15, "latin9": charmap.ISO8859_15, "cp850": charmap.CodePage850, "macintosh": charmap.Macintosh,
}

// decodeText makes UTF-8 of a text in the encoding that is declared, and of one in none that is valid.
func decodeText(s, charset string) string {
	m := charsets[charset]
	if m == nil {
		if utf8.ValidString(s) {
			return s
		}
		m = charmap.Windows1252
	}
	if text.Printable(s) {
		return s
	}
	out, err := m.NewDecoder().String(s)
	if err != nil {
		return strings.ToValidUTF8(s, "")
	}
	return out
}

package tree

import (
	"bytes"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"

	"fichario/domain/text"
)

// Text reads bytes as this package reads a body that declares no encoding: UTF-16 or UTF-8 as its mark or its zeros
// say, and otherwise Windows-1252.
func Text(body []byte) string { return decodeBody(body, "") }

// decodeBody converts a whole body to UTF-8. Its byte order mark decides first, because it is unambiguous.
func decodeBody(body []byte, charset string) string {
	switch {
	case bytes.HasPrefix(body, []byte("\xef\xbb\xbf")):
		return DecodeText(string(body[3:]), "")
	case bytes.HasPrefix(body, []byte("\xff\xfe")):
		return decodeUTF16(body[2:], false)
	case bytes.HasPrefix(body, []byte("\xfe\xff")):
		return decodeUTF16(body[2:], true)
	}
	// Without a mark, zero bytes beside ASCII brackets and quotes reveal UTF-16: JSON itself has none.
	if len(body) >= 4 && len(body)%2 == 0 && charset != "utf-8" {
		if body[0] == 0 && body[1] != 0 {
			return decodeUTF16(body, true)
		}
		if body[0] != 0 && body[1] == 0 {
			return decodeUTF16(body, false)
		}
	}
	return DecodeText(string(body), charset)
}

func decodeUTF16(b []byte, bigEndian bool) string {
	units := make([]uint16, len(b)/2)
	for i := range units {
		low, high := b[2*i], b[2*i+1]
		if bigEndian {
			low, high = high, low
		}
		units[i] = uint16(high)<<8 | uint16(low)
	}
	return string(utf16.Decode(units))
}

// charsets are the one-byte encodings that a header may name. ISO-8859-1 is read as Windows-1252, as every browser
// does.
var charsets = map[string]*charmap.Charmap{
	"iso-8859-1": charmap.Windows1252, "iso8859-1": charmap.Windows1252, "iso_8859-1": charmap.Windows1252,
	"latin1": charmap.Windows1252, "latin-1": charmap.Windows1252, "windows-1252": charmap.Windows1252,
	"cp1252": charmap.Windows1252, "ansi": charmap.Windows1252, "iso-8859-15": charmap.ISO8859_15,
	"latin9": charmap.ISO8859_15, "cp850": charmap.CodePage850, "macintosh": charmap.Macintosh,
}

// DecodeText converts a text in the declared encoding to UTF-8. Without one, a text that is not valid UTF-8 is read as
// Windows-1252.
func DecodeText(s, charset string) string {
	encoding := charsets[charset]
	if encoding == nil {
		if utf8.ValidString(s) {
			return s
		}
		encoding = charmap.Windows1252
	}
	// Text in another encoding that has letters beyond ASCII is never valid UTF-8 by chance: then the header is wrong.
	if text.Printable(s) || utf8.ValidString(s) {
		return s
	}
	out, err := encoding.NewDecoder().String(s)
	if err != nil {
		return strings.ToValidUTF8(s, "")
	}
	return out
}

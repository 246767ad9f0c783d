package download

import "strings"

const (
	// blanks are characters that a spreadsheet skips before a sign.
	blanks = " \t\r\n\u00a0\ufeff\u200b\u200e\u200f\u202a\u202b\u202d\u202e\u2066\u2067"
	// signs are characters that begin a formula or a command.
	signs = "=+-@|%"
)

// harmless keeps a spreadsheet from interpreting a text, such as an e-mail address that begins with =, as a formula.
func harmless(s string) string {
	if s != "" && (s[0] >= '0' && s[0] <= '9' || s[0]|0x20 >= 'a' && s[0]|0x20 <= 'z') {
		return s // the common case
	}
	trimmed := strings.TrimLeft(s, blanks)
	switch {
	case s == "":
		return s
	case strings.ContainsAny(s[:1], "\t\r\n"), trimmed != "" && strings.ContainsAny(trimmed[:1], signs):
		return "'" + s
	}
	// Spreadsheets treat the full-width forms of these signs alike.
	for _, wide := range []string{"＝", "＋", "－", "＠"} {
		if strings.HasPrefix(s, wide) {
			return "'" + s
		}
	}
	return s
}

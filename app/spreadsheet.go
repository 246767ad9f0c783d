package app

import "strings"

// SpreadsheetText keeps a spreadsheet from taking a text, such as an e-mail address that
// begins with =, for a formula.
func SpreadsheetText(s string) string {
	if t := strings.TrimLeft(s, " \t\r\n\u00a0\ufeff\u200b\u200e\u200f\u202a\u202b\u202d\u202e\u2066\u2067"); t != "" && strings.ContainsAny(t[:1], "=+-@|%") || s != "" && strings.ContainsAny(s[:1], "\t\r\n") {
		return "'" + s
	}
	// Spreadsheets fold the wide forms of these signs.
	for _, wide := range []string{"＝", "＋", "－", "＠"} {
		if strings.HasPrefix(s, wide) {
			return "'" + s
		}
	}
	return s
}

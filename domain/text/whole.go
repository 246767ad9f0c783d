package text

import (
	"regexp"
	"strconv"
	"strings"
)

var wholeForm = regexp.MustCompile(`^(\d+|\d{1,3}(\.\d{3})+)$`)

// Whole reads a non-negative whole number as people in Brazil write it, with or without dots between its thousands:
// 2000 or 2.000. It reports false for anything else: "1.5" does not mean fifteen.
func Whole(s string) (int, bool) {
	if !wholeForm.MatchString(s) {
		return 0, false
	}
	n, err := strconv.Atoi(strings.ReplaceAll(s, ".", ""))
	return n, err == nil
}

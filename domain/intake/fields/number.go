package fields

import (
	"strconv"
	"strings"

	"fichario/domain/intake/names"
)

// splitNumber separates the digits before the decimal mark from those after it; ok is false if s is not one number.
func splitNumber(s string, magnified bool) (whole, part string, ok bool) {
	dots, commas := strings.Count(s, "."), strings.Count(s, ",")
	spaces, quotes := strings.Count(s, " "), strings.Count(s, "'")
	if names.CountDigits(s) == 0 || names.CountDigits(s)+dots+commas+spaces+quotes != len(s) {
		return "", "", false
	}
	mark := -1 // index of the decimal mark
	switch {
	case dots > 0 && commas > 0:
		mark = max(strings.LastIndexByte(s, '.'), strings.LastIndexByte(s, ','))
	case dots+commas == 1:
		mark = max(strings.IndexByte(s, '.'), strings.IndexByte(s, ','))
		thousands := len(s)-mark-1 == 3 && mark >= 1 && mark <= 3 && s[:mark] != "0" && !magnified
		if thousands && spaces+quotes == 0 {
			mark = -1
		}
	}
	whole = s
	if mark >= 0 {
		whole, part = s[:mark], s[mark+1:]
		if names.CountDigits(part) != len(part) {
			return "", "", false
		}
	}
	whole, ok = Ungroup(whole)
	return whole, part, ok
}

// Ungroup removes the thousands separators, which must be of one kind, each before a group of three.
func Ungroup(s string) (string, bool) {
	i := strings.IndexAny(s, "., '")
	if i < 0 {
		return s, true
	}
	if i == 0 || i > 3 {
		return "", false
	}
	separator := s[i : i+1]
	whole := make([]byte, 0, len(s))
	whole = append(whole, s[:i]...)
	for g := range strings.SplitSeq(s[i+1:], separator) {
		if len(g) != 3 || names.CountDigits(g) != 3 {
			return "", false
		}
		whole = append(whole, g...)
	}
	return string(whole), true
}

// decimal makes ten-thousandths of the digits, rounded to cents, half away from zero. It works on the text, so that it
// is exact.
func decimal(whole, part string, power int, negative bool) (int64, bool) {
	digits := whole + part
	cents := len(whole) + power + 2 // how many of the digits are whole cents
	trimmed := strings.TrimLeft(digits, "0")
	cents -= len(digits) - len(trimmed)
	digits = trimmed
	if digits == "" || cents < 0 {
		return 0, true
	}
	if cents > 18 {
		return 0, false
	}
	up := cents < len(digits) && digits[cents] >= '5'
	if cents < len(digits) {
		digits = digits[:cents]
	} else {
		digits += strings.Repeat("0", cents-len(digits))
	}
	n := int64(0)
	if digits != "" {
		var err error
		if n, err = strconv.ParseInt(digits, 10, 64); err != nil {
			return 0, false
		}
	}
	if up {
		n++
	}
	const perCent = 100
	if n > (1<<63-1)/perCent {
		return 0, false
	}
	if negative {
		n = -n
	}
	return n * perCent, true
}

// ParseNumber reads the literal of a JSON number, exactly as it was sent.
func ParseNumber(literal string) (int64, bool) {
	literal, negative := strings.CutPrefix(literal, "-")
	power := 0
	if i := strings.IndexAny(literal, "eE"); i >= 0 {
		n, err := strconv.Atoi(strings.TrimPrefix(literal[i+1:], "+"))
		if err != nil || n > 400 || n < -100000 {
			return 0, err != nil && strings.HasPrefix(literal[i+1:], "-")
		}
		literal, power = literal[:i], n
	}
	whole, part, _ := strings.Cut(literal, ".")
	return decimal(whole, part, power, negative)
}

// PlainNumber writes a JSON number without an exponent where that is short, and without a zero fraction, so that a
// phone sent as 1.1987654321e10 or 11987654321.0 keeps its digits.
func PlainNumber(literal string) string {
	i := strings.IndexAny(literal, "eE")
	if i < 0 {
		if whole, part, _ := strings.Cut(literal, "."); strings.Trim(part, "0") == "" {
			return whole
		}
		return literal
	}
	n, err := strconv.Atoi(strings.TrimPrefix(literal[i+1:], "+"))
	whole, part, _ := strings.Cut(literal[:i], ".")
	if err != nil || n < len(part) || n > 30 {
		return literal
	}
	return whole + part + strings.Repeat("0", n-len(part))
}

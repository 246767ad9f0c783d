package catalog

import (
	"strconv"
	"strings"
)

// Number writes a JSON number of the format as people in Brazil do: R$ 1.234,50, 12,5%, 1.284.
func (f Format) Number(text string) string {
	switch f {
	case Reais:
		return "R$\u00a0" + decimal(text, 2)
	case Percent:
		return decimal(text, 0) + "%"
	case Year:
		return text
	}
	return decimal(text, 0)
}

// decimal writes a JSON number with points and a comma, and at least that many decimals; one with an exponent stays as
// it is.
func decimal(text string, least int) string {
	sign, rest := "", text
	if strings.HasPrefix(rest, "-") {
		sign, rest = "-", rest[1:]
	}
	if strings.ContainsAny(rest, "eE") {
		return text
	}
	whole, fraction, _ := strings.Cut(rest, ".")
	if len(fraction) > least {
		fraction = strings.TrimRight(fraction, "0")
	}
	for len(fraction) < least {
		fraction += "0"
	}
	if fraction != "" {
		fraction = "," + fraction
	}
	return sign + Grouped(whole) + fraction
}

// Count writes a whole number of things with groups: 1.284.
func Count(n int) string { return Grouped(strconv.Itoa(n)) }

// Grouped puts a point between groups of three digits: 1.284.
func Grouped(digits string) string {
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "." + digits[i:]
	}
	return digits
}

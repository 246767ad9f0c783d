package intake

import (
	"strconv"
	"strings"

	"fichario/domain/text"

	"golang.org/x/text/unicode/norm"
)

// maxAmountText bounds what is looked at: no amount takes more, and an answer of a megabyte is not searched for one.
const maxAmountText = 200

// ParseAmount converts what a form sends as a value to ten-thousandths of a real.
// ok is false when the text is not one number: a range, a bound, a date, words.
func ParseAmount(text string) (amount int64, ok bool) {
	s, ok := amountWords(text)
	if !ok {
		return 0, false
	}
	return parseOne(s)
}

// amountWords lower-cases a text and takes away the marks of currency, of period and of approximation, which do not change the number.
func amountWords(raw string) (string, bool) {
	if len(raw) > maxAmountText {
		return "", false
	}
	s := raw
	if text.Printable(s) {
		s = strings.ToLower(s)
	} else {
		s = strings.Map(func(r rune) rune {
			switch r {
			case '\u2212', '\u2010', '\u2011', '\u2012':
				return '-'
			case '\u2019', '\u2018', '`', '´':
				return '\''
			}
			return r
		}, norm.NFKC.String(s))
		s = text.Fold(s)
	}
	s = strings.TrimSpace(s)
	if s == "" {
		return "", false
	}
	if s[0] >= '0' && s[0] <= '9' && countDigits(s) == len(s) {
		return s, true
	}
	if strings.IndexByte(s, '_') >= 0 {
		s = strings.ReplaceAll(s, "_", " ") // Meta's choices: "r$_1.500"
	}
	for _, m := range currencySigns {
		if rest, ok := strings.CutPrefix(s, m); ok {
			s = strings.TrimSpace(rest)
		}
		if strings.Contains(s, m) {
			s = strings.ReplaceAll(s, m, " ")
		}
	}
	if hasLetter(s) || strings.ContainsAny(s, "/~") {
		for _, w := range amountPhrases {
			s = dropPhrase(s, w)
		}
	}
	return strings.TrimSpace(s), true
}

// currencySigns are removed wherever they stand; the longer ones first.
var currencySigns = []string{"us$", "u$s", "r$", "$", "€", "£"}

// amountPhrases are removed where they stand as whole words; the longer ones first.
var amountPhrases = []string{
	"aproximadamente", "aprox.", "aprox", "cerca de", "em torno de", "por volta de", "mais ou menos", "about", "around", "~",
	"por mes", "ao mes", "por ano", "ao ano", "per month", "per year", "a month", "a year", "mensalmente", "mensais", "mensal", "monthly",
	"anuais", "anual", "yearly", "/mes", "/ mes", "/ano", "/ ano", "/month", "/mo", "/year",
	"brl", "usd", "eur", "de reais", "reais", "real", "de dolares", "dolares", "dolar", "de euros", "euros", "euro",
}

func hasLetter(s string) bool {
	for i := range len(s) {
		if s[i] >= 'a' && s[i] <= 'z' {
			return true
		}
	}
	return false
}

// dropPhrase takes a phrase away where no letter touches it. A digit may: "3500BRL".
func dropPhrase(s, phrase string) string {
	for from := 0; ; {
		i := strings.Index(s[from:], phrase)
		if i < 0 {
			return s
		}
		i += from
		end := i + len(phrase)
		if i > 0 && isLetter(s[i-1]) && isLetter(phrase[0]) || end < len(s) && isLetter(s[end]) && isLetter(phrase[len(phrase)-1]) {
			from = end
			continue
		}
		s = s[:i] + " " + s[end:]
		from = i
	}
}

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' }

// magnitudes are the suffixes of a number, as powers of ten.
var magnitudes = map[string]int{
	"": 0, "k": 3, "mil": 3, "m": 6, "mi": 6, "mm": 6, "milhao": 6, "milhoes": 6, "million": 6, "bi": 9, "bilhao": 9, "bilhoes": 9, "billion": 9,
}

// parseOne reads what is left when the words are gone: a sign, one number, a magnitude.
func parseOne(s string) (int64, bool) {
	negative := false
	if len(s) > 2 && s[0] == '(' && s[len(s)-1] == ')' {
		negative, s = true, strings.TrimSpace(s[1:len(s)-1])
	}
	if s != "" && s[0] == '-' {
		if negative {
			return 0, false
		}
		negative, s = true, strings.TrimSpace(s[1:])
	} else if s != "" && s[0] == '+' {
		s = strings.TrimSpace(s[1:])
	}
	end := strings.LastIndexAny(s, "0123456789.,") + 1
	power, known := magnitudes[strings.TrimSpace(s[end:])]
	if !known || end == 0 {
		return 0, false
	}
	whole, part, ok := splitNumber(s[:end], s[end:] != "" && power > 0)
	if !ok {
		return 0, false
	}
	return decimal(whole, part, power, negative)
}

// splitNumber separates the digits before the decimal mark from those after it, and refuses what is not one number.
func splitNumber(s string, magnified bool) (whole, part string, ok bool) {
	dots, commas := strings.Count(s, "."), strings.Count(s, ",")
	spaces, quotes := strings.Count(s, " "), strings.Count(s, "'")
	if countDigits(s) == 0 || countDigits(s)+dots+commas+spaces+quotes != len(s) {
		return "", "", false
	}
	mark := -1 // where the decimal mark is
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
		if countDigits(part) != len(part) {
			return "", "", false
		}
	}
	whole, ok = ungroup(whole)
	return whole, part, ok
}

// ungroup removes the thousands separators, which must be of one kind and stand before groups of three.
func ungroup(s string) (string, bool) {
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
		if len(g) != 3 || countDigits(g) != 3 {
			return "", false
		}
		whole = append(whole, g...)
	}
	return string(whole), true
}

// decimal makes ten-thousandths of the digits, rounded to cents, half away from zero. It works on the text, so nothing is ever inexact.
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

// parseNumber reads the literal of a JSON number, exactly as it was sent.
func parseNumber(lit string) (int64, bool) {
	negative := strings.HasPrefix(lit, "-")
	lit = strings.TrimPrefix(lit, "-")
	power := 0
	if i := strings.IndexAny(lit, "eE"); i >= 0 {
		n, err := strconv.Atoi(strings.TrimPrefix(lit[i+1:], "+"))
		if err != nil || n > 400 || n < -100000 {
			return 0, err != nil && strings.HasPrefix(lit[i+1:], "-")
		}
		lit, power = lit[:i], n
	}
	whole, part, _ := strings.Cut(lit, ".")
	return decimal(whole, part, power, negative)
}

// plainNumber writes a JSON number without an exponent where that is short, and without a fraction of nothing, so that a phone sent as 1.1987654321e10 or
// 11987654321.0 has its digits.
func plainNumber(lit string) string {
	i := strings.IndexAny(lit, "eE")
	if i < 0 {
		if whole, part, _ := strings.Cut(lit, "."); strings.Trim(part, "0") == "" {
			return whole
		}
		return lit
	}
	n, err := strconv.Atoi(strings.TrimPrefix(lit[i+1:], "+"))
	whole, part, _ := strings.Cut(lit[:i], ".")
	if err != nil || n < len(part) || n > 30 {
		return lit
	}
	return whole + part + strings.Repeat("0", n-len(part))
}

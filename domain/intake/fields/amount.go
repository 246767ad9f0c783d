package fields

import (
	"strings"

	"golang.org/x/text/unicode/norm"

	"fichario/domain/intake/names"
	"fichario/domain/text"
)

// maxAmountText bounds the text that is examined: no amount is longer, and an answer of a megabyte is not searched for
// one.
const maxAmountText = 200

// ParseAmount converts what a form sends as a value to ten-thousandths of a real.
// ok is false when the text is not one number: a range, a bound, a date, words.
func ParseAmount(text string) (amount int64, ok bool) {
	s, ok := bareAmount(text)
	if !ok {
		return 0, false
	}
	return parseBare(s)
}

// bareAmount lower-cases a text and removes the marks of currency, period and approximation, which do not change the
// number. ok is false when nothing is left to read.
func bareAmount(s string) (bare string, ok bool) {
	if len(s) > maxAmountText {
		return "", false
	}
	s = strings.TrimSpace(foldAmount(s))
	if s == "" {
		return "", false
	}
	if s[0] >= '0' && s[0] <= '9' && names.CountDigits(s) == len(s) {
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
	if names.HasLetter(s) || strings.ContainsAny(s, "/~") {
		for _, w := range amountPhrases {
			s = dropPhrase(s, w)
		}
	}
	return strings.TrimSpace(s), true
}

// foldAmount lower-cases a text, and replaces its minus signs and apostrophes by those of a keyboard.
func foldAmount(s string) string {
	if text.Printable(s) {
		return strings.ToLower(s)
	}
	return text.Fold(strings.Map(func(r rune) rune {
		switch r {
		case '\u2212', '\u2010', '\u2011', '\u2012':
			return '-'
		case '\u2019', '\u2018', '`', '´':
			return '\''
		}
		return r
	}, norm.NFKC.String(s)))
}

// currencySigns are removed wherever they stand; the longer ones first.
var currencySigns = []string{"us$", "u$s", "r$", "$", "€", "£"}

// amountPhrases are removed where they stand as whole words; the longer ones first.
var amountPhrases = []string{
	"aproximadamente", "aprox.", "aprox", "cerca de", "em torno de", "por volta de", "mais ou menos", "about", "around",
	"~", "por mes", "ao mes", "por ano", "ao ano", "per month", "per year", "a month", "a year", "mensalmente", "mensais",
	"mensal", "monthly", "anuais", "anual", "yearly", "/mes", "/ mes", "/ano", "/ ano", "/month", "/mo", "/year",
	"brl", "usd", "eur", "de reais", "reais", "real", "de dolares", "dolares", "dolar", "de euros", "euros", "euro",
}

// dropPhrase removes a phrase where no letter touches it. A digit may: "3500BRL".
func dropPhrase(s, phrase string) string {
	for from := 0; ; {
		i := strings.Index(s[from:], phrase)
		if i < 0 {
			return s
		}
		i += from
		end := i + len(phrase)
		before := i > 0 && names.IsLetter(s[i-1]) && names.IsLetter(phrase[0])
		after := end < len(s) && names.IsLetter(s[end]) && names.IsLetter(phrase[len(phrase)-1])
		if before || after {
			from = end
			continue
		}
		s = s[:i] + " " + s[end:]
		from = i
	}
}

// magnitudes are the suffixes of a number, as powers of ten.
var magnitudes = map[string]int{
	"": 0, "k": 3, "mil": 3, "m": 6, "mi": 6, "mm": 6, "milhao": 6, "milhoes": 6, "million": 6,
	"bi": 9, "bilhao": 9, "bilhoes": 9, "billion": 9,
}

// parseBare reads what is left after the words were removed: a sign, one number, a magnitude.
func parseBare(s string) (int64, bool) {
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

package fields

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/nyaruka/phonenumbers"

	"fichario/domain/intake/names"
	"fichario/domain/text"
)

// region is the country of numbers without a country code.
const region = "BR"

// E164 returns the international form of a phone number ("+5511987654321"), or "" when no numbering plan has it. A
// number without a country code is taken as Brazilian, unless it is written as only North Americans write theirs. Of
// several numbers, or one among words, the first counts.
func E164(number string) string {
	number = text.PlainDigits(number)
	if n := northAmerican(number); n != "" {
		return n
	}
	return fromBrazil(number)
}

// E164In is E164 for a number of somebody in a country, by its two letters ("US"); empty where nothing says which. A
// number that the country's plan does not have is read as E164 reads it.
func E164In(number, country string) string {
	number = text.PlainDigits(number)
	switch {
	case country == region:
		return fromBrazil(number)
	case country == "" || strings.HasPrefix(number, "+") || strings.ContainsFunc(number, unicode.IsLetter):
		return E164(number)
	case brazilianMobile.MatchString(number),
		brazilianGroups.MatchString(number) && phonenumbers.GetCountryCodeForRegion(country) == 1:
		return E164(number)
	}
	n, err := phonenumbers.Parse(number, country)
	if err != nil || !phonenumbers.IsValidNumber(n) {
		return E164(number)
	}
	return phonenumbers.Format(n, phonenumbers.E164)
}

// brazilianMobile matches what only Brazilians write, wherever they live: "(51) 98765-4321". brazilianGroups match what
// nobody writes in North America, where no area has two digits: "(21) 2345-6789", "21 2345-6789".
var (
	brazilianMobile = regexp.MustCompile(`^\(\d\d\) ?9\d{4}[-. ]?\d{4}$`)
	brazilianGroups = regexp.MustCompile(`^(\(\d\d\) ?|\d\d[-. ])9?\d{4}[-. ]?\d{4}$`)
)

// northAmericanGroups match ten digits in groups of three, three and four. Brazilians write two digits first.
var northAmericanGroups = regexp.MustCompile(`^(1[-. ]?)?(\(\d{3}\) ?|\d{3}[-.])\d{3}[-.]\d{4}$`)

// northAmerican reads a number like "(415) 555-2671" or "1-415-555-2671", also one among words or before an extension
// ("cell: 415-555-2671 x12"), which would be a valid number of another person in Brazil. It returns "" for any other,
// and where another number stands before it; that of an order is none.
func northAmerican(s string) string {
	var before []string
	for run := range strings.FieldsFuncSeq(s, func(c rune) bool { return !InNumber(c) }) {
		length := names.CountDigits(run)
		if length < shortestNumber {
			continue
		}
		run = strings.TrimLeft(strings.TrimRight(run, " .-("), " .-)")
		switch {
		case length < 10 || length > 11 || !northAmericanGroups.MatchString(run):
			before = append(before, run)
		case slices.ContainsFunc(before, func(other string) bool { return planned(other) != "" }):
			return ""
		default:
			digits := text.Digits(run)
			return parsePhone("+1" + digits[len(digits)-10:])
		}
	}
	return ""
}

// shortestNumber is how many digits a number among words has at least.
const shortestNumber = 8

// fromBrazil is E164 for a number of somebody in Brazil.
func fromBrazil(number string) string {
	if n := brazilian(strings.TrimSuffix(number, ".0")); n != "" {
		return n
	}
	s := strings.TrimSuffix(strings.TrimSpace(number), ".0") // what a spreadsheet makes of a number
	s = s[carrierSlot(s):]
	if !strings.ContainsFunc(s, unicode.IsLetter) { // the library turns letters into digits, as a phone's keypad does
		if n := planned(s); n != "" {
			return n
		}
	}
	for run := range strings.FieldsFuncSeq(s, func(c rune) bool { return !InNumber(c) }) {
		if names.CountDigits(run) < shortestNumber {
			continue
		}
		if n := planned(strings.TrimSpace(run)); n != "" {
			return n
		}
	}
	return ""
}

// InNumber reports whether a character may stand within a phone number.
func InNumber(c rune) bool {
	return c >= '0' && c <= '9' || strings.ContainsRune(" +-.()\u00a0\u2010\u2011\u2012\u2013\u2014", c)
}

// planned reads a number without words around it.
func planned(s string) string {
	if n := parsePhone(s); n != "" {
		return n
	}
	digits := text.Digits(s)
	// "550..." and "+55 0 11": the trunk digit between country and area is often written, but not part of the number.
	if rest, ok := strings.CutPrefix(digits, "550"); ok {
		return parsePhone("+55" + rest)
	}
	// A mask that adds the country to a number that already has it.
	if rest, ok := strings.CutPrefix(digits, "5555"); ok && (len(rest) == 10 || len(rest) == 11) {
		return brazilian(rest)
	}
	// Mexico's mobiles had a digit between country and area, which chats still write.
	if rest, ok := strings.CutPrefix(digits, "521"); ok && len(rest) == 10 {
		return parsePhone("+52" + rest)
	}
	if n := withNinthDigit(digits, strings.HasPrefix(s, "+")); n != "" {
		return n
	}
	// A form that puts the country code first without a plus: the library guesses only Brazil's.
	if !strings.HasPrefix(s, "+") && len(digits) > 11 && len(digits) <= 15 && !strings.HasPrefix(digits, "0") {
		return parsePhone("+" + digits)
	}
	return ""
}

func parsePhone(s string) string {
	n, err := phonenumbers.Parse(s, region)
	if err != nil || !phonenumbers.IsValidNumber(n) {
		return ""
	}
	return phonenumbers.Format(n, phonenumbers.E164)
}

// withNinthDigit reads a mobile number from before the ninth digit, as old address books and chats still write it.
func withNinthDigit(digits string, plus bool) string {
	local := digits
	switch {
	case len(digits) >= 12:
		local = strings.TrimPrefix(digits, "55")
	case len(digits) == 11:
		local = strings.TrimPrefix(digits, "0")
	}
	if len(local) != 10 || local[2] < '6' || plus && len(digits) != 12 {
		return ""
	}
	return brazilian(local[:2] + "9" + local[2:])
}

// carrierSlot returns the length of "0xx", where old Brazilian notation leaves room for the carrier's code.
func carrierSlot(s string) int {
	start := strings.ToLower(text.Cut(s, 8))
	for _, slot := range [...]string{"(0xx", "0xx", "(xx", "(0**", "0**"} {
		if strings.HasPrefix(start, slot) {
			return len(slot)
		}
	}
	return 0
}

// brazilian handles the commonest numbers without the library, which costs as much as the rest of the reading. It
// returns "" when in doubt; a test compares it with the library.
func brazilian(s string) string {
	var buf [13]byte
	digits, plus, ok := phoneDigits(buf[:0], s)
	if !ok {
		return ""
	}
	switch n := len(digits); {
	case n == 13 || n == 12 && digits[4] != '9':
		if digits[0] != '5' || digits[1] != '5' {
			return ""
		}
		digits = digits[2:]
	case n != 11 && n != 10 || plus:
		return ""
	}
	mobile := len(digits) == 11 && digits[2] == '9'
	landline := len(digits) == 10 && digits[2] >= '2' && digits[2] <= '5'
	if !mobile && !landline || !areas[string(digits[:2])] {
		return ""
	}
	return "+55" + string(digits)
}

// phoneDigits appends the digits of a number that is written with nothing but separators and a leading plus. ok is
// false for any other text, and for more digits than dst has room for.
func phoneDigits(dst []byte, s string) (digits []byte, plus, ok bool) {
	for i := range len(s) {
		switch c := s[i]; {
		case c >= '0' && c <= '9':
			if len(dst) == cap(dst) {
				return nil, false, false
			}
			dst = append(dst, c)
		case c == ' ', c == '-', c == '(', c == ')', c == '.':
		case c == '+' && len(dst) == 0:
			plus = true
		default:
			return nil, false, false
		}
	}
	return dst, plus, true
}

// areas are the area codes in use.
var areas = names.Set(`
	11 12 13 14 15 16 17 18 19 21 22 24 27 28 31 32 33 34 35 37 38 41 42 43 44 45 46 47 48 49 51 53 54 55 61 62 63 64 65 66
	67 68 69 71 73 74 75 77 79 81 82 83 84 85 86 87 88 89 91 92 93 94 95 96 97 98 99`)

// Mobile reports whether a number in E.164 may be a mobile: in Brazil, one of nine digits that begins with 9; in
// countries where both kinds look alike, every number that is not surely a landline.
func Mobile(number string) bool {
	if national, ok := strings.CutPrefix(number, "+55"); ok { // a list asks of each of its rows
		return len(national) == 11 && national[2] == '9' && areas[national[:2]]
	}
	n, err := phonenumbers.Parse(number, "")
	if err != nil {
		return false
	}
	kind := phonenumbers.GetNumberType(n)
	return kind == phonenumbers.MOBILE || kind == phonenumbers.FIXED_LINE_OR_MOBILE
}

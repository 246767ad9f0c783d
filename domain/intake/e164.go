package intake

import (
	"strings"

	"fichario/domain/text"

	"github.com/nyaruka/phonenumbers"
)

// region is the one whose numbers come without a country code.
const region = "BR"

// e164 returns the international form of a number, or "" when the numbering plan has none such.
func e164(raw string) string {
	if n := brazilian(strings.TrimSuffix(raw, ".0")); n != "" {
		return n
	}
	s := strings.TrimSuffix(strings.TrimSpace(raw), ".0") // what a spreadsheet makes of a number
	if i := strings.Index(strings.ToLower(s), "ramal"); i > 0 && i <= len(s) {
		s = s[:i]
	}
	if i := carrierSlot(s); i > 0 {
		s = s[i:]
	}
	if n := parsePhone(s); n != "" {
		return n
	}
	// "550..." and "+55 0 11": the trunk digit between the country and the area is written often, and is no part of the number.
	d := text.Digits(s)
	if rest, ok := strings.CutPrefix(d, "550"); ok {
		return parsePhone("+55" + rest)
	}
	// A mobile number from before the ninth digit, as old address books and chats still write it.
	if local := strings.TrimPrefix(d, "55"); len(local) == 10 && local[2] >= '6' && (len(d) == 12 || !strings.HasPrefix(s, "+")) {
		if n := brazilian(local[:2] + "9" + local[2:]); n != "" {
			return n
		}
	}
	// A form that puts the country code first without a plus: only Brazil's is guessed by the library.
	if !strings.HasPrefix(s, "+") && len(d) > 11 && len(d) <= 15 && !strings.HasPrefix(d, "0") {
		return parsePhone("+" + d)
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

// carrierSlot returns the length of "0xx", where old Brazilian notation leaves room for the carrier's code.
func carrierSlot(s string) int {
	t := strings.ToLower(text.Cut(s, 8))
	for _, p := range []string{"(0xx", "0xx", "(xx", "(0**", "0**"} {
		if strings.HasPrefix(t, p) {
			return len(p)
		}
	}
	return 0
}

// brazilian answers for the commonest numbers of all without the library, which costs as much as the rest of the reading. It says
// "" when in doubt; a test holds it against the library.
func brazilian(s string) string {
	var d [13]byte
	n := 0
	for i := range len(s) {
		switch c := s[i]; {
		case c >= '0' && c <= '9':
			if n == len(d) {
				return ""
			}
			d[n] = c
			n++
		case c == ' ' || c == '-' || c == '(' || c == ')' || c == '.':
		case c == '+' && n == 0:
		default:
			return ""
		}
	}
	plus := strings.IndexByte(s, '+') >= 0
	num := d[:n]
	switch {
	case n == 13 && d[0] == '5' && d[1] == '5':
		num = d[2:n]
	case n == 12 && d[0] == '5' && d[1] == '5' && d[4] != '9':
		num = d[2:n]
	case (n == 11 || n == 10) && !plus:
	default:
		return ""
	}
	mobile := len(num) == 11 && num[2] == '9'
	landline := len(num) == 10 && num[2] >= '2' && num[2] <= '5'
	if !mobile && !landline || !areas[string(num[:2])] {
		return ""
	}
	return "+55" + string(num)
}

// areas are the area codes in use.
var areas = func() map[string]bool {
	m := map[string]bool{}
	for _, a := range strings.Fields(`
		11 12 13 14 15 16 17 18 19 21 22 24 27 28 31 32 33 34 35 37 38 41 42 43 44 45 46 47 48 49 51 53 54 55 61 62 63 64 65
		66 67 68 69 71 73 74 75 77 79 81 82 83 84 85 86 87 88 89 91 92 93 94 95 96 97 98 99`) {
		m[a] = true
	}
	return m
}()

// E164 returns the international form of a phone number ("+5511987654321"), or "" when
// it is none; one without a country code is of Brazil.
func E164(text string) string { return e164(text) }

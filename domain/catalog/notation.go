package catalog

import (
	"slices"
	"strings"
	"time"
)

// AgeIn is how many whole years before today, at midnight UTC, a day of the field is, for the birth of a person or a
// company; false for any other field, a future day, or one that cannot be true.
func (f Field) AgeIn(day, today time.Time) (years int, ok bool) {
	years = today.Year() - day.Year()
	if day.AddDate(years, 0, 0).After(today) {
		years--
	}
	return years, slices.Contains([]string{"nascimento", "abertura"}, f.Name) && years >= 0 && years <= 150
}

// ActivityCode writes the code of an activity in its official notation, 6201-5/01; any other text stays as it is.
func ActivityCode(code string) string {
	if d := digits(code); len(d) == 7 && len(code) <= 9 {
		return d[:4] + "-" + d[4:5] + "/" + d[5:]
	}
	return code
}

// PostalCode writes a CEP as 30130-010; any other text stays as it is, and is none.
func PostalCode(code string) (written string, is bool) {
	if d := digits(code); len(d) == 8 && len(code) <= 10 {
		return d[:5] + "-" + d[5:], true
	}
	return code, false
}

// MaskedIdentity adds the usual punctuation to a CPF or CNPJ that the bureau has masked, ***.982.247-**; any other text
// stays as it is.
func MaskedIdentity(x string) string {
	if strings.Trim(x, "0123456789*Xx") != "" || !strings.ContainsAny(x, "*Xx") {
		return x
	}
	switch len(x) {
	case 11:
		return x[:3] + "." + x[3:6] + "." + x[6:9] + "-" + x[9:]
	case 14:
		return x[:2] + "." + x[2:5] + "." + x[5:8] + "/" + x[8:12] + "-" + x[12:]
	}
	return x
}

func digits(s string) string {
	return strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, s)
}

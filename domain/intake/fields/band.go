package fields

import (
	"strings"

	"fichario/domain/intake/names"
	"fichario/domain/text"
)

// Band says which value a range ("De R$ 4 mil a R$ 7 mil") becomes.
type Band string

// The bands.
const (
	BandZero   Band = "zero"
	BandLower  Band = "lower"
	BandMiddle Band = "middle"
	BandUpper  Band = "upper"
)

// Valid reports whether b is a known band.
func (b Band) Valid() bool {
	switch b {
	case BandZero, BandLower, BandMiddle, BandUpper:
		return true
	}
	return false
}

// bandOpeners stand before the lower end of a range.
var bandOpeners = []string{"entre ", "de ", "between ", "from "}

// bandJoins stand between the ends of a range.
var bandJoins = []string{" ate ", " a ", " e ", " to ", " and ", " - ", "-", "–", "—"}

// boundOpeners and boundClosers mark a bound with one end, which counts as both ends.
var boundOpeners = []string{
	"ate ", "acima de ", "mais de ", "a partir de ", "abaixo de ", "menos de ", "maior que ", "menor que ",
	"no minimo ", "no maximo ", "minimo de ", "maximo de ", "up to ", "over ", "under ", "more than ", "less than ",
	">=", "<=", ">", "<",
}
var boundClosers = []string{"+", " ou mais", " ou menos", " or more", " or less"}

// BandAmount reads a range or a bound as the end that b asks for.
func BandAmount(said string, b Band) (int64, bool) {
	if b == "" || b == BandZero {
		return 0, false
	}
	s, ok := bareAmount(said)
	if !ok {
		return 0, false
	}
	s = strings.Join(strings.Fields(text.Fold(s)), " ")
	for _, o := range boundOpeners {
		if rest, found := strings.CutPrefix(s, o); found {
			return ParseAmount(rest)
		}
	}
	for _, c := range boundClosers {
		if rest, found := strings.CutSuffix(s, c); found {
			return ParseAmount(rest)
		}
	}
	for _, o := range bandOpeners {
		s = strings.TrimPrefix(s, o)
	}
	for _, j := range bandJoins {
		lower, upper, found := strings.Cut(s, j)
		if !found || strings.TrimSpace(lower) == "" {
			continue
		}
		low, okLow := ParseAmount(shareMagnitude(lower, upper))
		high, okHigh := ParseAmount(upper)
		if !okLow || !okHigh {
			continue
		}
		switch b {
		case BandLower:
			return low, true
		case BandUpper:
			return high, true
		}
		return low + (high-low)/2, true
	}
	return 0, false
}

// shareMagnitude gives the lower end the magnitude that is written only once: "4 a 7 mil".
func shareMagnitude(lower, upper string) string {
	if names.HasLetter(lower) {
		return lower
	}
	suffix := strings.TrimSpace(upper[strings.LastIndexAny(upper, "0123456789.,")+1:])
	if magnitudes[suffix] == 0 {
		return lower
	}
	l, okLow := ParseAmount(lower)
	u, okHigh := ParseAmount(strings.TrimSuffix(strings.TrimSpace(upper), suffix))
	if !okLow || !okHigh || l > u {
		return lower
	}
	return lower + " " + suffix
}

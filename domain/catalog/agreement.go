package catalog

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"fichario/domain/text"
)

// Agreement counts how the answers of two bureaus agree on something.
type Agreement struct {
	// Equal and Different count the answers that both have it in.
	Equal, Different int
	// OnlyFirst and OnlySecond count those where one lacks it, Neither those where both do.
	OnlyFirst, OnlySecond, Neither int
}

// Total is how many answers were compared.
func (a Agreement) Total() int { return a.Known() + a.Neither }

// Known is how many of them at least one bureau has it in.
func (a Agreement) Known() int { return a.Equal + a.Different + a.OnlyFirst + a.OnlySecond }

// Percent is how many in a hundred of Known are equal, rounded down; 0 where there are none.
func (a Agreement) Percent() int { return 100 * a.Equal / max(1, a.Known()) }

// AgreementOf compares two values of decoded JSON, nil for what an answer lacks.
func AgreementOf(first, second any) (a Agreement) {
	switch {
	case first == nil && second == nil:
		a.Neither = 1
	case second == nil:
		a.OnlyFirst = 1
	case first == nil:
		a.OnlySecond = 1
	case same(plain(first), plain(second)):
		a.Equal = 1
	default:
		a.Different = 1
	}
	return a
}

// Agree compares the named fields of two answers, by their names. The case and accents of letters, the order of lists
// and how a number is written make no difference. An answer that cannot be read has no field.
func (p Product) Agree(first, second []byte) map[string]Agreement {
	a, b := Values(first), Values(second)
	out := map[string]Agreement{}
	for _, f := range p.Fields {
		out[f.Name] = AgreementOf(a[f.Name], b[f.Name])
	}
	return out
}

// plain is a value without what makes no difference.
func plain(v any) any {
	switch v := v.(type) {
	case string:
		return text.Fold(v)
	case json.Number:
		return plainNumber(v.String())
	case map[string]any:
		out := make(map[string]any, len(v))
		for name, one := range v {
			out[name] = plain(one)
		}
		return out
	case []any:
		texts := make([]string, len(v))
		for i, one := range v {
			text, _ := json.Marshal(plain(one)) // what was decoded can be encoded
			texts[i] = string(text)
		}
		slices.Sort(texts)
		return texts
	}
	return v
}

// plainNumber is the same for two numbers that are equal: the digits from the first to the last that is not a zero, and
// an exponent. Nothing is calculated with what may be a million digits long.
func plainNumber(written string) json.Number {
	mantissa, power, _ := strings.Cut(strings.ToLower(written), "e")
	exponent, err := strconv.Atoi(power)
	if power != "" && err != nil {
		return json.Number(written)
	}
	bare, negative := strings.CutPrefix(mantissa, "-")
	whole, fraction, _ := strings.Cut(bare, ".")
	digits := strings.TrimLeft(whole+fraction, "0")
	short := strings.TrimRight(digits, "0")
	exponent += len(digits) - len(short) - len(fraction)
	switch {
	case short == "":
		return "0"
	case negative:
		short = "-" + short
	}
	return json.Number(short + "e" + strconv.Itoa(exponent))
}

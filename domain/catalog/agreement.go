package catalog

import (
	"encoding/json"
	"slices"
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
		if whole, fraction, ok := strings.Cut(v.String(), "."); ok && strings.Trim(fraction, "0") == "" {
			return json.Number(whole)
		} else if ok && !strings.ContainsAny(fraction, "eE") {
			return json.Number(whole + "." + strings.TrimRight(fraction, "0"))
		}
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

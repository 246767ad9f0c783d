package automation

import (
	"slices"
	"testing"
)

// TestRowsAreExpressions: both ways of writing a condition are one another's; what is written otherwise is no rows.
func TestRowsAreExpressions(t *testing.T) {
	t.Parallel()
	for want, rows := range map[string][]Row{
		"": nil,
		`.campos.score >= 600 and .etapa == "Qualificado"`:  {{"campos.score", AtLeast, "600"}, {"etapa", Equal, "Qualificado"}},
		`(.valor != null and .valor < -1.5)`:                {{"valor", Below, "-1.5"}},
		`(.valor != null and .valor <= 3) and .a > 2`:       {{"valor", AtMost, "3"}, {"a", Above, "2"}},
		`(.nota // "" | tostring | contains("a and \"b)"))`: {{"nota", Contains, `a and "b)`}},
		`.nome != null and .nome != "null"`:                 {{"nome", Exists, ""}, {"nome", Unequal, "null"}},
		`."Cor da porta".x == "\\(.valor) & <b>"`:           {{`"Cor da porta".x`, Equal, `\(.valor) & <b>`}},
		`.a == "007" and .b == "1e3"`:                       {{"a", Equal, "007"}, {"b", Equal, "1e3"}},
		`(.cpf == 52998224725 or .cpf == "52998224725")`:    {{"cpf", Equal, "52998224725"}},
		`(.a.b != 3 and .a.b != "3") and .b > 2`:            {{"a.b", Unequal, "3"}, {"b", Above, "2"}},
		`(.a == true or .a == "true")`:                      {{"a", Equal, "true"}},
		`.a == ""`:                                          {{"a", Equal, ""}},
	} {
		if got := Rows(rows); got != want {
			t.Errorf("%v: %s, not %s", rows, got, want)
		}
		if got, ok := RowsOf(want); !ok || !slices.Equal(got, rows) {
			t.Errorf("%s: %v %t", want, got, ok)
		}
	}
	for _, other := range []string{
		".a", ".a == 1 or .b == 2", ".a==1", ".a == .b", "(.a != null and .b < 1)", ".a[0] == 1", ".a == 1 and", "a == 1",
		`(.a == 1 or .b == "1")`, `(.a == 1 and .a == "1")`, `(.a == 1 or .a == "2")`, ".a == true",
		`.a == "x" | not`, ".a < 1", ".a == null", "#", `.a == "\u0041"`,
	} {
		if rows, ok := RowsOf(other); ok {
			t.Errorf("%s is read as %v", other, rows)
		}
	}
	if rows, ok := RowsOf(".a == 3 and .b != 1.5"); !ok ||
		!slices.Equal(rows, []Row{{"a", Equal, "3"}, {"b", Unequal, "1.5"}}) {
		t.Errorf("numbers alone: %v %t", rows, ok)
	}
	for field, valid := range map[string]bool{
		"a": true, "a.b_1": true, `"a b"`: true, "": false, "a b": false, ".a": false, "a.": false, "a[0]": false, `"a`: false,
		"1a": false, "a|b": false, `"\(1)"`: true,
	} {
		if ValidField(field) != valid {
			t.Errorf("%s is a field: %t", field, !valid)
		}
	}
}

package intake

import "testing"

// TestScores: fields are compared in their order; a later one never makes up for an earlier one.
func TestScores(t *testing.T) {
	t.Parallel()
	ordered := []score{
		{strength: byType, distance: 20, penalty: 30},
		{strength: byAlias, penalty: 5},
		{strength: byAlias, penalty: 10},
		{strength: byAlias, distance: 1},
		{strength: byValue},
		{formName: true, strength: byAlias},
		{formName: true, strength: byTitle},
	}
	for i, a := range ordered {
		for j, b := range ordered {
			if want := i < j; a.beats(b) != want {
				t.Errorf("%+v beats %+v: %v", a, b, !want)
			}
		}
	}
}

// TestFits: the weaker the rule that bids, the more a value must look like its field.
func TestFits(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		field    field
		value    string
		strength strength
		want     bool
	}{
		{fieldEmail, "Ana <ana@x.com>", byAlias, true}, {fieldEmail, "não tenho", byAlias, false},
		{fieldPhone, "190", byAlias, true}, {fieldPhone, "190", byTypeToo, true}, {fieldPhone, "190", byTitle, false},
		{fieldPhone, "00551188887777000", byAlias, true}, {fieldPhone, "00551188887777000", byWeak, false},
		{fieldPhone, "ana@x.com 11988887777", byAlias, false},
		{fieldName, "12345", byAlias, true}, {fieldName, "11988887777", byAlias, false},
		{fieldName, "12345", byTitle, false}, {fieldName, "R2-D2", byTitle, true}, {fieldName, "R2-D2", byWeak, false},
		{fieldName, "Sim", byAlias, false}, {fieldName, "https://x.com", byAlias, false},
		{fieldCompany, "99", byAlias, true}, {fieldCompany, "99", byWeak, false}, {fieldCompany, "Não", byTitle, false},
		{fieldOrigin, "https://x.com", byAlias, false}, {fieldOrigin, "/lp", byWeak, false},
		{fieldAmount, "R$ 10", byAlias, true}, {fieldAmount, "a combinar", byAlias, false},
		{fieldMessage, "7", byAlias, true}, {fieldMessage, "7", byWeak, false},
		{fieldMessage, "2026-09-14T10:00:00Z", byAlias, false},
		{fieldArea, "(11)", byAlias, true}, {fieldArea, "1", byAlias, false}, {fieldArea, "1198", byAlias, false},
		{fieldCountry, "+55", byAlias, true}, {fieldCountry, "00", byAlias, false}, {fieldCountry, "BR", byAlias, false},
	} {
		a := &answer{key: "k1", values: []string{c.value}}
		if got := fits[c.field](&chooser{}, a, c.strength); got != c.want {
			t.Errorf("%d %q by %d: %v", c.field, c.value, c.strength, got)
		}
	}
	for f := noField + 1; f < fieldCount; f++ {
		if fits[f] == nil {
			t.Errorf("no rule for field %d", f)
		}
	}
}

// TestNamesOfForms: what stands beside the answers under "name" is the form's, or the person's at most.
func TestNamesOfForms(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		answer answer
		taken  bool
		want   score
	}{
		{answer{key: "name", values: []string{"Ana"}}, true, score{strength: byAlias}},
		{answer{key: "name", values: []string{"77"}}, true, score{strength: byWeak}},
		{answer{key: "name", values: []string{"Ana"}, scope: scope{envelope: maybeEnvelope}}, true,
			score{formName: true, strength: byAlias}},
		{answer{key: "full_name", values: []string{"Ana"}, scope: scope{envelope: formEnvelope}}, true,
			score{strength: byAlias}},
		{answer{key: "name", values: []string{"Contato"}, scope: scope{envelope: formEnvelope}}, false,
			score{formName: true, strength: byAlias}},
	} {
		if got, ok := scoreOfName(&c.answer, score{strength: byAlias}); got != c.want || ok != c.taken {
			t.Errorf("%+v: %+v, %v", c.answer, got, ok)
		}
	}
}

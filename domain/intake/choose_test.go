package intake

import "testing"

// TestScores: scores are compared field by field; a later field never makes up for an earlier one.
func TestScores(t *testing.T) {
	t.Parallel()
	ordered := []score{
		{strength: typeOnFormService, distance: 20, penalty: 30},
		{strength: knownName, penalty: 5},
		{strength: knownName, penalty: 10},
		{strength: knownName, distance: 1},
		{strength: lookOnly},
		{formName: true, strength: knownName},
		{formName: true, strength: titleWord},
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
		{fieldEmail, "Ana <ana@x.com>", knownName, true}, {fieldEmail, "não tenho", knownName, false},
		{fieldPhone, "190", knownName, true}, {fieldPhone, "190", typeElsewhere, true},
		{fieldPhone, "190", titleWord, false}, {fieldPhone, "00551188887777000", knownName, true},
		{fieldPhone, "00551188887777000", weakName, false}, {fieldPhone, "ana@x.com 11988887777", knownName, false},
		{fieldName, "12345", knownName, true}, {fieldName, "11988887777", knownName, false},
		{fieldName, "12345", titleWord, false}, {fieldName, "R2-D2", titleWord, true}, {fieldName, "R2-D2", weakName, false},
		{fieldName, "Sim", knownName, false}, {fieldName, "https://x.com", knownName, false},
		{fieldCompany, "99", knownName, true}, {fieldCompany, "99", weakName, false},
		{fieldCompany, "Não", titleWord, false}, {fieldOrigin, "https://x.com", knownName, false},
		{fieldOrigin, "/lp", weakName, false}, {fieldAmount, "R$ 10", knownName, true},
		{fieldAmount, "a combinar", knownName, false}, {fieldMessage, "7", knownName, true},
		{fieldMessage, "7", weakName, false}, {fieldMessage, "2026-09-14T10:00:00Z", knownName, false},
		{fieldArea, "(11)", knownName, true}, {fieldArea, "1", knownName, false}, {fieldArea, "1198", knownName, false},
		{fieldCountry, "+55", knownName, true}, {fieldCountry, "00", knownName, false},
		{fieldCountry, "BR", knownName, false},
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

// TestNamesOfForms: a "name" beside the answers is the form's, or at most the person's only name; a "nome" is the person's.
func TestNamesOfForms(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		answer answer
		taken  bool
		want   score
	}{
		{answer{key: "name", values: []string{"Ana"}}, true, score{alias: true, strength: knownName}},
		{answer{key: "name", values: []string{"77"}}, true, score{alias: true, strength: weakName}},
		{answer{key: "name", values: []string{"Ana"}, scope: scope{envelope: maybeEnvelope}}, true,
			score{formName: true, alias: true, strength: knownName}},
		{answer{key: "full_name", values: []string{"Ana"}, scope: scope{envelope: formEnvelope}}, true,
			score{alias: true, strength: knownName}},
		{answer{key: "name", values: []string{"Contato"}, scope: scope{envelope: formEnvelope}}, false,
			score{formName: true, alias: true, strength: knownName}},
		{answer{key: "nome", values: []string{"Ana"}, scope: scope{envelope: formEnvelope}}, true,
			score{formName: true, strength: knownName}},
	} {
		alias := !c.answer.hasOwnName(bid{field: fieldName, strength: knownName})
		if got, ok := scoreOfName(&c.answer, score{alias: alias, strength: knownName}); got != c.want || ok != c.taken {
			t.Errorf("%+v: %+v, %v", c.answer, got, ok)
		}
	}
}

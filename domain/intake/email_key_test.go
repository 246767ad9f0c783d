package intake_test

import (
	"strings"
	"testing"

	"fichario/domain/intake"
)

// TestTheKeyOfTheEmailThatAWebhookKeeps: where the key holds an address it outranks the rules, where not they apply.
func TestTheKeyOfTheEmailThatAWebhookKeeps(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, key, body, email, from string
		byKey                        bool
	}{
		{"no rule finds it", "receipt_to", `{"nome": "Ana", "receipt_to": "ana@example.com"}`, "ana@example.com",
			"receipt_to", true},
		{"in other letters", "Receipt to", `{"nome": "Ana", "receipt_to": "ana@example.com"}`, "ana@example.com",
			"receipt_to", true},
		{"before the rules", "compras", `{"email": "loja@example.com", "compras": "ana@example.com"}`, "ana@example.com",
			"compras", true},
		{"the key is absent", "compras", `{"email": "loja@example.com"}`, "loja@example.com", "email", false},
		{"the key has no address", "compras", `{"email": "loja@example.com", "compras": "ana"}`, "loja@example.com",
			"email", false},
		{"nothing has one", "compras", `{"compras": "ana"}`, "", "", false},
		{"in a closed record", "seller email", `{"seller": {"email": "ana@example.com"}, "nome": "Ana"}`,
			"ana@example.com", "email", true},
		{"bookkeeping", "session_token", `{"session_token": "ana@example.com", "nome": "Ana"}`, "ana@example.com",
			"session_token", true},
		{"several addresses under it: the first", "para", `{"para": ["ana@example.com", "bia@example.com"]}`,
			"ana@example.com", "para", true},
		{"a file under it", "anexo", `{"anexo": "data:text/plain;base64,@@@@", "email": "ana@example.com"}`,
			"ana@example.com", "email", false},
		{"none asked for", "", `{"receipt_to": "ana@example.com"}`, "", "", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			all, err := intake.ReadAll(intake.Options{Kind: intake.Generic, EmailKey: c.key}, "application/json",
				[]byte(c.body))
			if err != nil || len(all) != 1 {
				t.Fatal(len(all), err)
			}
			from := ""
			for _, f := range all[0].Fields {
				if f.Field == "email" && all[0].Email != "" {
					from = f.Key
				}
			}
			if all[0].Email != c.email || from != c.from || all[0].ByEmailKey != c.byKey {
				t.Errorf("read %q from %q, by the key: %t", all[0].Email, from, all[0].ByEmailKey)
			}
		})
	}
}

// TestTheKeyOfTheEmailFindsThePeopleOfAList: each element with it is a person, as with a key that the rules know.
func TestTheKeyOfTheEmailFindsThePeopleOfAList(t *testing.T) {
	t.Parallel()
	body := `[{"nome": "Ana", "receipt_to": "ana@example.com"}, {"nome": "Bia", "receipt_to": "bia@example.com"}]`
	all, err := intake.ReadAll(intake.Options{Kind: intake.Generic, EmailKey: "receipt_to"}, "", []byte(body))
	if err != nil || len(all) != 2 || all[1].Email != "bia@example.com" {
		t.Fatal(all, err)
	}
}

// TestTheAnswersOfABody: those with an address come first, none is personal data by its key, and each has an example.
func TestTheAnswersOfABody(t *testing.T) {
	t.Parallel()
	body := `{"nome": "Ana", "vazio": "", "52998224725": "x", "seller": {"email": "loja@example.com"},
		"obs": "` + strings.Repeat("o", 60) + `", "nome ": "Bia", "receipt_to": "ana@example.com"}`
	got, err := intake.Answers(intake.Options{Kind: intake.Generic}, "", []byte(body))
	want := []intake.Pair{{Key: "seller email", Value: "loja@example.com"}, {Key: "receipt_to", Value: "ana@example.com"},
		{Key: "nome", Value: "Ana"}, {Key: "obs", Value: strings.Repeat("o", 40)}}
	if err != nil || len(got) != len(want) {
		t.Fatal(got, err)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("%d: %q, not %q", i, got[i], want[i])
		}
	}
	if _, err := intake.Answers(intake.Options{}, "", []byte("\x00")); err == nil {
		t.Error("a body without a reading has answers")
	}
}

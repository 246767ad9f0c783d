package intake

import "testing"

// TestAnswersAreKept: what looks like a program's bookkeeping, its own kind or its head, but is what somebody said.
func TestAnswersAreKept(t *testing.T) {
	t.Parallel()
	const at = `"2026-09-14T10:00:00Z"`
	for body, want := range map[string]string{
		`"booked_for":` + at + `,"order_delivery_date":` + at + `,"booked_at":` + at + `,"order_date":` + at: "booked_for: " +
			"2026-09-14T10:00:00Z\norder_delivery_date: 2026-09-14T10:00:00Z",
		`"deal":{"has_car":false,"can_travel":false}`:                                    "deal has_car: Não\ndeal can_travel: Não",
		`"renda_gross":"5000.50"`:                                                        "renda_gross: 5000.50",
		`"Have you heard of us?":"Yes, often"`:                                           "Have you heard of us?: Yes, often",
		`"auth":{"email":"svc@loja.com","token":"x"}`:                                    "",
		`"meta":[{"name":"author","value":"Rui"},{"name":"email","value":"a@loja.com"}]`: "author: Rui\nemail: a@loja.com",
	} {
		d := mustRead(t, "", `{"email":"ana@x.com",`+body+`}`)
		if d.Note() != want || d.Email != "ana@x.com" || d.Amount != 0 || d.Origin != "" {
			t.Errorf("%s: %q %q %q %d", body, d.Note(), d.Email, d.Origin, d.Amount)
		}
	}
	if d := mustRead(t, "", `{"auth":{"email":"svc@loja.com"},"email":"ana@x.com"}`); d.Email != "ana@x.com" {
		t.Errorf("who signs in to a hook is the contact: %q", d.Email)
	}
	for body, want := range map[string]string{
		`"Como nos conheceu?":"web","utm_source":"google"`: "web", `"como_conheceu":"chat","utm_source":"google"`: "chat",
		`"Como soube da vaga?":"LinkedIn"`: "LinkedIn", `"source_name":"web","utm_source":"google"`: "",
	} {
		if d := mustRead(t, "", `{"email":"ana@x.com",`+body+`}`); d.Origin != want {
			t.Errorf("%s: %q", body, d.Origin)
		}
	}
}

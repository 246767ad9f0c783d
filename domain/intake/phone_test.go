package intake

import "testing"

// TestPartsOfPhones: a phone gets the area and the country whose keys name it.
func TestPartsOfPhones(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		pairs []string
		want  string
	}{
		{[]string{"ddd_telefone", "21", "telefone", "3333-4444", "ddd_celular", "11", "celular", "98888-777"}, "213333-4444"},
		{[]string{"ddd_celular", "11", "celular", "98888-7777", "ddd_telefone", "21", "telefone", "3333-444"}, "213333-444"},
		{[]string{"DDD Fixo", "21", "Fixo", "3333-4444", "DDD Celular", "11", "Celular", "98888-7777"}, "1198888-7777"},
		{[]string{"ddd_fixo", "21", "ddd_cel", "11", "celular", "98888-7777"}, "1198888-7777"},
		{[]string{"ddd_celular", "11", "ddd", "21", "telefone", "3333-4444"}, "213333-4444"},
		{[]string{"ddd_celular", "11", "telefone", "98888-7777"}, "1198888-7777"},
		{[]string{"ddd", "11", "whatsapp", "98888-7777"}, "1198888-7777"},
		{[]string{"phone_country_code", "54", "country_code", "351", "mobile", "912345678"}, "+351 912345678"},
		{[]string{"country_code", "54", "phone_country_code", "351", "phone", "912345678"}, "+351 912345678"},
	} {
		if d := mustRead(t, formType, pairs(append(c.pairs, "email", "a@x.com")...)); d.Phone != c.want {
			t.Errorf("%v: %q, want %q (%s)", c.pairs, d.Phone, c.want, d.Note())
		}
	}
}

package intake

import (
	"fmt"
	"testing"

	"fichario/domain/intake/fields"
)

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
		{[]string{"telefone_fixo", "1133334444", "telefone_movel", "11987654321"}, "11987654321"},
		{[]string{"phone_country_code", "54", "country_code", "351", "mobile", "912345678"}, "+351 912345678"},
		{[]string{"country_code", "54", "phone_country_code", "351", "phone", "912345678"}, "+351 912345678"},
	} {
		if d := mustRead(t, formType, pairs(append(c.pairs, "email", "a@x.com")...)); d.Phone != c.want {
			t.Errorf("%v: %q, want %q (%s)", c.pairs, d.Phone, c.want, d.Note())
		}
	}
}

// TestTheCountryOfAPhone: a number without its country's code is of the country that the body states, else of Brazil
// unless it is written as only North Americans write theirs.
func TestTheCountryOfAPhone(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`"phone":"(415) 555-2671"`:                                               "+14155552671",
		`"phone":"415-555-2671"`:                                                 "+14155552671",
		`"phone":"1-415-555-2671"`:                                               "+14155552671",
		`"phone":"4155552671"`:                                                   "+554155552671",
		`"phone":"4155552671","country":"US"`:                                    "+14155552671",
		`"phone":"415-555-2671","country":"BR"`:                                  "+554155552671",
		`"phone":"415 555 2671","country_code":"US"`:                             "+14155552671",
		`"phone":"4155552671","address":{"country":"United States"}`:             "+14155552671",
		`"phone":"4155552671","ip_info":{"country":"US"}`:                        "+554155552671",
		`"phone":"4155552671","owner_country":"US"`:                              "+554155552671",
		`"phone":"(21) 2345-6789","country":"US"`:                                "+552123456789",
		`"phone":"11 98765-4321","country":"US"`:                                 "+5511987654321",
		`"phone":"21 2345-6789","country":"US"`:                                  "+552123456789",
		`"phone":"21-2345-6789","country":"US"`:                                  "+552123456789",
		`"phone":"(51) 98765-4321","country":"Peru"`:                             "+5551987654321",
		`"phone":"51987654321","country":"Peru"`:                                 "+51987654321",
		`"phone":"5511987654321","country":"US"`:                                 "+5511987654321",
		`"phone":"+351912345678","country":"Portugal"`:                           "+351912345678",
		`"phone":"351912345678","country":"Portugal"`:                            "+351912345678",
		`"phone":"2123456789","organization":{"name":"A","country":"US"}`:        "+552123456789",
		`"phone":"2123456789","company":{"name":"A","address":{"country":"US"}}`: "+552123456789",
		`"phone":"(119) 876-5432"`:                                               "+5511998765432",
		`"telefone":"912 345 678","pais":"Portugal"`:                             "+351912345678",
		`"telefone":"11 2345-6789","País":"Argentina"`:                           "+541123456789",
		`"phone":"+52 1 55 1234 5678"`:                                           "+525512345678",
		`"phone":"07911 123456","country":"Reino Unido"`:                         "+447911123456",
		`"billing":{"phone":"4155552671","country":"US"},"country":"BR"`:         "+14155552671",
	} {
		d := mustRead(t, "", `{"email":"ana@x.com",`+body+`}`)
		if d.PhoneE164 != want || fields.E164(d.Phone) != want && d.Phone != "415-555-2671" {
			t.Errorf("%s: %q %q, not %q", body, d.Phone, d.PhoneE164, want)
		}
	}
}

// TestPhonesWithOtherSpacesAndDashes, as pages and address books write them.
func TestPhonesWithOtherSpacesAndDashes(t *testing.T) {
	t.Parallel()
	for _, phone := range []string{
		"(11)\u00a098765-4321", "(11)&nbsp;98765-4321", "(11) 98765\u20114321", "11\u00a098765\u20134321",
	} {
		if d := mustRead(t, formType, pairs("fone_celular", phone, "email", "a@x.com")); d.PhoneE164 != "+5511987654321" {
			t.Errorf("%q: %q of %q", phone, d.PhoneE164, d.Phone)
		}
	}
}

// TestTheChatsNumber is the contact's, and that of the business ours.
func TestTheChatsNumber(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		`{"wa_id":"5585987651122","business_phone":"558533334444","email":"a@x.com"}`,
		`{"waId":"5585987651122","businessPhone":"558533334444","nome":"Ana","email":"a@x.com"}`,
		`{"contact":{"wa_id":"5585987651122"},"email":"a@x.com","phone":"558533334444"}`,
	} {
		if d := mustRead(t, "", body); d.Phone != "5585987651122" {
			t.Errorf("%s: %q", body, d.Phone)
		}
	}
}

// TestAPhoneInDigitsOfAnotherScript is the number that it says, whoever typed it with another keyboard.
func TestAPhoneInDigitsOfAnotherScript(t *testing.T) {
	t.Parallel()
	for sent, want := range map[string]string{
		"１１９８７６５４３２１": "11987654321", "＋５５　（１１）　９８７６５－４３２１": "+55 (11) 98765-4321",
		"١١٩٨٧٦٥٤٣٢١": "11987654321", "११ ९८७६५-४३२१": "11 98765-4321", "𝟏𝟏 𝟵𝟴𝟳𝟲𝟱-𝟰𝟯𝟮𝟭": "11 98765-4321",
	} {
		for _, key := range []string{"telefone", "seu whatsapp", "campo 7"} {
			d := mustRead(t, "", fmt.Sprintf(`{"email":"ana@exemplo.com.br",%q:%q}`, key, sent))
			if d.Phone != want || d.PhoneE164 != "+5511987654321" {
				t.Errorf("%s %q: %q, %q; want %q", key, sent, d.Phone, d.PhoneE164, want)
			}
		}
	}
	if got := withoutPersonalData("１１９８７６５４３２１"); got != "(um número)" {
		t.Errorf("a key that is a number is shown as %q", got)
	}
	if got := fields.E164("１１９８７６５４３２１"); got != "+5511987654321" {
		t.Errorf("typed into a page: %q", got)
	}
}

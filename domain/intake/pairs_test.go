package intake

import "testing"

// TestPairsOfKeysAndValues are the fields of a record, whatever their product calls the two.
func TestPairsOfKeysAndValues(t *testing.T) {
	t.Parallel()
	pair := func(key, value string) string {
		return `[{"` + key + `":"first_name","` + value + `":"Ana"},{"` + key + `":"email","` + value + `":"ana@x.com"},{"` +
			key + `":"phone_number","` + value + `":"11987654321"},{"` + key + `":"_billing_cpf","` + value + `":"529.982.247-25"}]`
	}
	for _, list := range []string{"fields", "meta_data", "meta", "item_meta", "custom_attributes", "note_attributes"} {
		for _, names := range [][2]string{
			{"meta_key", "meta_value"}, {"key", "value"}, {"name", "value"}, {"label", "value"}, {"id", "value"}, {"slug", "value"},
		} {
			body := `{"event":"x","` + list + `":` + pair(names[0], names[1]) + `}`
			if got := contactsIn(t, "", body); got != "Ana ana@x.com +5511987654321 52998224725" {
				t.Errorf("%s: %q", body, got)
			}
		}
	}
	google := `{"lead_id":"a","user_column_data":[{"column_name":"User Column Data Full Name","string_value":"Ana"},` +
		`{"column_name":"User Column Data Email","string_value":"ana@x.com"},` +
		`{"column_name":"User Column Data Phone Number","string_value":"11987654321"}]}`
	if got := contactsIn(t, "", google); got != "Ana ana@x.com +5511987654321 " {
		t.Errorf("%q", got)
	}
}

// TestFieldsWithNullMembers: Stripe's own fields hold one value among what they do not use.
func TestFieldsWithNullMembers(t *testing.T) {
	t.Parallel()
	const limits = `"default_value":null,"maximum_length":null,"minimum_length":null,`
	d := mustRead(t, "", `{"object":"event","livemode":true,"type":"checkout.session.completed","data":{"object":{"custom_fields":[
		{"key":"empresa","label":{"custom":"Nome da empresa","type":"custom"},"optional":false,"type":"text","dropdown":null,
		"numeric":null,"text":{`+limits+`"value":"Padaria Sol"}},{"key":"t","label":{"custom":"Tamanho","type":"custom"},
		"optional":true,"type":"dropdown","dropdown":{"default_value":null,"options":[{"label":"Grande","value":"g"}],"value":"g"},
		"numeric":null,"text":null},{"key":"m","label":{"custom":"Matrícula","type":"custom"},"type":"numeric","dropdown":null,
		"numeric":{`+limits+`"value":"445566"},"text":null}],"customer_details":{"email":"rosa@x.com","name":"Rosa Lima",
		"tax_ids":[{"type":"br_cnpj","value":"11.222.333/0001-81"}]}}}}`)
	if d.Company != "Padaria Sol" || len(d.Documents) != 1 || d.Note() != "Tamanho: Grande\nMatrícula: 445566" {
		t.Errorf("%q %v %q", d.Company, d.Documents, d.Note())
	}
}

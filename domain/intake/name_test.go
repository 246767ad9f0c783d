package intake

import "testing"

func TestDisplayName(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		draft Draft
		kind  Kind
		want  string
	}{
		{Draft{Email: "ana.b@x.com"}, Generic, "Lead sem nome"}, {Draft{Email: "ana.b@x.com"}, FormService, "ana.b"},
		{Draft{Email: "@x"}, FormService, "Lead sem nome"}, {Draft{Name: "N"}, Generic, "N"},
	} {
		if got := c.draft.DisplayName(c.kind); got != c.want {
			t.Errorf("%+v: %q, want %q", c.draft, got, c.want)
		}
	}
}

// TestNamesAreTakenAsSent: whatever stands in a name field is the name, unless something else looks more like one.
func TestNamesAreTakenAsSent(t *testing.T) {
	t.Parallel()
	for sent, want := range map[string]string{
		`"Ana @ ACME"`: "Ana @ ACME", `"12345"`: "12345", `123`: "123", `"ana@x.com"`: "ana@x.com",
		`"Ana\r\nSouza"`: "Ana Souza", `"R2-D2"`: "R2-D2", `"12345","nome_completo":"Ana Souza"`: "Ana Souza", `true`: "",
		`" "`: "", `null`: "", `"{{nome}}"`: "", `"https://x.com"`: "", `"(11) 98765-4321"`: "",
	} {
		if d, err := Read(Options{}, "", []byte(`{"email":"n@b.com","nome":`+sent+`}`)); err != nil || d.Name != want {
			t.Errorf("%s: %q, %v", sent, d.Name, err)
		}
	}
}

// TestNameBesideAnAskedEmail: where a question beside it asks for the e-mail, a bare name is the person's, also in a
// form that sends its own id.
func TestNameBesideAnAskedEmail(t *testing.T) {
	t.Parallel()
	for _, email := range []string{
		"email", "E-mail (obrigatório)", "No Label email", "Company email", "Correo electrónico", "Insira seu e-mail",
		"Qual o e-mail para contato?", "Digite aqui o seu melhor e-mail", "Tu correo electrónico aquí", "Your work e-mail",
	} {
		for _, name := range []string{"Nome", "Name", "Nombre", "nome"} {
			body := pairs(name, "Ana Lima", email, "ana@x.com", "form_id", "c1d6fde", "form_name", "LP")
			if d := mustRead(t, formType, body); d.Name != "Ana Lima" || d.Email != "ana@x.com" {
				t.Errorf("%s, %s: %q %q", name, email, d.Name, d.Email)
			}
		}
	}
	for _, body := range []string{
		`{"name":"LP","form_id":3,"admin_email":"x@y.com","data":{"first_name":"Ana","email":"ana@x.com"}}`,
		`{"name":"LP","form_id":3,"site email":"x@y.com","data":{"first_name":"Ana","email":"ana@x.com"}}`,
		`{"name":"LP","form_id":3,"Full name":"Ana","owner_email":"x@y.com"}`,
	} {
		if d := mustRead(t, "", body); d.Name != "Ana" {
			t.Errorf("%s: %q", body, d.Name)
		}
	}
}

// TestNameWithAPhone: a phone after it makes a name no phone.
func TestNameWithAPhone(t *testing.T) {
	t.Parallel()
	for _, key := range []string{"nome", "name", "Nombre completo", "Seu nome"} {
		for value, want := range map[string]string{
			"Maria 11 98765-4321": "Maria 11 98765-4321", "Maria (11) 98765-4321": "Maria (11) 98765-4321",
			"Maria - 11987654321": "Maria - 11987654321", "11 98765-4321 Maria": "11 98765-4321 Maria",
			"11 98765-4321": "", "+55 (11) 98765-4321": "", "11987654321": "",
		} {
			if d := mustRead(t, formType, pairs(key, value, "email", "m@x.com")); d.Name != want {
				t.Errorf("%s %s: %q", key, value, d.Name)
			}
		}
	}
}

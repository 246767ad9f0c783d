package intake

import (
	"errors"
	"strings"
	"testing"

	"fichario/domain/fault"
)

func TestCheckEmail(t *testing.T) {
	t.Parallel()
	d := mustRead(t, "", `{"nome":"Ana","fone":"11 99999-0000"}`)
	err := d.CheckEmail()
	var f *fault.Error
	if !errors.As(err, &f) || f.Code != fault.InvalidEmail || f.Field != "email" ||
		!strings.Contains(f.Message, "nome, fone") || strings.Contains(f.Message, "Ana") {
		t.Errorf("%+v", f)
	}
	for _, body := range []string{
		`{"nome":"Ana","E-mail":"não tenho"}`, `{"nome":"Ana","E-mail":""}`, `{"E-mail":null,"nome":"Ana"}`,
		`{"answers":[{"type":"email","email":"nada","field":{"id":"a","type":"email"}}],
			"definition":{"fields":[{"id":"a","title":"E-mail"}]}}`,
	} {
		if !errors.As(mustRead(t, "", body).CheckEmail(), &f) || !strings.Contains(f.Message, `"E-mail"`) ||
			strings.Contains(f.Message, "tenho") {
			t.Errorf("%s: %+v", body, f)
		}
	}
	if err := (Draft{Email: "a@b"}).CheckEmail(); err != nil {
		t.Error(err)
	}
}

func TestEmails(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		" Ana@Exemplo.com ": "Ana@Exemplo.com", "Ana <ana@x.com>": "ana@x.com", "mailto:ana@x.com": "ana@x.com",
		"<ana@x.com>": "ana@x.com", "a@x.com, b@x.com": "a@x.com", "a@x.com;b@x.com": "a@x.com",
		"meu é ana@x.com":                          "ana@x.com",
		"<a href='mailto:ana@x.com'>ana@x.com</a>": "ana@x.com", "<p>ana@x.com</p>": "ana@x.com",
		"ana@x.com<br/>":       "ana@x.com",
		"Ana <ana@x.com> </b>": "ana@x.com", "@": "@", "ana@": "ana@", "mailto:ana@x.com?subject=oi": "ana@x.com",
		"<mailto:ana@x.com|ana@x.com>": "ana@x.com", "'ana@x.com'": "ana@x.com", "' ana@x.com '": "ana@x.com",
		"\u200bana@x.com": "ana@x.com", strings.Repeat("a", 320) + "@x.com": "", "ana@x": "ana@x",
	} {
		if d := mustRead(t, "", `{"email":"`+text+`"}`); d.Email != want {
			t.Errorf("%q: %q, want %q", text, d.Email, want)
		}
	}
}

// TestEmailsOfOthers: the address of the form's owner, of a seller or of a relative is not the contact's.
func TestEmailsOfOthers(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		`{"user":"dono@x.com","nome":"A"}`, `{"contact_owner_email":"dono@x.com"}`,
		`{"Entry":{"User":{"Email":"dono@x.com"}},"$version":1}`, `{"charge":{"receipt_email":"dono@x.com"}}`,
		`{"receipt_email":"dono@x.com"}`, `{"producer":{"email":"dono@x.com"}}`, `{"username":"dono@x.com"}`,
		`{"to":"dono@x.com"}`, `{"conjuge":{"email":"dono@x.com"}}`, `{"jid":"5511988887777@s.whatsapp.net"}`,
		`{"identity":"5511988887777@wa.gw.msging.net"}`,
	} {
		if d := mustRead(t, "", body); d.Email != "" {
			t.Errorf("%s: the owner's %q", body, d.Email)
		}
	}
}

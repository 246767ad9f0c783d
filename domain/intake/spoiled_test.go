package intake

import (
	"encoding/base64"
	"strings"
	"testing"
)

// TestWhatSendersSpoil is still read: encodings other than the header's, and headers that say nothing.
func TestWhatSendersSpoil(t *testing.T) {
	t.Parallel()
	const want = "ana@x.example João"
	part := func(name, value string) string {
		return "--B\r\nContent-Disposition: form-data; name=\"" + name + "\"\r\nContent-Transfer-Encoding: base64\r\n\r\n" +
			base64.StdEncoding.EncodeToString([]byte(value)) + "\r\n"
	}
	for what, c := range map[string][2]string{
		"UTF-8 under a header of Latin-1":  {"application/json; charset=ISO-8859-1", `{"email":"ana@x.example","nome":"João"}`},
		"Latin-1 under its header":         {"application/json; charset=ISO-8859-1", "{\"email\":\"ana@x.example\",\"nome\":\"Jo\xe3o\"}"},
		"JSON under multipart":             {"multipart/form-data", `{"email":"ana@x.example","nome":"João"}`},
		"JSON that was encoded as a whole": {formType, "%7B%22email%22%3A%22ana%40x.example%22%2C%22nome%22%3A%22Jo%C3%A3o%22%7D"},
		"the same, as a key":               {formType, "%7B%22email%22%3A%22ana%40x.example%22%2C%22nome%22%3A%22Jo%C3%A3o%22%7D="},
		"parts in base64":                  {`multipart/form-data; Boundary="B"`, part("email", "ana@x.example") + part("nome", "João") + "--B--\r\n"},
	} {
		d := mustRead(t, c[0], c[1])
		if got := d.Email + " " + d.Name; got != want {
			t.Errorf("%s: %q", what, got)
		}
	}
}

// TestAnAddressInASentence is taken without the punctuation around it, and of several the first.
func TestAnAddressInASentence(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]string{
		"ana@x.example.": "", "(ana@x.example)": "", "ana@x.example)": "", "ana@x.example!": "", "ana@x.example\u2060": "",
		"ana@x.example/bia@y.example": "bia", "ana@x.example|bia@y.example": "bia", "ana@x.example\u00a0(casa)": "casa",
		"ana@x.example": "", "ana@x.example:": "",
	} {
		d := mustRead(t, "", `{"email":"`+said+`"}`)
		if d.Email != "ana@x.example" || !strings.Contains(d.Note(), want) || want == "" && d.Note() != "" {
			t.Errorf("%q: %q, note %q", said, d.Email, d.Note())
		}
	}
	for _, own := range []string{"a/b@x.example", `"joão silva"@x.example`} {
		if d := mustRead(t, formType, "email="+own); d.Email != own {
			t.Errorf("%q: %q", own, d.Email)
		}
	}
}

// TestAPhoneIsNoMoment, whatever its key says; a time of this century is one.
func TestAPhoneIsNoMoment(t *testing.T) {
	t.Parallel()
	for key, value := range map[string]string{
		"event_phone": "5511987654321", "lastWhatsapp": "5511987654321", "original_phone": "1134567890", "sent_code": "9134567890",
	} {
		d := mustRead(t, "", `{"email":"a@x.com","`+key+`":"`+value+`"}`)
		if !strings.Contains(d.Phone+d.Note(), value) {
			t.Errorf("%s vanished", key)
		}
	}
	if d := mustRead(t, "", `{"email":"a@x.com","last_event":"1767225600000"}`); d.Note() != "" {
		t.Errorf("a moment: %q", d.Note())
	}
}

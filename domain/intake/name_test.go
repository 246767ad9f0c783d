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

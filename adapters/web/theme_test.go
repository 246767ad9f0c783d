package web_test

import (
	"strings"
	"testing"
)

// TestATheme is chosen per device: dark always, never, or as the device says.
func TestATheme(t *testing.T) {
	t.Parallel()
	v := openSite(t).visitor("Ana")
	for chosen, want := range map[string]string{"escuro": "always", "claro": "never", "": "device", "azul": "device"} {
		v.send("/conta/tema", "tema", chosen)
		head, _, _ := strings.Cut(v.get("/conta"), "</head>")
		_, link, linked := strings.Cut(head, "dark.")
		got := "never"
		if linked {
			got = "always"
			if link, _, _ = strings.Cut(link, ">"); strings.Contains(link, "(prefers-color-scheme: dark)") {
				got = "device"
			}
		}
		if got != want {
			t.Errorf("%q: dark %s, want %s", chosen, got, want)
		}
	}
}

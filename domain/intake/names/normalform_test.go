package names

import (
	"strings"
	"testing"
)

// TestNames compares the shortcut through the tables with the full computation.
func TestNames(t *testing.T) {
	t.Parallel()
	for r := rune(1); r < 0x3000; r++ {
		s := "x" + string(r) + "Y"
		if got, want := Of(s), string(appendDecomposed(nil, s)); got != want {
			t.Fatalf("%U: %q, want %q", r, got, want)
		}
	}
}

func TestWords(t *testing.T) {
	t.Parallel()
	for title, want := range map[string]string{
		"Qual é o seu e-mail?": "qual|e|o|seu|email", "nomeCompleto": "nome|completo", "ORÇAMENTO (R$)": "orcamento|r",
		"e_mail": "email", "Orc\u0327amento": "orcamento", "número": "numero", "ＮＯＭＥ": "nome",
	} {
		if got := strings.Join(Words(title), "|"); got != want {
			t.Errorf("%q: %q", title, got)
		}
	}
}

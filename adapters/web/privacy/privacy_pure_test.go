package privacy

import (
	"strings"
	"testing"

	"fichario/adapters/web"
	"fichario/app/privacy"
)

// TestACountThatTakesTooLongSaysSo, even where nothing has been found so far.
func TestACountThatTakesTooLongSaysSo(t *testing.T) {
	t.Parallel()
	s, err := web.NewServer(web.Config{}, Use{}.Pages)
	if err != nil {
		t.Fatal(err)
	}
	for name, block := range map[string]string{"privacidade": "held", "titular-apagar": "content"} {
		data := any(privacyPage{Found: &privacy.Held{More: true}})
		if block == "content" {
			data = web.Page{Data: data}
		}
		var out strings.Builder
		if err := s.Execute(&out, name, block, data); err != nil {
			t.Error(err)
		}
		if got := out.String(); !strings.Contains(got, "são o mínimo") || strings.Contains(got, "Não há nada guardado") ||
			strings.Contains(got, "Bloquear esta pessoa") {
			t.Errorf("%s says %s", name, got)
		}
	}
}

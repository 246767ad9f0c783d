package intake

import (
	"strings"
	"testing"
)

func TestLinesOfText(t *testing.T) {
	t.Parallel()
	d := mustRead(t, "text/plain",
		"Nome: Ana\nE-mail: ana@exemplo.com.br\nSite: https://ana.com\nMensagem: Olá,\n  quero um orçamento\n"+
			"https://ana.com/obra\n\nVisita: terça: 14:00")
	if d.Message != "Olá,\n  quero um orçamento\nhttps://ana.com/obra" ||
		!strings.Contains(d.Note(), "Visita: terça: 14:00") || !strings.Contains(d.Note(), "Site: https://ana.com") {
		t.Errorf("%+v", d)
	}
	d = mustRead(t, "text/plain", "Novo lead recebido!\n\nNome: Ana\nE-mail: ana@exemplo.com.br")
	if d.Name != "Ana" || d.Email != "ana@exemplo.com.br" || !strings.Contains(d.Note(), "Novo lead recebido!") {
		t.Errorf("%+v", d)
	}
}

func TestElements(t *testing.T) {
	t.Parallel()
	d := mustRead(t, "text/xml", `<leads><lead><nome>Ana</nome><email>ana@exemplo.com.br</email>
		<imovel codigo="7">Casa &amp; quintal</imovel></lead><lead><nome>Bia</nome></lead></leads>`)
	if d.Name != "Ana" || d.Email != "ana@exemplo.com.br" {
		t.Errorf("%+v", d)
	}
	for _, s := range []string{"Casa & quintal", "codigo: 7", "Bia"} {
		if !strings.Contains(d.Note(), s) {
			t.Errorf("no %q: %s", s, d.Note())
		}
	}
}

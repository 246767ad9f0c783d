package intake

import (
	"encoding/json"
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

// TestLinesInHTML: a mail's lines may be rows or paragraphs of a page.
func TestLinesInHTML(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		"<p><b>Nome:</b> Ana Lima<br><b>E-mail:</b> <a href=\"mailto:ana@x.com\">ana@x.com</a><br><b>Fone:</b> (11) 98765-4321</p>",
		"<table><tr><td>Nome</td><td>Ana Lima</td></tr><tr><td>E-mail</td><td>ana@x.com</td></tr>" +
			"<tr><td>Fone</td><td>(11) 98765-4321</td></tr></table>",
		"<ul>\n<li>Nome: Ana Lima</li>\n<li>E-mail: ana@x.com</li>\n<li>Fone:&nbsp;(11) 98765-4321</li>\n</ul>",
		"<div>Nome: Ana Lima</div><div>E-mail: ana@x.com</div><div>Fone: (11) 98765-4321</div>",
		"<p>Nome: Ana Lima</p><p>E-mail: Ana Lima <ana@x.com></p><p>Fone: (11) 98765-4321</p>",
	} {
		sent, err := json.Marshal(map[string]string{"subject": "Contato", "body": body})
		if err != nil {
			t.Fatal(err)
		}
		d := mustRead(t, "application/json", string(sent))
		if d.Name != "Ana Lima" || d.Email != "ana@x.com" || d.PhoneE164 != "+5511987654321" {
			t.Errorf("%s: %+v", body, d)
		}
	}
}

// TestRowsOfText: what a spreadsheet exports, whatever separates its columns.
func TestRowsOfText(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		"nome;email;telefone\nAna Lima;ana@x.com;(11) 98765-4321\n",
		"Telefone,E-mail,Nome\r\n(11) 98765-4321,ana@x.com,Ana Lima",
		"Nome completo\tE-mail\tCelular\tObs\nAna Lima\tana@x.com\t(11) 98765-4321\t\"duas\nlinhas\"\n",
	} {
		d := mustRead(t, "text/csv", body)
		if d.Name != "Ana Lima" || d.Email != "ana@x.com" || d.Phone != "(11) 98765-4321" {
			t.Errorf("%q: %+v", body, d)
		}
	}
	d := mustRead(t, "text/plain", "Oi, tudo bem?\nNome: Ana, de Minas\nE-mail: ana@x.com")
	if d.Name != "Ana, de Minas" || d.Email != "ana@x.com" {
		t.Errorf("%+v", d)
	}
}

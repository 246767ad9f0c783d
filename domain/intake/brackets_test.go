package intake

import (
	"strings"
	"testing"
)

// TestNumbersInBrackets: numbers that count from zero make a list; others are the ids of questions.
func TestNumbersInBrackets(t *testing.T) {
	t.Parallel()
	d := mustRead(t, formType, pairs("item_meta[6]", "Ana Lima", "item_meta[7]", "ana@exemplo.com.br", "item_meta[8]",
		"(11) 98888-7777", "cor[0]", "Azul", "cor[1]", "Verde", "dia[]", "seg", "dia[]", "ter"))
	if d.Email != "ana@exemplo.com.br" || d.Phone != "(11) 98888-7777" ||
		d.Note() != "item_meta 6: Ana Lima\ncor: Azul, Verde\ndia: seg, ter" {
		t.Errorf("%+v %q", d, d.Note())
	}
	d = mustRead(t, "", `{"headers":["Nome","E-mail"],"row":["Ana","ana@exemplo.com.br"],"recipients":["x@y.z","w@y.z"]}`)
	if d.Email != "ana@exemplo.com.br" || d.Name != "Ana" || d.Note() != "recipients: x@y.z, w@y.z" {
		t.Errorf("%+v", d)
	}
}

func TestRepeatedKeysLoseNothing(t *testing.T) {
	t.Parallel()
	d := mustRead(t, "", `{"email":"a@exemplo.com","interesse":"um","interesse":"dois","nome":"Ana","nome":"Bia"}`)
	note := d.Note()
	for _, s := range []string{"um", "dois", "Bia"} {
		if !strings.Contains(note, s) {
			t.Errorf("%q vanished: %s", s, note)
		}
	}
	d = mustRead(t, formType, "email=a%40exemplo.com&nome=Ana&nome=Bia&x=1&x%5Bk%5D=2&y%5B%5D=3&y=4")
	for _, s := range []string{"1", "2", "3, 4"} {
		if !strings.Contains(d.Note(), s) {
			t.Errorf("%q vanished: %s", s, d.Note())
		}
	}
}

package command

import (
	"bytes"
	"testing"
)

// TestWhyAnItemFailed: without a message for people, the table shows the code.
func TestWhyAnItemFailed(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	answer := []byte(`{"resultados":[{"linha":1,"mensagem":"O CPF está vazio."},{"linha":2,"code":"bureau_falhou"},{"linha":3}]}`)
	if err := (Shown{}).List(&Environment{Out: &out}, answer, "resultados", "linha", "mensagem|code"); err != nil {
		t.Fatal(err)
	}
	want := "linha  mensagem\n1      O CPF está vazio.\n2      bureau_falhou\n3\n"
	if out.String() != want {
		t.Errorf("%q; want %q", out.String(), want)
	}
}

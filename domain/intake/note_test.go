package intake

import "testing"

func TestNote(t *testing.T) {
	t.Parallel()
	d := Draft{Message: "Oi\ntudo?", Test: true, Leftover: []Pair{{"Plano:", "Ouro"}, {"Obs", "um\ndois"}, {"", "x"}}}
	want := "Oi\ntudo?\n\nEnvio de teste: quem enviou marcou este contato como teste.\n\n" +
		"Plano: Ouro\nObs:\n  um\n  dois\nCampo sem nome: x"
	if got := d.Note(); got != want {
		t.Errorf("%q", got)
	}
	if got := (Draft{}).Note(); got != "" {
		t.Errorf("%q", got)
	}
}

// TestNoteOrder: first what a person was asked; then what came with it, how it came here, and what is about something
// else.
func TestNoteOrder(t *testing.T) {
	t.Parallel()
	d := mustRead(t, "", `{"event":"novo","utm_source":"ig","product":{"name":"Bolo"},"email":"a@b.c",
		"answers":[{"question":"Cor?","value":"azul","text":"Azul"},{"question":"Prazo?","answer":"Já"}]}`)
	if got := d.Note(); got != "Cor?: azul\nCor? text: Azul\nPrazo?: Já\nevent: novo\nutm_source: ig\nproduct name: Bolo" {
		t.Errorf("%q", got)
	}
}

package intake

import (
	"maps"
	"strings"
	"testing"
)

func TestEqualAnswersOfDifferentQuestionsStay(t *testing.T) {
	t.Parallel()
	d := mustRead(t, "", `{"email":"a@b.c","fields":[{"label":"Tem loja?","value":"Sim"},
		{"label":"Tem site?","value":"Sim"}],"cliente_antigo":"Sim","empresa":"Google","buscador":"Google",
		"Data":"2026-10-01 14:00","date":"2026-10-01T14:00"}`)
	checkHolds(t, "note", d.Note(), []string{
		"Tem loja?: Sim", "Tem site?: Sim", "cliente_antigo: Sim", "buscador: Google", "Data: 2026-10-01 14:00",
		"date: 2026-10-01T14:00",
	}, nil)
}

func TestCodeAndWordsOfOneAnswer(t *testing.T) {
	t.Parallel()
	d := mustRead(t, "", `{"email":"a@b.c","answers":[{"question":"Tempo de casa","value":2,"answer":"Dois anos"},
		{"question":"Porte","type":"choice","value":"m","text":"Médio"},{"title":"Cor","value":"azul","raw_value":"azul"}]}`)
	if d.Note() != "Tempo de casa: 2\nTempo de casa answer: Dois anos\nPorte: m\nPorte text: Médio\nCor: azul" {
		t.Error(d.Note())
	}
}

// TestNoteAnswers: what is written of a form is read again, also between what people add.
func TestNoteAnswers(t *testing.T) {
	t.Parallel()
	d := mustRead(t, "", `{"email":"a@b.c","mensagem":"Bom dia:\nquero um carro","Qual o interesse?":"Consórcio",
		"Horário: manhã ou tarde":"às 14:30","Endereço":"Rua A\nCasa 2","Cor":"azul","UTM Source":"google",
		"utmCampaign":"natal","Página":"https://a.example","Página preferida":"/a"}`)
	want := map[string]string{
		"Qual o interesse?": "Consórcio", "Endereço": "Rua A\nCasa 2", "Cor": "azul", "Página preferida": "/a",
		"Horário": "manhã ou tarde: às 14:30", // where a question ends is not written
	}
	for _, note := range []string{d.Note(), "Ligar amanhã\n\n" + d.Note() + "\n\nLigado, sem resposta", "Cor: verde\n" + d.Note()} {
		if got := NoteAnswers(note); !maps.Equal(got, want) {
			t.Errorf("%q: %q", note, got)
		}
	}
	for _, note := range []string{"", "Olá", ":", ": a", "a:", "a: ", "a:\nb", "  a", "https://a.example", strings.Repeat("a", 301) + ": b"} {
		if got := NoteAnswers(note); len(got) > 0 {
			t.Errorf("%q: %q", note, got)
		}
	}
}

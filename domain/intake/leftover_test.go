package intake

import (
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

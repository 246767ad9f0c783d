package intake

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"testing"

	"fichario/domain/intake/fields"
)

// TestNoAnswerVanishes reads random objects of the keys and shapes that the reader has rules for, and accounts for
// every text in them.
func TestNoAnswerVanishes(t *testing.T) {
	t.Parallel()
	keys := []string{
		"email", "nome", "telefone", "empresa", "valor", "mensagem", "origem", "first_name", "last_name", "title", "label",
		"type", "value", "name", "answer", "question", "question_title", "text", "id", "form", "fields", "answers",
		"questions", "definition", "raw_answers", "contact", "leads", "data", "meta", "company", "price", "items",
		"options", "utm", "utm_source", "gclid", "page_url", "source", "conversion_origin", "raw_value", "values",
		"choices", "labels", "other", "phone", "country", "area", "ddd", "day", "month", "year", "human_fields", "number",
		"Qual a cor?", "1.3", "1.6", "user", "entry", "date", "status", "körper", "q3_nomeCompleto", "field", "first",
		"last", "full", "contacts", "url",
	}
	keys = append(keys, "cpf", "CNPJ da empresa", "documento", "tax_id", "document_type", "CPF do cônjuge")
	for k := range vocabulary {
		keys = append(keys, k)
	}
	slices.Sort(keys[66:])
	texts := []string{
		"Ana", "Ana Lima", "ana@exemplo.com.br", "a@x.com; b@x.com", "Beto <beto@x.com>", "11 98888-7777", "11", "R$ 10,00",
		"De R$ 4 mil a R$ 7 mil", "Sim", "yes", "azul escuro", "linha um\nlinha dois", "https://x.com/?utm_source=z", "123",
		"2026-09-14T10:00:00Z", "email", "text", "completed", "Ünïcode ß", "x", "form_response", "short_text",
		"INPUT_NUMBER", "529.982.247-25", "52998224725", "11.222.333/0001-81", "12ABC34501DE35", "529.982.247-26",
	}
	rnd := rand.New(rand.NewPCG(7, 7))
	var value func(depth int) any
	object := func(depth int) map[string]any {
		m := map[string]any{}
		for range 1 + rnd.IntN(5) {
			n := len(keys)
			if rnd.IntN(3) > 0 {
				n = 66
			}
			m[keys[rnd.IntN(n)]] = value(depth + 1)
		}
		return m
	}
	value = func(depth int) any {
		switch n := rnd.IntN(12); {
		case n < 2 && depth < 5:
			return object(depth)
		case n < 4 && depth < 5:
			list := make([]any, rnd.IntN(4))
			for i := range list {
				list[i] = value(depth + 1)
			}
			return list
		case n == 4:
			return rnd.IntN(1000)
		case n == 5:
			return rnd.IntN(2) == 0
		case n == 6:
			return nil
		}
		return texts[rnd.IntN(len(texts))]
	}
	for i := range 15000 {
		body, err := json.Marshal(object(0))
		if err != nil {
			t.Fatal(err)
		}
		o := Options{Kind: Generic}
		if i%2 == 0 {
			o = Options{Kind: FormService, Band: fields.BandLower}
		}
		d, dropped, err := ReadTraced(o, "application/json", body)
		if err != nil {
			t.Fatalf("%s: %v", body, err)
		}
		checkStorable(t, d)
		accountFor(t, body, d, dropped)
	}
}

package intake

import (
	"fmt"
	"testing"
)

// TestATitleThatOnlyCountsStays: an answer to "Pergunta 1" is read in the note, under its question (specification,
// section 2.5).
func TestATitleThatOnlyCountsStays(t *testing.T) {
	t.Parallel()
	for _, title := range []string{"Pergunta 1", "Pergunta 2", "Question 1", "Nota 1", "Nota", "Pergunta A", "Texto 1"} {
		typeform := fmt.Sprintf(`{"event_type":"form_response","form_response":{"token":"t1","definition":{"fields":[
			{"id":"a1","title":%q,"type":"multiple_choice"},{"id":"a2","title":"E-mail","type":"email"}]},"answers":[
			{"type":"choice","choice":{"label":"Opção B"},"field":{"id":"a1","type":"multiple_choice"}},
			{"type":"email","email":"ana@exemplo.com.br","field":{"id":"a2","type":"email"}}]}}`, title)
		tally := fmt.Sprintf(`{"eventType":"FORM_RESPONSE","data":{"submissionId":"s1","fields":[
			{"key":"q_1","label":%q,"type":"MULTIPLE_CHOICE","value":["b"],"options":[{"id":"b","text":"Opção B"}]},
			{"key":"q_2","label":"E-mail","type":"INPUT_EMAIL","value":"ana@exemplo.com.br"}]}}`, title)
		for _, body := range []string{typeform, tally} {
			for _, kind := range []Kind{FormService, Generic} {
				d, err := Read(Options{Kind: kind}, "", []byte(body))
				if err != nil {
					t.Fatal(err)
				}
				if got := fmt.Sprint(d.Message, d.Leftover); got != fmt.Sprintf("[{%s Opção B}]", title) {
					t.Errorf("%s, kind %v: %s", title, kind, got)
				}
			}
		}
	}
}

package bureau_test

import (
	"fmt"
	"io"
	"net/http"
	"testing"
)

// TestTheBureauIsToldThePurpose: in headers, query, body and jq; without a purpose it is left out.
func TestTheBureauIsToldThePurpose(t *testing.T) {
	t.Parallel()
	var told string
	url, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		_, header := r.Header["X-Purpose"]
		told = fmt.Sprintf("%v %s %s %s", header, r.Header.Get("X-Purpose"), r.URL.RawQuery, body)
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, "{}")
	})
	c := client(t, fmt.Sprintf(`name: teste
base_url: %s
headers: { X-Purpose: "{finalidade}" }
products:
  cpf:
    price: "0.45"
    request:
      method: POST
      path: "/pessoas"
      query: { q: "{documento}", f: "F-{finalidade}" }
      body: '{d: $documento, p: $finalidade, q: .finalidade}'
    fields: { nome: '$finalidade // "sem"' }
`, url))
	for purpose, want := range map[string][2]string{
		"credito": {`true credito f=F-credito&q=52998224725 {"d":"52998224725","p":"credito","q":"credito"}`, "credito"},
		"":        {`false  q=52998224725 {"d":"52998224725","p":null,"q":null}`, "sem"},
	} {
		q := question(t, c, "cpf", cpf)
		q.Purpose = purpose
		answer, err := c.Ask(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		if told != want[0] {
			t.Errorf("the bureau was told %s, not %s", told, want[0])
		}
		if field := string(answer.Fields); len(field) < 20 || field[:len(`{"nome":"`)+len(want[1])] != `{"nome":"`+want[1] {
			t.Errorf("the mapping sees %.60s", field)
		}
	}
}

package integration

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"fichario/tests/testkit"
	"fichario/tests/testkit/contracttest"
	"fichario/tests/testkit/lookuptest"
)

// TestHeadersOnSeveralLines: list headers are joined (RFC 9110, section 5.3), and a repeated one that is no list is
// named.
func TestHeadersOnSeveralLines(t *testing.T) {
	t.Parallel()
	bureau := lookuptest.StartBureau(t, nil)
	s := lookuptest.StartService(t, testkit.SQLite(t), lookuptest.BureauFile(t, bureau.URL, lookuptest.Patient))
	key, other := s.NewKey(600, 50, 50).Key, lookuptest.CPFs(91, 1)[0]
	s.Hide(ana)
	s.Hide(other)
	ask := func(path, header string, lines ...string) (status int, kind, body string) {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header = http.Header{"Authorization": {"Bearer " + key}, header: lines}
		a, err := contracttest.Transport.RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = a.Body.Close() }()
		text, err := io.ReadAll(a.Body)
		if err != nil {
			t.Fatal(err)
		}
		return a.StatusCode, a.Header.Get("Content-Type"), string(text)
	}
	_, kind, _ := ask("/api/v1/consultas", "Accept", "application/json;q=0.5", "text/csv")
	expect(t, "a file", kind, "text/csv; charset=utf-8")
	quoted, _, _ := ask("/api/v1/cpf/"+other, "Prefer", `return="x, respond-async, y"`)
	expect(t, "what is quoted", quoted, http.StatusOK)
	later, _, _ := ask("/api/v1/cpf/"+ana, "Prefer", "wait=1", "respond-async")
	expect(t, "a preference on the second line", later, http.StatusAccepted)
	twice, _, body := ask("/api/v1/cpf/"+ana, "X-Finalidade", "credito", "cobranca")
	expect(t, "two purposes", twice, http.StatusBadRequest)
	if !strings.Contains(body, `"campo":"X-Finalidade"`) {
		t.Error(body)
	}
}

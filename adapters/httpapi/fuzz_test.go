package httpapi

import (
	"net/http"
	"net/http/httptest"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/labstack/echo/v5"

	"fichario/adapters/spreadsheet"
	"fichario/app/batches"
	"fichario/domain/batch"
	"fichario/domain/fault"
)

// FuzzHeaders: a key is read from a single header and has no surrounding space, a request's id is a UUID whatever is
// sent, and the headers kept of a post include neither cookies nor credentials nor the token.
func FuzzHeaders(f *testing.F) {
	const token = "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7aB3dE6gH9jK2mN5pQ8sT1"
	for _, s := range []string{
		"Bearer fic_x", "bearer  fic_x\t", "Basic eDp5", "Bearer", "text/csv;q=0.5, application/json;q=NaN", "text/csv;q=-Inf",
		"019a9b1c-6a55-7d3e-9f3d-2f3a1f0c9d10", "https://site.example/" + token, strings.Repeat("k", 2000), "a\r\nb", "sessao=x",
	} {
		f.Add("x-hub-signature-256", s)
		f.Add("Cookie", s)
	}
	e := echo.New()
	f.Fuzz(func(t *testing.T, name, value string) {
		key, err := bearer([]string{value})
		if err == nil && (key != strings.TrimSpace(key) || !strings.Contains(value, key)) {
			t.Error("the key is not what was sent")
		}
		if _, err := bearer([]string{value, value}); err == nil {
			t.Error("a key from two headers")
		}
		if wanted(value, csvType) != "" && !strings.Contains(strings.ToLower(value), "text/csv") {
			t.Error("a file that nobody asked for")
		}
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.Header.Set(echo.HeaderXRequestID, value)
		w := httptest.NewRecorder()
		if err := requestID(func(*echo.Context) error { return nil })(e.NewContext(r, w)); err != nil {
			t.Error(err)
		}
		if id := w.Header().Get(echo.HeaderXRequestID); !uuidForm.MatchString(id) {
			t.Error("an id that is no UUID")
		}
		h := http.Header{name: {value}, "Cookie": {value}, "Authorization": {value}, "Content-Type": {value}}
		for _, kept := range keptHeaders(h, token, "") {
			if len(kept.Value) > 1024 || strings.Contains(kept.Value, token) ||
				slices.Contains([]string{"cookie", "authorization"}, kept.Key) {
				t.Errorf("%s is kept", kept.Key)
			}
		}
		if purpose, err := onePurpose(value, name); err == nil && purpose != value && purpose != name {
			t.Error("a purpose that nobody said")
		}
	})
}

// FuzzLookupBody: an accepted body is one object of the contract's fields, each once, and is accepted again when
// re-encoded.
func FuzzLookupBody(f *testing.F) {
	for _, s := range []string{
		`{"produto":"cpf","documento":"52998224725"}`, `{"produto":"cpf","produto":"score"}`, `{"Produto":"cpf"}`, `[]`, ``,
		`{"documento":null}`, `{"documento":1e400}`, `{"atualizar":"sim"} {}`, strings.Repeat(`{"a":`, 2000), "{\"\xff\":1}",
		`{"entradas":{"nascimento":"1980-02-29","renda":1.50,"uf":""}}`, `{"entradas":{}}`, "{\"entradas\":{\"\xff\":1}}",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		var first, again LookupJSONRequestBody
		if err := decodeStrict(body, &first); err != nil {
			if fault.CodeOf(err) != fault.InvalidRequest {
				t.Fatalf("refused with %v", err)
			}
			return
		}
		written := httptest.NewRecorder()
		if err := writeJSON(written, http.StatusOK, echo.MIMEApplicationJSON, first); err != nil {
			t.Fatal(err)
		}
		if err := decodeStrict(written.Body.Bytes(), &again); err != nil || !reflect.DeepEqual(first, again) {
			t.Errorf("written anew it is another one: %v", err)
		}
	})
}

// FuzzBatchBody: any body and type yields either documents within the bounds or a fault for people.
func FuzzBatchBody(f *testing.F) {
	const part = "--B\r\nContent-Disposition: form-data; name=\"arquivo\"; filename=\"a.csv\"\r\n\r\nCPF\n52998224725\n\r\n--B--\r\n"
	f.Add(echo.MIMEApplicationJSON, "", []byte(`{"produto":"cpf","documentos":["52998224725"],"teto":1.5}`))
	f.Add("text/csv", "produto=cpf&coluna=CPF&teto=1,5", []byte("CPF\n52998224725\n"))
	f.Add("multipart/form-data; boundary=B", "produto=cpf", []byte(part))
	f.Add("multipart/form-data; boundary=B", "produto=cpf;%zz", []byte(part[:40]))
	e := echo.New()
	f.Fuzz(func(t *testing.T, kind, query string, body []byte) {
		r := httptest.NewRequest(http.MethodPost, "/api/v1/lotes", strings.NewReader(string(body)))
		r.Header.Set(echo.HeaderContentType, kind)
		r.URL.RawQuery = query
		var n batches.NewBatch
		data, err := batchData(e.NewContext(r, httptest.NewRecorder()))
		if err == nil {
			n, err = readBatch(r, data)
		}
		switch {
		case err != nil && fault.CodeOf(err) == "":
			t.Errorf("no words for people: %v", err)
		case err == nil:
			for _, s := range n.Tabs {
				if len(s.Rows) > batch.MaxItems+spreadsheet.Above {
					t.Errorf("%d rows", len(s.Rows))
				}
			}
		}
	})
}

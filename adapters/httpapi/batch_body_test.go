package httpapi

import (
	"bytes"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/labstack/echo/v4"
)

// TestTheKeyOfABatch: its length is in characters, as the contract says.
func TestTheKeyOfABatch(t *testing.T) {
	t.Parallel()
	for key, ok := range map[string]bool{strings.Repeat("é", 255): true, strings.Repeat("k", 256): false} {
		r := httptest.NewRequest(http.MethodPost, "/api/v1/lotes", strings.NewReader("{}"))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Idempotency-Key", key)
		if _, err := batchData(echo.New().NewContext(r, httptest.NewRecorder())); (err == nil) != ok {
			t.Errorf("%s: %v", key, err)
		}
	}
}

// TestAFormIsKnownByItsFile: a client that retries uses another boundary.
func TestAFormIsKnownByItsFile(t *testing.T) {
	t.Parallel()
	sum := func(table, query string) string {
		var form bytes.Buffer
		w := multipart.NewWriter(&form)
		part, err := w.CreateFormFile("arquivo", "a.csv")
		if err == nil {
			_, err = part.Write([]byte(table))
		}
		if err != nil || w.Close() != nil {
			t.Fatal(err)
		}
		r := httptest.NewRequest(http.MethodPost, "/api/v1/lotes?produto="+query, nil)
		r.Header.Set("Content-Type", w.FormDataContentType())
		n, err := readBatch(r, form.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		return string(n.RequestBody)
	}
	first := sum("cpf\n52998224725\n", "cpf")
	if sum("cpf\n52998224725\n", "cpf") != first {
		t.Error("the same file is another request")
	}
	if sum("cpf\n39053344705\n", "cpf") == first || sum("cpf\n52998224725\n", "obito") == first {
		t.Error("another request is the same")
	}
}

package httpapi

import (
	"bytes"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"testing"
)

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

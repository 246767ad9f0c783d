package httpapi

import (
	"bytes"
	"fmt"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/labstack/echo/v5"

	"fichario/app"
	"fichario/app/batches"
)

// TestTheKeyOfABatch is as that of a lookup: its length is in characters, as the contract says, and they are printable.
func TestTheKeyOfABatch(t *testing.T) {
	t.Parallel()
	for key, ok := range map[string]bool{
		strings.Repeat("é", 255): true, strings.Repeat("k", 256): false, "": false, "a\tb": false,
	} {
		r := httptest.NewRequest(http.MethodPost, "/api/v1/lotes", strings.NewReader("{}"))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Idempotency-Key", key)
		if _, err := batchData(echo.New().NewContext(r, httptest.NewRecorder())); (err == nil) != ok {
			t.Errorf("%s: %v", key, err)
		}
	}
}

// TestABatchAsJSON has the contract's shape. A document that is too long is a line of the quote, as any other that is
// none: the other lines must not be lost for it.
func TestABatchAsJSON(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`{"produto":"cpf","documentos":["1"]}`:                                "[1]",
		`{"produto":"cpf","documentos":[]}`:                                   "[]", // refused as a list without documents
		`{"produto":"cpf","documentos":["` + strings.Repeat("1", 255) + `"]}`: "[" + strings.Repeat("1", 255) + "]",
		`{"produto":"cpf","documentos":[null]}`:                               "documentos: O campo documentos deve ser uma lista de textos entre aspas.",
		`{"produto":"cpf","documentos":["1",2]}`:                              "documentos: O campo documentos deve ser uma lista de textos entre aspas.",
		`{"produto":"cpf","documentos":"1"}`:                                  "documentos: O campo documentos deve ser uma lista de textos entre aspas.",
		`{"produto":"cpf","documentos":null}`:                                 "documentos: O campo documentos não pode ser null.",
		`{}`:                                                                  "produto: Falta o campo produto.",
		`{"documentos":["1"]}`:                                                "produto: Falta o campo produto.",
		`{"produto":"cpf"}`:                                                   "documentos: Falta o campo documentos.",
		`{"produto":"","nome":null}`:                                          "nome: O campo nome não pode ser null.",
	} {
		var n batches.NewBatch
		got := ""
		if err := batchOfJSON(&n, []byte(body), nil); err != nil {
			f := app.FaultOf(err)
			got = f.Field + ": " + f.Message
		} else {
			got = fmt.Sprint(n.Documents)
		}
		if got != want {
			t.Errorf("%s: %q; want %q", body, got, want)
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

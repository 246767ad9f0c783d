package httpapi

import (
	"encoding/json"
	"net/http"

	"github.com/labstack/echo/v5"

	"fichario/domain/catalog"
	"fichario/domain/document"
)

// body is any value as a JSON answer.
type body struct{ value any }

// VisitListProductsResponse writes the answer.
func (b body) VisitListProductsResponse(w http.ResponseWriter) error { return b.write(w) }

// VisitGetStatementResponse writes the answer.
func (b body) VisitGetStatementResponse(w http.ResponseWriter) error { return b.write(w) }

func (b body) write(w http.ResponseWriter) error {
	return writeJSON(w, http.StatusOK, echo.MIMEApplicationJSON, b.value)
}

func orEmpty(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

func amount(m catalog.Money) json.Number { return json.Number(m.String()) }

func types(in []document.Type) []DocumentType {
	out := make([]DocumentType, len(in))
	for i, t := range in {
		out[i] = DocumentType(t)
	}
	return out
}

// writeJSON writes a value as JSON, escaping only what JSON requires: text goes out as it is.
func writeJSON(w http.ResponseWriter, status int, contentType string, v any) error {
	w.Header().Set(echo.HeaderContentType, contentType)
	w.WriteHeader(status)
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

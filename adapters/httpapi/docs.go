package httpapi

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"html/template"
	"net/http"

	"github.com/labstack/echo/v4"
	"github.com/swaggest/swgui/v5emb"
	"go.yaml.in/yaml/v4"

	"fichario/openapi"
)

//go:embed errors.html
var errorsPage string

// documentation serves the contract, its readable reference and the page that the
// `type` of every problem points to. All assets are in the binary.
func (s *server) documentation(e *echo.Echo) error {
	var contract any
	if err := yaml.Unmarshal(openapi.YAML, &contract); err != nil {
		return fmt.Errorf("openapi.yaml: %w", err)
	}
	asJSON, err := json.Marshal(contract)
	if err != nil {
		return fmt.Errorf("openapi.yaml: %w", err)
	}
	var page bytes.Buffer
	if err := template.Must(template.New("").Parse(errorsPage)).Execute(&page, problems); err != nil {
		return err
	}
	static := func(path, contentType string, content []byte) {
		e.GET(path, func(c echo.Context) error { return c.Blob(http.StatusOK, contentType, content) })
	}
	static("/openapi.yaml", "application/yaml", openapi.YAML)
	static("/openapi.json", echo.MIMEApplicationJSON, asJSON)
	static("/docs/erros", echo.MIMETextHTMLCharsetUTF8, page.Bytes())
	reference := echo.WrapHandler(v5emb.New("Fichário", "/openapi.json", "/docs"))
	e.GET("/docs", reference)
	e.GET("/docs/*", reference)
	e.GET("/", func(c echo.Context) error { return c.Redirect(http.StatusFound, "/docs") })
	return nil
}

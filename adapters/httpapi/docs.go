package httpapi

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"html/template"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"
	"github.com/swaggest/swgui/v5emb"
	"go.yaml.in/yaml/v4"

	"fichario/openapi"
)

//go:embed pages.html
var pages string

// SandboxDocument is a document that the sandbox bureau answers in a way of its own.
type SandboxDocument struct {
	// Type is the word of the contract for the document's type.
	Type string
	// Document is the bare document.
	Document string
	// What says in Portuguese what happens.
	What string
}

// documentation serves the contract, its readable reference, the page that the
// `type` of every problem points to, and the sandbox's documents. All assets are in
// the binary.
func (s *server) documentation(e *echo.Echo) error {
	var contract any
	if err := yaml.Unmarshal(openapi.YAML, &contract); err != nil {
		return fmt.Errorf("openapi.yaml: %w", err)
	}
	asJSON, err := json.Marshal(contract)
	if err != nil {
		return fmt.Errorf("openapi.yaml: %w", err)
	}
	latest, err := asOpenAPI31(openapi.YAML)
	if err != nil {
		return err
	}
	templates, err := template.New("").Parse(pages)
	if err != nil {
		return err
	}
	var failure, sandbox bytes.Buffer
	if err := templates.ExecuteTemplate(&failure, "errors", problems); err != nil {
		return err
	}
	if err := templates.ExecuteTemplate(&sandbox, "sandbox", s.Sandbox); err != nil {
		return err
	}
	e.Use(docsPolicy)
	static := func(path, contentType string, content []byte) {
		e.GET(path, func(c echo.Context) error { return c.Blob(http.StatusOK, contentType, content) })
	}
	static("/openapi.yaml", "application/yaml", openapi.YAML)
	static("/openapi.json", echo.MIMEApplicationJSON, asJSON)
	static("/openapi-3.1.yaml", "application/yaml", latest)
	static("/docs/erros", echo.MIMETextHTMLCharsetUTF8, failure.Bytes())
	static("/docs/sandbox", echo.MIMETextHTMLCharsetUTF8, sandbox.Bytes())
	reference := echo.WrapHandler(v5emb.New("Fichário", "/openapi.json", "/docs"))
	e.GET("/docs", reference)
	e.GET("/docs/*", reference)
	e.GET("/", func(c echo.Context) error { return c.Redirect(http.StatusFound, "/docs") })
	return nil
}

// docsPolicy keeps the pages of the documentation to what they bring. The reference's own script is inside its page.
func docsPolicy(next echo.HandlerFunc) echo.HandlerFunc {
	const policy = "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; " +
		"img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
	return func(c echo.Context) error {
		if path := c.Path(); path == "/docs" || strings.HasPrefix(path, "/docs/") {
			c.Response().Header().Set(echo.HeaderContentSecurityPolicy, policy)
		}
		return next(c)
	}
}

package httpapi

import (
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/labstack/echo/v4"
	"go.yaml.in/yaml/v4"

	"fichario/openapi"
)

// documentation serves the contract, and the reference, which is made elsewhere.
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
	static := func(path, contentType string, content []byte) {
		e.GET(path, func(c echo.Context) error { return c.Blob(http.StatusOK, contentType, content) })
	}
	static("/openapi.yaml", "application/yaml", openapi.YAML)
	static("/openapi.json", echo.MIMEApplicationJSON, asJSON)
	static("/openapi-3.1.yaml", "application/yaml", latest)
	e.GET("/docs", echo.WrapHandler(s.Docs))
	e.GET("/docs/*", echo.WrapHandler(s.Docs))
	e.GET("/", func(c echo.Context) error { return c.Redirect(http.StatusFound, "/docs") })
	return nil
}

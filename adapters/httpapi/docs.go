package httpapi

import (
	"encoding/json"
	"fmt"
	"net/http"
	"sync"

	"github.com/labstack/echo/v5"
	"go.yaml.in/yaml/v4"

	"fichario/openapi"
)

// documentation serves the contract and the reference, which is built elsewhere. Other formats of the contract are made
// on first request.
func (s *server) documentation(e *echo.Echo) {
	serve := func(path, contentType string, form func([]byte) ([]byte, error)) {
		made := sync.OnceValues(func() ([]byte, error) { return form(openapi.YAML) })
		e.GET(path, func(c *echo.Context) error {
			content, err := made()
			if err != nil {
				return err
			}
			return c.Blob(http.StatusOK, contentType, content)
		})
	}
	serve("/openapi.yaml", "application/yaml", func(contract []byte) ([]byte, error) { return contract, nil })
	serve("/openapi.json", echo.MIMEApplicationJSON, asJSON)
	serve("/openapi-3.1.yaml", "application/yaml", asOpenAPI31)
	e.GET("/docs", echo.WrapHandler(s.Docs))
	e.GET("/docs/*", echo.WrapHandler(s.Docs))
	e.GET("/", func(c *echo.Context) error { return c.Redirect(http.StatusFound, "/docs") })
}

func asJSON(contract []byte) ([]byte, error) {
	var doc any
	if err := yaml.Unmarshal(contract, &doc); err != nil {
		return nil, fmt.Errorf("openapi.yaml: %w", err)
	}
	return json.Marshal(doc)
}

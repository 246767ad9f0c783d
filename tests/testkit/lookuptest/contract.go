package lookuptest

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"

	"fichario/openapi"
)

// Contract loads openapi.yaml once.
var Contract = sync.OnceValues(load)

func load() (*openapi3.T, error) {
	doc, err := openapi3.NewLoader().LoadFromData(openapi.YAML)
	if err != nil {
		return nil, err
	}
	doc.Servers = nil // any host
	return doc, nil
}

var router = sync.OnceValues(func() (routers.Router, error) {
	doc, err := load()
	if err != nil {
		return nil, err
	}
	// A hint to generators, which kin-openapi takes for the list of all products; the schemas tell them apart without.
	doc.Components.Schemas["Resultado"].Value.Discriminator = nil
	return gorillamux.NewRouter(doc)
})

// conforms holds an answer of a route of the contract to it: the status is listed, the headers and the body fit.
func conforms(method, path string, resp *http.Response, body []byte) error {
	if !strings.HasPrefix(path, "/api/") {
		return nil
	}
	r, err := router()
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(context.Background(), method, "http://service.invalid"+path, nil)
	if err != nil {
		return err
	}
	route, params, err := r.FindRoute(req)
	if err != nil {
		switch resp.StatusCode {
		case http.StatusNotFound, http.StatusMethodNotAllowed:
			return nil // not a route, and the service says so
		case http.StatusBadRequest:
			return nil // the slash of a masked CNPJ makes a path that is none, and is answered all the same
		}
		return fmt.Errorf("%s answers %d on a route that the contract does not have", method, resp.StatusCode)
	}
	input := &openapi3filter.ResponseValidationInput{
		RequestValidationInput: &openapi3filter.RequestValidationInput{Request: req, PathParams: params, Route: route},
		Status:                 resp.StatusCode, Header: resp.Header, Body: io.NopCloser(bytes.NewReader(body)),
		Options: &openapi3filter.Options{IncludeResponseStatus: true, MultiError: false},
	}
	switch kind, _, _ := strings.Cut(resp.Header.Get("Content-Type"), ";"); kind {
	case "text/csv", "application/x-ndjson", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet":
		input.Options.ExcludeResponseBody = true // a text; kin-openapi would want a table with a schema
	}
	if err := openapi3filter.ValidateResponse(context.Background(), input); err != nil {
		return fmt.Errorf("%s %s answers %d: %w", method, route.Path, resp.StatusCode, err)
	}
	return nil
}

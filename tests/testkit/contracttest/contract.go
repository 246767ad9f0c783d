// Package contracttest checks answers of the service against the contract, and records which statuses of the
// contract a test run has seen.
package contracttest

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
	// Of all formats, kin-openapi validates only dates by default.
	openapi3.DefineStringFormatValidator("uuid", openapi3.NewRegexpFormatValidator(
		`^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$`))
	return doc, nil
}

var router = sync.OnceValues(func() (routers.Router, error) {
	doc, err := load()
	if err != nil {
		return nil, err
	}
	// A hint for generators, which kin-openapi takes for an exhaustive list of products; the schemas are distinct without
	// it.
	doc.Components.Schemas["Resultado"].Value.Discriminator = nil
	return gorillamux.NewRouter(doc)
})

// Conforms checks an answer against the contract, where the contract has the path: the status is listed, and headers
// and body match. It records the status for Missing, and returns the id of the operation, "" where there is none.
func Conforms(method, path string, status int, header http.Header, body []byte) (operation string, err error) {
	if !strings.HasPrefix(path, "/api/") {
		return "", nil
	}
	r, err := router()
	if err != nil {
		return "", err
	}
	req, err := http.NewRequestWithContext(context.Background(), method, "http://service.invalid"+path, nil)
	if err != nil {
		return "", err
	}
	route, params, err := r.FindRoute(req)
	if err != nil && method == http.MethodHead {
		req.Method = http.MethodGet // it is answered like GET
		route, params, err = r.FindRoute(req)
	}
	if err != nil {
		switch status {
		case http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusServiceUnavailable:
			return "", nil // not a route, and the service says so, or cannot tell
		case http.StatusBadRequest:
			return "", nil // a masked CNPJ's slash makes an unknown path, which is answered all the same
		}
		return "", fmt.Errorf("%s answers %d on a route that the contract does not have", method, status)
	}
	input := &openapi3filter.ResponseValidationInput{
		RequestValidationInput: &openapi3filter.RequestValidationInput{Request: req, PathParams: params, Route: route},
		Status:                 status, Header: header, Body: io.NopCloser(bytes.NewReader(body)),
		Options: &openapi3filter.Options{IncludeResponseStatus: true},
	}
	kind, _, _ := strings.Cut(header.Get("Content-Type"), ";")
	switch {
	case method == http.MethodHead && req.Method == http.MethodGet && status == http.StatusMethodNotAllowed:
		return "", nil // the two addresses where a probe would cost something
	case method == http.MethodHead, status == http.StatusNoContent, status == http.StatusSeeOther:
		input.Options.ExcludeResponseBody = true // no body, but the headers of one
	case kind == "application/json", kind == "application/problem+json", kind == "":
	default:
		// A text; kin-openapi would require a schema for a table, and reads no HTML.
		input.Options.ExcludeResponseBody = true
		if r := route.Operation.Responses.Status(status); r != nil && r.Value.Content[kind] == nil {
			return "", fmt.Errorf("%s %s answers %d with %s", method, route.Path, status, kind)
		}
	}
	if err := openapi3filter.ValidateResponse(context.Background(), input); err != nil {
		return "", fmt.Errorf("%s %s answers %d: %w", method, route.Path, status, err)
	}
	operation = route.Operation.OperationID
	return operation, note(operation, status)
}

// Package contracttest checks answers of the service against the contract, and records which of its statuses a test run
// has seen.
package contracttest

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
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
	// The contract leaves products of a bureau file out of the schema, for generators, and says in words that they are
	// answered all the same.
	results := doc.Components.Schemas["Resultado"].Value
	results.Discriminator = nil
	results.OneOf = append(results.OneOf, openapi3.NewSchemaRef("", others(doc, results)))
	return gorillamux.NewRouter(doc)
})

// others accepts the results of products that the contract does not have.
func others(doc *openapi3.T, results *openapi3.Schema) *openapi3.Schema {
	var known []any
	for id := range results.OneOf {
		known = append(known, results.OneOf[id].Value.Properties["produto"].Value.Enum...)
	}
	another := openapi3.NewObjectSchema().WithProperty("produto",
		&openapi3.Schema{Not: openapi3.NewSchemaRef("", openapi3.NewSchema().WithEnum(known...))})
	return &openapi3.Schema{AllOf: openapi3.SchemaRefs{
		doc.Components.Schemas["ResultadoOutro"], openapi3.NewSchemaRef("", another),
	}}
}

// asBefore are the kinds of file that older clients get in place of a page. The contract has routes for files.
var asBefore = map[string][]string{
	"getStatement": {"text/csv"},
	"getBatchResults": {
		"text/csv", "application/x-ndjson", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
	},
}

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
	if slices.Contains(asBefore[route.Operation.OperationID], kind) && status == http.StatusOK {
		return route.Operation.OperationID, note(route.Operation.OperationID, status)
	}
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

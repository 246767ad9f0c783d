package contracttest

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// Operation is an operation of the contract, with the request from its examples.
type Operation struct {
	ID, Method, Path string
	// Body is a JSON body, "" where the operation has none.
	Body string
	// Keyed says that it requires a key.
	Keyed bool
}

// Operations returns those of the contract, in the order of their ids.
func Operations() ([]Operation, error) {
	doc, err := Contract()
	if err != nil {
		return nil, err
	}
	var all []Operation
	for path, item := range doc.Paths.Map() {
		for method, operation := range item.Operations() {
			o := Operation{ID: operation.OperationID, Method: method, Path: path, Keyed: len(*operation.Security) > 0}
			for _, p := range slices.Concat(item.Parameters, operation.Parameters) {
				if example, ok := p.Value.Schema.Value.Example.(string); ok && p.Value.In == openapi3.ParameterInPath {
					o.Path = strings.ReplaceAll(o.Path, "{"+p.Value.Name+"}", url.PathEscape(example))
				}
			}
			if operation.RequestBody != nil {
				for _, example := range operation.RequestBody.Value.Content["application/json"].Examples {
					body, failure := json.Marshal(example.Value.Value)
					err, o.Body = errors.Join(err, failure), string(body)
				}
			}
			all = append(all, o)
		}
	}
	slices.SortFunc(all, func(a, b Operation) int { return strings.Compare(a.ID, b.ID) })
	return all, err
}

// Header is the header for the body.
func (o Operation) Header() map[string]string {
	if o.Body == "" {
		return nil
	}
	return map[string]string{http.CanonicalHeaderKey("Content-Type"): "application/json"}
}

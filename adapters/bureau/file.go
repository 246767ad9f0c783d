package bureau

import (
	"slices"
	"time"

	"fichario/adapters/jq"
	"fichario/domain/catalog"
)

// File is a valid bureau file.
type File struct {
	source, name string
	base         string // without a slash at the end
	headers      []header
	oauth        *oauth
	timeout      time.Duration
	failed       *jq.Program
	charged      *jq.Program // of the products without one of their own
	answered     []int       // statuses of an answer
	notFound     notFound
	notCharged   []condition // under which the bureau does not bill
	exhausted    []condition // under any of which no credit is left
	renews       bool        // whether a new month brings new credit
	rate         float64     // calls per second; zero without a limit
	traceparent  bool        // whether requests carry the id of their trace
	mappings     []mapping
}

// notFound is how the bureau signals that it has no record.
type notFound struct {
	status []int
	when   *jq.Program // true for such a body, or inDoubt; nil where any body counts
	check  *request    // made after such an answer, and must succeed; nil without one
}

// condition is a status, and what else must be true of a reply with it.
type condition struct {
	status int
	when   *jq.Program // true for such a reply; nil where the status is enough
}

// header is a header of a request.
type header struct {
	name  string
	value template
}

// oauth is how to get a token by OAuth2 client credentials.
type oauth struct {
	tokenURL, id, secret string
	scopes               []string
}

// mapping is how one product is requested and its answer read.
type mapping struct {
	product catalog.Product
	request request
	found   *jq.Program
	charged *jq.Program // false for a reply that the bureau does not bill; nil where the file does not say
	amount  *jq.Program // what a reply cost; nil where every call costs the product's price
	fields  []fieldMapping
}

type request struct {
	method, path string // path: as written, for messages
	template     template
	query        []header
	headers      []header
	body         *jq.Program
}

type fieldMapping struct {
	name string
	jq   *jq.Program
}

// Name returns the bureau's name, as the file gives it.
func (f *File) Name() string { return f.name }

// Source returns the name that the file was read under.
func (f *File) Source() string { return f.source }

// Timeout returns how long one call may take, from resolving the host to the last byte of the answer.
func (f *File) Timeout() time.Duration { return f.timeout }

// Rate returns how many calls per second the bureau allows, over all instances; zero where the file does not say.
func (f *File) Rate() float64 { return f.rate }

// Catalog returns the products that the file maps, with their prices: those of the
// contract in the contract's order, then the file's own in the file's order.
func (f *File) Catalog() catalog.Catalog {
	c := make(catalog.Catalog, len(f.mappings))
	for i, m := range f.mappings {
		c[i] = m.product
		c[i].Documents = slices.Clone(m.product.Documents)
		c[i].Fields = slices.Clone(m.product.Fields)
	}
	return c
}

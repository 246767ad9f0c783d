package bureau

import (
	"crypto/tls"
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
	signIn       *signIn     // nil without a token
	secretQuery  []header    // sent in the query of each request
	tls          *tls.Config // nil without certificates of its own
	xml          bool        // whether answers are XML
	timeout      time.Duration
	failed       *jq.Program
	charged      *jq.Program // of the products without one of their own
	later        *later      // likewise; nil where answers come at once
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

// signIn is how to get a token: by OAuth2 client credentials, or by a JSON object.
type signIn struct {
	url        string
	id, secret string // OAuth2
	scopes     []string
	body       []byte      // the JSON object; nil with OAuth2
	token      *jq.Program // over the answer to it
	expires    *jq.Program // the token's life in seconds, over the same; nil where it does not say
}

// mapping is how one product is requested and its answer read.
type mapping struct {
	product catalog.Product
	request request
	found   *jq.Program
	charged *jq.Program // false for a reply that the bureau does not bill; nil where the file does not say
	amount  *jq.Program // what a reply cost; nil where every call costs the product's price
	also    []string    // products that read the same answer
	later   *later      // how an answer that comes later is fetched; nil where answers come at once
	fields  []fieldMapping
}

// later is how a bureau says that it takes a question and answers later, and how that answer is fetched, or arrives.
type later struct {
	status     []int
	id         *jq.Program // over the reply that takes the question, like those below
	poll       *request    // nil where the answer only arrives
	every, max time.Duration
	posted     *jq.Program // the id in a post that has the answer; nil where nothing arrives
	ready      *jq.Program // true for the reply, or post, that has the answer
	result     *jq.Program // the answer in it; nil where it is the body
}

// request is how to ask: with at most one of body, form and text.
type request struct {
	method, path string // path: as written, for messages
	template     template
	query        []header
	headers      []header
	body         *jq.Program // JSON
	form         []header    // form-encoded
	text         template    // under the Content-Type of the headers
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
		c[i].Inputs = slices.Clone(m.product.Inputs)
		c[i].Fields = slices.Clone(m.product.Fields)
	}
	return c
}

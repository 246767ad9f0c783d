package destinations

import (
	"regexp"
	"slices"

	"fichario/adapters/jq"
	"fichario/domain/automation"
)

// File is a valid destination. It is safe for concurrent use.
type File struct {
	automation.Destination
	patterns map[string]*regexp.Regexp // of fields, by name
	main     request
	// signed says that the event is sent as without a form: signed, and in the default body unless the file has another.
	signed  bool
	done    *jq.Program // nil: any status 2xx is success
	search  *request    // made first; nil without one
	found   *jq.Program // judges the answer to search
	existed *jq.Program // judges the answer to the request itself; nil without one
	access  *access     // nil where ${access} is no token
}

// access is how a token is got for each request, which ${access} then stands for.
type access struct {
	address template
	form    *jq.Program // gives an object, which is sent as a form
	token   *jq.Program // finds the token in the answer
}

// request is the template of a request.
type request struct {
	method  string
	address template
	query   *jq.Program // nil without one
	headers []header
	body    *jq.Program // nil: none, or the event where the request is signed
}

// header is a header of a request.
type header struct {
	name  string
	value template
	// hidden says that the text itself may be a secret.
	hidden bool
}

// variables are those that a destination's jq has beside its input.
var variables = []string{"fields", "id", "event", "contact", "summary", "happened"}

// idField stands for the id of the run, which is the same in every attempt.
const idField = "id"

// accessField stands for the token that was got for the request, in a file with access.
const accessField = "access"

// field returns the description of a field.
func (f *File) field(name string) (automation.DestinationField, bool) {
	i := slices.IndexFunc(f.Fields, func(d automation.DestinationField) bool { return d.Name == name })
	if i < 0 {
		return automation.DestinationField{}, false
	}
	return f.Fields[i], true
}

// Described returns the description, which says of each field whether it leads the request to another host.
func (f *File) Described() automation.Destination {
	d := f.Destination
	d.Fields = slices.Clone(d.Fields)
	addresses := slices.Clone(f.main.address)
	if f.search != nil {
		addresses = append(addresses, f.search.address...)
	}
	if f.access != nil {
		addresses = append(addresses, f.access.address...)
	}
	for i, field := range d.Fields {
		d.Fields[i].Leads = slices.ContainsFunc(addresses, func(p part) bool {
			return p.field == field.Name && (p.place == inHost || p.place == asAddress)
		})
	}
	return d
}

// Signed reports whether the request is signed like the default one.
func (f *File) Signed() bool { return f.signed }

// SendsEvent reports whether the event itself is sent, to a receiver made for it, and any 2xx is success.
func (f *File) SendsEvent() bool { return f.signed && f.main.body == nil && f.done == nil }

// ReadsAnswer reports whether the answer's body counts, not only its status.
func (f *File) ReadsAnswer() bool { return f.done != nil || f.existed != nil }

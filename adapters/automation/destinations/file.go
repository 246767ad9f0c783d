package destinations

import (
	"regexp"
	"slices"

	"fichario/adapters/jq"
	"fichario/domain/automation"
)

// File is a destination that was read and found good. It is safe for concurrent use.
type File struct {
	automation.Destination
	patterns map[string]*regexp.Regexp // of fields, by name
	main     request
	// signed is true where the event goes out as it does without a form: signed, and in the usual body unless there is
	// another.
	signed  bool
	done    *jq.Program // nil: a status of 2xx
	search  *request    // is made first; nil without one
	found   *jq.Program // of what search answers
	existed *jq.Program // of what the request itself answers; nil without one
}

// request is the form of one request.
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
	// hidden is true where the text itself may be a secret.
	hidden bool
}

// variables are what the jq of a destination has beside its input.
var variables = []string{"fields", "id", "event", "contact", "summary"}

// idField stands for the id of the run, which every attempt has in common.
const idField = "id"

// field returns the description of a field.
func (f *File) field(name string) (automation.DestinationField, bool) {
	i := slices.IndexFunc(f.Fields, func(d automation.DestinationField) bool { return d.Name == name })
	if i < 0 {
		return automation.DestinationField{}, false
	}
	return f.Fields[i], true
}

// Signed tells whether the request is signed as the default is.
func (f *File) Signed() bool { return f.signed }

// SendsEvent tells whether what goes out is the event itself, to somebody who was made for it, and any 2xx is done.
func (f *File) SendsEvent() bool { return f.signed && f.main.body == nil && f.done == nil }

// ReadsAnswer tells whether the body of the answer counts, and not its status alone.
func (f *File) ReadsAnswer() bool { return f.done != nil || f.existed != nil }

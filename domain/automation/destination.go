package automation

// Destination is another system as its file describes it: what must be filled in, and what a repeated request does
// there.
type Destination struct {
	// Name is its short name, as in "pipedrive"; Title and Help are Portuguese, for the person who chooses it.
	Name, Title, Help string
	// Repeat says in Portuguese what a second request for the same contact does there.
	Repeat string
	Fields []DestinationField
	// Consent is true where a platform is told of a person's stages, which takes the person's consent or another legal
	// basis (Ground), and only events that are OfStage can do.
	Consent bool
}

// Ground is what allows a destination with Consent to be told of a person: one of the two.
type Ground struct {
	// Consent names the field of a form by which the person consents.
	Consent string
	// Basis is the code of a purpose, which has a legal basis.
	Basis string
}

// DestinationField is what has to be filled in before a destination can be used.
type DestinationField struct {
	Name, Title, Help string
	// Secret is true where the value is never shown again.
	Secret bool
	// Leads is true where the value is in the name of the host that requests go to.
	Leads bool
	// Optional is true where it may stay empty; Default is what it then is.
	Optional bool
	Default  string
}

// Header is a header of a request.
type Header struct{ Name, Value string }

// ShownRequest is the request that an automation would make, with its secrets masked.
type ShownRequest struct {
	// Method is empty where nothing would be sent.
	Method, Address string
	Headers         []Header
	Body            string
	// Search is the request made first, to see whether the record is there already; nil without one.
	Search *ShownRequest
}

// FieldFault is what is wrong with one field of a description: its name and a sentence in Portuguese.
type FieldFault struct{ Field, Message string }

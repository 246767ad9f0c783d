// Package intake reads form submissions: it turns a body, in whatever shape a form product or a script sends it, into a
// draft of a contact and the leftovers (specification, 2.5 and 4.5).
//
// The steps:
//
//   - parse: the bytes become one tree, whatever their format (package tree).
//   - walk: the tree is searched for answers, each a key or a question's title with a text. Containers, records and
//     lists are shapes (walk.go, scope.go, item.go). An object that holds one answer is an item (item.go, anatomy.go).
//     A value may come in parts or as a choice (value.go, compound.go). What belongs to one product is in package
//     products.
//   - choose: the answers compete for the contact's fields, by an ordered list of rules (choose.go, rules.go).
//   - note: answers that no field took are left over, each once, and go to the note (leftover.go).
//
// The words that the reader recognises are in vocabulary.go, roles.go, titles.go, noise.go and attribution.go; names
// are compared by package names, and what a field's value looks like is in package fields.
package intake

import (
	"slices"

	"fichario/domain/document"
	"fichario/domain/intake/fields"
	"fichario/domain/intake/tree"
	"fichario/domain/text"
)

// Kind is how a webhook's body is interpreted (specification, 2.4).
type Kind string

// The kinds.
const (
	Generic     Kind = "generic"
	FormService Kind = "formservice"
	// Meta is for notifications of Meta's instant forms, which name leads that are fetched.
	Meta Kind = "meta"
	// LinkedIn is the same for the lead forms of LinkedIn's advertisements.
	LinkedIn Kind = "linkedin"
)

// Valid reports whether k is a known kind.
func (k Kind) Valid() bool { return k == Generic || k == FormService || k.Fetched() }

// Fetched reports whether posts only name leads, which an advertising platform keeps and gives to who has a token.
func (k Kind) Fetched() bool { return k == Meta || k == LinkedIn }

// Title is what people call the kind.
func (k Kind) Title() string {
	switch k {
	case Generic:
		return "Genérico"
	case FormService:
		return "Formulário"
	case Meta, LinkedIn:
	}
	return k.Platform().Name
}

// Platform is an advertising platform in Portuguese: its name, and with its article at the beginning of a sentence,
// after "de" and after "em".
type Platform struct{ Name, The, Of, At string }

// Platform returns the words for the platform of a kind; the zero value for one that fetches nothing.
func (k Kind) Platform() Platform {
	switch k {
	case Meta:
		return Platform{"Meta", "A Meta", "da Meta", "na Meta"}
	case LinkedIn:
		return Platform{"LinkedIn", "O LinkedIn", "do LinkedIn", "no LinkedIn"}
	case Generic, FormService:
	}
	return Platform{}
}

// Options is how a webhook wants its submissions read.
type Options struct {
	// Kind decides whether the type of a form's field or its name counts first.
	Kind Kind
	// Band is what a range becomes as a value; the zero value is BandZero.
	Band fields.Band
	// EmailKey is the key under which the sender puts the contact's e-mail, as Draft.Keys names it; empty leaves it to
	// the reader. Where it holds an address it outranks every rule, where not the rules apply.
	EmailKey string
}

// Pair is a title or key and its text.
type Pair struct{ Key, Value string }

// Source says which key of the body a field was read from. Field is a word of
// the contract: email, nome, telefone, empresa, valor, mensagem, origem,
// documentos.
type Source struct{ Field, Key string }

// Consent is an answer of yes or no, or any answer to what asks for a consent by its words; Given only for "sim" and
// true.
type Consent struct {
	Key, Title string
	Given      bool
}

// Draft is the contact that a submission would make.
type Draft struct {
	// Email is the address as sent, trimmed; empty when none was found. Whatever
	// has an @ counts (specification, 2.5).
	Email string
	// Name is empty when none was sent; see DisplayName.
	Name string
	// Phone is as sent, trimmed.
	Phone string
	// PhoneE164 is like "+5511987654321", or empty when Phone is no valid number.
	PhoneE164 string
	// Company is the name of the contact's company.
	Company string
	// Amount is the value in ten-thousandths of a real.
	Amount int64
	// Documents are the CPFs and CNPJs with right digits that fields named so hold, each once, at most ten.
	Documents []document.Document
	// Message is the free text that stands first in the note.
	Message string
	// Origin is where the sender says that the contact comes from.
	Origin string
	// FallbackOrigin is utm_source, else the advertiser's platform. It is for
	// when the sender states no origin.
	FallbackOrigin string
	// Attribution holds UTMs, click ids and the addresses of the pages, under
	// canonical lower-case keys, in order of arrival.
	Attribution []Pair
	// Leftover is what no field took, each once, with the title of its question.
	Leftover []Pair
	// Consents are the answers that can be a consent, see Consent.
	Consents []Consent
	// Fields says which field came from which key. An e-mail field without an @
	// is named too, although Email is empty then.
	Fields []Source
	// Keys are the names that arrived, for refusals: at most 40, of 60 characters.
	Keys []string
	// DeliveryID is the product's own id of the submission, the same in every
	// retry, with the product before it ("typeform:…"); empty when there is none.
	DeliveryID string
	// IDNeeds is what else recognises a retry.
	IDNeeds IDNeeds
	// ByEmailKey says that Email was read from Options.EmailKey.
	ByEmailKey bool
	// SharedID says that the DeliveryID is one for several people of the body.
	SharedID bool
	// Test says that the sender calls the submission a test.
	Test bool
	kind Kind // of the webhook, which decides what CheckEmail advises
	// deepText is the key of a text that is not read: JSON inside more texts than MaxTexts.
	deepText string
}

// Read turns a body into a draft. The error is a fault.InvalidRequest that says,
// without personal data, why the body cannot be read. A draft without an e-mail
// is no error here; see CheckEmail.
func Read(o Options, contentType string, body []byte) (Draft, error) {
	return read(o, contentType, body, nil)
}

// read is Read that also tells trace what the rules drop.
func read(o Options, contentType string, body []byte, trace func(rule string, n *tree.Node)) (Draft, error) {
	tree, err := parse(contentType, body)
	if err != nil {
		return Draft{}, err
	}
	return readTree(o, tree, trace)
}

// readTree reads a parsed body. What stands under "form" describes the form; but where nothing else is there of a
// contact, it is what was typed into it. A pupil's parent is who asks where nobody else has an address. Likewise, a
// text of titled lines is a form's notification where no field has an address but a machine's, and elsewhere what
// somebody wrote.
func readTree(o Options, tree tree.Node, trace func(rule string, n *tree.Node)) (Draft, error) {
	r := newReader(o, trace)
	d, err := r.read(tree)
	nobody := d.Email == "" && (d.Name == "" || r.chooser.best[fieldName].score.formName) && d.Phone == "" &&
		d.Message == "" && r.emptyEmail == ""
	if err == nil && r.closedForm && nobody {
		again := newReader(o, trace)
		again.openForm = true
		return again.read(tree)
	}
	if err == nil && r.closedParent && r.nobodyHasAddress() {
		again := newReader(o, trace)
		again.openParents = true
		return again.read(tree)
	}
	if err == nil && r.mayHaveLines(&d) {
		again := newReader(o, trace)
		again.openLines = true
		if opened, err := again.read(tree); err == nil && opened.Email != "" && !sentByMachine(opened.Email) {
			return opened, nil
		}
	}
	return d, err
}

// nobodyHasAddress reports whether a post gives no address, or only one of a place that serves.
func (r *reader) nobodyHasAddress() bool {
	email := r.chooser.best[fieldEmail].answer
	if email == nil {
		return r.emptyEmail == ""
	}
	return email.staff
}

// mayHaveLines reports whether the contact may stand in a text of titled lines: no field has an address but that of a
// machine.
func (r *reader) mayHaveLines(d *Draft) bool {
	email := r.chooser.best[fieldEmail].answer
	if email != nil && !sentByMachine(d.Email) {
		return holdsLines(*email)
	}
	return r.emptyEmail == "" && slices.ContainsFunc(r.answers, holdsLines)
}

func (r *reader) read(tree tree.Node) (Draft, error) {
	own := deliveryID(&tree)
	d := Draft{DeliveryID: own.id, IDNeeds: own.needs, Test: isTest(&tree), kind: r.opt.Kind}
	r.walk(&tree)
	if r.err != nil {
		return Draft{}, r.err
	}
	d.Test = d.Test || r.test
	d.Keys, d.deepText = r.keys, r.deepText
	r.closeStaff()
	r.readLabelled()
	r.findDocuments()
	r.choose(&d)
	d.Consents = r.consents
	d.ByEmailKey = r.mapped != 0 && d.Email != ""
	r.amountOfLines(&d, &tree)
	r.collectLeftover(&d)
	for _, p := range r.attributed {
		d.attribute(p.Key, p.Value)
	}
	d.attributeFromURLs(r.answers)
	d.FallbackOrigin = text.Cut(d.attributionText("utm_source"), fields.MaxLine)
	if d.FallbackOrigin == "" {
		d.FallbackOrigin = d.attributionText("platform")
	}
	return d, nil
}

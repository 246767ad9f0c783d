package intake

import (
	"strings"

	"fichario/domain/intake/fields"
	"fichario/domain/intake/names"
	"fichario/domain/intake/tree"
	"fichario/domain/text"
)

// answer is a key or question with what was answered to it.
type answer struct {
	scope
	at       tree.Place // its place in the order of arrival
	entry    entry      // the vocabulary's entry for the title, or for the key where there is no title
	typ      answerType
	labelled bool // the title is a question that a person wrote
	logical  bool // it was sent as true or false
	counted  bool // it was tried as a value
	isAmount bool // it is a value
	isBand   bool // a range, of which one end is the value
	taken    bool // a field took all of it
	// isDocument says that it holds documents, be they the contact's or not.
	isDocument bool
	mobile     bool // of a phone in parts: one of them says that its owner carries it
	// centsPlace is the rank of an amount in cents among those of its product, from 1; 0 for any other answer.
	centsPlace int8
	field      field // the field that it would feed
	key        string
	title      string
	values     []string
	number     string // the literal, when the answer is a JSON number
	amount     int64  // the value, when it is one and was tried
	attr       string // canonical key of attribution
}

// name is what is looked up in the vocabulary: the title or, without one, the key.
func (a *answer) name() string {
	if a.title != "" {
		return a.title
	}
	return a.key
}

// holder is the key of the object around the answer.
func (a *answer) holder() string { return a.prefix[strings.LastIndexByte(a.prefix, ' ')+1:] }

// label is what the note calls the answer.
func (a *answer) label() string {
	l := a.title
	if l == "" {
		l = a.key
		// "form form_name" says nothing that "form_name" does not.
		if n := len(a.prefix); n == 0 || len(l) <= n || !strings.EqualFold(l[:n], a.prefix) {
			l = join(a.prefix, l)
		}
	}
	return text.Cut(text.OneLine(text.Clean(l)), 300)
}

// text is the whole answer as one text.
func (a *answer) text() string {
	if len(a.values) == 1 {
		return a.values[0]
	}
	return strings.Join(a.values, ", ")
}

// wants reports whether the answer's key or title names a field outright.
func (a *answer) wants(f field) bool {
	for _, k := range [2]string{a.title, a.key} {
		if k == "" {
			continue
		}
		if e, _, ok := aliasOf(k); ok && e.field == f {
			return true
		}
	}
	return f == fieldPhone && a.typ == phoneType
}

// join joins the non-empty parts with spaces.
func join(parts ...string) string {
	out := ""
	for _, p := range parts {
		if p == "" {
			continue
		}
		if out != "" {
			out += " "
		}
		out += p
	}
	return out
}

// answerType is the type that a form gives a field.
type answerType uint8

const (
	noType answerType = iota
	emailType
	phoneType
	numberType
	nameType
	textType
	longType
	choiceType
	documentType
	titleType // of a record: what its owner named it
	otherType
)

// typeWords find the type in a product's word for it. The first match counts, so "phone_number" is a phone.
var typeWords = []struct {
	typ   answerType
	parts []string
}{
	{emailType, strings.Fields(`email`)},
	{documentType, strings.Fields(`cpf cnpj taxid`)},
	{phoneType, strings.Fields(`phone whatsapp telefone celular`)},
	{longType, strings.Fields(`textarea longtext longanswer paragraph multiline`)},
	{choiceType, strings.Fields(`multiplechoice choice checkbox dropdown select radio`)},
	{numberType, strings.Fields(`currency money number numeric`)},
	{nameType, strings.Fields(`fullname contactname`)},
	{textType, strings.Fields(`text shortanswer string`)},
}

// typeOf reads a product's word for a type.
func typeOf(s string) answerType {
	if s == "" || len(s) > 40 {
		return noType
	}
	n := names.Of(s)
	switch n {
	case "tel", "controlphone":
		return phoneType
	case "title":
		return titleType
	case "name", "controlfullname", "inputname", "names":
		return nameType
	}
	for _, t := range typeWords {
		for _, part := range t.parts {
			if strings.Contains(n, part) {
				return t.typ
			}
		}
	}
	return otherType
}

// Links that open an account, and what a Pix or boleto is paid by, stay out of the note: whoever reads it could use
// them. What a person was asked for is theirs to give: a portfolio, a file that they uploaded, the code on a bill.

// asksPerson reports whether a person was asked for an answer: by the title of its question, or by a key that addresses
// them.
func (a *answer) asksPerson() bool {
	if a.labelled && !a.closed || strings.IndexByte(a.key, '?') > 0 {
		return true
	}
	return strings.IndexByte(a.key, ' ') > 0 && names.HasAny(names.Words(a.key), addressing)
}

// addressing are words that address somebody.
var addressing = names.Set(`
	qual quais seu sua seus suas meu minha your my what which informe cole envie insira paste tu su cual`)

// opensAccount reports whether a value is a link that lets whoever has it into an account: its key says so, or it
// carries a token. What somebody uploaded is a file, however its address is signed; of the page of a form the reader
// keeps what is no token.
func (a *answer) opensAccount(value string) bool {
	switch {
	case !fields.IsLink(value) || !a.labelled && a.asksPerson():
		return false
	case saysItOpens(a.key):
		return true
	case a.asksPerson() || a.entry.attr != noAttr || len(a.key) <= 60 && names.HasAny(names.Words(a.key), fileWords):
		return false
	}
	return !fields.IsFileLink(value) && fields.WithoutTokens(value) != value
}

// saysItOpens reports whether a name is that of a link that opens an account.
func saysItOpens(name string) bool {
	if name == "" || len(name) > 60 {
		return false
	}
	w := names.Words(name)
	return names.HasAny(w, openingWords) || names.HasAny(w, stateWords) && names.HasAny(w, linkWords)
}

// openingWords are in the names of links that open an account, stateWords in those that also say something else: a
// company's "ativação", somebody's connection.
var (
	openingWords = names.Set(`
		magiclink login signin autologin onetime reset redefinir password senha impersonate sso otp`)
	stateWords = names.Set(`magic connection activation ativacao verification`)
	linkWords  = names.Set(`link url uri href`)
	fileWords  = names.Set(`
		arquivo arquivos anexo anexos file files upload uploads curriculo cv attachment attachments foto fotos photo photos
		imagem image video audio gravacao recording portfolio documento comprovante agenda calendar calendario`)
)

// pageWithoutTokens returns the address of a page that the contact saw without what opened an account there, and any
// other value as it is.
func (a *answer) pageWithoutTokens(value string) string {
	if a.entry.attr == noAttr || !fields.IsLink(value) {
		return value
	}
	return fields.WithoutTokens(value)
}

// maxConsents bounds the consents of a draft, longestYes the answers that are compared with yes and no.
const (
	maxConsents    = 40
	maxConsentName = 300 // characters of a key or a title
	longestYes     = 8
)

// rememberConsent records an answer that can be a consent, be it noise elsewhere: every yes and no, and any answer to a
// question that has a word for consent, so that "não quero mais" withdraws one.
func (r *reader) rememberConsent(a *answer, value string) {
	if a.shut || a.staff {
		return
	}
	given, is := false, false
	if len(a.values) == 1 && len(value) <= longestYes {
		switch text.Fold(value) {
		case "sim", "true":
			given, is = true, true
		case "nao", "false", "no", "yes", "on", "off", "0", "1":
			is = true
		}
	}
	if is || fields.AsksConsent(a.name()) {
		r.addConsent(a.key, a.title, given && !fields.RefusesConsent(a.key) && !fields.RefusesConsent(a.title))
	}
}

func (r *reader) addConsent(key, title string, given bool) {
	if len(r.consents) < maxConsents {
		said := func(s string) string { return text.Cut(text.OneLine(text.Clean(s)), maxConsentName) }
		r.consents = append(r.consents, Consent{said(key), said(title), given})
	}
}

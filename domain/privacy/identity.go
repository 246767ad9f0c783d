// Package privacy holds what the rights of a person are about (LGPD, art. 18): who somebody is to this service, what is
// held of him, and the erasure of it.
package privacy

import (
	"regexp"
	"slices"
	"strings"

	"fichario/domain/document"
	"fichario/domain/intake"
	"fichario/domain/text"
)

// Type is what an identity is: a document.Type, or Phone.
type Type string

// The types of identities. Those of documents have the words of document.Type.
const (
	CPF        = Type(document.CPF)
	CNPJ       = Type(document.CNPJ)
	Plate      = Type(document.Plate)
	Email      = Type(document.Email)
	Phone Type = "telefone"
)

// Identity is one thing that a person is found by, in one spelling: the bare characters of a document, an e-mail
// address in lower case, a phone number in E.164.
type Identity struct {
	Type  Type
	Value string
}

// String hides the value, so that no log line shows it.
func (i Identity) String() string { return string(i.Type) + " ***" }

// GoString hides it from %#v as well.
func (i Identity) GoString() string { return "privacy.Identity{" + i.String() + "}" }

// IsDocument reports whether an identity can be looked up as a document: all but phones.
func (i Identity) IsDocument() bool { return i.Type != Phone }

// OfDocument is the identity of a document; false for the zero value.
func OfDocument(d document.Document) (Identity, bool) {
	return Identity{Type(d.Type()), d.Value()}, !d.IsZero() && d.Value() != ""
}

// Document is the document of an identity; the zero value of a phone.
func (i Identity) Document() document.Document {
	if !i.IsDocument() {
		return document.Document{}
	}
	return document.Restore(document.Type(i.Type), i.Value)
}

// ByDocument reads a CPF, a CNPJ or a plate as people write it; the error is a sentence for them.
func ByDocument(typed string) (Identity, error) {
	r := document.Recognise(typed)
	if i, ok := OfDocument(r.Document); ok && i.Type != Email {
		return i, nil
	}
	reason, t := r.Reason, r.Type
	if reason == "" || t == document.Email || t == "" {
		reason, t = document.BadForm, document.CPF
	}
	return Identity{}, &document.Invalid{Type: t, Reason: reason}
}

// ByEmail reads an e-mail address. It is as forgiving as posts are: what has an @ is one.
func ByEmail(typed string) (Identity, error) {
	value := strings.ToLower(strings.TrimSpace(typed))
	if !strings.Contains(value, "@") || strings.ContainsAny(value, " \t\n") {
		return Identity{}, &document.Invalid{Type: document.Email, Reason: document.BadForm}
	}
	return Identity{Email, value}, nil
}

// ByPhone reads a phone number; one without a country code is of Brazil. It returns false for what is none.
func ByPhone(typed string) (Identity, bool) {
	value := intake.E164(typed)
	return Identity{Phone, value}, value != ""
}

var (
	addresses = regexp.MustCompile(`[^\s"'<>(),;:=&|\\/\[\]{}]+@[^\s"'<>(),;:=&|\\/\[\]{}@]+`)
	numbers   = regexp.MustCompile(`\+?[0-9A-Z(][0-9A-Z .()/-]{6,24}[0-9]`)
	escapes   = regexp.MustCompile(`\\u00[0-7][0-9a-fA-F]|%[0-7][0-9a-fA-F]`)
)

// plain takes away what forms and JSON put around characters.
func plain(s string) string {
	if !strings.ContainsAny(s, `%\+`) {
		return s
	}
	return escapes.ReplaceAllStringFunc(s, func(e string) string {
		code := e[len(e)-2:]
		return string(rune(unhex(code[0])<<4 | unhex(code[1])))
	})
}

func unhex(c byte) byte {
	switch {
	case c >= 'a':
		return c - 'a' + 10
	case c >= 'A':
		return c - 'A' + 10
	}
	return c - '0'
}

// FindIn returns the identities that a text names, each once: e-mail addresses, documents with right digits and phone
// numbers. It may return a number that means something else, and is for finding known ones among many.
func FindIn(s string) []Identity {
	s = plain(s)
	var out []Identity
	add := func(i Identity, ok bool) {
		if ok && !slices.Contains(out, i) {
			out = append(out, i)
		}
	}
	for _, address := range addresses.FindAllString(s, -1) {
		i, err := ByEmail(strings.Trim(address, "."))
		add(i, err == nil)
	}
	for _, number := range numbers.FindAllString(strings.ToUpper(s), -1) {
		parts := append([]string{number}, strings.Fields(number)...)
		for _, part := range parts {
			for _, t := range []document.Type{document.CPF, document.CNPJ} {
				d, err := document.FromCell(t, part)
				if err == nil {
					add(OfDocument(d))
				}
			}
			add(ByPhone(part))
		}
	}
	return out
}

// mentions reports whether a text, of which folded and digits are made, has an identity.
func (i Identity) mentions(folded, digits string) bool {
	switch i.Type {
	case Email:
		return strings.Contains(folded, i.Value)
	case Phone:
		return strings.Contains(digits, national(i.Value))
	}
	return strings.Contains(digits, strings.ToLower(i.Value))
}

// national is a number without the country code of Brazil, as most write it.
func national(e164 string) string {
	bare := strings.TrimPrefix(e164, "+")
	if rest, ok := strings.CutPrefix(bare, "55"); ok && len(rest) >= 10 {
		return rest
	}
	return bare
}

// separators are what stands between the characters of a number.
var separators = strings.NewReplacer(" ", "", ".", "", "-", "", "/", "", "(", "", ")", "", "+", "", "\u00a0", "")

// fold makes what mentions looks at.
func fold(s string) (folded, digits string) {
	folded = strings.ToLower(plain(s))
	return folded, separators.Replace(folded)
}

// foldName is a name as it is compared.
func foldName(s string) string { return text.Fold(s) }

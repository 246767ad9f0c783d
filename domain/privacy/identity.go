// Package privacy is about data subjects' rights (LGPD, art. 18): how a person is identified, what is held about
// them, and its erasure.
package privacy

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

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
	addresses = regexp.MustCompile(`[^\s"'<>(),;:=&|\\/\[\]{}]+@[^\s"'<>(),;:=&|\\/\[\]{}@+]+`)
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
	s = strings.ReplaceAll(plain(s), "\u00a0", " ")
	var out []Identity
	add := func(i Identity, ok bool) {
		if ok && !slices.Contains(out, i) {
			out = append(out, i)
		}
	}
	for _, address := range addresses.FindAllString(s, -1) {
		i, err := ByEmail(strings.Trim(address, "."))
		add(i, err == nil)
		local, _, _ := strings.Cut(address, "@")
		if plus := strings.LastIndexByte(local, '+'); plus >= 0 { // a form's space, or part of the address
			i, err = ByEmail(strings.Trim(address[plus+1:], "."))
			add(i, err == nil)
		}
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

// mentions reports whether a folded text has an identity, whole: what has it within another address or a longer number
// is about somebody else.
func (i Identity) mentions(folded string) bool {
	switch i.Type {
	case Email:
		return hasAddress(folded, i.Value)
	case Phone:
		return hasNumber(folded, national(i.Value), func(before string) bool {
			return before == "55" || before == "055" || len(before) == 3 && before[0] == '0' // the code of a carrier
		})
	}
	return hasNumber(folded, strings.ToLower(i.Value), func(string) bool { return false })
}

// hasAddress reports whether a text has an e-mail address. A full stop behind it may be the sentence's, a plus before
// it a form's space.
func hasAddress(s, address string) bool {
	for {
		at := strings.Index(s, address)
		if at < 0 {
			return false
		}
		before, _ := utf8.DecodeLastRuneInString(s[:at])
		s = s[at+len(address):]
		after, size := utf8.DecodeRuneInString(s)
		if after == '.' {
			after, _ = utf8.DecodeRuneInString(s[size:])
		}
		if !inAddress(before) && !inAddress(after) && after != '@' {
			return true
		}
	}
}

// inAddress reports whether a character beside an address would be part of it; not that the text ends there.
func inAddress(c rune) bool {
	return c != utf8.RuneError && (unicode.IsLetter(c) || unicode.IsDigit(c) || strings.ContainsRune("._-", c))
}

// separatorsMost is how many characters may stand between two of a number.
const separatorsMost = 4

// hasNumber reports whether a text has a number, with separators between its characters. Before it may stand zeros, and
// what prefix takes.
func hasNumber(s, number string, prefix func(string) bool) bool {
	for start := 0; ; start++ {
		at := strings.IndexByte(s[start:], number[0])
		if at < 0 {
			return false
		}
		start += at
		if end := endOf(number, s, start); end > 0 && (end == len(s) || !sameKind(s[end], number)) {
			begin := start
			for begin > 0 && sameKind(s[begin-1], number) {
				begin--
			}
			if before := strings.TrimLeft(s[begin:start], "0"); before == "" || prefix(before) || prefix(s[begin:start]) {
				return true
			}
		}
	}
}

// endOf is where a number that begins at start has ended; 0 where it does not stand there.
func endOf(number, s string, start int) int {
	at, between := start, 0
	for n := 0; n < len(number); at++ {
		switch {
		case at == len(s):
			return 0
		case s[at] == number[n]:
			n, between = n+1, 0
		case strings.IndexByte(separators, s[at]) < 0 || between == separatorsMost:
			return 0
		default:
			between++
		}
	}
	return at
}

// sameKind reports whether a character beside a number would be part of it: a digit, and beside one with letters a
// letter too.
func sameKind(c byte, number string) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' && strings.Trim(number, "0123456789") != ""
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
const separators = " .-/()+"

// fold makes what mentions looks at.
func fold(s string) string {
	return strings.ReplaceAll(strings.ToLower(plain(s)), "\u00a0", " ")
}

// foldName is a name as it is compared.
func foldName(s string) string { return text.Fold(s) }

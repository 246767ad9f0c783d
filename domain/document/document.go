// Package document validates the identifiers that can be looked up: CPF, CNPJ (numeric and alphanumeric), licence plate
// and e-mail address.
//
// The check digits are tested before anything else happens to a request, because a bureau does not validate its input
// and may answer with another person's record (specification, section 7).
package document

import (
	"strings"

	"fichario/domain/text"
)

// Type is a kind of document. The same words are the scopes of a key.
type Type string

// The document types.
const (
	CPF   Type = "cpf"
	CNPJ  Type = "cnpj"
	Plate Type = "placa"
	Email Type = "email"
)

// Types lists every document type, in the order in which they are shown.
func Types() []Type { return []Type{CPF, CNPJ, Plate, Email} }

// Valid reports whether t is a known type.
func (t Type) Valid() bool {
	for _, k := range Types() {
		if t == k {
			return true
		}
	}
	return false
}

// Label returns the name of the type as it is written in Portuguese text.
func (t Type) Label() string {
	switch t {
	case CPF:
		return "CPF"
	case CNPJ:
		return "CNPJ"
	case Plate:
		return "placa"
	case Email:
		return "e-mail"
	}
	return string(t)
}

// Document is a valid identifier in its bare form. The zero value is not valid;
// only Parse and Normalize make documents.
type Document struct {
	typ   Type
	value string
}

// Type returns the kind of the document.
func (d Document) Type() Type { return d.typ }

// Value returns the bare characters: 11 digits of a CPF, 14 characters of a CNPJ,
// 7 of a plate, an e-mail address in lower case.
func (d Document) Value() string { return d.value }

// IsZero reports whether d was never parsed.
func (d Document) IsZero() bool { return d.typ == "" }

// Punctuated writes a document as people do: 529.982.247-25, 11.222.333/0001-81. The zero value is empty.
func (d Document) Punctuated() string {
	v := d.value
	switch d.typ {
	case CPF:
		return v[:3] + "." + v[3:6] + "." + v[6:9] + "-" + v[9:]
	case CNPJ:
		return v[:2] + "." + v[2:5] + "." + v[5:8] + "/" + v[8:12] + "-" + v[12:]
	}
	return v
}

// Masked returns the document with most of it hidden, for screens and messages.
func (d Document) Masked() string {
	switch d.typ {
	case CPF:
		return "***." + d.value[3:6] + "." + d.value[6:9] + "-**"
	case CNPJ:
		return "**." + d.value[2:5] + "." + d.value[5:8] + "/****-**"
	case Plate:
		return d.value[:3] + "****"
	case Email:
		at := strings.LastIndexByte(d.value, '@')
		return d.value[:1] + "***" + d.value[at:]
	}
	return ""
}

// String hides the document, so that a stray %v in a log line cannot show it.
func (d Document) String() string { return d.Masked() }

// GoString hides the document from %#v as well.
func (d Document) GoString() string { return "document.Document{" + d.Masked() + "}" }

// Parse reads the bare form of a document, as the lookup API takes it: no mask,
// no lower-case letters (design, section 3). The error is always an *Invalid.
func Parse(t Type, s string) (Document, error) {
	var reason Reason
	switch t {
	case CPF:
		reason = checkCPF(s)
	case CNPJ:
		reason = checkCNPJ(s)
	case Plate:
		reason = checkPlate(s)
	case Email:
		s, reason = checkEmail(s)
	default:
		reason = UnknownType
	}
	if reason != "" {
		return Document{}, &Invalid{Type: t, Reason: reason}
	}
	return Document{typ: t, value: s}, nil
}

// Normalize reads a document as a person types or pastes it: with a mask of any dashes, spaces or lower-case letters.
// The error is always an *Invalid.
func Normalize(t Type, s string) (Document, error) {
	s = strings.TrimSpace(s)
	if t != Email { // an address with a character taken out is another one
		bared := strings.Map(bare, s)
		s = text.Upper(strings.NewReplacer(".", "", "-", "", "/", "", " ", "").Replace(bared))
	}
	return Parse(t, s)
}

// Restore rebuilds a document that was parsed before it was stored, without
// checking it again. It is for storage adapters only.
func Restore(t Type, value string) Document { return Document{typ: t, value: value} }

// Reason says why a text is not a document.
type Reason string

// The reasons.
const (
	UnknownType Reason = "tipo de documento desconhecido"
	Empty       Reason = "está vazio"
	HasMask     Reason = "tem máscara: envie só os caracteres, sem pontos, barras, traços ou espaços"
	LowerCase   Reason = "tem letra minúscula: envie as letras em maiúsculas"
	BadChar     Reason = "tem um caractere que não é aceito"
	BadLength   Reason = "não tem o tamanho certo"
	BadDigit    Reason = "tem dígito verificador que não confere"
	Repeated    Reason = "repete o mesmo dígito do começo ao fim"
	BadForm     Reason = "não tem um formato aceito"
)

// Invalid says that a text is not a document of a type. It never holds the text.
type Invalid struct {
	Type   Type
	Reason Reason
}

// Error returns a sentence in Portuguese that is safe to show and to log.
func (e *Invalid) Error() string {
	want := ""
	switch {
	case e.Reason == BadLength && e.Type == CPF:
		want = " (11 dígitos)"
	case e.Reason == BadLength && e.Type == CNPJ:
		want = " (14 caracteres)"
	case e.Type == Plate && (e.Reason == BadLength || e.Reason == BadForm || e.Reason == BadChar):
		want = " (AAA9999 ou AAA9A99)"
	case e.Type == Email && e.Reason == BadForm:
		want = " (um só endereço, como nome@dominio.com.br; um domínio com acentos, na forma xn--)"
	}
	subject := "O " + e.Type.Label()
	if e.Type == Plate {
		subject = "A placa"
	}
	return subject + " " + string(e.Reason) + want + "."
}

// classify looks at a text that should hold only digits, or only digits and
// capital letters, and says what is wrong with its characters.
func classify(s string, letters bool) Reason {
	if s == "" {
		return Empty
	}
	for _, r := range s {
		switch {
		case r >= '0' && r <= '9', letters && r >= 'A' && r <= 'Z':
		case letters && r >= 'a' && r <= 'z':
			return LowerCase
		case r == '.' || r == '-' || r == '/' || r == ' ':
			return HasMask
		default:
			return BadChar
		}
	}
	return ""
}

func checkCPF(s string) Reason {
	if r := classify(s, false); r != "" {
		return r
	}
	if len(s) != 11 {
		return BadLength
	}
	if same(s) {
		return Repeated
	}
	for n := 9; n <= 10; n++ {
		sum := 0
		for i := range n {
			sum += int(s[i]-'0') * (n + 1 - i)
		}
		if int(s[n]-'0') != mod11(sum) {
			return BadDigit
		}
	}
	return ""
}

// checkCNPJ accepts the numeric form and the alphanumeric one that is in force
// since July 2026: a character is worth its ASCII code minus 48.
func checkCNPJ(s string) Reason {
	if r := classify(s, true); r != "" {
		return r
	}
	if len(s) != 14 {
		return BadLength
	}
	if s[12] > '9' || s[13] > '9' {
		return BadDigit
	}
	if same(s) {
		return Repeated
	}
	for n := 12; n <= 13; n++ {
		sum := 0
		for i := range n {
			// The weights run from 2 to 9, right to left, and repeat.
			sum += int(s[i]-'0') * (2 + (n-1-i)%8)
		}
		if int(s[n]-'0') != mod11(sum) {
			return BadDigit
		}
	}
	return ""
}

func mod11(sum int) int {
	if r := sum % 11; r >= 2 {
		return 11 - r
	}
	return 0
}

func same(s string) bool { return strings.Count(s, s[:1]) == len(s) }

// checkPlate accepts the old form AAA9999 and the Mercosul form AAA9A99.
func checkPlate(s string) Reason {
	if r := classify(s, true); r != "" {
		return r
	}
	if len(s) != 7 {
		return BadLength
	}
	letter := func(i int) bool { return s[i] >= 'A' }
	if !letter(0) || !letter(1) || !letter(2) || letter(3) || letter(5) || letter(6) {
		return BadForm
	}
	return ""
}

// checkEmail accepts one bare address and returns it in lower case, so that one
// mailbox has one history. Quoted local parts, comments and address literals are
// not accepted: no bureau knows them.
func checkEmail(s string) (string, Reason) {
	if s == "" {
		return s, Empty
	}
	if len(s) > 254 {
		return s, BadLength
	}
	s = text.Lower(s)
	local, domain, ok := strings.Cut(s, "@")
	if !ok || local == "" || len(local) > 64 || !dotted(local, "!#$%&'*+/=?^_`{|}~-") {
		return s, BadForm
	}
	if !strings.Contains(domain, ".") || !dotted(domain, "-") {
		return s, BadForm
	}
	if last := domain[strings.LastIndexByte(domain, '.')+1:]; strings.Trim(last, "0123456789") == "" {
		return s, BadForm // the end of an IP address: no domain ends so
	}
	for label := range strings.SplitSeq(domain, ".") {
		if len(label) > 63 || label[0] == '-' || label[len(label)-1] == '-' {
			return s, BadForm
		}
	}
	return s, ""
}

// dotted reports whether s is one or more non-empty runs of ASCII letters, digits
// and the extra characters, joined by single dots.
func dotted(s, extra string) bool {
	run := 0
	for i := range len(s) {
		c := s[i]
		switch {
		case c == '.':
			if run == 0 {
				return false
			}
			run = 0
		case c >= 'a' && c <= 'z', c >= '0' && c <= '9', strings.IndexByte(extra, c) >= 0:
			run++
		default:
			return false
		}
	}
	return run > 0
}

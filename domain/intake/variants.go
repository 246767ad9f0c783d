package intake

import (
	"bytes"
	"strings"

	"fichario/domain/intake/names"
	"fichario/domain/intake/tree"
)

// leadingWords are the words that a product puts before its keys: Elementor's "No Label email", Contact Form 7's
// "your-email", Wix's "field:email_1a2b", RD Station's "cf_", Jotform's "q4_email", and a sheet's "lead_origem".
// "form" is not among them: "formName" would become a person's name.
const leadingWords = `
	nolabel your seu sua field fields cf input txt meu minha lead contact contato client cliente customer mf`

// aliasOf finds the field that a key or title names: first as it stands, then in the forms that products give it. again
// says that the key is a second one of its kind ("email_2").
func aliasOf(key string) (e entry, again, ok bool) {
	if len(key) > 200 {
		return entry{}, false, false
	}
	if e = lookup(key); e.field != noField {
		return e, false, true
	}
	for _, v := range keyVariants(key) {
		if e = lookup(v.key); e.field != noField {
			return e, v.again, true
		}
		if e = inOnePiece(v.key); e.field != noField {
			return e, v.again, true
		}
	}
	e = inOnePiece(key)
	return e, false, e.field != noField
}

// inOnePiece finds the field that a key names after a leading word without a separator: "txtnome", "q4email". The zero
// value says that it names none.
func inOnePiece(key string) entry {
	var buf [64]byte
	name := names.Append(buf[:0], key)
	if len(name) > 2 && name[0] == 'q' {
		rest := name[1:]
		for len(rest) > 0 && rest[0] >= '0' && rest[0] <= '9' {
			rest = rest[1:]
		}
		if len(rest) < len(name)-1 {
			return vocabulary[string(rest)]
		}
	}
	for i := range joinedWords {
		w := &joinedWords[i]
		rest, ok := bytes.CutPrefix(name, w.word)
		if !ok || w.furniture[string(rest)] {
			continue
		}
		if e := vocabulary[string(rest)]; e.field != noField {
			return e
		}
	}
	return entry{}
}

// joinedWord is a leading word that may be joined to the key.
type joinedWord struct {
	word      []byte
	furniture map[string]bool // rests that make it a part of a field, and not an answer: "fieldname", "inputvalue"
}

var joinedWords = []joinedWord{
	{word: []byte("txt")}, {word: []byte("cf")}, {word: []byte("seu")}, {word: []byte("sua")}, {word: []byte("meu")},
	{word: []byte("minha")}, {word: []byte("your")}, {word: []byte("nolabel")},
	{word: []byte("field"), furniture: partsOfFields}, {word: []byte("input"), furniture: partsOfFields},
}

// partsOfFields are English names for the parts of a form's field that are aliases themselves.
var partsOfFields = names.Set(`
	name names displayname nickname value text textarea multiline description detail details question questions content
	body source origin message note notes comment comments total amount first last contact lead channel`)

// variant is a key without something that a product or a person added to it.
type variant struct {
	key   string
	again bool
}

// keyVariants returns the other forms under which a key is looked up, the closest first.
func keyVariants(key string) []variant {
	var out []variant
	again := false
	add := func(k string) {
		if k = strings.TrimSpace(k); k != "" && k != key {
			out = append(out, variant{k, again})
		}
	}
	base := key
	if i := strings.IndexAny(base, ".)-"); i > 0 && i <= 3 && names.CountDigits(base[:i]) == len(strings.TrimSpace(base[:i])) {
		base = strings.TrimSpace(base[i+1:]) // the number of a question: "3. Celular"
		add(base)
	}
	if rest, ok := withoutScreen(base); ok {
		base = rest
		add(base)
	}
	if i := strings.IndexAny(base, "(?["); i > 0 {
		base = base[:i] // the explanation of the question
		add(base)
	}
	if i := strings.LastIndexAny(base, "_-"); i > 0 && len(base)-i == 5 && isHex(base[i+1:]) {
		base = base[:i] // Wix: "email_1a2b"
		add(base)
	}
	if i := strings.LastIndexAny(base, "_- "); i > 0 && isOrdinal(base[i+1:]) {
		again = base[i+1:] != "1"
		base = base[:i]
		add(base)
	}
	if rest, ok := withoutLeadingWord(base); ok {
		add(rest)
	}
	if i := strings.IndexByte(base, '/'); i > 0 {
		add(base[:i]) // "Empresa / CNPJ"
	}
	return out
}

// withoutScreen takes off what WhatsApp's Flows put around a key: "screen_0_Nome_completo_1".
func withoutScreen(key string) (string, bool) {
	rest, ok := strings.CutPrefix(key, "screen_")
	if !ok {
		return "", false
	}
	number, rest, ok := strings.Cut(rest, "_")
	end := strings.LastIndexByte(rest, '_')
	if !ok || end <= 0 || !isOrdinal(number) || !isOrdinal(rest[end+1:]) {
		return "", false
	}
	return rest[:end], true
}

func isHex(s string) bool {
	for i := range len(s) {
		if tree.Unhex(s[i]) < 0 {
			return false
		}
	}
	return true
}

// isOrdinal reports whether a text numbers a second field of its kind: one digit or two.
func isOrdinal(s string) bool { return (len(s) == 1 || len(s) == 2) && names.CountDigits(s) == len(s) }

// withoutLeadingWord takes one leading word off a key: "your-email", "field:email", "No Label email", "q4_email",
// "seuNome".
func withoutLeadingWord(key string) (string, bool) {
	if len(key) > 2 && (key[0] == 'q' || key[0] == 'Q') {
		i := 1
		for i < len(key) && key[i] >= '0' && key[i] <= '9' {
			i++
		}
		if i > 1 && i < len(key) && strings.IndexByte("_-: ", key[i]) >= 0 {
			return key[i+1:], true
		}
	}
	for end := 1; end < len(key) && end <= 9; end++ {
		// A word ends at a separator, or where camelCase begins the next.
		camel := key[end] >= 'A' && key[end] <= 'Z' && key[end-1] >= 'a' && key[end-1] <= 'z'
		if strings.IndexByte("_-: .", key[end]) < 0 && !camel {
			continue
		}
		if lookup(key[:end]).leading {
			return strings.TrimLeft(key[end:], "_-: ."), true
		}
	}
	return "", false
}

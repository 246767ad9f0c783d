package intake

import (
	"strings"

	"fichario/domain/intake/names"
)

// field is one of the contact's fields that an answer may feed.
type field uint8

const (
	noField field = iota
	fieldEmail
	fieldPhone
	fieldCompany
	fieldName
	fieldAmount
	fieldMessage
	fieldOrigin
	fieldFirst // a part of the name
	fieldLast  // a part of the name
	fieldArea  // a part of the phone
	fieldCountry
	fieldCount
)

// fieldNames are the words of the contract.
var fieldNames = [fieldCount]string{
	fieldEmail: "email", fieldName: "nome", fieldPhone: "telefone", fieldCompany: "empresa", fieldAmount: "valor",
	fieldMessage: "mensagem", fieldOrigin: "origem",
}

// entry is what the reader knows about a key, by its normal form.
type entry struct {
	field      field
	weak       bool     // only when no other key feeds the field, and the value looks right
	preference int8     // among the keys of one field, the higher the better
	tree       treeRole // its role when the value is an object or an array
	attr       attr     // attribution, see attribution.go
	noise      noise    // see noise.go
	leading    bool     // one of the leading words that a product puts before a key
}

// vocabulary is every key that the reader knows, in one table, so that a key costs one lookup.
var vocabulary = buildVocabulary()

func buildVocabulary() map[string]entry {
	v := make(map[string]entry, 1024)
	set := func(words string, change func(e *entry)) {
		for w := range strings.FieldsSeq(words) {
			e := v[strings.TrimSuffix(w, "*")]
			change(&e)
			v[strings.TrimSuffix(w, "*")] = e
		}
	}
	for f, words := range aliases {
		for w := range strings.FieldsSeq(words) {
			set(w, func(e *entry) { e.field, e.weak = f, strings.HasSuffix(w, "*") })
		}
	}
	for i, words := range phoneOrder {
		set(words, func(e *entry) { e.preference = int8(i + 1) })
	}
	for r, words := range trees {
		set(words, func(e *entry) { e.tree = r })
	}
	for a, words := range attributionKeys {
		set(words, func(e *entry) { e.attr = a })
	}
	for n, words := range noiseKeys {
		set(words, func(e *entry) { e.noise = n })
	}
	set(leadingWords, func(e *entry) { e.leading = true })
	return v
}

// lookup finds a key by its normal form.
func lookup(key string) entry {
	var buf [64]byte
	return vocabulary[string(names.Append(buf[:0], key))]
}

package intake

import (
	"strings"

	"fichario/domain/intake/names"
)

// partWords are the words for parts of a name: some suffice alone, others need a word for a name beside them.
var partWords = func() map[string]uint8 {
	m := map[string]uint8{}
	for part, list := range map[uint8]string{
		firstOf: `first primeiro primer given`, firstOf | alone: `firstname fname`,
		lastOf: `last ultimo family`, lastOf | alone: `sobrenome sobrenomes surname apellido apellidos lastname lname`,
	} {
		for w := range strings.FieldsSeq(list) {
			m[w] = part
		}
	}
	return m
}()

const (
	firstOf uint8 = 1 << iota
	lastOf
	alone
)

// partOfName tells the title of a first or last name from that of a full name: "Nome e sobrenome" asks for both.
func partOfName(title []string) field {
	part := uint8(0)
	for _, w := range title {
		part |= partWords[w]
	}
	if part == 0 || part&firstOf != 0 && part&lastOf != 0 || names.HasAny(title, nameRule.none) {
		return noField
	}
	whole := names.HasAny(title, nameRule.any)
	switch {
	case part&firstOf != 0 && (whole || part&alone != 0):
		return fieldFirst
	case part&lastOf != 0 && whole != (part&alone != 0):
		return fieldLast
	}
	return noField
}

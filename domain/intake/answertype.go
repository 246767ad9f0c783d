package intake

import "strings"

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
	otherType
)

// typeWords find the type in a product's word for it; the first that fits, so "phone_number" is a phone.
var typeWords = []struct {
	part string
	typ  answerType
}{
	{"email", emailType}, {"phone", phoneType}, {"whatsapp", phoneType}, {"telefone", phoneType}, {"celular", phoneType},
	{"textarea", longType}, {"longtext", longType}, {"longanswer", longType}, {"paragraph", longType}, {"multiline", longType},
	{"multiplechoice", choiceType}, {"choice", choiceType}, {"checkbox", choiceType}, {"dropdown", choiceType}, {"select", choiceType},
	{"radio", choiceType}, {"currency", numberType}, {"money", numberType}, {"number", numberType}, {"numeric", numberType},
	{"fullname", nameType}, {"contactname", nameType}, {"text", textType}, {"shortanswer", textType}, {"string", textType},
}

// typeOf reads a product's word for a type.
func typeOf(s string) answerType {
	if s == "" || len(s) > 40 {
		return noType
	}
	n := nameOf(s)
	switch n {
	case "tel", "controlphone":
		return phoneType
	case "name", "controlfullname", "inputname", "names":
		return nameType
	}
	for _, w := range typeWords {
		if strings.Contains(n, w.part) {
			return w.typ
		}
	}
	return otherType
}

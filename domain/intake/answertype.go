package intake

import (
	"strings"

	"fichario/domain/intake/names"
)

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

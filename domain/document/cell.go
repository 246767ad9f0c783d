package document

import (
	"errors"
	"regexp"
	"strconv"
	"strings"
)

// LostDigits is the reason where a spreadsheet took a document for a number and rounded it.
const LostDigits Reason = "virou um número arredondado na planilha e perdeu dígitos: formate a coluna como texto e digite-o de novo"

// numberOf holds the lengths of the documents that a spreadsheet may take for numbers.
var numberOf = map[Type]int{CPF: 11, CNPJ: 14}

var (
	scientific = regexp.MustCompile(`^(\d)(?:[.,](\d+))?[eE]\+?(\d{1,2})$`)
	decimal    = regexp.MustCompile(`^(\d+)[.,]0+$`)
)

// FromCell reads a document from the cell of a spreadsheet: as Normalize does, and as a number where the spreadsheet
// took it for one. Lost leading zeros are restored if the check digits then agree; rounded digits are LostDigits. The
// error is always an *Invalid.
func FromCell(t Type, cell string) (Document, error) {
	cell = strings.TrimPrefix(strings.TrimSpace(strings.Map(bare, cell)), "'")
	length, number := numberOf[t]
	if !number {
		return Normalize(t, cell)
	}
	if m := scientific.FindStringSubmatch(cell); m != nil {
		exponent, _ := strconv.Atoi(m[3])
		if len(m[2]) != exponent {
			return Document{}, &Invalid{Type: t, Reason: LostDigits}
		}
		cell = m[1] + m[2]
	} else if m := decimal.FindStringSubmatch(cell); m != nil {
		cell = m[1]
	}
	doc, err := Normalize(t, cell)
	var invalid *Invalid
	if errors.As(err, &invalid) && invalid.Reason == BadLength && len(cell) < length && onlyDigits(cell) {
		if padded, err := Parse(t, strings.Repeat("0", length-len(cell))+cell); err == nil {
			return padded, nil
		}
	}
	return doc, err
}

func onlyDigits(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}

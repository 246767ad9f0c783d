package fields

import (
	"slices"
	"strings"

	"fichario/domain/intake/names"
)

// IsPayable reports whether a value is what somebody pays by: a Pix to copy and paste, the digits of a boleto or, under
// a key that says so, of its bars. It says nothing about the contact, and is paid by whoever has it.
func IsPayable(key, value string) bool {
	switch {
	case strings.HasPrefix(value, "https://"):
		return showsCode(key)
	case len(value) < 44:
		return false
	}
	if strings.HasPrefix(value, "000201") {
		return strings.Contains(strings.ToLower(value[:min(len(value), 200)]), "br.gov.bcb.pix")
	}
	if len(value) > 70 || strings.Trim(value, "0123456789. -") != "" {
		return false
	}
	switch names.CountDigits(value) {
	case 47, 48:
		return true
	case 44:
		return names.HasAny(names.Words(key), payableWords)
	}
	return false
}

// showsCode reports whether a key names a picture of such a code, and nothing else: a campaign on a poster has one too.
func showsCode(key string) bool {
	if len(key) > 60 {
		return false
	}
	w := names.Words(key)
	return names.HasAny(w, codeImages) && !slices.ContainsFunc(w, func(word string) bool {
		return !codeImages[word] && !besideCodes[word]
	})
}

// codeImages name a picture of such a code, besideCodes what is said of it, and payableWords the digits of bars.
var (
	codeImages  = names.Set(`qrcode qr`)
	besideCodes = names.Set(`
		code codigo url link href image imagem img png svg picture pix boleto payment pagamento charge cobranca order pedido
		text`)
	payableWords = names.Set(`boleto billet barcode barras barra bars linha digitavel`)
)

package intake

import (
	"cmp"
	"slices"
	"strings"

	"fichario/domain/intake/names"
)

// Links that open an account, and what a Pix or boleto is paid by, stay out of the note: whoever reads it could use
// them. What a person was asked for is theirs to give: a portfolio, a file that they uploaded, the code on a bill.

// asksPerson reports whether a person was asked for an answer: by the title of its question, or by a key that addresses
// them.
func (a *answer) asksPerson() bool {
	if a.labelled && !a.closed || strings.IndexByte(a.key, '?') > 0 {
		return true
	}
	return strings.IndexByte(a.key, ' ') > 0 && names.HasAny(names.Words(a.key), addressing)
}

// addressing are words that address somebody.
var addressing = names.Set(`
	qual quais seu sua seus suas meu minha your my what which informe cole envie insira paste tu su cual`)

// opensAccount reports whether a value is a link that lets whoever has it into an account: its key says so, or it
// carries a token. What somebody uploaded is a file, however its address is signed; of the page of a form the reader
// keeps what is no token.
func (a *answer) opensAccount(value string) bool {
	switch {
	case !isLink(value) || !a.labelled && a.asksPerson():
		return false
	case saysItOpens(a.key):
		return true
	case a.asksPerson() || a.entry.attr != noAttr || len(a.key) <= 60 && names.HasAny(names.Words(a.key), fileWords):
		return false
	}
	return !isFileLink(value) && withoutTokens(value) != value
}

// isLink reports whether a value is one address on the web.
func isLink(s string) bool {
	return (strings.HasPrefix(s, "https://") || strings.HasPrefix(s, "http://")) && strings.IndexByte(s, ' ') < 0
}

// saysItOpens reports whether a name is that of a link that opens an account.
func saysItOpens(name string) bool {
	if name == "" || len(name) > 60 {
		return false
	}
	w := names.Words(name)
	return names.HasAny(w, openingWords) || names.HasAny(w, stateWords) && names.HasAny(w, linkWords)
}

// openingWords are in the names of links that open an account, stateWords in those that also say something else: a
// company's "ativação", somebody's connection.
var (
	openingWords = names.Set(`
		magiclink login signin autologin onetime reset redefinir password senha impersonate sso otp`)
	stateWords = names.Set(`magic connection activation ativacao verification`)
	linkWords  = names.Set(`link url uri href`)
	fileWords  = names.Set(`
		arquivo arquivos anexo anexos file files upload uploads curriculo cv attachment attachments foto fotos photo photos
		imagem image video audio gravacao recording portfolio documento comprovante agenda calendar calendario`)
)

// isFileLink reports whether a link ends in the name of a file, and not of a program or a page.
func isFileLink(link string) bool {
	_, address, _ := strings.Cut(link[:queryOf(link)], "://")
	slash := strings.LastIndexByte(address, '/')
	if slash < 0 {
		return false // of nothing but a site
	}
	dot := strings.LastIndexByte(address, '.')
	return dot > slash+1 && !pageEndings[strings.ToLower(address[dot+1:])]
}

var pageEndings = names.Set(`php asp aspx jsp html htm do action cgi`)

// queryOf returns where the query or the fragment of a link begins.
func queryOf(link string) int {
	if at := strings.IndexAny(link, "?#"); at >= 0 {
		return at
	}
	return len(link)
}

// pageWithoutTokens returns the address of a page that the contact saw without what opened an account there, and any
// other value as it is.
func (a *answer) pageWithoutTokens(value string) string {
	if a.entry.attr == noAttr || !isLink(value) {
		return value
	}
	return withoutTokens(value)
}

// withoutTokens returns a link without the parameters that open an account.
func withoutTokens(link string) string {
	at := queryOf(link)
	rest, dropped := link[at:], ""
	var kept strings.Builder
	kept.WriteString(link[:at])
	for rest != "" {
		end := len(rest)
		if next := strings.IndexAny(rest[1:], "&#;?"); next >= 0 {
			end = next + 1
		}
		switch {
		case opensByToken(rest[1:end]):
			dropped = cmp.Or(dropped, rest[:1])
		case rest[0] == '&' && dropped != "":
			kept.WriteString(dropped + rest[1:end]) // the first that is left follows the mark
			dropped = ""
		default:
			kept.WriteString(rest[:end])
			dropped = ""
		}
		rest = rest[end:]
	}
	return kept.String()
}

// opensByToken reports whether a parameter is a token that opens an account.
func opensByToken(parameter string) bool {
	name, token, _ := strings.Cut(parameter, "=")
	var buf [64]byte
	return len(token) >= 8 && openingParameters[string(names.Append(buf[:0], name))]
}

// openingParameters are the names of such tokens, in normal form.
var openingParameters = names.Set(`
	token accesstoken authtoken auth logintoken resettoken magictoken magic jwt otp refreshtoken idtoken sessiontoken
	autologin usertoken resetpasswordtoken confirmationtoken`)

// isPayable reports whether a value is what somebody pays by: a Pix to copy and paste, the digits of a boleto or, under
// a key that says so, of its bars. It says nothing about the contact, and is paid by whoever has it.
func isPayable(key, value string) bool {
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

package fields

import (
	"cmp"
	"strings"

	"fichario/domain/intake/names"
)

// IsLink reports whether a value is one address on the web.
func IsLink(s string) bool {
	return (strings.HasPrefix(s, "https://") || strings.HasPrefix(s, "http://")) && strings.IndexByte(s, ' ') < 0
}

// IsFileLink reports whether a link ends in the name of a file, and not of a program or a page.
func IsFileLink(link string) bool {
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

// WithoutTokens returns a link without the parameters that open an account.
func WithoutTokens(link string) string {
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

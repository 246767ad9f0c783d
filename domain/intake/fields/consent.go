package fields

import (
	"bytes"
	"strings"

	"fichario/domain/intake/names"
)

// consenting are the stems of words for a consent, in normal form.
var consenting = stems(`
	aceit autoriz concord consent consint optin newsletter lgpd gdpr marketing permiss permit privac`)

// refusing are the stems of words by which a field names the contrary of a consent, agreeing those by which a sentence
// asks for one, in normal form. Whatever is answered to the first gives none: that somebody has not left a list does
// not say that they agreed to be on it.
var (
	refusing = stems(`
		optout optedout unsub donotcontact donotcall donotemail donottext donotsend donotwant dontcontact dontwant
		donotdisturb naoquero naodesejo naogostaria naoaceit naoautoriz naoconcord naopermit naocontat naoperturb noquiero
		noacepto descadastr desinscr blacklist deixarderece pararderece stopreceiv`)
	agreeing = stems(`
		aceitorec aceitoos aceitoa concordoem concordocom autorizoo autorizoa queroreceb desejoreceb gostariadereceb
		iagree iaccept iconsent`)
)

// stems are the words of a list, as they are found within the normal form of a name.
func stems(list string) [][]byte { return bytes.Fields([]byte(list)) }

// RefusesConsent reports whether the name of a field is the contrary of a consent's. A sentence that first asks for one
// may go on to say how it is withdrawn.
func RefusesConsent(name string) bool {
	var buf [64]byte
	of := names.Append(buf[:0], name)
	if string(of) == "dnd" || string(of) == "suppressed" {
		return true
	}
	at := firstStem(refusing, of)
	if at < 0 || strings.IndexByte(name, ' ') < 0 {
		return at >= 0
	}
	agreed := firstStem(agreeing, of)
	return agreed < 0 || at < agreed
}

// firstStem returns where the first of some stems stands in a name; -1 for none.
func firstStem(stems [][]byte, name []byte) int {
	first := -1
	for _, stem := range stems {
		if at := bytes.Index(name, stem); at >= 0 && (first < 0 || at < first) {
			first = at
		}
	}
	return first
}

// AsksConsent reports whether the name of a field has a word for a consent.
func AsksConsent(name string) bool {
	var buf [64]byte
	return firstStem(consenting, names.Append(buf[:0], name)) >= 0
}

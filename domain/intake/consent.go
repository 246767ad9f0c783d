package intake

import (
	"bytes"
	"slices"

	"fichario/domain/intake/names"
	"fichario/domain/text"
)

// maxConsents bounds the consents of a draft, longestYes the answers that are compared with yes and no.
const (
	maxConsents    = 40
	maxConsentName = 300 // characters of a key or a title
	longestYes     = 8
)

// rememberConsent records an answer that can be a consent, be it noise elsewhere: every yes and no, and any answer to a
// question that has a word for consent, so that "não quero mais" withdraws one.
func (r *reader) rememberConsent(a *answer, value string) {
	if a.shut || a.staff {
		return
	}
	given, is := false, false
	if len(a.values) == 1 && len(value) <= longestYes {
		switch text.Fold(value) {
		case "sim", "true":
			given, is = true, true
		case "nao", "false", "no", "yes", "on", "off", "0", "1":
			is = true
		}
	}
	if is || asksConsent(a.name()) {
		r.addConsent(a.key, a.title, given && !refusesConsent(a.key) && !refusesConsent(a.title))
	}
}

func (r *reader) addConsent(key, title string, given bool) {
	if len(r.consents) < maxConsents {
		said := func(s string) string { return text.Cut(text.OneLine(text.Clean(s)), maxConsentName) }
		r.consents = append(r.consents, Consent{said(key), said(title), given})
	}
}

// consenting are the stems of words for a consent, in normal form.
var consenting = [][]byte{
	[]byte("aceit"), []byte("autoriz"), []byte("concord"), []byte("consent"), []byte("consint"), []byte("optin"),
	[]byte("newsletter"), []byte("lgpd"), []byte("gdpr"), []byte("marketing"), []byte("permiss"), []byte("permit"),
	[]byte("privac"),
}

// refusing are the stems of words by which a field names the contrary of a consent, in normal form. Whatever is
// answered there gives none: that somebody has not left a list does not say that they agreed to be on it.
var refusing = [][]byte{
	[]byte("optout"), []byte("optedout"), []byte("unsub"), []byte("donotcontact"), []byte("donotcall"),
	[]byte("donotemail"), []byte("donottext"), []byte("donotsend"), []byte("donotwant"), []byte("dontcontact"),
	[]byte("dontwant"), []byte("donotdisturb"), []byte("naoquero"), []byte("naodesejo"), []byte("naogostaria"),
	[]byte("naoaceit"), []byte("naoautoriz"), []byte("naoconcord"), []byte("naopermit"), []byte("naocontat"),
	[]byte("naoperturb"), []byte("noquiero"), []byte("noacepto"), []byte("descadastr"), []byte("desinscr"),
	[]byte("blacklist"),
}

// refusesConsent reports whether the name of a field is the contrary of a consent's.
func refusesConsent(name string) bool {
	var buf [64]byte
	of := names.Append(buf[:0], name)
	if string(of) == "dnd" || string(of) == "suppressed" {
		return true
	}
	return slices.ContainsFunc(refusing, func(stem []byte) bool { return bytes.Contains(of, stem) })
}

// asksConsent reports whether the name of a field has a word for a consent.
func asksConsent(name string) bool {
	var buf [64]byte
	of := names.Append(buf[:0], name)
	for _, stem := range consenting {
		if bytes.Contains(of, stem) {
			return true
		}
	}
	return false
}

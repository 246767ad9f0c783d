package intake

import (
	"strings"

	"fichario/domain/text"
)

// attr is what an answer says about where the contact came from.
type attr uint8

const (
	noAttr       attr = iota
	attrUTM           // utm_source and its like
	attrClick         // the click id of an advertiser
	attrPage          // the page with the form
	attrLanding       // the first page of the visit
	attrReferrer      // the page before
	attrPlatform      // Meta's fb or ig
)

// attributionKeys are the keys of each kind, in normal form. Other keys that begin with utm are UTMs too.
var attributionKeys = map[attr]string{
	attrUTM: `utmsource utmmedium utmcampaign utmterm utmcontent utmid utmsourceplatform utmcreativeformat utmmarketingtactic`,
	attrClick: `gclid fbclid msclkid ttclid wbraid gbraid dclid twclid lifatid yclid sclid epik rdtclid
		fbc fbp gclsrc igshid srsltid ctwaclid`,
	attrPage: `pageurl url urldapagina urlpagina paginaurl pagina page pagelink linkdapagina currenturl sourceurl siteurl formurl
		eventsourceurl publishedpath urlorigem embedurl location posturl submissionurl pageuri`,
	attrLanding:  `landingpage landingurl landingpageurl landing firstpage paginadeentrada initialurl entrypage landingsite`,
	attrReferrer: `referrer referer httpreferer httpreferrer refererurl referrerurl wphttpreferer pageurlreferrer documentreferrer refurl referralsource referringsite`,
	attrPlatform: `platform`,
}

// platforms are the values of "platform" that say where an advertisement was seen. Others speak of an operating system.
var platforms = map[string]bool{
	"fb": true, "ig": true, "facebook": true, "instagram": true, "msg": true, "messenger": true, "an": true, "wa": true, "whatsapp": true,
	"tiktok": true, "linkedin": true, "google": true, "youtube": true,
}

// clickNames are the canonical keys of click ids whose normal form hides a separator.
var clickNames = map[string]string{"lifatid": "li_fat_id", "ctwaclid": "ctwa_clid"}

// attributionOf returns the canonical key of an answer, or "" when it says nothing about the way of the contact.
func attributionOf(e entry, key, value string) string {
	switch e.attr {
	case attrUTM, attrClick:
		if strings.EqualFold(key, "gcl_id") {
			return "gcl_id"
		}
		name := nameOf(key)
		if e.attr == attrUTM {
			return "utm_" + name[3:]
		}
		if canonical := clickNames[name]; canonical != "" {
			return canonical
		}
		return name
	case attrPage, attrLanding, attrReferrer:
		if !looksURL(value) {
			return ""
		}
		return [...]string{attrPage: "page_url", attrLanding: "landing_url", attrReferrer: "referrer"}[e.attr]
	case attrPlatform:
		if platforms[strings.ToLower(value)] {
			return "platform"
		}
		return ""
	}
	if e.field == noField && len(key) < 60 {
		// Also with a product's word before it: tracker_utm_source, cf_utm_source.
		for i := 0; i+4 < len(key); i++ {
			if key[i]|0x20 == 'u' && key[i+1]|0x20 == 't' && key[i+2]|0x20 == 'm' && strings.IndexByte("_- ", key[i+3]) >= 0 &&
				(i == 0 || strings.IndexByte("_-. [", key[i-1]) >= 0) {
				if name := nameOf(key[i+4:]); name != "" {
					return "utm_" + name
				}
			}
		}
	}
	return ""
}

// looksURL reports whether a value is an address on the web or a path on a site.
func looksURL(s string) bool {
	if strings.ContainsAny(s, " \n\t") {
		return false
	}
	return strings.HasPrefix(s, "http://") || strings.HasPrefix(s, "https://") || strings.HasPrefix(s, "/") || strings.HasPrefix(s, "www.")
}

// maxAttribution bounds the pairs and the length of each: an address of a megabyte explains nothing.
const (
	maxAttribution     = 60
	maxAttributionText = 2000
)

// attribute adds a pair, once per key.
func (d *Draft) attribute(key, value string) {
	if value == "" || len(d.Attribution) >= maxAttribution {
		return
	}
	for _, p := range d.Attribution {
		if p.Key == key {
			return
		}
	}
	d.Attribution = append(d.Attribution, Pair{key, text.Cut(value, maxAttributionText)})
}

// attributeFromURLs adds what the pages' own addresses say, after everything that was said outright; the page before the referrer.
func (d *Draft) attributeFromURLs() {
	for _, from := range []string{"page_url", "landing_url", "referrer"} {
		for _, p := range d.Attribution {
			if p.Key != from {
				continue
			}
			_, query, ok := strings.Cut(p.Value, "?")
			if !ok {
				break
			}
			query, _, _ = strings.Cut(query, "#")
			_ = eachPair(query, func(key, value string) error {
				key = unescape(key)
				value = text.OneLine(text.Clean(decodeText(unescape(value), "")))
				e := lookup(key)
				if name := attributionOf(e, key, value); name != "" && (e.attr == attrClick || strings.HasPrefix(name, "utm_")) {
					d.attribute(name, value)
				}
				return nil
			})
			break
		}
	}
}

// attributionText returns the value of a pair, or "".
func (d *Draft) attributionText(key string) string {
	for _, p := range d.Attribution {
		if p.Key == key {
			return p.Value
		}
	}
	return ""
}

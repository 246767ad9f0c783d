package intake

import (
	"cmp"
	"slices"
	"strings"

	"fichario/domain/intake/fields"
	"fichario/domain/intake/names"
	"fichario/domain/intake/tree"
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
	attrUTM: `
		utmsource utmmedium utmcampaign utmterm utmcontent utmid utmsourceplatform utmcreativeformat utmmarketingtactic`,
	attrClick: `
		gclid fbclid msclkid ttclid wbraid gbraid dclid twclid lifatid yclid sclid epik rdtclid fbc fbp gclsrc igshid
		srsltid ctwaclid`,
	attrPage: `
		pageurl url urldapagina urlpagina paginaurl pagina page pagelink linkdapagina currenturl sourceurl siteurl formurl
		eventsourceurl publishedpath urlorigem embedurl location posturl submissionurl pageuri`,
	attrLanding: `
		landingpage landingurl landingpageurl landing firstpage paginadeentrada initialurl entrypage landingsite`,
	attrReferrer: `
		referrer referer httpreferer httpreferrer refererurl referrerurl wphttpreferer pageurlreferrer documentreferrer
		refurl referralsource referringsite`,
	attrPlatform: `platform`,
}

// platforms are the values of "platform" that say where an advertisement was seen. Others name an operating system.
var platforms = names.Set(`
	fb ig facebook instagram msg messenger an wa whatsapp tiktok linkedin google youtube`)

// clickNames are the canonical keys of click ids whose normal form hides a separator.
var clickNames = map[string]string{"lifatid": "li_fat_id", "ctwaclid": "ctwa_clid"}

// attribution returns the canonical key of an answer that says how the contact came here, or "". value is its text.
func (a *answer) attribution(value string) string {
	if a.marks.has(inUTM) {
		if key := shortUTM(a.key); key != "" {
			return key
		}
	}
	key := attributionOf(a.entry, a.name(), value)
	if key == "" && a.title != "" {
		key = attributionOf(lookup(a.key), a.key, value)
	}
	return key
}

// shortUTM returns the canonical key of a member of an object of UTMs: "source", or a click id among them.
func shortUTM(key string) string {
	n := names.Of(key)
	switch {
	case n == "" || len(n) >= 24 || strings.HasPrefix(n, "utm"):
		return ""
	case lookup(key).attr == attrClick:
		return n
	}
	return utmOf(n)
}

// utmOf is the canonical key of a UTM by its name in normal form, which some products misspell.
func utmOf(name string) string {
	switch name {
	case "campaing", "campain":
		name = "campaign"
	}
	return "utm_" + name
}

// attributionOf returns the canonical form of a key, or "" when it says nothing about how the contact came here.
func attributionOf(e entry, key, value string) string {
	switch e.attr {
	case attrUTM:
		return utmOf(names.Of(key)[3:])
	case attrClick:
		if strings.EqualFold(key, "gcl_id") {
			return "gcl_id"
		}
		name := names.Of(key)
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
		return prefixedUTM(key)
	}
	return ""
}

// prefixedUTM finds a UTM that no table knows, even behind a product's prefix: tracker_utm_source, utm__utm_source.
func prefixedUTM(key string) string {
	for i := len(key) - 5; i >= 0; i-- {
		if key[i]|0x20 != 'u' || key[i+1]|0x20 != 't' || key[i+2]|0x20 != 'm' || strings.IndexByte("_- ", key[i+3]) < 0 {
			continue
		}
		if i > 0 && strings.IndexByte("_-. [", key[i-1]) < 0 {
			continue
		}
		if name := names.Of(key[i+4:]); name != "" {
			return utmOf(name)
		}
	}
	return ""
}

// looksURL reports whether a value is an address on the web or a path on a site.
func looksURL(s string) bool {
	if strings.ContainsAny(s, " \n\t") {
		return false
	}
	for _, start := range [...]string{"http://", "https://", "/", "www."} {
		if strings.HasPrefix(s, start) {
			return true
		}
	}
	return false
}

// Bounds on the number of pairs and the length of each: an address of a megabyte explains nothing.
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

// attributeOnce adds an answer to the attribution, and reports whether the note can do without it: click ids mean
// nothing to a person.
func (d *Draft) attributeOnce(a *answer, said string) bool {
	d.attribute(a.attr, text.OneLine(said))
	switch a.attr {
	case "page_url", "landing_url", "referrer", "platform":
		return false
	}
	return !strings.HasPrefix(a.attr, "utm_") && d.attributionText(a.attr) == said
}

// arrival is a name with the place where it arrived.
type arrival struct {
	name string
	at   tree.Place
}

// orderAttribution puts the pairs in their order of arrival.
func (d *Draft) orderAttribution(arrived []arrival) {
	place := func(p Pair) int {
		return slices.IndexFunc(arrived, func(a arrival) bool { return a.name == p.Key })
	}
	slices.SortStableFunc(arrived, func(a, b arrival) int { return cmp.Compare(a.at, b.at) })
	slices.SortFunc(d.Attribution, func(a, b Pair) int { return place(a) - place(b) })
}

// attributeFromURLs adds what the query strings of the pages say, after everything that was sent outright: the page of
// the form first, the referrer last.
func (d *Draft) attributeFromURLs(answers []answer) {
	d.attributeTrackedLink(answers)
	for _, key := range [...]string{"page_url", "landing_url", "referrer"} {
		_, query, _ := strings.Cut(d.attributionText(key), "?")
		query, _, _ = strings.Cut(query, "#")
		_ = tree.EachPair(query, func(key, value string) error {
			key = tree.Unescape(key)
			value = text.OneLine(text.Clean(tree.DecodeText(tree.Unescape(value), "")))
			e := lookup(key)
			name := attributionOf(e, key, value)
			if e.attr == attrClick && name != "" || strings.HasPrefix(name, "utm_") {
				d.attribute(name, value)
			}
			return nil
		})
	}
}

// attributeTrackedLink takes the first link that says where its visitor came from for the page, where nothing else says
// so, whatever a program calls it: "page_location", "URL da visita".
func (d *Draft) attributeTrackedLink(answers []answer) {
	if len(d.Attribution) > 0 {
		return
	}
	for i := range answers {
		a := &answers[i]
		if v := a.values[0]; a.entry.field == noField && !a.closed && !a.asksPerson() && fields.IsLink(v) {
			_, query, _ := strings.Cut(v, "?")
			if strings.Contains(query, "utm_source=") || strings.Contains(query, "clid=") {
				d.attribute("page_url", text.OneLine(v))
				return
			}
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

package fields

import (
	"strings"

	"fichario/domain/intake/names"
	"fichario/domain/text"
)

// Likeness is how surely a sender's name for an origin means a listed one; the higher, the surer.
type Likeness int

// The likenesses.
const (
	// Unlike: another origin.
	Unlike Likeness = iota
	// SameBrand: "fb" and "Facebook Ads".
	SameBrand
	// SameSource: "fb_ads" and "Facebook Ads".
	SameSource
	// SameLetters: "google_ads" and "Google Ads".
	SameLetters
	// SameName: equal but for case, accents and spaces (specification, 4.5.4).
	SameName
)

// OriginLikeness compares a sender's name for an origin, which may be an advertiser's abbreviation, with the name of a
// listed one.
func OriginLikeness(said, name string) Likeness {
	if strings.TrimSpace(said) == "" || len(said) > 4*MaxLine {
		return Unlike
	}
	if text.Fold(said) == text.Fold(name) {
		return SameName
	}
	if n := names.Of(said); n != "" && n == names.Of(name) {
		return SameLetters
	}
	if strings.ContainsAny(strings.TrimSpace(said), " \n\t") {
		return Unlike // what a person writes means what it says
	}
	a, b := sourceOf(said), sourceOf(name)
	switch {
	case a.brand == "" || a.brand != b.brand:
		return Unlike
	case a.paid == b.paid:
		return SameSource
	case a.brand == "google":
		return Unlike // search and advertisements are two origins
	}
	return SameBrand
}

// source is the meaning of the words of an origin.
type source struct {
	brand string
	paid  bool
}

// sourceOf reads the words of an origin: one brand, and nothing but words that go with brands.
func sourceOf(s string) source {
	var out source
	for _, w := range names.Words(strings.ToLower(s)) { // "YouTube" is one word
		brand := brands[w]
		switch {
		case brand != "" && (out.brand == "" || out.brand == brand):
			out.brand = brand
		case paidWords[w]:
			out.paid = true
		case !besideBrand[w]:
			return source{}
		}
		if paidBrands[w] {
			out.paid = true
		}
	}
	return out
}

// brands are the words for each brand, as senders and people write them.
var brands = names.ByWord(map[string]string{
	"facebook": `fb facebook fbads facebookads fblead fbleads metaads`, "instagram": `ig instagram igads instagramads`,
	"google":   `google googleads gads adwords googleadwords`,
	"whatsapp": `wa wpp whatsapp`, "linkedin": `li lnkd linkedin linkedinads`, "tiktok": `tt tiktok tiktokads`,
	"youtube": `yt youtube`, "twitter": `twitter x tw`, "pinterest": `pinterest`, "bing": `bing bingads`,
	"messenger": `messenger`, "telegram": `tg telegram`,
})

var (
	// paidBrands name advertisements by themselves; paidWords make an advertisement of any brand.
	paidBrands = names.Set(`
		fbads facebookads metaads igads googleads gads adwords googleadwords linkedinads tiktokads bingads`)
	paidWords = names.Set(`ads ad cpc ppc paid pago anuncio anuncios patrocinado`)
	// besideBrand are words beside a brand that do not make another origin of it.
	besideBrand = names.Set(`lead leads form forms social com br feed stories story organico organic network app`)
)

package fields

import "testing"

func TestOriginLikeness(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		said, name string
		want       Likeness
	}{
		{"Indicação", "indicacao ", SameName}, {"google_ads", "Google Ads", SameLetters},
		{"google-ads", "google ads", SameLetters},
		{"fb", "Facebook", SameSource}, {"ig", "Instagram", SameSource}, {"fb-lead", "Facebook", SameSource},
		{"fb", "Facebook Ads", SameBrand}, {"fb_ads", "Facebook Ads", SameSource}, {"facebook.com", "Facebook", SameSource},
		{"adwords", "Google Ads", SameSource}, {"google", "Google Ads", Unlike}, {"google_cpc", "Google Ads", SameSource},
		{"wpp", "WhatsApp", SameSource}, {"yt", "YouTube", SameSource}, {"li", "LinkedIn", SameSource},
		{"ig", "Facebook", Unlike}, {"", "Facebook", Unlike}, {"newsletter", "Instagram", Unlike},
		{"fb", "Loja do Facebook", Unlike}, {"Site", "Instagram", Unlike}, {"ads", "Google Ads", Unlike},
		{"Insta", "Instagram", Unlike}, {"Anúncio no Facebook", "Facebook", Unlike}, {"Facebook Lead", "Facebook", Unlike},
	} {
		if got := OriginLikeness(c.said, c.name); got != c.want {
			t.Errorf("%q and %q: %d, want %d", c.said, c.name, got, c.want)
		}
	}
}

package intake

import (
	"slices"
	"strings"
	"testing"
)

func TestAttribution(t *testing.T) {
	t.Parallel()
	d := mustRead(t, "", `{"email":"a@b.c","UTM Source":"ig","utmCampaign":"x","gclid":"g1","fbclid":"f1",
		"page_url":"https://x.com/?utm_source=no&utm_term=t&msclkid=m","Referer":"https://g.com","landing_page":"/lp",
		"Site":"x","tracker_utm_content":"c","cf_utm_id":"7","autm_x":"no"}`)
	want := []Pair{{"utm_source", "ig"}, {"utm_campaign", "x"}, {"gclid", "g1"}, {"fbclid", "f1"},
		{"page_url", "https://x.com/?utm_source=no&utm_term=t&msclkid=m"}, {"referrer", "https://g.com"},
		{"landing_url", "/lp"}, {"utm_content", "c"}, {"utm_id", "7"}, {"utm_term", "t"}, {"msclkid", "m"}}
	if !slices.Equal(d.Attribution, want) {
		t.Errorf("%v, want %v", d.Attribution, want)
	}
	if d.FallbackOrigin != "ig" || d.Origin != "" || strings.Contains(d.Note(), "g1") ||
		!strings.Contains(d.Note(), "UTM Source: ig") {
		t.Errorf("%+v", d)
	}
}

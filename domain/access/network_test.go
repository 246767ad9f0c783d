package access_test

import (
	"net/netip"
	"strings"
	"testing"

	"fichario/domain/access"
)

func TestNetworksOfAKey(t *testing.T) {
	t.Parallel()
	for typed, want := range map[string]string{
		"":                                "",
		"203.0.113.7":                     "203.0.113.7/32",
		"203.0.113.7/24":                  "203.0.113.0/24",
		" 203.0.113.0/24 ,203.0.113.9/24": "203.0.113.0/24",
		"2001:db8::1":                     "2001:db8::1/128",
		"2001:db8:ffff::/32,10.0.0.1":     "2001:db8::/32 10.0.0.1/32",
		"::ffff:203.0.113.7":              "203.0.113.7/32",
		"::ffff:203.0.113.0/120":          "203.0.113.0/24",
		"203.0.113.0/33":                  "no",
		"203.0.113":                       "no",
		"example.com":                     "no",
		"fe80::1%eth0":                    "no",
		"::/0":                            "::/0",
		"::ffff:0:0/80":                   "no",
	} {
		got, err := access.ParseNetworks(strings.Split(typed, ","))
		var all []string
		for _, n := range got {
			all = append(all, n.String())
		}
		if err != nil {
			all = []string{"no"}
		}
		if strings.Join(all, " ") != want {
			t.Errorf("%q: %v, %v, not %q", typed, all, err, want)
		}
	}
	if _, err := access.ParseNetworks(make([]string, 0)); err != nil {
		t.Error(err)
	}
}

func TestWhereAKeyMayBeUsedFrom(t *testing.T) {
	t.Parallel()
	from, err := access.ParseNetworks([]string{"203.0.113.0/24", "2001:db8::/32"})
	if err != nil {
		t.Fatal(err)
	}
	key := access.Key{From: from}
	for address, want := range map[string]bool{
		"203.0.113.7": true, "203.0.114.7": false, "2001:db8::7": true, "2001:db9::7": false,
	} {
		if got := key.UsableFrom(netip.MustParseAddr(address)); got != want {
			t.Errorf("%s: %t", address, got)
		}
	}
	if key.UsableFrom(netip.Addr{}) || !(access.Key{}).UsableFrom(netip.Addr{}) {
		t.Error("an unknown address may use a bound key, or may not use an unbound one")
	}
}

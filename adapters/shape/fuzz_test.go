package shape_test

import (
	"net/http"
	"net/netip"
	"strings"
	"testing"

	"fichario/adapters/shape"
)

// FuzzClientAddress: a client that is not our proxy has its own address, whatever it claims; a proxy's claim is a valid
// address or ignored; and the network contains the address.
func FuzzClientAddress(f *testing.F) {
	f.Add("203.0.113.7:1234", "198.51.100.1")
	f.Add("10.1.2.3:1234", "198.51.100.1, 10.0.0.9")
	f.Add("[fd00::1%eth0]:80", "[2001:db8::1]:443,::ffff:1.2.3.4")
	f.Add("@", "unknown,, ,\x00")
	proxies := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("fd00::/8")}
	f.Fuzz(func(t *testing.T, remote, forwarded string) {
		r := &http.Request{RemoteAddr: remote, Header: http.Header{"X-Forwarded-For": strings.Split(forwarded, "\n")}}
		own, client := shape.Address(remote), shape.ClientAddress(r, proxies)
		if direct := shape.ClientAddress(r, nil); direct != own {
			t.Errorf("%q counts as %s although no proxy is trusted", remote, direct)
		}
		if !shape.Trusted(proxies, own) && client != own {
			t.Errorf("%q is taken for %s", remote, client)
		}
		if own.IsValid() && (!client.IsValid() || client.Is4In6() || client.Zone() != "") {
			t.Errorf("%s is no plain address", client)
		}
		network := shape.ClientNetwork(r, proxies)
		if prefix, err := netip.ParsePrefix(network); err == nil && (prefix.Bits() != 64 || !prefix.Contains(client)) {
			t.Errorf("%s is not in %s", client, network)
		} else if err != nil && network != "" && network != client.String() {
			t.Errorf("%s has the network %q", client, network)
		}
	})
}

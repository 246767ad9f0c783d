package web

import (
	"crypto/tls"
	"net/http"
	"net/netip"
	"testing"

	"fichario/adapters/shape"
)

// TestWhereARequestComesFrom: only a configured proxy's word counts, and of what it forwards only its own entry.
func TestWhereARequestComesFrom(t *testing.T) {
	t.Parallel()
	named := proxies{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("192.0.2.1/32"), netip.MustParsePrefix("fd00::/8")}
	for _, c := range []struct {
		proxies   proxies
		remote    string
		forwarded []string
		want      string
	}{
		{nil, "203.0.113.7:1234", nil, "203.0.113.7"},
		{nil, "203.0.113.7:1234", []string{"198.51.100.1"}, "203.0.113.7"},
		{named, "203.0.113.7:1234", []string{"198.51.100.1"}, "203.0.113.7"},
		{named, "10.1.2.3:1234", []string{"198.51.100.1"}, "198.51.100.1"},
		{named, "10.1.2.3:1234", []string{"198.51.100.1, 198.51.100.2"}, "198.51.100.2"},
		{named, "10.1.2.3:1234", []string{"198.51.100.1", "198.51.100.2, 192.0.2.1"}, "198.51.100.2"},
		{named, "10.1.2.3:1234", []string{"198.51.100.1:99"}, "198.51.100.1"},
		{named, "10.1.2.3:1234", nil, "10.1.2.3"},
		{named, "10.1.2.3:1234", []string{"unknown"}, "10.1.2.3"},
		{named, "10.1.2.3:1234", []string{"10.9.9.9"}, "10.9.9.9"},
		{named, "[::ffff:10.1.2.3]:1234", []string{"198.51.100.1"}, "198.51.100.1"},
		{nil, "[2001:db8:1:2:3:4:5:6]:1234", nil, "2001:db8:1:2::/64"},
		{named, "[fd00::1]:1234", []string{"[2001:db8:1:2:3:4:5:6]:99"}, "2001:db8:1:2::/64"},
		{nil, "[fe80::1%eth0]:1234", nil, "fe80::/64"},
		{nil, "@", nil, ""},
	} {
		r := &http.Request{RemoteAddr: c.remote, Header: http.Header{"X-Forwarded-For": c.forwarded}}
		if got := shape.ClientNetwork(r, c.proxies); got != c.want {
			t.Errorf("from %s, forwarded for %v: %q, want %q", c.remote, c.forwarded, got, c.want)
		}
	}
}

// TestWhoSaysHTTPS: with proxies configured, nobody else.
func TestWhoSaysHTTPS(t *testing.T) {
	t.Parallel()
	named := proxies{netip.MustParsePrefix("10.0.0.0/8")}
	said := http.Header{"X-Forwarded-Proto": {"https"}}
	for _, c := range []struct {
		proxies proxies
		r       http.Request
		want    bool
	}{
		{nil, http.Request{RemoteAddr: "203.0.113.7:1"}, false},
		{nil, http.Request{RemoteAddr: "203.0.113.7:1", TLS: &tls.ConnectionState{}}, true},
		{nil, http.Request{RemoteAddr: "203.0.113.7:1", Header: said}, true},
		{named, http.Request{RemoteAddr: "203.0.113.7:1", Header: said}, false},
		{named, http.Request{RemoteAddr: "10.0.0.1:1", Header: said}, true},
		{named, http.Request{RemoteAddr: "10.0.0.1:1"}, false},
	} {
		if got := c.proxies.secure(&c.r); got != c.want {
			t.Errorf("%v from %s with %v: %t", c.proxies, c.r.RemoteAddr, c.r.Header, got)
		}
	}
}

package web

import (
	"net/http"
	"net/netip"
	"strings"

	"fichario/adapters/shape"
)

// proxies are those whose word on who asked them counts.
type proxies []netip.Prefix

// from returns the network that a request comes from: an IPv4 address, or of an IPv6 address the 64 bits that one
// customer has, "" where it has none. See shape.ClientAddress.
func (p proxies) from(r *http.Request) string {
	client := shape.ClientAddress(r, p)
	switch {
	case !client.IsValid():
		return ""
	case client.Is4():
		return client.String()
	}
	network, _ := client.Prefix(64) // an IPv6 address has as many bits
	return network.String()
}

// secure reports whether the browser reached the service by https, itself or through a proxy. Where no proxies are
// named anybody may say so: it makes nothing but his own cookie stricter.
func (p proxies) secure(r *http.Request) bool {
	if r.TLS != nil {
		return true
	}
	return strings.EqualFold(r.Header.Get("X-Forwarded-Proto"), "https") &&
		(len(p) == 0 || shape.Trusted(p, shape.Address(r.RemoteAddr)))
}

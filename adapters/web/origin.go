package web

import (
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// proxies are networks whose word about a request counts.
type proxies []netip.Prefix

func (p proxies) trust(address netip.Addr) bool {
	return slices.ContainsFunc(p, func(n netip.Prefix) bool { return n.Contains(address) })
}

// from returns the network that a request comes from: an IPv4 address, or of an IPv6 address the 64 bits that one
// customer has, "" where it has none. What a trusted proxy says of who asked it counts, and nothing that anybody else
// says: each adds its own at the end of X-Forwarded-For.
func (p proxies) from(r *http.Request) string {
	client, ok := addressOf(r.RemoteAddr)
	if !ok {
		return ""
	}
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for _, hop := range slices.Backward(hops) {
		if !p.trust(client) {
			break
		}
		before, ok := addressOf(strings.TrimSpace(hop))
		if !ok {
			break
		}
		client = before
	}
	if client.Is4() {
		return client.String()
	}
	network, _ := client.WithZone("").Prefix(64) // an IPv6 address has as many bits
	return network.String()
}

// AddressOf returns what finds out which network a request comes from, where proxies of those networks are trusted.
func AddressOf(trusted []netip.Prefix) func(*http.Request) string { return proxies(trusted).from }

// addressOf reads an address with or without a port.
func addressOf(text string) (netip.Addr, bool) {
	if with, err := netip.ParseAddrPort(text); err == nil {
		return with.Addr().Unmap(), true
	}
	address, err := netip.ParseAddr(strings.Trim(text, "[]"))
	return address.Unmap(), err == nil
}

// secure reports whether the browser reached the service by https, itself or through a proxy. Where no proxies are
// named anybody may say so: it makes nothing but his own cookie stricter.
func (p proxies) secure(r *http.Request) bool {
	if r.TLS != nil {
		return true
	}
	proxy, _ := addressOf(r.RemoteAddr)
	return strings.EqualFold(r.Header.Get("X-Forwarded-Proto"), "https") && (len(p) == 0 || p.trust(proxy))
}

package shape

import (
	"net/http"
	"net/netip"
	"slices"
	"strings"

	"fichario/domain/access"
)

// Trusted reports whether one of the networks holds an address.
func Trusted(networks []netip.Prefix, address netip.Addr) bool {
	return slices.ContainsFunc(networks, func(n netip.Prefix) bool { return n.Contains(address) })
}

// ClientAddress returns the address that a request comes from; the zero value where it has none. What a proxy in one of
// the networks says of who asked it counts, and nothing that anybody else says: each adds its own at the end of
// X-Forwarded-For.
func ClientAddress(r *http.Request, proxies []netip.Prefix) netip.Addr {
	client := Address(r.RemoteAddr)
	if len(proxies) == 0 || !client.IsValid() {
		return client
	}
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for _, hop := range slices.Backward(hops) {
		if !Trusted(proxies, client) {
			break
		}
		before := Address(strings.TrimSpace(hop))
		if !before.IsValid() {
			break
		}
		client = before
	}
	return client
}

// ClientNetwork is the network that a request comes from, an IPv4 one as its address, "" where it has none. See
// ClientAddress and access.NetworkOf.
func ClientNetwork(r *http.Request, proxies []netip.Prefix) string {
	client := ClientAddress(r, proxies)
	switch {
	case !client.IsValid():
		return ""
	case client.Is4():
		return client.String()
	}
	return access.NetworkOf(client).String()
}

// Address reads an address with or without a port; the zero value where the text is none. It has no zone, and is an
// IPv4 address where it says one.
func Address(text string) netip.Addr {
	if with, err := netip.ParseAddrPort(text); err == nil {
		return with.Addr().Unmap().WithZone("")
	}
	address, err := netip.ParseAddr(strings.Trim(text, "[]"))
	if err != nil {
		return netip.Addr{}
	}
	return address.Unmap().WithZone("")
}

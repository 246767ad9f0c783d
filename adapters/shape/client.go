package shape

import (
	"errors"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"

	"fichario/domain/access"
)

// Trusted reports whether one of the networks contains an address.
func Trusted(networks []netip.Prefix, address netip.Addr) bool {
	return slices.ContainsFunc(networks, func(n netip.Prefix) bool { return n.Contains(address) })
}

// ClientAddress returns the address of a request's client; the zero value where it has none. Each proxy appends its own
// peer to X-Forwarded-For: what a proxy in one of the networks says is trusted, and nothing that anybody else says.
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

// ClientNetwork is the network of a request's client, for IPv4 its address, "" where it has none. See ClientAddress and
// access.NetworkOf.
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

// Unaddressed is the text of an error for the log, without the addresses that a broken connection names: the client's
// is personal data.
func Unaddressed(err error) string {
	text := err.Error()
	if broken, is := errors.AsType[*net.OpError](err); is && (broken.Op == "read" || broken.Op == "write") {
		text = strings.ReplaceAll(text, broken.Error(), broken.Op+": "+broken.Err.Error())
	}
	return text
}

// Address parses an address with or without a port; the zero value where the text is none. It drops the zone, and turns
// an IPv4-mapped address into an IPv4 one.
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

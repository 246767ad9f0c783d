package automation

import (
	"errors"
	"net/netip"
	"strings"
	"syscall"

	"code.dny.dev/ssrf"
)

// errRefused is what the dialer answers for an address that is not called. It does
// not say which one.
var errRefused = errors.New("address refused")

// guard knows the public internet: it refuses every special-purpose network of
// IANA's registries, everything outside the global unicast range of IPv6, and
// within that the ranges that embed an IPv4 address (6to4, Teredo), and ports other
// than 80 and 443. IPv4-mapped and NAT64 addresses are outside that range.
var guard = ssrf.New(ssrf.WithDeniedV4Prefixes(
	// A public address by its number, but a cloud's own: Azure answers every machine
	// from it, on port 80, with what configures the machine.
	netip.MustParsePrefix("168.63.129.16/32"),
))

// refusePrivate is a net.Dialer's Control: it is called with each address that a
// connection is about to be made to. No name can change between this check and the
// connection.
func refusePrivate(network, address string, c syscall.RawConn) error {
	if guard.Safe(network, address, c) != nil {
		return errRefused
	}
	return nil
}

// disguised tells whether a host is an address in a form that some resolvers read
// and Go does not: 127.1, 2130706433, 0x7f000001, 0177.0.0.1. No name ends in a
// number. Whatever such a form resolves to is checked all the same; this makes the
// answer the same on every machine.
func disguised(host string) bool {
	if _, err := netip.ParseAddr(host); err == nil {
		return false
	}
	host = strings.TrimSuffix(host, ".")
	last := host[strings.LastIndexByte(host, '.')+1:]
	digits := "0123456789"
	if len(last) > 1 && last[0] == '0' && last[1]|0x20 == 'x' {
		last, digits = last[2:], digits+"abcdefABCDEF"
	}
	return strings.Trim(last, digits) == ""
}

package automation

import (
	"errors"
	"net/netip"
	"strings"
	"syscall"

	"code.dny.dev/ssrf"
)

// errRefused is the dialer's error for an address that must not be called. It does not reveal the address.
var errRefused = errors.New("address refused")

// guard allows only the public internet: it refuses every special-purpose network in IANA's registries, everything
// outside the global unicast range of IPv6, the ranges inside it that embed an IPv4 address (6to4, Teredo), and ports
// other than 80 and 443. IPv4-mapped and NAT64 addresses are outside that range.
var guard = ssrf.New(ssrf.WithDeniedV4Prefixes(
	// A public address by number, but reserved by a cloud: Azure serves every machine's configuration from it, on port 80.
	netip.MustParsePrefix("168.63.129.16/32"),
))

// refusePrivate is a net.Dialer's Control: it gets each address just before the connection is made, so that no DNS
// change can slip in between.
func refusePrivate(network, address string, c syscall.RawConn) error {
	if guard.Safe(network, address, c) != nil {
		return errRefused
	}
	return nil
}

// disguised reports whether a host is an address in a form that some resolvers accept and Go does not: 127.1,
// 2130706433, 0x7f000001, 0177.0.0.1. No domain name ends in a number. What such a form resolves to is checked all the
// same; refusing it makes the outcome the same on every machine.
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

package access

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
)

// NetworksMax is the most networks that a key may be bound to.
const NetworksMax = 50

// NetworkOf returns the network that counts as one customer: an IPv4 address itself, or the first 64 bits of an IPv6
// address. The zero address gives the zero Prefix, which counts as a network too.
func NetworkOf(address netip.Addr) netip.Prefix {
	network, _ := address.Prefix(min(address.BitLen(), 64)) // never fails: an address has that many bits
	return network
}

// ParseNetworks reads addresses and ranges of them, IPv4 or IPv6, such as 203.0.113.0/24 and 2001:db8::1. A range is
// normalised to its first address, and duplicates are dropped. The error names the text that cannot be read.
func ParseNetworks(texts []string) (all []netip.Prefix, err error) {
	for _, text := range texts {
		if text = strings.TrimSpace(text); text == "" {
			continue
		}
		network, err := netip.ParsePrefix(text)
		if err != nil {
			address, err := netip.ParseAddr(text)
			if err != nil || address.Zone() != "" {
				return nil, fmt.Errorf("%.50q não é um endereço IP nem uma faixa como 203.0.113.0/24", text)
			}
			network = netip.PrefixFrom(address, address.BitLen())
		}
		if mapped := network.Addr(); mapped.Is4In6() { // addresses of clients are compared as plain IPv4
			if network.Bits() < 96 {
				return nil, fmt.Errorf("%.50q mistura IPv4 e IPv6: escreva a faixa em IPv4", text)
			}
			network = netip.PrefixFrom(mapped.Unmap(), network.Bits()-96)
		}
		if network = network.Masked(); !slices.Contains(all, network) {
			all = append(all, network)
		}
	}
	return all, nil
}

// UsableFrom reports whether the key may be used from an address, which must be plain IPv4 rather than IPv4 in IPv6.
func (k Key) UsableFrom(address netip.Addr) bool {
	return len(k.From) == 0 || slices.ContainsFunc(k.From, func(n netip.Prefix) bool { return n.Contains(address) })
}

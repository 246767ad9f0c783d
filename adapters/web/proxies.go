package web

import (
	"net/http"
	"net/netip"
	"strings"

	"fichario/adapters/shape"
)

// proxies are those whose forwarding headers are trusted.
type proxies []netip.Prefix

// secure reports whether the browser reached the service by https, directly or through a proxy. Where no proxies are
// configured any client may claim it: that only makes its own cookie stricter.
func (p proxies) secure(r *http.Request) bool {
	if r.TLS != nil {
		return true
	}
	return strings.EqualFold(r.Header.Get("X-Forwarded-Proto"), "https") &&
		(len(p) == 0 || shape.Trusted(p, shape.Address(r.RemoteAddr)))
}

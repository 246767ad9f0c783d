// Package access has API keys, their scopes and limits, and the periods in which the limits are counted.
package access

import (
	"crypto/rand"
	"crypto/sha256"
	"hash/crc32"
	"net/netip"
	"slices"
	"strings"
	"time"

	"fichario/domain/document"
)

const (
	secretPrefix  = "fic_"
	randomLen     = 40
	checksumLen   = 6
	secretLen     = len(secretPrefix) + randomLen + checksumLen
	shownLen      = len(secretPrefix) + 8
	base62        = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	largestByte62 = 256 - 256%len(base62)
)

// Limits are the three limits of a key (specification, 8.1).
type Limits struct {
	// PerMinute counts every authenticated request, per instance.
	PerMinute int
	// PerDay and PerMonth count charged lookups, over all instances. Zero allows
	// answers from history only.
	PerDay, PerMonth int
}

// Key is an API key of an organisation. Its secret is shown once and never stored.
type Key struct {
	// ID is a UUIDv7. It survives a rotation of the secret, and so do the statement and the usage counted towards the
	// caps.
	ID    string
	OrgID string
	Name  string
	// Prefix holds the first characters of the newest secret, by which people recognise it.
	Prefix string
	// Scopes are the document types that the key may ask about.
	Scopes []document.Type
	Limits Limits
	// Purposes are the codes of the purposes that the key may state; empty for all.
	Purposes []string
	// From are the networks that the key may be used from; empty for all.
	From []netip.Prefix
	// Contacts is whether an agent may search the organisation's contacts with it. No scope includes it.
	Contacts bool
	// Bureau is whether a lookup with it may name the bureau to ask.
	Bureau bool
	// CreatedAt is in UTC, as are the others. ExpiresAt, RevokedAt and LastUsedAt
	// are zero when they do not apply.
	CreatedAt, ExpiresAt, RevokedAt, LastUsedAt time.Time
}

// BureauScope is the word, among the scopes of a key, for Key.Bureau; no document type has that name.
const BureauScope document.Type = "bureau"

// Has reports whether the key may ask about documents of type t.
func (k Key) Has(t document.Type) bool { return slices.Contains(k.Scopes, t) }

// MayState reports whether the key may state the purpose with that code.
func (k Key) MayState(code string) bool {
	return len(k.Purposes) == 0 || slices.Contains(k.Purposes, code)
}

// UsableAt reports whether the key is neither revoked nor expired at that time.
func (k Key) UsableAt(now time.Time) bool {
	return k.RevokedAt.IsZero() && (k.ExpiresAt.IsZero() || now.Before(k.ExpiresAt))
}

// Secret is the text of a key: `fic_`, 40 random base62 characters and 6 of
// checksum. It does not print itself.
type Secret struct{ text string }

// NewSecret makes a secret from the system's random source.
func NewSecret() Secret {
	body := secretPrefix + randomBase62(randomLen)
	return Secret{text: body + checksum(body)}
}

// ParseSecret reads a secret. It reports false for a text that NewSecret cannot have made, so that garbage never
// reaches the database.
func ParseSecret(s string) (Secret, bool) {
	if len(s) != secretLen || !strings.HasPrefix(s, secretPrefix) {
		return Secret{}, false
	}
	body := s[:secretLen-checksumLen]
	return Secret{text: s}, checksum(body) == s[secretLen-checksumLen:]
}

// Reveal returns the whole text, for the one time that it is shown.
func (s Secret) Reveal() string { return s.text }

// Prefix returns the characters that may be stored and shown.
func (s Secret) Prefix() string { return s.text[:shownLen] }

// Hash is what is stored. A fast hash suffices: the secret has 238 bits.
func (s Secret) Hash() [sha256.Size]byte { return sha256.Sum256([]byte(s.text)) }

// String hides the secret.
func (s Secret) String() string { return secretPrefix + "…" }

// GoString hides the secret from %#v as well.
func (s Secret) GoString() string { return s.String() }

func randomBase62(n int) string {
	out := make([]byte, 0, n)
	buf := make([]byte, n)
	for len(out) < n {
		_, _ = rand.Read(buf) // never fails: crypto/rand ends the program instead
		for _, b := range buf {
			if int(b) < largestByte62 && len(out) < n {
				out = append(out, base62[int(b)%len(base62)])
			}
		}
	}
	return string(out)
}

func checksum(s string) string {
	sum := crc32.ChecksumIEEE([]byte(s))
	out := make([]byte, checksumLen)
	for i := checksumLen - 1; i >= 0; i-- {
		out[i] = base62[sum%uint32(len(base62))]
		sum /= uint32(len(base62))
	}
	return string(out)
}

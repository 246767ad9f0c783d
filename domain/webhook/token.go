package webhook

import (
	"crypto/rand"
	"crypto/sha256"
)

// TokenLen is the length of a token, in characters (specification, 2.4).
const TokenLen = 48

const (
	base62        = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	largestByte62 = 256 - 256%len(base62)
)

// Token is the secret in a webhook's address. It does not print itself.
type Token struct{ text string }

// NewToken makes a token from the system's random source.
func NewToken() Token {
	out := make([]byte, 0, TokenLen)
	buf := make([]byte, TokenLen)
	for len(out) < TokenLen {
		_, _ = rand.Read(buf) // never fails: crypto/rand ends the program instead
		for _, b := range buf {
			if int(b) < largestByte62 && len(out) < TokenLen {
				out = append(out, base62[int(b)%len(base62)])
			}
		}
	}
	return Token{text: string(out)}
}

// ParseToken reads a token. It reports false for a text that cannot be one, so
// that garbage never reaches the database.
func ParseToken(s string) (Token, bool) {
	if len(s) != TokenLen {
		return Token{}, false
	}
	for i := range len(s) {
		if c := s[i]; (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') {
			return Token{}, false
		}
	}
	return Token{text: s}, true
}

// Reveal returns the whole text.
func (t Token) Reveal() string { return t.text }

// Hash is what a webhook is found by. A fast hash suffices: the token has 285
// bits.
func (t Token) Hash() [sha256.Size]byte { return sha256.Sum256([]byte(t.text)) }

// String hides the token.
func (t Token) String() string { return "…" }

// GoString hides the token from %#v as well.
func (t Token) GoString() string { return t.String() }

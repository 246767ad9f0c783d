package audit

import (
	"bytes"
	"crypto/ed25519"
	"fmt"
	"time"
)

// Witnessed is a head that left the house, signed. It holds nothing personal.
type Witnessed struct {
	OrgID  string
	Number int64
	// Hash is in hexadecimal digits.
	Hash string
	// At is when it was signed, UTC.
	At time.Time
	// Key is the Ed25519 public key of the signature, so that anybody can check it without a secret.
	Key       []byte
	Signature []byte
}

// Witness signs a head.
func Witness(h Head, at time.Time, key ed25519.PrivateKey) Witnessed {
	w := Witnessed{OrgID: h.OrgID, Number: h.Number, Hash: h.Hash.String(), At: at.UTC().Truncate(time.Second)}
	w.Key, w.Signature = key.Public().(ed25519.PublicKey), ed25519.Sign(key, w.signed())
	return w
}

// signed is the text under the signature, which docs/audit.md describes.
func (w Witnessed) signed() []byte {
	return fmt.Appendf(nil, "fichario audit witness 1\n%s\n%d\n%s\n%s\n", w.OrgID, w.Number, w.Hash, w.At.UTC().Format(time.RFC3339))
}

// SignedBy reports whether the owner of a key signed it.
func (w Witnessed) SignedBy(key ed25519.PublicKey) bool {
	return bytes.Equal(w.Key, key) && ed25519.Verify(key, w.signed(), w.Signature)
}

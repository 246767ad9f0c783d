// Package factors creates and verifies what members prove their identity with: passwords (Argon2id), one-time codes of
// authenticator apps (RFC 6238) and passkeys (WebAuthn).
package factors

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha1" //nolint:gosec // what every app computes
	"crypto/subtle"
	"encoding/base32"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"net/url"
	"time"

	qr "github.com/piglig/go-qr"
)

const (
	issuer = "Fichário"
	// secretBytes is as long as the hash that codes are made with.
	secretBytes = 20
	// stepSeconds is how long a code is current, and around how many steps before and after it are accepted too, because
	// phones' clocks differ.
	stepSeconds = 30
	around      = 1
	// pixels is the side of a module of the image, for screens that show it at half its size, and border how many modules
	// around it stay white.
	pixels = 8
	border = 4
)

// NewSecret generates the secret of an authenticator app, in base32.
func NewSecret() string {
	secret := make([]byte, secretBytes)
	_, _ = rand.Read(secret) // never fails
	return base32.StdEncoding.EncodeToString(secret)
}

// code is the one of a time step (RFC 4226 with six digits and SHA-1, the variant that every app supports).
func code(secret []byte, step int64) string {
	h := hmac.New(sha1.New, secret)
	_ = binary.Write(h, binary.BigEndian, step) // a hash takes everything
	sum := h.Sum(nil)
	four := binary.BigEndian.Uint32(sum[sum[len(sum)-1]&0xf:]) & 0x7fffffff
	return fmt.Sprintf("%06d", four%1_000_000)
}

// Step returns the time step whose code this is, near a time; false for none.
func Step(secret, says string, at time.Time) (int64, bool) {
	shared, err := base32.StdEncoding.DecodeString(secret)
	if err != nil {
		return 0, false
	}
	now := at.Unix() / stepSeconds
	found, ok := int64(0), false
	for step := now - around; step <= now+around; step++ {
		if subtle.ConstantTimeCompare([]byte(code(shared, step)), []byte(says)) == 1 {
			found, ok = step, true
		}
	}
	return found, ok
}

// Address is an account's otpauth link for an authenticator app.
func Address(secret, account string) string {
	q := url.Values{"secret": {secret}, "issuer": {issuer}}
	return "otpauth://totp/" + url.PathEscape(issuer+":"+account) + "?" + q.Encode()
}

// Picture is a link as a QR code, as a data URL. It returns an error for a link that is too long.
func Picture(address string) (string, error) {
	square, err := qr.EncodeText(address, qr.Medium)
	if err != nil {
		return "", err
	}
	png, err := square.ToPNGBytes(qr.NewQrCodeImgConfig(pixels, border))
	if err != nil {
		return "", err
	}
	return "data:image/png;base64," + base64.StdEncoding.EncodeToString(png), nil
}

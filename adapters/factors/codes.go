// Package factors creates and verifies what members prove their identity with: passwords (Argon2id), one-time codes of
// authenticator apps (RFC 6238) and passkeys (WebAuthn).
package factors

import (
	"bytes"
	"crypto/subtle"
	"encoding/base64"
	"image/png"
	"net/url"
	"time"

	"github.com/pquerna/otp"
	"github.com/pquerna/otp/hotp"
	"github.com/pquerna/otp/totp"
)

const (
	issuer = "Fichário"
	// stepSeconds is how long a code is current, and around how many steps before and after it are accepted too, because
	// phones' clocks differ.
	stepSeconds = 30
	around      = 1
	// imageSize is the side of the square image, in pixels.
	imageSize = 220
)

// form is the variant of TOTP that every app supports.
var form = hotp.ValidateOpts{Digits: otp.DigitsSix, Algorithm: otp.AlgorithmSHA1}

// NewSecret generates the secret of an authenticator app, in base32.
func NewSecret() (string, error) {
	key, err := totp.Generate(totp.GenerateOpts{Issuer: issuer, AccountName: "-", SecretSize: 20})
	if err != nil {
		return "", err
	}
	return key.Secret(), nil
}

// Step returns the time step whose code this is, near a time; false for none.
func Step(secret, code string, at time.Time) (int64, bool) {
	now := at.Unix() / stepSeconds
	found, ok := int64(0), false
	for step := now - around; step <= now+around; step++ {
		want, err := hotp.GenerateCodeCustom(secret, uint64(max(step, 0)), form)
		if err == nil && subtle.ConstantTimeCompare([]byte(want), []byte(code)) == 1 {
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

// Picture is a link as a QR code, as a data URL.
func Picture(address string) (string, error) {
	key, err := otp.NewKeyFromURL(address)
	if err != nil {
		return "", err
	}
	image, err := key.Image(imageSize, imageSize)
	if err != nil {
		return "", err
	}
	var out bytes.Buffer
	if err := png.Encode(&out, image); err != nil {
		return "", err
	}
	return "data:image/png;base64," + base64.StdEncoding.EncodeToString(out.Bytes()), nil
}

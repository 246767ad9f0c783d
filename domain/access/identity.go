package access

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"time"
)

// Identity links a member to an account at an OpenID Connect provider.
type Identity struct {
	// Issuer is the provider, Subject its id for the account, which it never reassigns.
	Issuer, Subject, MemberID string
	CreatedAt                 time.Time
}

// Claims holds what a provider states about a person who signs in.
type Claims struct {
	Issuer, Subject string
	Email           string
	// Verified is whether the provider states that the e-mail address is theirs.
	Verified bool
	// Name may be empty.
	Name string
	// Values are the values of the claim that roles are derived from.
	Values []string
	// Factor is whether they showed the provider more than a password.
	Factor bool
}

// factorMethods are the values of amr (RFC 8176) that stand for more than a password: several factors, a one-time code,
// a key in hardware, a smart card.
var factorMethods = map[string]bool{"mfa": true, "otp": true, "hwk": true, "sc": true}

// ShowsFactor reports whether the authentication methods that a provider states (amr) go beyond a password.
func ShowsFactor(methods []string) bool {
	for _, m := range methods {
		if factorMethods[m] {
			return true
		}
	}
	return false
}

// ProviderSecrets binds a provider's answer to one sign-in in one browser: State comes back with the browser, Nonce in
// the signed token, and Verifier is shown when the code is exchanged (RFC 7636).
type ProviderSecrets struct{ State, Nonce, Verifier string }

// ProviderSecrets derives the secrets of a sign-in from the token that the browser keeps. None of them reveals the
// token or another.
func (t SessionToken) ProviderSecrets() ProviderSecrets {
	made := func(purpose string) string {
		mac := hmac.New(sha256.New, []byte(t.text))
		mac.Write([]byte("oidc|" + purpose))
		return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
	}
	return ProviderSecrets{State: made("state"), Nonce: made("nonce"), Verifier: made("verifier")}
}

// String hides the secrets.
func (ProviderSecrets) String() string { return "…" }

// GoString hides the secrets from %#v as well.
func (ProviderSecrets) GoString() string { return "…" }

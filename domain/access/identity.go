package access

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"time"
)

// Identity is who a member is at a provider of OpenID Connect.
type Identity struct {
	// Issuer is the provider, Subject its name for the member, which is never another's.
	Issuer, Subject, MemberID string
	CreatedAt                 time.Time
}

// Claims are what a provider says of somebody who signs in.
type Claims struct {
	Issuer, Subject string
	Email           string
	// Verified is whether the provider says that the e-mail address is his.
	Verified bool
	// Name may be empty.
	Name string
	// Values are those of the claim that roles come from.
	Values []string
	// Factor is whether he showed the provider more than a password.
	Factor bool
}

// factorMethods are the values of amr (RFC 8176) that stand for more than a password: several factors, a one-time code,
// a key in hardware, a smart card.
var factorMethods = map[string]bool{"mfa": true, "otp": true, "hwk": true, "sc": true}

// ShowsFactor reports whether the methods by which a provider knew somebody (amr) are more than a password.
func ShowsFactor(methods []string) bool {
	for _, m := range methods {
		if factorMethods[m] {
			return true
		}
	}
	return false
}

// ProviderSecrets bind what a provider says to one sign-in of one browser: State comes back with the browser, Nonce in
// the signed token, and Verifier is shown when the code is given back (RFC 7636).
type ProviderSecrets struct{ State, Nonce, Verifier string }

// ProviderSecrets are those of a sign-in whose secret the browser keeps. They do not tell it, nor each other.
func (t SessionToken) ProviderSecrets() ProviderSecrets {
	made := func(purpose string) string {
		mac := hmac.New(sha256.New, []byte(t.text))
		mac.Write([]byte("oidc|" + purpose))
		return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
	}
	return ProviderSecrets{State: made("state"), Nonce: made("nonce"), Verifier: made("verifier")}
}

// String hides them.
func (ProviderSecrets) String() string { return "…" }

// GoString hides them from %#v as well.
func (ProviderSecrets) GoString() string { return "…" }

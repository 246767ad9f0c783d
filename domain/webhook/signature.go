package webhook

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"fichario/domain/intake"
)

// Scheme is how a sender signs what it sends.
type Scheme string

// The schemes. Each but GoogleScheme is an HMAC-SHA256 with the shared secret.
const (
	// NoSignature: nothing is checked; the token in the address is the credential.
	NoSignature Scheme = ""
	// TypeformScheme: `Typeform-Signature: sha256=` and base64, over the body.
	TypeformScheme Scheme = "typeform"
	// TallyScheme: `Tally-Signature:` base64, over the body.
	TallyScheme Scheme = "tally"
	// StandardScheme: Standard Webhooks, over id, timestamp and body; five minutes of
	// tolerance.
	StandardScheme Scheme = "standard"
	// HMACScheme: HMAC-SHA256 over the body, hex or base64, in Signature.Header, or else
	// in one of hmacHeaders.
	HMACScheme Scheme = "hmac"
	// GoogleScheme: the secret itself stands in the body, as `google_key`, where lead forms of Google Ads put the key that
	// they were given.
	GoogleScheme Scheme = "google"
)

// hmacHeaders are where senders put a plain HMAC; `sha256=` may stand before it.
// Among them are those of Cal.com, Shopify, WooCommerce and Mautic.
var hmacHeaders = []string{
	"x-hub-signature-256", "x-signature", "x-signature-256", "x-signature-sha256", "x-webhook-signature",
	"x-hmac-signature", "x-hmac-sha256", "x-cal-signature-256", "x-shopify-hmac-sha256", "x-wc-webhook-signature",
	"webhook-signature", "signature",
}

// standardPrefixes stand before id, timestamp and signature in the headers of
// Standard Webhooks: its own, and that of the service it came from.
var standardPrefixes = []string{"webhook-", "svix-"}

func (s Scheme) expects() string {
	switch s {
	case TypeformScheme:
		return "o cabeçalho Typeform-Signature"
	case TallyScheme:
		return "o cabeçalho Tally-Signature"
	case StandardScheme:
		return "os cabeçalhos webhook-id, webhook-timestamp e webhook-signature"
	case HMACScheme:
		return "o cabeçalho X-Hub-Signature-256 ou X-Signature com o HMAC-SHA256 do corpo, em hexadecimal ou base64"
	case GoogleScheme:
		return "a chave do formulário de leads do Google Ads, em google_key no corpo"
	}
	return ""
}

// Valid reports whether s is one of the schemes.
func (s Scheme) Valid() bool {
	return slices.Contains([]Scheme{NoSignature, TypeformScheme, TallyScheme, StandardScheme, HMACScheme, GoogleScheme}, s)
}

// Signature is a scheme and the secret shared with the sender.
type Signature struct {
	Scheme Scheme
	// Secret is the text that the sender was given; for StandardScheme it is base64,
	// with or without `whsec_` before it.
	Secret string
	// Header is the header, in lower case, in which a sender of HMACScheme puts the signature; empty for the usual ones.
	Header string
}

// OfPlatform is how the platform of a kind signs with an app's secret; the zero value for a kind that fetches nothing.
func OfPlatform(k intake.Kind, secret string) Signature {
	switch k {
	case intake.Meta:
		return Signature{HMACScheme, secret, MetaHeader}
	case intake.LinkedIn:
		return Signature{HMACScheme, secret, LinkedInHeader}
	case intake.Generic, intake.FormService:
	}
	return Signature{}
}

// The failures of Signature.Check.
var (
	ErrUnsigned     = errors.New("no signature")
	ErrBadSignature = errors.New("the signature does not fit")
	ErrStale        = errors.New("the signature's time is more than five minutes away")
)

const signatureTolerance = 5 * time.Minute

// Usable reports whether the secret and the header can be used with the scheme.
func (s Signature) Usable() bool {
	if s.Header != "" && (s.Scheme != HMACScheme || !usableHeader(s.Header)) {
		return false
	}
	if s.Scheme == NoSignature {
		return s.Secret == ""
	}
	key, err := s.key()
	return s.Scheme.Valid() && err == nil && len(key) >= 8
}

// headerMax bounds the name of a header, in bytes.
const headerMax = 64

// usableHeader reports whether a text is the name of a header (RFC 9110, 5.1) in
// lower case, and not of one that holds credentials or says how to read the body.
func usableHeader(name string) bool {
	switch name {
	case "authorization", "proxy-authorization", "cookie", "host", "content-type", "content-length", "idempotency-key":
		return false
	}
	for i := range len(name) {
		if c := name[i]; (c < 'a' || c > 'z') && (c < '0' || c > '9') && strings.IndexByte("!#$%&'*+-.^_`|~", c) < 0 {
			return false
		}
	}
	return name != "" && len(name) <= headerMax
}

// Expects says in Portuguese what a sender signs with.
func (s Signature) Expects() string {
	if s.Header != "" {
		return "o cabeçalho " + s.Header + " com o HMAC-SHA256 do corpo, em hexadecimal ou base64"
	}
	return s.Scheme.expects()
}

func (s Signature) key() ([]byte, error) {
	if s.Scheme != StandardScheme {
		return []byte(s.Secret), nil
	}
	return base64.StdEncoding.DecodeString(strings.TrimPrefix(s.Secret, "whsec_"))
}

// Check verifies the signature of a delivery at a time; it returns ErrUnsigned, ErrBadSignature or ErrStale if that
// fails. body is the signed body, byte for byte.
func (s Signature) Check(d Delivery, body []byte, now time.Time) error {
	key, err := s.key()
	if err != nil {
		return ErrBadSignature
	}
	switch s.Scheme {
	case NoSignature:
		return nil
	case TypeformScheme:
		return check(key, body, d.Header("typeform-signature"))
	case TallyScheme:
		return check(key, body, d.Header("tally-signature"))
	case HMACScheme:
		if s.Header == LinkedInHeader { // LinkedIn signs the name of the hash with the body
			body = append([]byte(linkedInPrefix), body...)
		}
		return check(key, body, strings.TrimPrefix(s.sent(d), linkedInPrefix))
	case StandardScheme:
		return checkStandard(key, d, body, now)
	case GoogleScheme:
		return checkGoogle(key, body)
	}
	return ErrBadSignature
}

// sent returns the plain HMAC in the headers of a delivery, or "".
func (s Signature) sent(d Delivery) string {
	if s.Header != "" {
		return d.Header(s.Header)
	}
	for _, name := range hmacHeaders {
		if v := d.Header(name); v != "" {
			return v
		}
	}
	return ""
}

// checkStandard verifies a delivery of Standard Webhooks, with either prefix of its headers.
func checkStandard(key []byte, d Delivery, body []byte, now time.Time) error {
	id, at, signatures := "", "", ""
	for _, prefix := range standardPrefixes {
		if id == "" || at == "" || signatures == "" {
			id, at, signatures = d.Header(prefix+"id"), d.Header(prefix+"timestamp"), d.Header(prefix+"signature")
		}
	}
	if id == "" || at == "" || signatures == "" {
		return ErrUnsigned
	}
	unix, err := strconv.ParseInt(at, 10, 64)
	if err != nil {
		return ErrBadSignature
	}
	if now.Sub(time.Unix(unix, 0)).Abs() > signatureTolerance {
		return ErrStale
	}
	signed := append([]byte(id+"."+at+"."), body...)
	// A sender that is changing its secret sends several.
	for versioned := range strings.FieldsSeq(signatures) {
		if signature, ok := strings.CutPrefix(versioned, "v1,"); ok && check(key, signed, signature) == nil {
			return nil
		}
	}
	return ErrBadSignature
}

// checkGoogle compares the key in the body.
func checkGoogle(key, body []byte) error {
	var sent map[string]any
	err := json.Unmarshal(body, &sent)
	switch said, _ := sent["google_key"].(string); {
	case err != nil || said == "":
		return ErrUnsigned
	case subtle.ConstantTimeCompare([]byte(said), key) != 1:
		return ErrBadSignature
	}
	return nil
}

// linkedInPrefix stands before the body that LinkedIn signs.
const linkedInPrefix = "hmacsha256="

func hmacOf(key, signed []byte) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write(signed)
	return mac.Sum(nil)
}

// check compares a signature, in hex or base64, with or without the name of the
// hash before it.
func check(key, signed []byte, signature string) error {
	if signature == "" {
		return ErrUnsigned
	}
	want := hmacOf(key, signed)
	text := strings.TrimPrefix(strings.TrimSpace(signature), "sha256=")
	for _, decode := range []func(string) ([]byte, error){
		hex.DecodeString, base64.StdEncoding.DecodeString, base64.URLEncoding.DecodeString,
		base64.RawStdEncoding.DecodeString,
	} {
		if got, err := decode(text); err == nil && hmac.Equal(got, want) {
			return nil
		}
	}
	return ErrBadSignature
}

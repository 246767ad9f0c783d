// Package webhook holds the endpoints that receive contacts: the webhook and its token, how senders sign, and the log
// of their deliveries. Package intake interprets the bodies.
package webhook

import (
	"crypto/subtle"
	"encoding/hex"
	"strings"
	"time"

	"fichario/domain/intake"
)

// Webhook is an address that contacts are sent to.
type Webhook struct {
	// ID is a UUIDv7.
	ID    string
	OrgID string
	Name  string
	// Options say how a body is read.
	intake.Options
	// Enabled is whether POST is accepted (specification, 3).
	Enabled bool
	// OriginID is the fixed origin; empty when there is none. A fixed origin wins
	// over what the sender states (specification, 4.5.4).
	OriginID string
	// Signature is how senders must sign; the zero value asks for none.
	Signature Signature
	// VerifyToken is the text that Meta's challenge must know; set for the kind intake.Meta alone.
	VerifyToken string
	// ThanksURL is where the browser of a plain HTML form is sent after an accepted
	// post; empty answers JSON to everybody.
	ThanksURL string
	// RotationID is the rotation that assigns its contacts; empty where they go to the first active member (specification,
	// 4.5.3).
	RotationID string
	// Received counts the contacts that accepted posts made.
	Received  int64
	CreatedAt time.Time
	// Unreadable is true where the secret of the signature cannot be opened and is left out.
	Unreadable bool
}

// The headers, in lower case, in which the platforms sign with the secret of the app.
const (
	MetaHeader     = "x-hub-signature-256"
	LinkedInHeader = "x-li-signature"
)

// verifyTokenMax bounds a verify token, in bytes.
const verifyTokenMax = 200

// Complete reports whether a webhook has what its kind needs: one of a platform the app's secret, which signs, and one
// of Meta a verify token, too, which no other has.
func (w Webhook) Complete() bool {
	signs := w.Signature.Scheme == HMACScheme
	switch w.Kind {
	case intake.Meta:
		return w.VerifyToken != "" && len(w.VerifyToken) <= verifyTokenMax && signs && w.Signature.Header == MetaHeader
	case intake.LinkedIn:
		return w.VerifyToken == "" && signs && w.Signature.Header == LinkedInHeader
	case intake.Generic, intake.FormService:
	}
	return w.VerifyToken == ""
}

// Response answers LinkedIn's challenge with what only who has the app's secret can know; "" for a webhook of another
// kind, where the secret cannot be read, and for what is no UUID: anybody may ask, and the same secret signs bodies.
func (w Webhook) Response(code string) string {
	const letters, length = "0123456789abcdefABCDEF-", 36
	if w.Kind != intake.LinkedIn || w.Unreadable || len(code) != length || strings.Trim(code, letters) != "" {
		return ""
	}
	return hex.EncodeToString(hmacOf([]byte(w.Signature.Secret), []byte(code)))
}

// Challenge answers the question whether an address is ours: a webhook of Meta's answers whoever knows its verify
// token, any other whoever knows token, the one in its address.
func (w Webhook) Challenge(token Token, known string) bool {
	want := token.Reveal()
	if w.Kind == intake.Meta {
		want = w.VerifyToken
	}
	return want != "" && subtle.ConstantTimeCompare([]byte(want), []byte(known)) == 1
}

package intake

import (
	"crypto/rand"
	"crypto/sha256"
	"time"
)

// Webhook is an address that contacts are sent to.
type Webhook struct {
	// ID is a UUIDv7.
	ID    string
	OrgID string
	Name  string
	Options
	// Enabled is whether POST is accepted (specification, 3).
	Enabled bool
	// OriginID is the fixed origin; empty when there is none. A fixed origin wins
	// over what the sender states (specification, 4.5.4).
	OriginID string
	// Signature is how senders must sign; the zero value asks for none.
	Signature Signature
	// ThanksURL is where the browser of a plain HTML form is sent after an accepted
	// post; empty answers JSON to everybody.
	ThanksURL string
	// Received counts the accepted posts.
	Received  int64
	CreatedAt time.Time
}

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

// Outcome is what became of a post.
type Outcome string

// The outcomes of the delivery log.
const (
	// Accepted: a contact was made.
	Accepted Outcome = "accepted"
	// Repeated: the post had come before; the first contact was answered.
	Repeated Outcome = "repeated"
	// Refused: nothing was made.
	Refused Outcome = "refused"
)

// Delivery is one post to a webhook, as the delivery log keeps it.
type Delivery struct {
	// ID is a UUIDv7.
	ID        string
	OrgID     string
	WebhookID string
	At        time.Time
	Outcome   Outcome
	// Code and Reason say why it was refused: the contract's code, and the
	// Portuguese message that the sender got. Empty otherwise.
	Code, Reason string
	// ContactID is the contact that was made or answered; empty for a refusal.
	ContactID string
	// Headers are those of the request that tell something about it, with names in
	// lower case.
	Headers []Pair
	// Body is what was sent; of files in a multipart body nothing is kept.
	Body []byte
	// Truncated is true when Body is only the beginning of what was sent.
	Truncated bool
	// ReplayOf is the delivery that this one repeats by hand; empty otherwise.
	ReplayOf string
}

// Header returns the header with that lower-case name, or "".
func (d Delivery) Header(name string) string {
	for _, h := range d.Headers {
		if h.Key == name {
			return h.Value
		}
	}
	return ""
}

// deliveryHeaders are headers in which products send their own id of a submission:
// it stays the same when they try again.
var deliveryHeaders = []string{"webhook-id", "framer-webhook-submission-id", "x-meetime-delivery", "x-webhook-id", "x-delivery-id"}

// HeaderID returns the product's own delivery id in the headers, or "".
func (d Delivery) HeaderID() string {
	for _, name := range deliveryHeaders {
		if v := d.Header(name); v != "" {
			return name + ":" + v
		}
	}
	return ""
}

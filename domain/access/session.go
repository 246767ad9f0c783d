package access

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"time"
)

// Session is the session of a member who signed in to the interface.
type Session struct {
	// ID is a UUID that names the session; it grants nothing.
	ID, MemberID string
	// Device is the browser and its system in words, Address the network of its last request; both may be empty.
	Device, Address string
	// CreatedAt is when the member signed in, SeenAt when they were last active; both UTC.
	CreatedAt, SeenAt time.Time
	// FactorElsewhere is whether an OpenID Connect provider checked a second factor.
	FactorElsewhere bool
	// Present is whether it is the session that made the request.
	Present bool
}

const (
	// SessionIdle is how long a session lasts without activity.
	SessionIdle = 12 * time.Hour
	// SessionMax is how long a session lasts at most.
	SessionMax = 7 * 24 * time.Hour
)

// AliveAt reports whether the session is still valid at that time.
func (s Session) AliveAt(now time.Time) bool {
	return now.Before(s.SeenAt.Add(SessionIdle)) && now.Before(s.CreatedAt.Add(SessionMax))
}

// SessionToken is the secret in a session's cookie. It does not print itself.
type SessionToken struct{ text string }

// NewSessionToken makes a token of 256 random bits.
func NewSessionToken() SessionToken {
	raw := make([]byte, 32)
	_, _ = rand.Read(raw) // never fails: crypto/rand ends the program instead
	return SessionToken{text: base64.RawURLEncoding.EncodeToString(raw)}
}

// ParseSessionToken reads a token; false for a text that cannot be one.
func ParseSessionToken(s string) (SessionToken, bool) {
	raw, err := base64.RawURLEncoding.DecodeString(s)
	return SessionToken{text: s}, err == nil && len(raw) == 32
}

// Reveal returns the whole text, for the cookie.
func (t SessionToken) Reveal() string { return t.text }

// Hash is what is stored.
func (t SessionToken) Hash() [sha256.Size]byte { return sha256.Sum256([]byte(t.text)) }

// String hides the token.
func (t SessionToken) String() string { return "…" }

// GoString hides the token from %#v as well.
func (t SessionToken) GoString() string { return t.String() }

// SignInPause returns how long somebody must wait after so many failed attempts in a
// row before the next one: nothing for the first four, then half a minute and twice as
// long each time, up to a quarter of an hour.
func SignInPause(failures int) time.Duration { return pauseAfter(5, failures) }

// NetworkPause is SignInPause for all attempts from one network, which many people may share: nothing for the first
// nineteen.
func NetworkPause(failures int) time.Duration { return pauseAfter(20, failures) }

// BegunPause is SignInPause for two-step sign-ins that one network began and did not complete: nothing for the first
// hundred.
func BegunPause(begun int) time.Duration { return pauseAfter(100, begun) }

// LinkPause is SignInPause for links sent to one address: nothing for the first three.
func LinkPause(links int) time.Duration { return pauseAfter(3, links) }

// NetworkMemory is how long a network must go without a failure for its failures to be forgotten.
const NetworkMemory = time.Hour

func pauseAfter(free, failures int) time.Duration {
	const first, most = 30 * time.Second, 15 * time.Minute
	if failures < free {
		return 0
	}
	pause := first
	for range min(failures-free, 10) {
		pause *= 2
	}
	return min(pause, most)
}

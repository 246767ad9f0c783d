package access

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"strings"
	"time"
)

// TicketKind is what a ticket is for.
type TicketKind string

// The kinds of tickets.
const (
	// Invitation lets a new member choose a first password, Forgotten lets a member choose a new one.
	Invitation TicketKind = "convite"
	Forgotten  TicketKind = "senha"
	// Factor is a sign-in, by password or provider, that still waits for the second factor.
	Factor TicketKind = "fator"
	// PasskeyAdd and PasskeyUse are passkey challenges. Versions that asked for no proof before the first called it
	// "chave_nova".
	PasskeyAdd TicketKind = "chave_provada"
	PasskeyUse TicketKind = "chave"
	// PasskeyProof is the challenge of a passkey that proves who changes their factors. It lets nobody in.
	PasskeyProof TicketKind = "chave_prova"
	// Elsewhere is a sign-in that an OpenID Connect provider has yet to answer.
	Elsewhere TicketKind = "provedor"
)

// How long tickets are valid.
const (
	LinkFor      = 30 * time.Minute
	FactorFor    = 10 * time.Minute
	ChallengeFor = 5 * time.Minute
)

// Ticket is a single-use token. Its secret is a SessionToken, of which only the hash is stored.
type Ticket struct {
	Kind TicketKind
	// MemberID is the member that it belongs to; empty for a challenge or sign-in that anybody may complete.
	MemberID string
	// Data depends on Kind: the state of a challenge, the page to open after a sign-in at a provider, or how a sign-in
	// that waits for the second factor began (empty: with a password).
	Data      []byte
	ExpiresAt time.Time
}

// OneTimeCodes is a member's set-up of one-time codes (TOTP).
type OneTimeCodes struct {
	// Secret is in base32, as authenticator apps take it.
	Secret string
	// Confirmed is whether the member has entered a code from the app, and thus shown that it makes them.
	Confirmed bool
	// LastStep is the latest 30-second step whose code was used; codes of that step or an earlier one are refused.
	LastStep int64
}

// Passkey is a key in a device or password manager with which a member proves their identity.
type Passkey struct {
	// ID is a UUIDv7.
	ID, MemberID, Name string
	// Credential is the device's id for the key; Content holds the public key and the rest that verification needs.
	Credential, Content []byte
	CreatedAt           time.Time
	// UsedAt is zero if it was never used.
	UsedAt time.Time
}

// PasskeysMax is how many passkeys a member may have.
const PasskeysMax = 10

// RecoveryCodes is how many recovery codes a member gets.
const RecoveryCodes = 10

// NewRecoveryCodes makes codes of 80 random bits, each of which replaces the second factor once.
func NewRecoveryCodes() []string {
	out := make([]string, RecoveryCodes)
	for i := range out {
		raw := make([]byte, 10)
		_, _ = rand.Read(raw) // never fails: crypto/rand ends the program instead
		text := strings.ToLower(base32.StdEncoding.EncodeToString(raw))
		out[i] = text[:4] + "-" + text[4:8] + "-" + text[8:12] + "-" + text[12:]
	}
	return out
}

// RecoveryHash returns the hash stored for a recovery code, whatever its case, hyphens and spaces; false for a text
// that cannot be one.
func RecoveryHash(typed string) (hash []byte, ok bool) {
	bare := strings.ToLower(strings.NewReplacer("-", "", " ", "").Replace(typed))
	if len(bare) != 16 {
		return nil, false
	}
	sum := sha256.Sum256([]byte(bare))
	return sum[:], true
}

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
	// Invitation lets somebody choose his first password, Forgotten another one.
	Invitation TicketKind = "convite"
	Forgotten  TicketKind = "senha"
	// Factor is a sign-in whose password was right, and which waits for the second factor.
	Factor TicketKind = "fator"
	// PasskeyAdd and PasskeyUse are challenges of passkeys.
	PasskeyAdd TicketKind = "chave_nova"
	PasskeyUse TicketKind = "chave"
	// Elsewhere is a sign-in that a provider of OpenID Connect is to answer.
	Elsewhere TicketKind = "provedor"
)

// How long tickets hold.
const (
	LinkFor      = 30 * time.Minute
	FactorFor    = 10 * time.Minute
	ChallengeFor = 5 * time.Minute
)

// Ticket is something that is used once. Its secret is a SessionToken, of which only the hash is stored.
type Ticket struct {
	Kind TicketKind
	// MemberID is whose it is; empty for a challenge that anybody may answer.
	MemberID string
	// Data is what belongs to a challenge, where a sign-in at a provider leads afterwards, or by what one that waits for
	// the second factor began: empty for a password.
	Data      []byte
	ExpiresAt time.Time
}

// OneTimeCodes are how a member makes the codes of his second factor.
type OneTimeCodes struct {
	// Secret is in base32, as authenticator apps take it.
	Secret string
	// Confirmed is whether the member has shown that his app makes the codes.
	Confirmed bool
	// LastStep is the last of the steps of half a minute whose code was used: neither it nor one before counts again.
	LastStep int64
}

// Passkey is a key of a device or a password manager, by which a member proves who he is.
type Passkey struct {
	// ID is a UUIDv7.
	ID, MemberID, Name string
	// Credential is the id that the device knows it by, Content the public key and what else is to be known of it.
	Credential, Content []byte
	CreatedAt           time.Time
	// UsedAt is zero when it never was.
	UsedAt time.Time
}

// PasskeysMax is how many passkeys a member may have.
const PasskeysMax = 10

// RecoveryCodes is how many of them a member gets.
const RecoveryCodes = 10

// NewRecoveryCodes makes the codes that replace a second factor once each, of 80 random bits.
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

// RecoveryHash is what is stored of a recovery code, however it is typed; false for what cannot be one.
func RecoveryHash(typed string) (hash []byte, ok bool) {
	bare := strings.ToLower(strings.NewReplacer("-", "", " ", "").Replace(typed))
	if len(bare) != 16 {
		return nil, false
	}
	sum := sha256.Sum256([]byte(bare))
	return sum[:], true
}

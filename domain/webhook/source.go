package webhook

import (
	"crypto/sha256"
	"encoding/hex"
	"time"
)

// Source is a page of an advertising platform whose leads a webhook fetches: its notifications carry only ids.
type Source struct {
	// ID is a UUIDv7.
	ID, OrgID, WebhookID string
	// Page is the platform's id of the page, Name what people call it.
	Page, Name string
	// Token opens the page; it is encrypted at rest and never shown again.
	Token string
	Forms []Form
	State SourceState
	// Reason says in Portuguese why State is not SourceOpen; empty otherwise.
	Reason string
	// ExpiresAt is when the token ends; zero for one that does not.
	ExpiresAt time.Time
	// CheckedAt is when the platform was last asked about the token.
	CheckedAt time.Time
	// Told is what the team was told of this token, so that it is told once.
	Told SourceNews
	// ReadTo is up to when all leads were read back.
	ReadTo time.Time
	// RunAt is when the page is read back next, PausedUntil the time before which it is not asked at all.
	RunAt, PausedUntil time.Time
	// Failures counts the calls that failed in a row.
	Failures int
	// Lease identifies the worker that has it now; empty for none.
	Lease     string
	CreatedAt time.Time
	// Unreadable is true where the token cannot be opened and is left out.
	Unreadable bool
}

// SourceState is whether a page may be asked.
type SourceState string

// The states of a source.
const (
	SourceOpen SourceState = "ativa"
	// SourceDead: the token is no longer valid; the page is not asked until it gets another.
	SourceDead SourceState = "token_morto"
	// SourceForbidden: the token lacks a permission, which can come back without another token.
	SourceForbidden SourceState = "sem_permissao"
)

// SourceNews is what a team was told of a token.
type SourceNews string

// The news of a token, in their order.
const (
	ToldNothing SourceNews = ""
	ToldDying   SourceNews = "vence"
	ToldDead    SourceNews = "morto"
)

// TokenWarning is how long before its end a team is told of a token.
const TokenWarning = 3 * 24 * time.Hour

// Form is an instant form of a page.
type Form struct {
	// ID is the platform's id.
	ID, Name string
	// Questions are what it asks, and the texts of its consents.
	Questions []Question
}

// Question is one question of a form.
type Question struct {
	// Key is what a lead has the answer under.
	Key, Label string
}

// Label returns the question with a key, or "".
func (f Form) Label(key string) string {
	for _, q := range f.Questions {
		if q.Key == key {
			return q.Label
		}
	}
	return ""
}

// FormOf returns the form with an id; the zero value where it is unknown.
func (s Source) FormOf(id string) Form {
	for _, f := range s.Forms {
		if f.ID == id {
			return f
		}
	}
	return Form{}
}

// Notice is a lead that a notification names, or one that was found by reading a page back.
type Notice struct {
	// Lead and Page are the platform's ids.
	Lead, Page string
}

// Lead is what a person answered, as the platform tells it.
type Lead struct {
	// ID and Form are the platform's ids.
	ID, Form string
	// Body is the platform's JSON.
	Body      []byte
	CreatedAt time.Time
}

// LeadState is what has become of a lead.
type LeadState string

// The states of a lead.
const (
	// LeadWaiting: its id is on disk.
	LeadWaiting LeadState = "aguardando"
	// LeadTaken: it was read; its delivery says whether a contact was made.
	LeadTaken LeadState = "lido"
	// LeadLost: the platform no longer has it.
	LeadLost LeadState = "perdido"
)

// WaitingLead is a lead that was announced and not fetched yet.
type WaitingLead struct {
	// ID is that of its delivery in the log.
	ID string
	Notice
	Attempts int
}

// LeadKey is what a lead is recognised by for ever, however often it is announced: its id is kept no longer than it is
// needed.
func LeadKey(lead string) string {
	sum := sha256.Sum256([]byte("lead|" + lead))
	return hex.EncodeToString(sum[:])
}

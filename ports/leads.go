package ports

import (
	"context"
	"strings"
	"time"

	"fichario/domain/webhook"
)

// LeadSources stores the pages whose leads webhooks fetch. Tokens are encrypted at rest.
type LeadSources interface {
	// Connect writes a page of a webhook, or its new token and what follows from it where it is there already, and
	// returns it with its id.
	Connect(ctx context.Context, s webhook.Source) (webhook.Source, error)
	// List returns the pages of an organisation or of a webhook by name; an empty id is any.
	List(ctx context.Context, orgID, webhookID string) ([]webhook.Source, error)
	// Claim leases the page that is due longest, or ErrNotFound: one that may be asked and has a lead that waits, or
	// whose RunAt has come.
	Claim(ctx context.Context, lease string, now, until time.Time) (webhook.Source, error)
	// Keep writes what a worker learned of a page, and holds its lease until a time; zero ends it. ErrNotFound when
	// somebody else has leased it since, or it was connected anew or removed.
	Keep(ctx context.Context, s webhook.Source, until time.Time) error
	// Remove removes a page of a webhook. Leads that wait stay until it is connected again. ErrNotFound for none.
	Remove(ctx context.Context, webhookID, page string) error
}

// NotedLead is a lead that was announced, and its line in the delivery log.
type NotedLead struct {
	webhook.Notice
	Delivery webhook.Delivery
}

// Leads stores what was announced of leads. Ids of leads are encrypted at rest while they are needed, and hashed for
// ever.
type Leads interface {
	// Note writes leads that were announced, each with its line in the delivery log, durably, and returns how many were
	// new. The others leave nothing.
	Note(ctx context.Context, noted ...NotedLead) (int, error)
	// Waiting returns leads of a page that wait and may be fetched at now, oldest first.
	Waiting(ctx context.Context, webhookID, page string, now time.Time, limit int) ([]webhook.WaitingLead, error)
	// Untaken returns those of some leads that were never read, by the platform's id.
	Untaken(ctx context.Context, webhookID string, ids ...string) (map[string]bool, error)
	// Delay puts off a lead that could not be fetched, and counts the attempt.
	Delay(ctx context.Context, id string, until time.Time) error
	// Count returns how many leads wait, of a webhook or, without one, of all.
	Count(ctx context.Context, webhookID string) (int, error)
}

// LeadSource is an advertising platform that keeps the leads of its own forms, announces them by id, and gives them to
// whoever has a token of the page. Webhooks answer its challenge and check its signature (webhook.Webhook.Challenge,
// webhook.Signature). Every failure of a call is a *SourceError.
type LeadSource interface {
	// Notices returns the leads that a notification names; none for one about other things.
	Notices(body []byte) ([]webhook.Notice, error)
	// Pages returns the pages that a token opens, each with its id, its name, its own token and its forms, after it has
	// subscribed them: from then on their leads are announced.
	Pages(ctx context.Context, a SourceAccess) ([]webhook.Source, error)
	// Forms returns the forms of a page, with their questions.
	Forms(ctx context.Context, a SourceAccess) ([]webhook.Form, error)
	// Lead fetches one lead.
	Lead(ctx context.Context, a SourceAccess, id string) (webhook.Lead, error)
	// Leads returns the leads of forms, all those of the page, that were created after a time, a part of them; cursor is
	// "" for the first, and next "" after the last.
	Leads(
		ctx context.Context, a SourceAccess, forms []webhook.Form, after time.Time, cursor string,
	) (leads []webhook.Lead, next string, err error)
	// Worded returns a lead's JSON with the words of its form beside the answers, for a reader and for people.
	Worded(l webhook.Lead, f webhook.Form) []byte
	// Expiry returns when the token ends; zero for one that does not.
	Expiry(ctx context.Context, a SourceAccess) (time.Time, error)
	// Unsubscribe ends the announcements of a page.
	Unsubscribe(ctx context.Context, a SourceAccess) error
}

// SourceAccess is what opens a page.
type SourceAccess struct {
	// Page is the platform's id of it; for Pages the name or id of the only one that is wanted, or empty.
	Page, Token, AppSecret string
	// Callback is our address for announcements, where a platform is told it with the subscription: for Pages and
	// Unsubscribe.
	Callback string
	// Used is called, where it is set, with how much of its allowance the platform says is used, in percent.
	Used func(percent int)
}

// Wants reports whether Pages is to return a page with an id and a name.
func (a SourceAccess) Wants(id, name string) bool {
	return a.Page == "" || a.Page == id || strings.EqualFold(a.Page, name)
}

// NotOpened is that a token does not open the page that is wanted, but others, by their names and ids.
func NotOpened(others []string) *SourceError {
	const most = 20
	reason := "o token não abre esta página"
	if len(others) > 0 {
		reason += "; abre " + strings.Join(others[:min(most, len(others))], ", ")
	}
	return &SourceError{Failure: PermissionMissing, Reason: reason}
}

// SourceFailure is why a call to a lead source failed.
type SourceFailure int

// The failures.
const (
	// SourceAway: no answer, or one that says to try again.
	SourceAway SourceFailure = iota
	// TokenDead: the token is not valid, or not any more.
	TokenDead
	// PermissionMissing: the token may not do this.
	PermissionMissing
	// LeadGone: the platform does not have, or does not show, what was asked for.
	LeadGone
	// SourceLimited: too many calls.
	SourceLimited
)

// SourceError is a call to a lead source that failed. Its text holds no token and no answer, so that it may be logged.
type SourceError struct {
	Failure SourceFailure
	// Reason is a short Portuguese phrase with the platform's number of the error.
	Reason string
	// RetryAfter is how long the platform asks to wait; zero where it does not say.
	RetryAfter time.Duration
}

// Error returns the reason.
func (e *SourceError) Error() string { return e.Reason }

package ports

import (
	"context"
	"net/netip"
	"time"

	"fichario/domain/access"
	"fichario/domain/catalog"
	"fichario/domain/lookup"
)

// Keys stores API keys and the hashes of their secrets.
type Keys interface {
	Create(ctx context.Context, k access.Key) error
	// AddSecret gives the key a secret, and ends its earlier ones at endOthers, unless they end before. Its prefix becomes
	// the key's. Unless was is empty, the key's prefix must still be that one: ErrNotFound otherwise.
	AddSecret(ctx context.Context, keyID, was string, s access.Secret, endOthers time.Time) error
	// BySecret returns the key that a secret opens at now, or ErrNotFound. Whether
	// the key itself is revoked or expired is for the caller to see.
	BySecret(ctx context.Context, s access.Secret, now time.Time) (access.Key, error)
	// Find returns ErrNotFound when there is none.
	Find(ctx context.Context, orgID, id string) (access.Key, error)
	// List returns the keys of an organisation, oldest first.
	List(ctx context.Context, orgID string) ([]access.Key, error)
	// Change changes a key; ErrNotFound when there is none.
	Change(ctx context.Context, orgID, id string, change KeyChange) error
	// Revoke ends a key for good; revoking it again keeps the first time.
	Revoke(ctx context.Context, orgID, id string, at time.Time) error
	// Touch notes when keys were last used.
	Touch(ctx context.Context, lastUse map[string]time.Time) error
	// AddRefusals adds to what is counted, and ForgetRefusals forgets the days before one. Only outside InTx.
	AddRefusals(ctx context.Context, refusals []KeyRefusals) error
	ForgetRefusals(ctx context.Context, day string) error
	// Refusals returns how often keys were refused from a day on, by key and reason, the most frequent first.
	Refusals(ctx context.Context, keyIDs []string, from string) ([]KeyRefusals, error)
}

// KeyRefusals is how often a key was refused.
type KeyRefusals struct {
	KeyID string
	// Day is a bucket of access.Calendar; empty for several days.
	Day string
	// Reason is the code of the answer.
	Reason string
	Count  int
}

// KeyChange is what changes of a key; nil leaves it. Empty purposes or networks lift the restriction.
type KeyChange struct {
	Purposes *[]string
	From     *[]netip.Prefix
	Limits   *access.Limits
}

// Usage counts what the keys, members, batches, automations and agents' sessions of an organisation were charged, in
// the buckets of access.Calendar.
type Usage interface {
	// Spent returns what the key was charged in the day, the month and in total.
	Spent(ctx context.Context, orgID, keyID, day, month string) (today, thisMonth, total lookup.Spent, err error)
	// LimitChanged notes what an account (a key, a member, an automation) holds at this moment, because its limit changes
	// in this transaction, which holds the organisation's charges. Only inside InTx.
	LimitChanged(ctx context.Context, orgID, accountID string) error
	// SpentByKeys returns what several keys were charged, by bucket and key; those that were charged nothing are left
	// out.
	SpentByKeys(
		ctx context.Context, orgID string, keyIDs []string, buckets ...string,
	) (map[string]map[string]lookup.Spent, error)
	// Reserve counts a lookup that an agent's session may be charged for, in lookup.AgentBucket; ErrCeiling if that would
	// exceed the ceiling.
	Reserve(ctx context.Context, orgID, sessionID string, amount, ceiling catalog.Money) error
	// Correct adds to what a session counts what its lookup cost beyond the reservation, which is negative where it cost
	// less; the lookup is no longer counted where it cost nothing.
	Correct(ctx context.Context, orgID, sessionID string, beyond lookup.Spent) error
	// EndSession records in lookup.EndedBucket that an agent's session ended; doing so again changes nothing.
	EndSession(ctx context.Context, orgID, sessionID string) error
	// ForgetSessions removes the counts and marks of sessions whose ids are older than a time, and returns how many rows
	// there were. It scans only the week before that time and what no call has scanned yet.
	ForgetSessions(ctx context.Context, before time.Time) (int, error)
}

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
	// AddSecret gives the key a secret, which ends the ones it had at endOthers,
	// unless they end before. Its prefix becomes the key's. Where was is not empty, the
	// key's prefix must still be that one: ErrNotFound otherwise.
	AddSecret(ctx context.Context, keyID, was string, s access.Secret, endOthers time.Time) error
	// BySecret returns the key that a secret opens at now, or ErrNotFound. Whether
	// the key itself is revoked or expired is for the caller to see.
	BySecret(ctx context.Context, s access.Secret, now time.Time) (access.Key, error)
	// Find returns ErrNotFound when there is none.
	Find(ctx context.Context, id string) (access.Key, error)
	// List returns the keys of an organisation, oldest first.
	List(ctx context.Context, orgID string) ([]access.Key, error)
	// Restrict changes what a key may ask for, and from where; nil for what stays, empty for everything, and everywhere.
	// ErrNotFound when there is none.
	Restrict(ctx context.Context, id string, purposes *[]string, from *[]netip.Prefix) error
	// Revoke ends a key for good; revoking it again keeps the first time.
	Revoke(ctx context.Context, id string, at time.Time) error
	// Touch notes when keys were last used.
	Touch(ctx context.Context, lastUse map[string]time.Time) error
}

// Usage counts what a key was charged, in the buckets of access.Calendar.
type Usage interface {
	// Spent returns what the key was charged in the day, the month and in total.
	Spent(ctx context.Context, keyID, day, month string) (today, thisMonth, total lookup.Spent, err error)
	// SpentByKeys returns what several keys were charged in a bucket, by key; those
	// that were charged nothing are not there.
	SpentByKeys(ctx context.Context, keyIDs []string, bucket string) (map[string]lookup.Spent, error)
	// Reserve counts a lookup that an agent's session may be charged for, in lookup.AgentBucket, unless the session would
	// then have more than the ceiling; ErrCeiling in that case.
	Reserve(ctx context.Context, sessionID string, amount, ceiling catalog.Money) error
	// Return takes one back that was not charged.
	Return(ctx context.Context, sessionID string, amount catalog.Money) error
	// EndSession notes in lookup.EndedBucket that an agent's session ended; doing so again changes nothing.
	EndSession(ctx context.Context, sessionID string) error
	// ForgetSessions removes what is counted and noted of sessions whose ids are of before a time, and returns how many
	// rows there were. Of those that are more than a week older it looks at no more than it has not looked at before.
	ForgetSessions(ctx context.Context, before time.Time) (int, error)
}

package ports

import (
	"context"
	"time"

	"fichario/domain/access"
	"fichario/domain/catalog"
	"fichario/domain/crm"
)

// Orgs stores organisations.
type Orgs interface {
	Create(ctx context.Context, o crm.Organisation) error
	// Find returns ErrNotFound when there is none.
	Find(ctx context.Context, id string) (crm.Organisation, error)
	// List returns all of them, oldest first.
	List(ctx context.Context) ([]crm.Organisation, error)
	// Only returns the organisation that has the instance to itself; ErrNotFound where there are several, or none.
	Only(ctx context.Context) (crm.Organisation, error)
	// Lock makes other callers of Lock for the organisation wait until the transaction ends; ErrNotFound when there is
	// none. Only inside InTx.
	Lock(ctx context.Context, id string) error
	// HoldCharges makes Calls.Begin wait, for the organisation, until the transaction ends, and returns once every charge
	// that began before is committed or refused. A change of what admits a charge (a limit, a right, a purpose, a block)
	// calls it before it reads what was charged and before it writes, so that no charge commits by a rule that is no
	// longer in force. After Lock where both are needed. Only inside InTx.
	HoldCharges(ctx context.Context, id string) error
	// SetSecondFactor changes whether members must have a second factor; ErrNotFound when there is no organisation.
	SetSecondFactor(ctx context.Context, id string, required bool) error
	// SetMemberBatchLimit changes what members may spend on a batch; ErrNotFound when there is no organisation.
	SetMemberBatchLimit(ctx context.Context, id string, limit catalog.Money) error
	// SetShareHistory changes whether history that was bought for one purpose answers another; ErrNotFound when there is
	// no organisation.
	SetShareHistory(ctx context.Context, id string, share bool) error
}

// Members stores the people of organisations.
type Members interface {
	// Create returns ErrExists when the e-mail is taken.
	Create(ctx context.Context, m crm.Member) error
	// Find returns ErrNotFound when there is none.
	Find(ctx context.Context, orgID, id string) (crm.Member, error)
	// ByEmail returns the member with an e-mail address in lower case, or
	// ErrNotFound.
	ByEmail(ctx context.Context, email string) (crm.Member, error)
	// Update changes name, e-mail, role, active state and password hash; ErrNotFound when there is none, ErrExists when
	// the e-mail is taken.
	Update(ctx context.Context, m crm.Member) error
	// List returns the members of an organisation, active or not, oldest first.
	List(ctx context.Context, orgID string) ([]crm.Member, error)
}

// Sessions stores sessions, by hashes of their tokens, and failed attempts to sign in, by keyed hashes of who made
// them: an e-mail address, or the network that they came from.
type Sessions interface {
	Create(ctx context.Context, t access.SessionToken, s access.Session) error
	// Find returns a session with its member, NeedsFactor included, or ErrNotFound.
	Find(ctx context.Context, t access.SessionToken) (access.Session, crm.Member, error)
	// Touch records that a session was used, and from which network.
	Touch(ctx context.Context, t access.SessionToken, at time.Time, address string) error
	// List returns the sessions of a member seen since a time, the last one seen first; present is the requesting one.
	List(ctx context.Context, memberID string, present access.SessionToken, since time.Time) ([]access.Session, error)
	// Forget removes sessions not seen since a time, and older failures, a limited number per call, and returns how many
	// there were.
	Forget(ctx context.Context, before time.Time) (int, error)
}

// SessionEnds is ending sessions.
type SessionEnds interface {
	// EndByID ends a session of a member by its id, or returns ErrNotFound; EndOthers all but one.
	EndByID(ctx context.Context, memberID, id string) error
	EndOthers(ctx context.Context, memberID string, but access.SessionToken) error
	// End ends one session; EndAll ends those of a member.
	End(ctx context.Context, t access.SessionToken) error
	EndAll(ctx context.Context, memberID string) error
}

// Attempts is failed attempts to sign in, which slow down the next ones.
type Attempts interface {
	// Attempt counts an attempt to sign in, unless it comes too early: pause gets the number of earlier attempts, and
	// returns how long after the last of them the next one may come. Then it returns that number and the remaining wait.
	// Earlier attempts are forgotten once the last of them is older than memory. Concurrent attempts are counted one after
	// the other.
	Attempt(
		ctx context.Context, who string, at time.Time, memory time.Duration, pause func(before int) time.Duration,
	) (before int, wait time.Duration, err error)
	// Forgive takes one attempt back.
	Forgive(ctx context.Context, who string) error
	// Clear forgets the attempts.
	Clear(ctx context.Context, who string) error
}

// Preferences stores what the interface remembers for each member; it goes with the member.
type Preferences interface {
	// Of returns a member's preferences; those that were never set are not in it.
	Of(ctx context.Context, orgID, memberID string) (map[crm.Preference]string, error)
	// Set remembers a value instead of the one before; an empty one is forgotten. The member belongs to the organisation.
	Set(ctx context.Context, orgID, memberID string, name crm.Preference, value string) error
}

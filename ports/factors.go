package ports

import (
	"context"
	"time"

	"fichario/domain/access"
)

// Tickets stores what is used once, by hashes of secrets.
type Tickets interface {
	Put(ctx context.Context, secret access.SessionToken, t access.Ticket) error
	// Find returns a ticket, expired or not, or ErrNotFound.
	Find(ctx context.Context, secret access.SessionToken) (access.Ticket, error)
	// Take is Find that removes it: of those who take it together one gets it, the others ErrNotFound.
	Take(ctx context.Context, secret access.SessionToken) (access.Ticket, error)
	// Drop removes those of a member of one kind.
	Drop(ctx context.Context, memberID string, kind access.TicketKind) error
	// Forget removes tickets that expired before a time, some at a time, and returns how many there were.
	Forget(ctx context.Context, before time.Time) (int, error)
}

// Factors stores the second factors of members. A member has one who has confirmed codes or a passkey; members are
// found with that in SecondFactor.
type Factors interface {
	// Codes returns how a member makes his codes, or ErrNotFound.
	Codes(ctx context.Context, memberID string) (access.OneTimeCodes, error)
	SetCodes(ctx context.Context, memberID string, c access.OneTimeCodes) error
	// DropUnconfirmed removes codes that a member has not confirmed, if there are any.
	DropUnconfirmed(ctx context.Context, memberID string) error
	// UseStep notes that the code of a step was used, and reports whether neither it nor a later one was before.
	UseStep(ctx context.Context, memberID string, step int64) (bool, error)
	// SetRecovery replaces a member's recovery codes by others, known by their hashes.
	SetRecovery(ctx context.Context, memberID string, hashes [][]byte) error
	// UseRecovery removes one, and reports whether it was there.
	UseRecovery(ctx context.Context, memberID string, hash []byte) (bool, error)
	RecoveryLeft(ctx context.Context, memberID string) (int, error)
	// Passkeys returns those of a member, oldest first.
	Passkeys(ctx context.Context, memberID string) ([]access.Passkey, error)
	// AddPasskey returns ErrExists for a credential that is known.
	AddPasskey(ctx context.Context, p access.Passkey) error
	// UsePasskey writes content and time of use; ErrNotFound when there is none.
	UsePasskey(ctx context.Context, p access.Passkey) error
	// RemovePasskey removes one of a member's; ErrNotFound when he has none with that id.
	RemovePasskey(ctx context.Context, memberID, id string) error
	// Clear removes all that a member has.
	Clear(ctx context.Context, memberID string) error
}

// Passkeys makes the challenges of passkeys, and looks at what devices answer. Options are what the browser is given,
// as JSON; a challenge is kept until its answer comes, and used once.
type Passkeys interface {
	BeginAdd(of PasskeyOwner) (options, challenge []byte, err error)
	// EndAdd returns the new passkey without its id, name, owner and times.
	EndAdd(of PasskeyOwner, challenge, answer []byte) (access.Passkey, error)
	// BeginUse is for one member, or for whoever has a passkey of this service where of is nil; those have to show
	// their device that they are there.
	BeginUse(of *PasskeyOwner) (options, challenge []byte, err error)
	// EndUse returns the passkey that was used, with its new content. find returns whose a member's id is, of a challenge
	// for whoever has one.
	EndUse(
		of *PasskeyOwner, challenge, answer []byte, find func(memberID string) (PasskeyOwner, error),
	) (access.Passkey, error)
}

// PasskeyOwner is a member with the passkeys that he has.
type PasskeyOwner struct {
	ID, Email, Name string
	Keys            []access.Passkey
}

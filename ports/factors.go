package ports

import (
	"context"
	"time"

	"fichario/domain/access"
)

// Tickets stores single-use tickets, by the hashes of their secrets.
type Tickets interface {
	Put(ctx context.Context, secret access.SessionToken, t access.Ticket) error
	// Find returns a ticket, expired or not, or ErrNotFound.
	Find(ctx context.Context, secret access.SessionToken) (access.Ticket, error)
	// Take is Find that also removes the ticket: of concurrent calls one gets it, the others ErrNotFound.
	Take(ctx context.Context, secret access.SessionToken) (access.Ticket, error)
	// Drop removes the tickets of one kind of a member.
	Drop(ctx context.Context, memberID string, kind access.TicketKind) error
	// Forget removes tickets that expired before a time, a limited number per call, and returns how many there were.
	Forget(ctx context.Context, before time.Time) (int, error)
}

// Factors stores the second factors of members. Confirmed codes or a passkey count as one, which is what the
// SecondFactor of stored members says.
type Factors interface {
	// Codes returns a member's set-up of one-time codes, or ErrNotFound.
	Codes(ctx context.Context, memberID string) (access.OneTimeCodes, error)
	SetCodes(ctx context.Context, memberID string, c access.OneTimeCodes) error
	// DropUnconfirmed removes codes that a member has not confirmed, if there are any.
	DropUnconfirmed(ctx context.Context, memberID string) error
	// UseStep records that the code of a step was used, and reports whether neither it nor a later one had been used
	// before.
	UseStep(ctx context.Context, memberID string, step int64) (bool, error)
	// Clear removes all factors of a member.
	Clear(ctx context.Context, memberID string) error
}

// Recovery is the recovery codes of members.
type Recovery interface {
	// SetRecovery replaces a member's recovery codes by others, given as hashes.
	SetRecovery(ctx context.Context, memberID string, hashes [][]byte) error
	// UseRecovery removes a recovery code, and reports whether it was there.
	UseRecovery(ctx context.Context, memberID string, hash []byte) (bool, error)
	RecoveryLeft(ctx context.Context, memberID string) (int, error)
}

// MemberPasskeys is the passkeys of members.
type MemberPasskeys interface {
	// Passkeys returns those of a member, oldest first.
	Passkeys(ctx context.Context, memberID string) ([]access.Passkey, error)
	// AddPasskey returns ErrExists for a known credential.
	AddPasskey(ctx context.Context, p access.Passkey) error
	// UsePasskey writes content and time of use; ErrNotFound when there is none.
	UsePasskey(ctx context.Context, p access.Passkey) error
	// RemovePasskey removes a passkey of a member; ErrNotFound when the member has none with that id.
	RemovePasskey(ctx context.Context, memberID, id string) error
}

// Passkeys makes the challenges of passkeys, and verifies the answers of devices. The options are JSON for the browser;
// a challenge is to be kept until its answer comes, and used once.
type Passkeys interface {
	BeginAdd(of PasskeyOwner) (options, challenge []byte, err error)
	// EndAdd returns the new passkey without its id, name, owner and times.
	EndAdd(of PasskeyOwner, challenge, answer []byte) (access.Passkey, error)
	// BeginUse is for one member or, where of is nil, for anybody with a passkey of this service, whose device must then
	// verify the user.
	BeginUse(of *PasskeyOwner) (options, challenge []byte, err error)
	// EndUse returns the passkey that was used, with its new content. find resolves a member's id, for a challenge that
	// anybody may answer.
	EndUse(
		of *PasskeyOwner, challenge, answer []byte, find func(memberID string) (PasskeyOwner, error),
	) (access.Passkey, error)
}

// PasskeyOwner is a member with their passkeys.
type PasskeyOwner struct {
	ID, Email, Name string
	Keys            []access.Passkey
}

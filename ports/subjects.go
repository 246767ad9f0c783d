package ports

import (
	"context"
	"errors"
	"time"

	"fichario/domain/batch"
	"fichario/domain/crm"
	"fichario/domain/privacy"
	"fichario/domain/webhook"
)

// ErrBlocked is returned by Calls.Begin for a person whom nobody of the organisation may look up.
var ErrBlocked = errors.New("the person is blocked")

// Subjects finds and erases what is held of persons, by keyed hashes that stay the same when the data keys change.
type Subjects interface {
	// KeyID names the key of the hashes.
	KeyID(ctx context.Context) (string, error)
	// Hashes returns the keyed hash of each identity in an organisation.
	Hashes(ctx context.Context, orgID string, identities ...privacy.Identity) ([][]byte, error)
	// Contacts returns contacts with an identity, the newest first, that come before one of them.
	Contacts(ctx context.Context, orgID string, i privacy.Identity, before string, limit int) ([]crm.Contact, error)
	// Merged returns the contacts that others with an identity became part of, however long ago; one may be there twice.
	Merged(ctx context.Context, orgID string, i privacy.Identity) ([]crm.Contact, error)
	// Resolve returns the identities of an organisation that have one of some hashes, as far as anything names them. It
	// goes through everything, and is for what only hashes are known of.
	Resolve(ctx context.Context, orgID string, hashes [][]byte) ([]privacy.Identity, error)
	// Traces returns the ids of what is held of a person, of one kind, in their order after one of them, and where to go
	// on; next is empty at the end. A step may find none and not be the last.
	Traces(
		ctx context.Context, p *privacy.Person, k privacy.Kind, after string, limit int,
	) (ids []string, next string, err error)
	// Erase takes what Traces found out of the database, and returns what that was; it adds to the person's marks. A
	// lookup that is running stays. Only inside InTx.
	Erase(ctx context.Context, p *privacy.Person, k privacy.Kind, ids []string) (privacy.Counts, error)
	// Read returns what Traces found, of items, rows, deliveries and notices.
	Read(ctx context.Context, k privacy.Kind, ids []string) (SubjectRows, error)
	// Answers returns the ids of the answers that lookups brought.
	Answers(ctx context.Context, lookupIDs []string) ([]string, error)

	// Block keeps identities from being looked up. Only inside InTx.
	Block(ctx context.Context, b privacy.Block) error
	// Unblock lets them be looked up again, and reports whether they were blocked.
	Unblock(ctx context.Context, orgID string, hashes [][]byte) (bool, error)
	// Blocked reports whether one of them may not be looked up.
	Blocked(ctx context.Context, orgID string, hashes [][]byte) (bool, error)
	// Blocks returns who is blocked in an organisation by some erasures, the newest first.
	Blocks(ctx context.Context, orgID string, erasureIDs []string) ([]privacy.Block, error)

	// AddErasure writes a new one; ErrExists where there is one with this id. Only inside InTx.
	AddErasure(ctx context.Context, e privacy.Erasure) error
	// SaveErasure writes how far one is. Only inside InTx.
	SaveErasure(ctx context.Context, e privacy.Erasure) error
	// LeaseErasure takes one that is not done, of one id or any, for as long as until says; ErrNotFound where there is
	// none that nobody has.
	LeaseErasure(ctx context.Context, id, lease string, now, until time.Time) (privacy.Erasure, error)
	// LockErasure returns one that the lease still holds, and keeps others from it; ErrNotFound otherwise. Only inside
	// InTx.
	LockErasure(ctx context.Context, id, lease string) (privacy.Erasure, error)
	// FindErasure returns ErrNotFound where there is none.
	FindErasure(ctx context.Context, id string) (privacy.Erasure, error)
	// Erasures returns those of an organisation, the newest first, that come before one of them.
	Erasures(ctx context.Context, orgID, before string, limit int) ([]privacy.Erasure, error)
}

// SubjectIndex finds lookups and items of batches.
type SubjectIndex interface {
	// CatchUp brings it to the present moment.
	CatchUp(ctx context.Context) error
	// Indexed reports whether it has all but the last minutes.
	Indexed(ctx context.Context) (bool, error)
	// Sweep takes what was erased out of the space that databases keep of removed rows, as far as that can be done at
	// once. What was erased has one of the marks; nil where they are not known.
	Sweep(ctx context.Context, marks [][]byte) error
}

// ErasureJournal keeps erasures outside of the database, for a restore.
type ErasureJournal interface {
	// Append returns when the entry is durable; kept is false where there is no journal.
	Append(e privacy.Entry) (kept bool, err error)
}

// SubjectRows are rows of one kind.
type SubjectRows struct {
	Items      []batch.Item
	Rows       []crm.BulkItem
	Deliveries []webhook.Delivery
	Notices    []crm.Notification
}

// Retention removes what is old, some at a time; statement entries keep their amounts.
type Retention interface {
	// ForgetAnswers removes answers of bureaus of before a time, and returns how many there were.
	ForgetAnswers(ctx context.Context, before time.Time) (int, error)
	// Mark notes that something is removed that came before a time, so that nobody misses it.
	Mark(ctx context.Context, what string, before time.Time) error
	// OldContacts looks at some contacts of before a time, in the order of their ids after one of them. It returns the
	// ids of those to which nothing has happened since, by their organisations, and where to go on; next is empty at the
	// end. Inside InTx nothing happens to what it looks at until the end of that.
	OldContacts(
		ctx context.Context, before time.Time, after string, limit int,
	) (old map[string][]string, next string, err error)
}

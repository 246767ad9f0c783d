package ports

import (
	"context"
	"errors"
	"time"

	"fichario/domain/crm"
	"fichario/domain/privacy"
)

// ErrBlocked is returned by Calls.Begin for a person whom the organisation may not look up.
var ErrBlocked = errors.New("the person is blocked")

// ErrErased is returned where something about a person was begun before an erasure of the person ended: nothing was
// written.
var ErrErased = errors.New("the person was erased meanwhile")

// Subjects finds and erases the data of persons, by keyed hashes that stay the same when the data keys change.
type Subjects interface {
	// KeyID names the key of the hashes.
	KeyID(ctx context.Context) (string, error)
	// Hashes returns the keyed hash of each identity in an organisation.
	Hashes(ctx context.Context, orgID string, identities ...privacy.Identity) ([][]byte, error)
	// Contacts returns contacts with an identity, the newest first, that come before the one with id before.
	Contacts(ctx context.Context, orgID string, i privacy.Identity, before string, limit int) ([]crm.Contact, error)
	// Merged returns merged contacts with an identity, however long ago; one may appear twice.
	Merged(ctx context.Context, orgID string, i privacy.Identity) ([]MergedContact, error)
	// Resolve returns the identities of an organisation behind some hashes, as far as anything stored names them. It scans
	// everything, and is for persons of whom only hashes are known.
	Resolve(ctx context.Context, orgID string, hashes [][]byte) ([]privacy.Identity, error)
}

// MergedContact is the id of a contact that was merged, and the contact that it is now part of.
type MergedContact struct {
	ID   string
	Into crm.Contact
}

// SubjectTraces is what the database holds of a person.
type SubjectTraces interface {
	// Traces returns ids of one kind of data about a person, in their order after one of them, and where to continue; next
	// is empty at the end. A call may find none although it is not the last, or more than limit.
	Traces(
		ctx context.Context, p *privacy.Person, k privacy.Kind, after string, limit int,
	) (ids []string, next string, err error)
	// Erase removes what Traces found from the database, and returns what that was; it adds to the person's marks. A
	// running lookup stays, and so do contacts of two people (privacy.OfTwo) of which one is not the person's. Only inside
	// InTx.
	Erase(ctx context.Context, p *privacy.Person, k privacy.Kind, ids []string) (privacy.Counts, error)
	// Read returns what Traces found, in the order of the ids: batch.Item, crm.Removal, crm.BulkItem, webhook.Delivery or
	// crm.Notification. Other kinds have repositories of their own.
	Read(ctx context.Context, orgID string, k privacy.Kind, ids []string) ([]any, error)
	// Answers returns the ids of the answers that lookups brought.
	Answers(ctx context.Context, orgID string, lookupIDs []string) ([]string, error)
}

// SubjectBlocks is persons about whom nothing may be asked, or stored.
type SubjectBlocks interface {
	// Block bars identities from being looked up. Only inside InTx.
	Block(ctx context.Context, b privacy.Block) error
	// Unblock lets them be looked up again, and reports whether they were blocked.
	Unblock(ctx context.Context, orgID string, hashes [][]byte) (bool, error)
	// Blocked reports whether one of them may not be looked up.
	Blocked(ctx context.Context, orgID string, hashes [][]byte) (bool, error)
	// Blocks returns the persons blocked in an organisation by some erasures, the newest first.
	Blocks(ctx context.Context, orgID string, erasureIDs []string) ([]privacy.Block, error)
	// Bar makes Calls.Begin, Statement.Add and History.Serve refuse some people until Unbar, and from then on what began
	// before Unbar (lookup.Entry, Since). Only inside InTx.
	Bar(ctx context.Context, orgID, erasureID string, hashes [][]byte) error
	// Unbar ends the refusals of one erasure, but for whom another one of the organisation that is still running has too.
	// Only inside InTx.
	Unbar(ctx context.Context, orgID, erasureID string) error
	// Barred returns what tells about whom nothing may be stored that began at since; nil where that is nobody.
	Barred(ctx context.Context, orgID string, since time.Time) (func(privacy.Identity) bool, error)
}

// Erasures is erasures and their progress.
type Erasures interface {
	// AddErasure writes a new one; ErrExists where there is one with this id. Only inside InTx.
	AddErasure(ctx context.Context, e privacy.Erasure) error
	// SaveErasure writes the progress of one. Only inside InTx.
	SaveErasure(ctx context.Context, e privacy.Erasure) error
	// LeaseErasure leases an unfinished one until a time, that with id or, if id is empty, any; ErrNotFound where none is
	// free, ErrUnreadable where it is leased, but its person cannot be opened.
	LeaseErasure(ctx context.Context, id, lease string, now, until time.Time) (privacy.Erasure, error)
	// LockErasure returns one if the lease still holds it, and locks it; ErrNotFound otherwise, ErrUnreadable as above.
	// Only inside InTx.
	LockErasure(ctx context.Context, id, lease string) (privacy.Erasure, error)
	// FindErasure returns ErrNotFound where there is none.
	FindErasure(ctx context.Context, orgID, id string) (privacy.Erasure, error)
	// Erasures returns those of an organisation, the newest first, that come before the one with id before.
	Erasures(ctx context.Context, orgID, before string, limit int) ([]privacy.Erasure, error)
}

// SubjectIndex is the index by which a person's lookups and items of batches are found.
type SubjectIndex interface {
	// CatchUp brings the index up to date.
	CatchUp(ctx context.Context) error
	// Quiet returns when every transaction that is running now, on any instance, has ended.
	Quiet(ctx context.Context) error
	// Indexed reports whether the index has all but the last minutes.
	Indexed(ctx context.Context) (bool, error)
	// Sweep purges erased data from the space that databases keep of removed rows, as far as that is possible at once.
	// marks are bytes of that data; nil where they are not known.
	Sweep(ctx context.Context, marks [][]byte) error
}

// ErasureJournal keeps erasures outside the database, so that they can be repeated after a restore.
type ErasureJournal interface {
	// Append returns when the entry is durable; kept is false where there is no journal.
	Append(e privacy.Entry) (kept bool, err error)
}

// Retention removes old data, a limited number of rows per call; statement entries keep their amounts.
type Retention interface {
	// ForgetAnswers removes answers of bureaus older than a time, and returns how many there were.
	ForgetAnswers(ctx context.Context, before time.Time) (int, error)
	// Mark records that data of a kind older than a time is being removed, so that nobody relies on it.
	Mark(ctx context.Context, what string, before time.Time) error
	// OldContacts examines contacts older than a time, in the order of their ids after one of them. It returns the ids of
	// those to which nothing has happened since, by their organisations, and where to continue; next is empty at the end.
	// Inside InTx the contacts it examines do not change until it ends.
	OldContacts(
		ctx context.Context, before time.Time, after string, limit int,
	) (old map[string][]string, next string, err error)
}

package ports

import (
	"context"
	"time"

	"fichario/domain/document"
	"fichario/domain/lookup"
)

// Statement stores what was asked. Documents are encrypted at rest.
type Statement interface {
	// Add writes an entry.
	Add(ctx context.Context, e lookup.Entry) error
	// Find returns ErrNotFound when there is none.
	Find(ctx context.Context, orgID, id string) (lookup.Entry, error)
	// Entries returns entries by their ids; unknown ids are left out.
	Entries(ctx context.Context, orgID string, ids []string) (map[string]lookup.Entry, error)
	// Page returns entries, newest first, that come after the one with id after (""
	// starts at the newest).
	Page(ctx context.Context, by lookup.Asker, f lookup.Filter, after string, limit int) ([]lookup.Entry, error)
	// Unanswered returns the entries without an answer among an organisation's newest, newest first, each with its
	// ID, KeyID and At alone. It need not look at those from before last month.
	Unanswered(ctx context.Context, orgID string, among int) ([]lookup.Entry, error)
	// Asked returns the entries whose calls brought records, also as parts of the answer, by the ids of the records.
	Asked(ctx context.Context, orgID string, recordIDs []string) (map[string]lookup.Entry, error)
	// Spend returns what was charged on each day from one to another, both inclusive, by
	// product, oldest day first.
	Spend(ctx context.Context, by lookup.Asker, from, until string) ([]lookup.DaySpent, error)
	// SpendBy returns what was charged on the days from one to another, both inclusive, by two parts, in no order; an
	// empty part is one that all share. Only product and purpose of the filter count. What days tell apart by themselves
	// (day, product and key, without a purpose) costs as much as Spend, all else a look at each charge of those days.
	SpendBy(
		ctx context.Context, by lookup.Asker, f lookup.Filter, from, until string, parts [2]lookup.Part,
	) ([]lookup.PartSpent, error)
}

// LookupEnds is ending lookups whose instance is gone.
type LookupEnds interface {
	// Abandon marks a running entry as NoAnswer, and reports whether it was running. Its lease stays, and its owner may
	// still finish it. One that has been put off meanwhile, so that its SettleAt is after settles, or whose answer comes
	// later (LaterAnswers), is left running.
	Abandon(ctx context.Context, id string, settles time.Time) (bool, error)
	// Settle marks every running entry with SettleAt before now as NoAnswer, and frees its lease, unless its answer comes
	// later (LaterAnswers); it returns how many there were.
	Settle(ctx context.Context, now time.Time) (int, error)
}

// LookupContacts is the contacts that lookups are about.
type LookupContacts interface {
	// Tie sets the contact that an entry is about, in place of any other.
	Tie(ctx context.Context, orgID, id, contactID string) error
	// OfContact returns the entries that an organisation tied to a contact or to those merged into it, newest first, each
	// with when its answer was given. A call that another entry stands for (FollowedID) is none: what it cost is in that
	// entry's Cost.
	OfContact(ctx context.Context, orgID, contactID string, limit int) ([]ContactLookup, error)
}

// ContactLookup is a lookup about a contact.
type ContactLookup struct {
	lookup.Entry
	// AnsweredAt is when the bureau gave the answer; zero when there is none.
	AnsweredAt time.Time
}

// History stores what bureaus answered. Documents and answers are encrypted at
// rest and found by a keyed hash.
type History interface {
	// Only returns a History that answers as if it held only what was bought for a purpose or from a bureau; it needs no
	// more reads.
	Only(o Only) History
	// Serve answers a lookup from history in one step, with an entry that is done, free and in no bucket: if the newest
	// record of the entry's document in its product was answered after that time, it writes the entry, with the record's
	// id, and returns the record when the entry is durable. Otherwise, and for a person whom the organisation has blocked,
	// it returns ErrNotFound and writes nothing; it may also do so for a record that only Latest finds, because an older
	// data key encrypted it. Concurrent calls may share a commit; one that fails does not affect the others. Only outside
	// InTx.
	Serve(ctx context.Context, e lookup.Entry, after time.Time) (lookup.Record, error)
	// Latest returns the newest record of a document in a product, or ErrNotFound. It and Serve treat a record that cannot
	// be opened as missing.
	Latest(ctx context.Context, orgID, product string, d document.Document) (lookup.Record, error)
	Save(ctx context.Context, r lookup.Record) error
	// Fresh returns the newest records of a product that were answered after a time, by what was asked; what has none is
	// left out. It does not look at Only's inputs.
	Fresh(
		ctx context.Context, orgID, product string, about []lookup.About, after time.Time,
	) (map[lookup.About]string, error)
	// Records returns records by their ids; unknown ids are left out.
	Records(ctx context.Context, orgID string, ids []string) (map[string]lookup.Record, error)
	// Parts returns the records of other products that were given by the same answers as some records, by the ids of
	// these.
	Parts(ctx context.Context, orgID string, ids []string) (map[string][]lookup.Record, error)
	// Answers returns all records of a document in a product, newest first, without
	// their fields and bytes.
	Answers(ctx context.Context, orgID, product string, d document.Document, limit int) ([]lookup.Record, error)
}

package ports

import (
	"context"
	"crypto/ed25519"
	"time"

	"fichario/domain/audit"
)

// Audit stores the lines of the audit, one chain per organisation. Address and detail are encrypted at rest.
type Audit interface {
	// Append adds a line to the chain of its organisation, with the next number, its hash and, where its own time is
	// earlier, the time of the line before. It writes when the function of InTx has returned, so that the chain, for which
	// all who write a line must queue, is the last thing locked and stays so only for the end of the transaction. Only
	// inside InTx.
	Append(ctx context.Context, l audit.Line) error
	// Head returns the head of an organisation's chain: ErrNotFound where there is none, ErrUnreadable where it is not as
	// the store wrote it.
	Head(ctx context.Context, orgID string) (audit.Head, error)
	// Heads returns the heads of the organisations after an id, in the order of their ids. Those that are not as the store
	// wrote them have an OrgID and nothing else.
	Heads(ctx context.Context, after string, limit int) ([]audit.Head, error)
	// WitnessKey signs heads that leave the house. It stays the same when the data key is changed.
	WitnessKey(ctx context.Context) (ed25519.PrivateKey, error)
	// Last returns the greatest number of a line; zero for none.
	Last(ctx context.Context, orgID string) (int64, error)
	// Page returns lines in the order of their numbers, the newest first unless the query is Ascending.
	Page(ctx context.Context, orgID string, q AuditQuery) ([]audit.Line, error)
	// Find returns the line with an id, or ErrNotFound.
	Find(ctx context.Context, orgID, id string) (audit.Line, error)
}

// AuditRemovals is what leaves the audit.
type AuditRemovals interface {
	// Blank removes the details of lines about a person, up to limit of them, and returns their numbers. erasure is
	// the id of the line that records it, written in the same transaction or an earlier one; that line keeps its own. The
	// chain stays valid. Only inside InTx.
	Blank(ctx context.Context, orgID, erasure string, of AuditTraces, limit int) ([]int64, error)
	// Forget removes lines older than a time from the beginning of a chain, a limited number per call, and returns how
	// many there were. It follows the chain as a check does, and stops at the first line that does not fit, whose time may
	// be anything; nothing is removed where the head is not as the store wrote it. The rest stays bound to the last one
	// removed.
	Forget(ctx context.Context, before time.Time) (int, error)
}

// AuditQuery selects lines. Zero values select all.
type AuditQuery struct {
	Actor  audit.Actor
	Action audit.Action
	// Since is inclusive, Until exclusive.
	Since, Until time.Time
	// After is the number of the last line seen, in the order of the query.
	After     int64
	Ascending bool
	Limit     int
}

// AuditTraces is what lines about a person are found by: the keyed hashes of their identities, and the ids of their
// data.
type AuditTraces struct {
	Subjects [][]byte
	Objects  []string
}

// Witness takes signed heads of the audit out of the reach of whoever has the database.
type Witness interface {
	// Take is given lines of JSON, each ended by a newline; they are safe there when it returns. Its error holds neither
	// an address nor what the other side answered.
	Take(ctx context.Context, lines []byte) error
	// Check fails where it would take none. It leaves nothing behind.
	Check(ctx context.Context) error
	// Fresh reports whether it holds nothing, and is to be given every head again.
	Fresh() bool
}

package ports

import (
	"context"
	"time"

	"fichario/domain/audit"
)

// Audit stores the lines of the audit, a chain for each organisation. Address and detail are encrypted at rest.
type Audit interface {
	// Append puts a line behind the others of its organisation, with the next number and its hash, and with the time of
	// the line before where its own is earlier. It does so when the function of InTx has returned, so that the one place
	// that everybody waits for who writes a line is held for the end of a transaction only, and last of all locks. Only
	// inside InTx.
	Append(ctx context.Context, l audit.Line) error
	// Head returns where the chain of an organisation ends: ErrNotFound where there is none, ErrUnreadable where it is not
	// as the store wrote it.
	Head(ctx context.Context, orgID string) (audit.Head, error)
	// Last returns the greatest number of a line; zero for none.
	Last(ctx context.Context, orgID string) (int64, error)
	// Page returns lines by their numbers, the newest first unless the query wants them otherwise.
	Page(ctx context.Context, orgID string, q AuditQuery) ([]audit.Line, error)
	// Find returns the line with an id, or ErrNotFound.
	Find(ctx context.Context, orgID, id string) (audit.Line, error)
	// Blank takes the details of lines about a person away, up to limit of them, and returns how many there were; erasure
	// is the id of the line that says so, in the same transaction or an earlier one, and that keeps its own. The chain
	// holds without them. Only inside InTx.
	Blank(ctx context.Context, orgID, erasure string, of AuditTraces, limit int) (int, error)
	// Forget removes lines of before a time from the beginning of a chain, some at a time, and returns how many there
	// were. What is left is bound to what was there.
	Forget(ctx context.Context, before time.Time) (int, error)
}

// AuditQuery chooses lines. Zero values do not.
type AuditQuery struct {
	Actor  audit.Actor
	Action audit.Action
	// Since is the first time that is wanted, Until the first one that is not.
	Since, Until time.Time
	// After is the number of the last line seen, in the order of the query.
	After     int64
	Ascending bool
	Limit     int
}

// AuditTraces are what lines about a person are found by: the keyed hashes of who he is, and the ids of what is his.
type AuditTraces struct {
	Subjects [][]byte
	Objects  []string
}

package gormstore

import (
	"context"
	"database/sql"
	"fichario/ports"

	"github.com/pressly/goose/v3"
	"gorm.io/gorm/schema"
)

// lookupsRoom keeps lookups, the history, the statement, and keys with their caps.
type lookupsRoom struct {
	*Engine
	// serve answers lookups from the history: on PostgreSQL in batches, on SQLite singly, batching only their entries.
	serve   func(context.Context, served) (kept, error)
	served  *together[served, kept]
	entries *together[entered, bool]
	begin   *together[beginning, begun]
	end     *together[ended, bool]
	// newest belongs to newestOnSQLite.
	newest  *sql.Stmt
	reading turn
}

func newLookupsRoom(e *Engine) *lookupsRoom {
	s := &lookupsRoom{Engine: e, reading: newTurn()}
	if e.dialect == goose.DialectPostgres {
		s.served = newTogether(s.serveOnPostgres)
		s.begin, s.end = newTogether(s.beginOnPostgres), newTogether(s.endOnPostgres)
		s.serve = s.served.call
	} else {
		s.entries = newTogether(s.enterOnSQLite)
		s.begin, s.end = newTogether(s.beginOnSQLite), newTogether(s.endOnSQLite)
		s.serve = s.serveOnSQLite
	}
	return s
}

// Fill gives the repositories of the room.
func (s *lookupsRoom) Fill(out *ports.Repos, c conn) {
	entries := statement{c, s.vault, s.subjectSecret}
	out.Statement, out.LookupEnds, out.LookupContacts = entries, entries, entries
	out.History = history{c, s.vault, s.serve, nil, s.subjectSecret}
	out.Calls = calls{c, s.vault, s.begin, s.end, s.subjectSecret}
	out.LookupRequests = lookupRequests{c, s.subjectSecret}
	out.Keys, out.Usage, out.Bundles, out.Tickets, out.Figures = keys{c}, usage{c}, bundles{c}, tickets{c}, figures{c}
}

// Rows are those of the tables that the room keeps.
func (s *lookupsRoom) Rows() []schema.Tabler {
	return []schema.Tabler{
		limitChangeRow{}, bundleRow{}, leaseRow{}, recordRow{}, keyRow{}, secretRow{}, lookupHourRow{}, lookupRequestRow{}, lookupRow{}, memberDayRow{}, spendDayRow{}, ticketRow{}, usageRow{},
	}
}

// Statements are those of calls and of answers from the history on SQLite.
func (s *lookupsRoom) Statements() []string {
	return []string{
		insertEntry, countLookups, countSpent, askRequest, beginRequest, askBlocked, askErased, askErasing, askKey, askMember,
		askRule, askPurpose, askBatch, askItem, takeLease, askHolder, freeLease, freeEnded, askNewest, askCounted,
		countCharged, endEntry, insertRecord, keyNameOnSQLite,
	}
}

// Close waits for what is being written.
func (s *lookupsRoom) Close() {
	if s.served != nil {
		s.served.close()
	} else {
		s.entries.close()
	}
	s.begin.close()
	s.end.close()
}

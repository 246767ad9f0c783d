package lookups

import (
	"context"
	"database/sql"
	"fichario/adapters/gormstore/engine"
	"fichario/ports"

	"gorm.io/gorm/schema"
)

// Room keeps lookups, the history, the statement, and keys with their caps.
type Room struct {
	*engine.Engine
	// serve answers lookups from the history: on PostgreSQL in batches, on SQLite singly, batching only their entries.
	serve   func(context.Context, served) (kept, error)
	served  *engine.Together[served, kept]
	entries *engine.Together[entered, bool]
	begin   *engine.Together[beginning, begun]
	end     *engine.Together[ended, bool]
	// newest belongs to newestOnSQLite.
	newest  *sql.Stmt
	reading engine.Turn
}

func New(e *engine.Engine) *Room {
	s := &Room{Engine: e, reading: engine.NewTurn()}
	if e.IsPostgres() {
		s.served = engine.NewTogether(s.serveOnPostgres)
		s.begin, s.end = engine.NewTogether(s.beginOnPostgres), engine.NewTogether(s.endOnPostgres)
		s.serve = s.served.Call
	} else {
		s.entries = engine.NewTogether(s.enterOnSQLite)
		s.begin, s.end = engine.NewTogether(s.beginOnSQLite), engine.NewTogether(s.endOnSQLite)
		s.serve = s.serveOnSQLite
	}
	return s
}

// Fill gives the repositories of the room.
func (s *Room) Fill(out *ports.Repos, c engine.Conn) {
	entries := statement{c, s.Vault, s.SubjectSecret}
	out.Statement, out.LookupEnds, out.LookupContacts = entries, entries, entries
	out.History = history{c, s.Vault, s.serve, nil, s.SubjectSecret}
	out.Calls = calls{c, s.Vault, s.begin, s.end, s.SubjectSecret}
	out.LookupRequests = lookupRequests{c, s.SubjectSecret}
	out.Keys, out.Usage, out.Bundles, out.Tickets, out.Figures = keys{c}, usage{c}, bundles{c}, tickets{c}, figures{c}
}

// Rows are those of the tables that the room keeps.
func (s *Room) Rows() []schema.Tabler {
	return []schema.Tabler{
		limitChangeRow{}, bundleRow{}, leaseRow{}, RecordRow{}, keyRow{}, secretRow{}, lookupHourRow{}, lookupRequestRow{}, LookupRow{}, memberDayRow{}, spendDayRow{}, ticketRow{}, usageRow{},
	}
}

// Statements are those of calls and of answers from the history on SQLite.
func (s *Room) Statements() []string {
	return []string{
		insertEntry, countLookups, countSpent, askRequest, beginRequest, askBlocked, askErased, askErasing, askKey, askMember,
		askRule, askPurpose, askBatch, askItem, takeLease, askHolder, freeLease, freeEnded, askNewest, askCounted,
		countCharged, endEntry, insertRecord, keyNameOnSQLite,
	}
}

// Close waits for what is being written.
func (s *Room) Close() {
	if s.served != nil {
		s.served.Close()
	} else {
		s.entries.Close()
	}
	s.begin.Close()
	s.end.Close()
}

// Package lookups keeps calls to a bureau, the history, the statement, and keys with their caps.
package lookups

import (
	"context"
	"database/sql"

	"gorm.io/gorm/schema"

	"fichario/adapters/gormstore/engine"
	"fichario/ports"
)

// room holds what concurrent lookups share.
type room struct {
	*engine.Engine
	// serve answers lookups from the history: on PostgreSQL in batches, on SQLite singly, batching only their entries.
	serve   func(context.Context, served) (kept, error)
	entries *engine.Together[entered, bool]
	begin   *engine.Together[beginning, begun]
	end     *engine.Together[ended, bool]
	// newest belongs to newestOnSQLite.
	newest  *sql.Stmt
	reading engine.Turn
}

// New is the room of lookups, their history and statement, and of keys with their caps.
func New(e *engine.Engine) engine.Room {
	s := &room{Engine: e, reading: engine.NewTurn()}
	var closeServing func()
	if e.IsPostgres() {
		served := engine.NewApart(e, func(a served) engine.UID { return a.entry.OrgID }, s.serveOnPostgres)
		s.serve, closeServing = served.Call, served.Close
		s.begin = engine.NewApart(e, func(b beginning) engine.UID { return b.entry.OrgID }, s.beginOnPostgres)
		s.end = engine.NewApart(e, func(e ended) engine.UID { return e.entry.OrgID }, s.endOnPostgres)
	} else {
		s.entries = engine.NewTogether(s.enterOnSQLite)
		s.serve, closeServing = s.serveOnSQLite, s.entries.Close
		s.begin, s.end = engine.NewTogether(s.beginOnSQLite), engine.NewTogether(s.endOnSQLite)
	}
	return engine.Room{
		Rows: []schema.Tabler{
			limitChangeRow{}, bundleRow{}, bureauDayRow{}, bureauMatchRow{}, bureauOrderRow{}, bureauOutRow{}, laterAnswerRow{},
			leaseRow{}, chargeDayRow{},
			RecordRow{}, keyRow{}, secretRow{}, lookupHourRow{},
			lookupRequestRow{}, LookupRow{}, memberDayRow{}, refusalRow{}, spendDayRow{}, ticketRow{}, usageRow{},
		},
		Tallies: []engine.Tally{hourTally, dayTally, usageTally, bureauTally, matchTally, refusalTally,
			memberTally, chargeTally},
		Statements: []string{
			insertEntry, hourTally.One, dayTally.One, usageTally.One, bureauTally.One, matchTally.One,
			chargeTally.One, memberTally.One,
			askRequest, beginRequest, askBarred, askErased,
			askErasing, askKey, askMember, askRule, askPurpose, askBatch, askItem, takeLease, askHolder, freeLease, freeEnded,
			askNewest, askCounted, endEntry, insertRecord, keyNameOnSQLite,
		},
		Repos: func(out *ports.Repos, c engine.Conn) {
			entries := statement{c, s.Vault, s.SubjectSecret}
			out.Statement, out.LookupEnds, out.LookupContacts = entries, entries, entries
			out.History = history{c, s.Vault, s.serve, ports.Only{}, s.SubjectSecret}
			out.Calls = calls{c, s.Vault, s.begin, s.end, s.SubjectSecret}
			out.LookupRequests, out.LaterAnswers = lookupRequests{c, s.SubjectSecret}, laterAnswers{c, s.Vault, s.SubjectSecret}
			out.Bureaus = bureauStates{c}
			out.Keys, out.Usage, out.Bundles, out.Tickets, out.Figures = keys{c}, usage{c}, bundles{c}, tickets{c}, figures{c}
		},
		Close: func() {
			closeServing()
			s.begin.Close()
			s.end.Close()
		},
	}
}

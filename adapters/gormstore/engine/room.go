// Package engine is what the rooms of the store stand on: connections, transactions, dialects, encryption, group
// commit,
// partitions. It knows no table of theirs.
package engine

import (
	"gorm.io/gorm/schema"

	"fichario/ports"
)

// Room is the part of the database that one subject has.
type Room struct {
	// Repos sets the repositories of the room, which work on a connection.
	Repos func(*ports.Repos, Conn)
	// Rows are those of the tables that the room keeps.
	Rows []schema.Tabler
	// Tallies are those of its tables that count.
	Tallies []Tally
	// Statements are those for which concurrent requests share a transaction on SQLite.
	Statements []string
	// Close waits for what is being written; nil where nothing is.
	Close func()
}

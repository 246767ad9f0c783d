package gormstore

import (
	"fichario/ports"
	"sync/atomic"
	"time"

	"gorm.io/gorm/schema"
)

// contactsRoom keeps contacts, their funnels and their search.
type contactsRoom struct {
	*Engine
	// trigrams says whether the search has an index, noTrigrams why not. indexedAgain belongs to IndexContacts.
	trigrams     atomic.Bool
	noTrigrams   error
	indexedAgain time.Time
}

func newContactsRoom(e *Engine) *contactsRoom { return &contactsRoom{Engine: e} }

// Fill gives the repositories of the room.
func (s *contactsRoom) Fill(out *ports.Repos, c conn) {
	people := contacts{c, s.vault}
	out.Contacts, out.ContactHistory, out.ContactAnswers, out.ContactSearch = people, people, people, people
	out.Funnels, out.Origins, out.Rotations = funnels{c}, origins{c}, rotations{c}
	out.Removals = removals{c, s.vault, s.subjectSecret}
	out.Bulks = bulks{c, s.vault}
}

// Rows are those of the tables that the room keeps.
func (s *contactsRoom) Rows() []schema.Tabler {
	return []schema.Tabler{
		bulkItemRow{}, bulkRow{}, contactDocumentRow{}, contactHourRow{}, contactIndexRow{}, contactRow{}, eventRow{}, answeredRow{}, funnelRow{}, stageRow{}, originRow{}, removedRow{}, givenRow{}, rotationMemberRow{}, rotationRow{}, turnRow{}, stageTotalRow{},
	}
}

// Statements are those that count contacts and take turns on SQLite.
func (s *contactsRoom) Statements() []string {
	return []string{countContacts, countStage, takeTurn, readTurn, countTurn}
}

// Close has nothing to wait for.
func (s *contactsRoom) Close() {}

package contacts

import (
	"fichario/adapters/gormstore/engine"
	"fichario/ports"
	"sync/atomic"
	"time"

	"gorm.io/gorm/schema"
)

// Room keeps contacts, their funnels and their search.
type Room struct {
	*engine.Engine
	// trigrams says whether the search has an index, noTrigrams why not. indexedAgain belongs to IndexContacts.
	trigrams     atomic.Bool
	noTrigrams   error
	indexedAgain time.Time
}

func New(e *engine.Engine) *Room { return &Room{Engine: e} }

// Fill gives the repositories of the room.
func (s *Room) Fill(out *ports.Repos, c engine.Conn) {
	people := contacts{c, s.Vault}
	out.Contacts, out.ContactHistory, out.ContactAnswers, out.ContactSearch = people, people, people, people
	out.Funnels, out.Origins, out.Rotations = funnels{c}, origins{c}, rotations{c}
	out.Removals = removals{c, s.Vault, s.SubjectSecret}
	out.Bulks = bulks{c, s.Vault}
}

// Rows are those of the tables that the room keeps.
func (s *Room) Rows() []schema.Tabler {
	return []schema.Tabler{
		BulkItemRow{}, bulkRow{}, ContactDocumentRow{}, contactHourRow{}, contactIndexRow{}, ContactRow{}, EventRow{}, answeredRow{}, funnelRow{}, StageRow{}, OriginRow{}, RemovedRow{}, givenRow{}, rotationMemberRow{}, rotationRow{}, turnRow{}, stageTotalRow{},
	}
}

// Statements are those that count contacts and take turns on SQLite.
func (s *Room) Statements() []string {
	return []string{CountContacts, CountStage, TakeTurn, ReadTurn, CountTurn}
}

// Close has nothing to wait for.
func (s *Room) Close() {}

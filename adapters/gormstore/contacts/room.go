// Package contacts keeps contacts, funnels, origins, rotations and the index of their search.
package contacts

import (
	"sync/atomic"
	"time"

	"gorm.io/gorm/schema"

	"fichario/adapters/gormstore/engine"
	"fichario/ports"
)

// Index is the index of the search.
type Index struct {
	*engine.Engine
	// trigrams says whether there is one, noTrigrams why not. indexedAgain belongs to IndexContacts.
	trigrams     atomic.Bool
	noTrigrams   error
	indexedAgain time.Time
}

// New is the room of contacts, funnels and origins, with the index of their search.
func New(e *engine.Engine) (*Index, engine.Room) {
	return &Index{Engine: e}, engine.Room{
		Rows: []schema.Tabler{
			BulkItemRow{}, BulkRow{}, ContactDocumentRow{}, contactHourRow{}, contactIndexRow{}, ContactRow{},
			EventRow{}, answeredRow{}, funnelRow{}, StageRow{}, OriginRow{}, RemovedRow{}, givenRow{},
			rotationMemberRow{}, rotationRow{}, turnRow{}, stageTotalRow{}, ToldRow{},
		},
		Tallies:    []engine.Tally{HourTally, StageTally, TurnTally, GivenTally, answerTally},
		Statements: []string{HourTally.One, StageTally.One, TurnTally.One, readTurn, GivenTally.One, insertDocument},
		Repos: func(out *ports.Repos, c engine.Conn) {
			people := contacts{c, e.Vault}
			out.Contacts, out.ContactHistory, out.ContactAnswers, out.ContactSearch = people, people, people, people
			out.Funnels, out.Origins, out.Rotations = funnels{c}, origins{c}, rotations{c}
			out.Removals, out.Bulks = removals{c, e.Vault, e.SubjectSecret}, bulks{c, e.Vault}
			out.Told = told{c, e.Vault}
		},
	}
}

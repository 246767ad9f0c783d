package gormstore

import (
	"fichario/ports"
	"sync"

	"github.com/pressly/goose/v3"
	"gorm.io/gorm/schema"
)

// intakeRoom keeps webhooks, and takes what comes in.
type intakeRoom struct {
	*Engine
	hooks *together[opening, opened]
	inbox *together[taken, bool]
	// known caches webhooks by id.
	known sync.Map // of uid to knownHook
}

func newIntakeRoom(e *Engine) *intakeRoom {
	s := &intakeRoom{Engine: e}
	s.hooks = newTogether(s.openHooks)
	if e.dialect == goose.DialectPostgres {
		s.inbox = newTogether(s.takeOnPostgres)
	} else {
		s.inbox = newTogether(s.takeOnSQLite)
	}
	return s
}

// Fill gives the repositories of the room.
func (s *intakeRoom) Fill(out *ports.Repos, c conn) {
	out.Webhooks = webhooks{c, s.vault, s.hooks}
	out.Inbox = inbox{c, s.vault, s.inbox, s.slot}
	out.Deliveries = deliveries{c, s.vault}
}

// Rows are those of the tables that the room keeps.
func (s *intakeRoom) Rows() []schema.Tabler {
	return []schema.Tabler{
		deliveryContactRow{}, deliveryRow{}, deliveryHourRow{}, receiptRow{}, counterRow{}, tokenRow{}, webhookRow{},
	}
}

// Statements are those of an arrival on SQLite.
func (s *intakeRoom) Statements() []string {
	return []string{insertReceipt, insertContact, insertEvent, insertDelivery, countReceived, countDeliveries}
}

// Close waits for what is being written.
func (s *intakeRoom) Close() {
	s.hooks.close()
	s.inbox.close()
}

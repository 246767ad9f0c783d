package intake

import (
	"fichario/adapters/gormstore/engine"
	"fichario/ports"
	"sync"

	"gorm.io/gorm/schema"
)

// Room keeps webhooks, and takes what comes in.
type Room struct {
	*engine.Engine
	hooks *engine.Together[opening, opened]
	inbox *engine.Together[taken, bool]
	// known caches webhooks by id.
	known sync.Map // of uid to knownHook
}

func New(e *engine.Engine) *Room {
	s := &Room{Engine: e}
	s.hooks = engine.NewTogether(s.openHooks)
	if e.IsPostgres() {
		s.inbox = engine.NewTogether(s.takeOnPostgres)
	} else {
		s.inbox = engine.NewTogether(s.takeOnSQLite)
	}
	return s
}

// Fill gives the repositories of the room.
func (s *Room) Fill(out *ports.Repos, c engine.Conn) {
	out.Webhooks = webhooks{c, s.Vault, s.hooks}
	out.Inbox = inbox{c, s.Vault, s.inbox, s.Slot}
	out.Deliveries = deliveries{c, s.Vault}
}

// Rows are those of the tables that the room keeps.
func (s *Room) Rows() []schema.Tabler {
	return []schema.Tabler{
		DeliveryContactRow{}, DeliveryRow{}, deliveryHourRow{}, receiptRow{}, counterRow{}, tokenRow{}, webhookRow{},
	}
}

// Statements are those of an arrival on SQLite.
func (s *Room) Statements() []string {
	return []string{insertReceipt, insertContact, insertEvent, insertDelivery, countReceived, countDeliveries}
}

// Close waits for what is being written.
func (s *Room) Close() {
	s.hooks.Close()
	s.inbox.Close()
}

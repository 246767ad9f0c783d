// Package intake keeps webhooks, and takes what comes in by them.
package intake

import (
	"sync"

	"gorm.io/gorm/schema"

	"fichario/adapters/gormstore/engine"
	"fichario/ports"
)

// room holds what concurrent posts share.
type room struct {
	*engine.Engine
	hooks *engine.Together[opening, opened]
	inbox *engine.Together[taken, bool]
	// known caches webhooks by id.
	known sync.Map // of uid to knownHook
}

// New is the room of webhooks and of what comes in by them.
func New(e *engine.Engine) engine.Room {
	s := &room{Engine: e}
	s.hooks = engine.NewTogether(s.openHooks)
	take := s.takeOnSQLite
	if e.IsPostgres() {
		take = s.takeOnPostgres
	}
	s.inbox = engine.NewTogether(take)
	return engine.Room{
		Rows: []schema.Tabler{
			DeliveryContactRow{}, DeliveryRow{}, deliveryHourRow{}, receiptRow{}, counterRow{}, tokenRow{},
			webhookRow{}, nameRow{}, leadSourceRow{}, leadRow{},
		},
		Tallies:    []engine.Tally{hourTally, receivedTally},
		Statements: []string{insertReceipt, insertContact, insertDelivery, receivedTally.One, hourTally.One},
		Repos: func(out *ports.Repos, c engine.Conn) {
			out.Webhooks = webhooks{c, s.Vault, s.hooks}
			out.Inbox, out.Deliveries = inbox{c, s.Vault, s.inbox, s.Slot}, deliveries{c, s.Vault}
			out.LeadSources, out.Leads = leadSources{c, s.Vault}, leads{c, s.Vault}
		},
		Close: func() {
			s.hooks.Close()
			s.inbox.Close()
		},
	}
}

package team

import (
	"fichario/adapters/gormstore/engine"
	"fichario/ports"

	"gorm.io/gorm/schema"
)

// Room keeps organisations, their members, and how these sign in.
type Room struct{ *engine.Engine }

func New(e *engine.Engine) *Room { return &Room{e} }

// Fill gives the repositories of the room.
func (s *Room) Fill(out *ports.Repos, c engine.Conn) {
	visits, factor := sessions{c, s.Vault}, factors{c, s.Vault}
	out.Orgs, out.Members, out.Identities = orgs{c, s.Vault}, members{c}, identities{c}
	out.Sessions, out.SessionEnds, out.Attempts = visits, visits, visits
	out.Factors, out.Recovery, out.MemberPasskeys = factor, factor, factor
	out.Notifications = notifications{c}
}

// Rows are those of the tables that the room keeps.
func (s *Room) Rows() []schema.Tabler {
	return []schema.Tabler{
		codesRow{}, passkeyRow{}, recoveryRow{}, identityRow{}, MemberRow{}, markRow{}, NotificationRow{}, orgRow{}, failureRow{}, sessionRow{},
	}
}

// Statements are those that write a notification on SQLite.
func (s *Room) Statements() []string { return []string{InsertNotification, TellOnSQLite} }

// Close has nothing to wait for.
func (s *Room) Close() {}

package gormstore

import (
	"fichario/ports"

	"gorm.io/gorm/schema"
)

// teamRoom keeps organisations, their members, and how these sign in.
type teamRoom struct{ *Engine }

func newTeamRoom(e *Engine) *teamRoom { return &teamRoom{e} }

// Fill gives the repositories of the room.
func (s *teamRoom) Fill(out *ports.Repos, c conn) {
	visits, factor := sessions{c, s.vault}, factors{c, s.vault}
	out.Orgs, out.Members, out.Identities = orgs{c, s.vault}, members{c}, identities{c}
	out.Sessions, out.SessionEnds, out.Attempts = visits, visits, visits
	out.Factors, out.Recovery, out.MemberPasskeys = factor, factor, factor
	out.Notifications = notifications{c}
}

// Rows are those of the tables that the room keeps.
func (s *teamRoom) Rows() []schema.Tabler {
	return []schema.Tabler{
		codesRow{}, passkeyRow{}, recoveryRow{}, identityRow{}, memberRow{}, markRow{}, notificationRow{}, orgRow{}, failureRow{}, sessionRow{},
	}
}

// Statements are those that write a notification on SQLite.
func (s *teamRoom) Statements() []string { return []string{insertNotification, tellOnSQLite} }

// Close has nothing to wait for.
func (s *teamRoom) Close() {}

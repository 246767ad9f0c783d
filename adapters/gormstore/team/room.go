// Package team keeps organisations, their members, how these sign in, and what they are told.
package team

import (
	"gorm.io/gorm/schema"

	"fichario/adapters/gormstore/engine"
	"fichario/ports"
)

// New is the room of organisations, their members, and how these sign in.
func New(e *engine.Engine) engine.Room {
	return engine.Room{
		Rows: []schema.Tabler{
			codesRow{}, passkeyRow{}, recoveryRow{}, identityRow{}, MemberRow{}, markRow{}, NotificationRow{},
			orgRow{}, preferenceRow{}, failureRow{}, sessionRow{},
		},
		Statements: []string{InsertNotification, TellOnSQLite},
		Repos: func(out *ports.Repos, c engine.Conn) {
			visits, factor := sessions{c, e.Vault, e.SubjectSecret}, factors{c, e.Vault}
			out.Orgs, out.Members, out.Identities = orgs{c, e.Vault}, members{c}, identities{c}
			out.Sessions, out.SessionEnds, out.Attempts = visits, visits, visits
			out.Factors, out.Recovery, out.MemberPasskeys = factor, factor, factor
			out.Notifications, out.Preferences = notifications{c}, preferences{c}
		},
	}
}

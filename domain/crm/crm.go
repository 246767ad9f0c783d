// Package crm holds organisations with their members, and contacts with their funnels, stages and origins.
package crm

import (
	"slices"
	"strings"
	"time"

	"fichario/domain/catalog"
)

// Organisation is a customer of the instance. Keys, members and history belong to
// exactly one.
type Organisation struct {
	// ID is a UUIDv7.
	ID        string
	Name      string
	CreatedAt time.Time
	// MemberBatchLimit is the highest batch ceiling that members who do not manage the organisation may confirm, in
	// ten-thousandths of a real.
	MemberBatchLimit catalog.Money
	// OwnHistory keeps history apart by purpose: an answer bought for one does not answer a lookup for another.
	OwnHistory bool
	// SecondFactor is whether its members must have a second factor.
	SecondFactor bool
}

// DefaultMemberBatchLimit is the MemberBatchLimit of an organisation that has set none.
const DefaultMemberBatchLimit = 100 * catalog.Real

// Role says what a member may do.
type Role string

// The roles, the most powerful first.
const (
	Owner  Role = "owner"
	Admin  Role = "admin"
	Common Role = "member"
)

// Valid reports whether r is one of the roles.
func (r Role) Valid() bool { return slices.Contains([]Role{Owner, Admin, Common}, r) }

// Member is a person of an organisation.
type Member struct {
	// ID is a UUIDv7.
	ID    string
	OrgID string
	Name  string
	// Email is in lower case and unique on the instance.
	Email  string
	Role   Role
	Active bool
	// Budget is what the member's lookups may cost in a month, in ten-thousandths of a real; nil for no limit.
	Budget *catalog.Money
	// PasswordHash is the text of a password hash, never the password.
	PasswordHash string
	CreatedAt    time.Time
	// SecondFactor is whether the member has one. NeedsFactor is whether the organisation requires one that is missing; it
	// is set only for a member found by session.
	SecondFactor, NeedsFactor bool
	// Views is the preference ContactViews, OrgName the name of the organisation; both, too, are set only for a member
	// found by session.
	Views, OrgName string
}

// LeadsActively reports whether the member is an active owner.
func (m Member) LeadsActively() bool { return m.Active && m.Role == Owner }

// NameMax is the maximum length of any name, in characters.
const NameMax = 120

// CleanName trims a name and reports whether it is usable: not empty, not longer
// than NameMax, without control characters.
func CleanName(s string) (string, bool) {
	s = strings.TrimSpace(s)
	n := 0
	for _, r := range s {
		if n++; r < ' ' || r == 0x7f || r == '\uFFFD' {
			return s, false
		}
	}
	return s, n > 0 && n <= NameMax
}

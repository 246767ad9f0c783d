// Package crm has organisations with their members, and their contacts with funnels, stages and origins.
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
	// MemberBatchLimit is the highest ceiling of a batch that members may confirm who do not manage the organisation, in
	// ten-thousandths of a real.
	MemberBatchLimit catalog.Money
	// OwnHistory is whether history that was bought for one purpose does not answer another.
	OwnHistory bool
	// SecondFactor is whether its members must have one.
	SecondFactor bool
}

// DefaultMemberBatchLimit is that of an organisation which has set none.
const DefaultMemberBatchLimit = 100 * catalog.Real

// Role says what a member may do.
type Role string

// The roles, from the one that may most.
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
	// Budget is what the member's lookups may cost in a month, in ten-thousandths of a real; nil for no end.
	Budget *catalog.Money
	// PasswordHash is the text of a password hash, never the password.
	PasswordHash string
	CreatedAt    time.Time
	// SecondFactor is whether he has one; NeedsFactor whether his organisation wants one and he has none, of a member who
	// is found by his session.
	SecondFactor, NeedsFactor bool
}

// LeadsActively reports whether the member is an owner whose access holds.
func (m Member) LeadsActively() bool { return m.Active && m.Role == Owner }

// NameMax is the longest name of anything, in characters.
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

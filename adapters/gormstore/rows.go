package gormstore

import (
	"strings"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/schema"

	"fichario/domain/access"
	"fichario/domain/crm"
	"fichario/domain/document"
)

// uid is a UUID column: uuid on PostgreSQL, text on SQLite. An empty uid is never
// stored; optional columns are *uid.
type uid string

// GormDBDataType names the column type, for the test that compares the rows with
// the migrations.
func (uid) GormDBDataType(db *gorm.DB, _ *schema.Field) string {
	if db.Name() == "postgres" {
		return "uuid"
	}
	return "text"
}

func optional(id string) *uid {
	if id == "" {
		return nil
	}
	u := uid(id)
	return &u
}

func (u *uid) text() string {
	if u == nil {
		return ""
	}
	return string(*u)
}

// stamp is how times are stored: UTC, in whole microseconds, which is what both
// databases keep.
func stamp(t time.Time) time.Time { return t.UTC().Truncate(time.Microsecond) }

func optionalTime(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = stamp(t)
	return &t
}

func timeOf(t *time.Time) time.Time {
	if t == nil {
		return time.Time{}
	}
	return t.UTC()
}

type orgRow struct {
	ID        uid       `gorm:"primaryKey"`
	Name      string    `gorm:"not null"`
	CreatedAt time.Time `gorm:"not null"`
	Epoch     int64     `gorm:"not null;default:0"`
}

func (orgRow) TableName() string { return "organisations" }

type memberRow struct {
	ID           uid       `gorm:"primaryKey"`
	OrgID        uid       `gorm:"not null"`
	Name         string    `gorm:"not null"`
	Email        string    `gorm:"not null"`
	Role         string    `gorm:"not null"`
	Active       bool      `gorm:"not null"`
	PasswordHash string    `gorm:"not null"`
	CreatedAt    time.Time `gorm:"not null"`
}

func (memberRow) TableName() string { return "members" }

func memberRowOf(m crm.Member) memberRow {
	return memberRow{
		ID: uid(m.ID), OrgID: uid(m.OrgID), Name: m.Name, Email: m.Email, Role: string(m.Role),
		Active: m.Active, PasswordHash: m.PasswordHash, CreatedAt: stamp(m.CreatedAt),
	}
}

type keyRow struct {
	ID                               uid       `gorm:"primaryKey"`
	OrgID                            uid       `gorm:"not null"`
	Name                             string    `gorm:"not null"`
	Prefix                           string    `gorm:"not null"`
	Scopes                           string    `gorm:"not null"`
	PerMinute, PerDay, PerMonth      int       `gorm:"not null"`
	CreatedAt                        time.Time `gorm:"not null"`
	ExpiresAt, RevokedAt, LastUsedAt *time.Time
}

func (keyRow) TableName() string { return "keys" }

func keyRowOf(k access.Key) keyRow {
	scopes := make([]string, len(k.Scopes))
	for i, s := range k.Scopes {
		scopes[i] = string(s)
	}
	return keyRow{
		ID: uid(k.ID), OrgID: uid(k.OrgID), Name: k.Name, Prefix: k.Prefix, Scopes: strings.Join(scopes, ","),
		PerMinute: k.Limits.PerMinute, PerDay: k.Limits.PerDay, PerMonth: k.Limits.PerMonth,
		CreatedAt: stamp(k.CreatedAt), ExpiresAt: optionalTime(k.ExpiresAt),
		RevokedAt: optionalTime(k.RevokedAt), LastUsedAt: optionalTime(k.LastUsedAt),
	}
}

func (r keyRow) key() access.Key {
	k := access.Key{
		ID: string(r.ID), OrgID: string(r.OrgID), Name: r.Name, Prefix: r.Prefix,
		Limits:    access.Limits{PerMinute: r.PerMinute, PerDay: r.PerDay, PerMonth: r.PerMonth},
		CreatedAt: r.CreatedAt.UTC(), ExpiresAt: timeOf(r.ExpiresAt), RevokedAt: timeOf(r.RevokedAt), LastUsedAt: timeOf(r.LastUsedAt),
	}
	for s := range strings.SplitSeq(r.Scopes, ",") {
		if s != "" {
			k.Scopes = append(k.Scopes, document.Type(s))
		}
	}
	return k
}

type secretRow struct {
	Hash   []byte `gorm:"primaryKey"`
	KeyID  uid    `gorm:"not null"`
	EndsAt *time.Time
}

func (secretRow) TableName() string { return "key_secrets" }

type usageRow struct {
	KeyID  uid    `gorm:"primaryKey"`
	Bucket string `gorm:"primaryKey"`
	Count  int64  `gorm:"not null"`
	Amount int64  `gorm:"not null"`
}

func (usageRow) TableName() string { return "key_usage" }

type lookupRow struct {
	ID       uid `gorm:"primaryKey"`
	OrgID    uid `gorm:"not null"`
	KeyID    *uid
	MemberID *uid
	Product  string    `gorm:"not null"`
	DocType  string    `gorm:"not null"`
	Document []byte    `gorm:"not null"`
	At       time.Time `gorm:"not null"`
	Cache    bool      `gorm:"not null"`
	Charged  bool      `gorm:"not null"`
	Amount   int64     `gorm:"not null"`
	Status   string    `gorm:"not null"`
	RecordID *uid
	Day      string `gorm:"not null"`
	Month    string `gorm:"not null"`
	SettleAt *time.Time
	// ContactID is the contact that it is about.
	ContactID *uid
}

func (lookupRow) TableName() string { return "lookups" }

type recordRow struct {
	ID         uid       `gorm:"primaryKey"`
	OrgID      uid       `gorm:"not null"`
	Product    string    `gorm:"not null"`
	DocType    string    `gorm:"not null"`
	DocIndex   []byte    `gorm:"not null"`
	Document   []byte    `gorm:"not null"`
	AnsweredAt time.Time `gorm:"not null"`
	Found      bool      `gorm:"not null"`
	Schema     string    `gorm:"not null"`
	Answer     []byte    `gorm:"not null"`
}

func (recordRow) TableName() string { return "records" }

type leaseRow struct {
	DocIndex  []byte    `gorm:"primaryKey"`
	CallID    uid       `gorm:"not null"`
	ExpiresAt time.Time `gorm:"not null"`
}

func (leaseRow) TableName() string { return "leases" }

type dataKeyRow struct {
	ID        string    `gorm:"primaryKey"`
	Proof     []byte    `gorm:"not null"`
	CreatedAt time.Time `gorm:"not null"`
}

func (dataKeyRow) TableName() string { return "data_keys" }

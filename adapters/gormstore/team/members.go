package team

import (
	"context"
	"time"

	"gorm.io/gorm"

	"fichario/adapters/gormstore/engine"
	"fichario/domain/catalog"
	"fichario/domain/crm"
)

// MemberRow is a member.
type MemberRow struct {
	ID           engine.UID `gorm:"primaryKey"`
	OrgID        engine.UID `gorm:"not null"`
	Name         string     `gorm:"not null"`
	Email        string     `gorm:"not null"`
	Role         string     `gorm:"not null"`
	Active       bool       `gorm:"not null"`
	PasswordHash string     `gorm:"not null"`
	CreatedAt    time.Time  `gorm:"not null"`
	Budget       *int64
	SecondFactor bool `gorm:"not null;default:false"`
}

// TableName is the table of the row.
func (MemberRow) TableName() string { return "members" }

func memberRowOf(m crm.Member) MemberRow {
	return MemberRow{
		ID: engine.UID(m.ID), OrgID: engine.UID(m.OrgID), Name: m.Name, Email: m.Email, Role: string(m.Role),
		Active: m.Active, PasswordHash: m.PasswordHash, CreatedAt: engine.Stamp(m.CreatedAt),
		Budget: (*int64)(m.Budget),
	}
}

// Member is the member of a row.
func (r MemberRow) Member() crm.Member {
	return crm.Member{
		ID: string(r.ID), OrgID: string(r.OrgID), Name: r.Name, Email: r.Email, Role: crm.Role(r.Role),
		Active: r.Active, PasswordHash: r.PasswordHash, CreatedAt: r.CreatedAt.UTC(),
		Budget: (*catalog.Money)(r.Budget), SecondFactor: r.SecondFactor,
	}
}

type members struct{ engine.Conn }

func (r members) Create(ctx context.Context, m crm.Member) error {
	row := memberRowOf(m)
	return r.ExecPosts(ctx, "members.create", m.OrgID, func(db *gorm.DB) error { return db.Create(&row).Error })
}

func (r members) Find(ctx context.Context, orgID, id string) (crm.Member, error) {
	return engine.FindOne(ctx, r.Query, "members.find", MemberRow.Member, engine.Of(orgID, id))
}

func (r members) ByEmail(ctx context.Context, email string) (crm.Member, error) {
	return engine.FindOne(ctx, r.Query, "members.byEmail", MemberRow.Member, engine.Where("email = ?", email))
}

func (r members) Update(ctx context.Context, m crm.Member) error {
	row := memberRowOf(m)
	return r.ExecPosts(ctx, "members.update", m.OrgID, func(db *gorm.DB) error {
		return engine.OrNotFound(db.Model(&MemberRow{}).Where("id = ? AND org_id = ?", m.ID, m.OrgID).
			Select("name", "email", "role", "active", "password_hash", "budget").Updates(&row))
	})
}

func (r members) List(ctx context.Context, orgID string) ([]crm.Member, error) {
	return engine.FindAll(ctx, r.QueryList, "members.list", MemberRow.Member,
		engine.Where("org_id = ?", orgID), engine.Order("created_at, id"))
}

package gormstore

import (
	"context"
	"time"

	"gorm.io/gorm"

	"fichario/domain/catalog"
	"fichario/domain/crm"
)

type memberRow struct {
	ID           uid       `gorm:"primaryKey"`
	OrgID        uid       `gorm:"not null"`
	Name         string    `gorm:"not null"`
	Email        string    `gorm:"not null"`
	Role         string    `gorm:"not null"`
	Active       bool      `gorm:"not null"`
	PasswordHash string    `gorm:"not null"`
	CreatedAt    time.Time `gorm:"not null"`
	Budget       *int64
	SecondFactor bool `gorm:"not null;default:false"`
}

func (memberRow) TableName() string { return "members" }

func memberRowOf(m crm.Member) memberRow {
	return memberRow{
		ID: uid(m.ID), OrgID: uid(m.OrgID), Name: m.Name, Email: m.Email, Role: string(m.Role),
		Active: m.Active, PasswordHash: m.PasswordHash, CreatedAt: stamp(m.CreatedAt),
		Budget: (*int64)(m.Budget),
	}
}

func (r memberRow) member() crm.Member {
	return crm.Member{
		ID: string(r.ID), OrgID: string(r.OrgID), Name: r.Name, Email: r.Email, Role: crm.Role(r.Role),
		Active: r.Active, PasswordHash: r.PasswordHash, CreatedAt: r.CreatedAt.UTC(),
		Budget: (*catalog.Money)(r.Budget), SecondFactor: r.SecondFactor,
	}
}

type members struct{ conn }

func (r members) Create(ctx context.Context, m crm.Member) error {
	row := memberRowOf(m)
	return r.changing(ctx, "members.create", m.OrgID, func(db *gorm.DB) error { return db.Create(&row).Error })
}

func (r members) Find(ctx context.Context, id string) (crm.Member, error) {
	return findOne(ctx, r.query, "members.find", memberRow.member, byID(id))
}

func (r members) ByEmail(ctx context.Context, email string) (crm.Member, error) {
	return findOne(ctx, r.query, "members.byEmail", memberRow.member, where("email = ?", email))
}

func (r members) Update(ctx context.Context, m crm.Member) error {
	row := memberRowOf(m)
	return r.changing(ctx, "members.update", m.OrgID, func(db *gorm.DB) error {
		return orNotFound(db.Model(&memberRow{}).Where("id = ? AND org_id = ?", m.ID, m.OrgID).
			Select("name", "email", "role", "active", "password_hash", "budget").Updates(&row))
	})
}

func (r members) List(ctx context.Context, orgID string) ([]crm.Member, error) {
	return findAll(ctx, r.list, "members.list", memberRow.member,
		where("org_id = ?", orgID), order("created_at, id"))
}

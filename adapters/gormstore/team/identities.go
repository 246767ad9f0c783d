package team

import (
	"context"
	"time"

	"gorm.io/gorm"

	"fichario/adapters/gormstore/engine"
	"fichario/domain/access"
)

type identityRow struct {
	Issuer    string     `gorm:"primaryKey"`
	Subject   string     `gorm:"primaryKey"`
	MemberID  engine.UID `gorm:"not null"`
	CreatedAt time.Time  `gorm:"not null"`
}

func (identityRow) TableName() string { return "identities" }

type identities struct{ engine.Conn }

func (r identities) Member(ctx context.Context, issuer, subject string) (string, error) {
	return engine.FindOne(ctx, r.Query, "identities.member", func(row identityRow) string { return string(row.MemberID) },
		engine.Where("issuer = ? AND subject = ?", issuer, subject))
}

func (r identities) Add(ctx context.Context, i access.Identity) error {
	return r.Insert(ctx, "identities.add", &identityRow{
		Issuer: i.Issuer, Subject: i.Subject, MemberID: engine.UID(i.MemberID), CreatedAt: engine.Stamp(i.CreatedAt),
	})
}

func (r identities) Drop(ctx context.Context, memberID string) error {
	return r.Exec(ctx, "identities.drop", func(db *gorm.DB) error {
		return engine.OrNotFound(db.Delete(&identityRow{}, "member_id = ?", memberID))
	})
}

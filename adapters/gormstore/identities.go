package gormstore

import (
	"context"
	"time"

	"gorm.io/gorm"

	"fichario/domain/access"
)

type identityRow struct {
	Issuer    string    `gorm:"primaryKey"`
	Subject   string    `gorm:"primaryKey"`
	MemberID  uid       `gorm:"not null"`
	CreatedAt time.Time `gorm:"not null"`
}

func (identityRow) TableName() string { return "identities" }

type identities struct{ conn }

func (r identities) Member(ctx context.Context, issuer, subject string) (string, error) {
	return findOne(ctx, r.query, "identities.member", func(row identityRow) string { return string(row.MemberID) },
		where("issuer = ? AND subject = ?", issuer, subject))
}

func (r identities) Add(ctx context.Context, i access.Identity) error {
	return r.create(ctx, "identities.add", &identityRow{
		Issuer: i.Issuer, Subject: i.Subject, MemberID: uid(i.MemberID), CreatedAt: stamp(i.CreatedAt),
	})
}

func (r identities) Drop(ctx context.Context, memberID string) error {
	return r.exec(ctx, "identities.drop", func(db *gorm.DB) error {
		return orNotFound(db.Delete(&identityRow{}, "member_id = ?", memberID))
	})
}

package gormstore

import (
	"context"
	"time"

	"gorm.io/gorm"

	"fichario/domain/access"
)

type ticketRow struct {
	Hash      []byte `gorm:"primaryKey"`
	Kind      string `gorm:"not null"`
	MemberID  *uid
	Data      []byte
	ExpiresAt time.Time `gorm:"not null"`
}

func (ticketRow) TableName() string { return "tickets" }

func (r ticketRow) ticket() access.Ticket {
	return access.Ticket{
		Kind: access.TicketKind(r.Kind), MemberID: r.MemberID.text(), Data: r.Data, ExpiresAt: r.ExpiresAt.UTC(),
	}
}

type tickets struct{ conn }

func (r tickets) Put(ctx context.Context, secret access.SessionToken, t access.Ticket) error {
	hash := secret.Hash()
	return r.create(ctx, "tickets.put", &ticketRow{
		Hash: hash[:], Kind: string(t.Kind), MemberID: optional(t.MemberID), Data: t.Data, ExpiresAt: stamp(t.ExpiresAt),
	})
}

func (r tickets) Find(ctx context.Context, secret access.SessionToken) (access.Ticket, error) {
	hash := secret.Hash()
	return findOne(ctx, r.query, "tickets.find", ticketRow.ticket, where("hash = ?", blob(hash[:])))
}

func (r tickets) Take(ctx context.Context, secret access.SessionToken) (t access.Ticket, err error) {
	hash := secret.Hash()
	err = r.whole(ctx, "tickets.take", func(db *gorm.DB) error {
		var row ticketRow
		if err := locked("UPDATE", "")(db).Take(&row, "hash = ?", blob(hash[:])).Error; err != nil {
			return err
		}
		t = row.ticket()
		return orNotFound(db.Delete(&ticketRow{}, "hash = ?", blob(hash[:])))
	})
	return t, err
}

func (r tickets) Drop(ctx context.Context, memberID string, kind access.TicketKind) error {
	return r.exec(ctx, "tickets.drop", func(db *gorm.DB) error {
		return db.Delete(&ticketRow{}, "member_id = ? AND kind = ?", memberID, string(kind)).Error
	})
}

func (r tickets) Forget(ctx context.Context, before time.Time) (int, error) {
	return r.changed(ctx, "tickets.forget", func(db *gorm.DB) *gorm.DB {
		old := db.Model(&ticketRow{}).Select("hash").Where("expires_at < ?", stamp(before)).Limit(forgetAtOnce)
		return db.Delete(&ticketRow{}, "hash IN (?)", old)
	})
}

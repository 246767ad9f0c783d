package lookups

import (
	"context"
	"time"

	"gorm.io/gorm"

	"fichario/adapters/gormstore/engine"
	"fichario/domain/access"
)

type ticketRow struct {
	Hash      []byte `gorm:"primaryKey"`
	Kind      string `gorm:"not null"`
	MemberID  *engine.UID
	Data      []byte
	ExpiresAt time.Time `gorm:"not null"`
}

func (ticketRow) TableName() string { return "tickets" }

func (r ticketRow) ticket() access.Ticket {
	return access.Ticket{
		Kind: access.TicketKind(r.Kind), MemberID: r.MemberID.Text(), Data: r.Data, ExpiresAt: r.ExpiresAt.UTC(),
	}
}

type tickets struct{ engine.Conn }

func (r tickets) Put(ctx context.Context, secret access.SessionToken, t access.Ticket) error {
	hash := secret.Hash()
	return r.Insert(ctx, "tickets.put", &ticketRow{
		Hash: hash[:], Kind: string(t.Kind), MemberID: engine.Optional(t.MemberID), Data: t.Data,
		ExpiresAt: engine.Stamp(t.ExpiresAt),
	})
}

func (r tickets) Find(ctx context.Context, secret access.SessionToken) (access.Ticket, error) {
	hash := secret.Hash()
	return engine.FindOne(ctx, r.Query, "tickets.find", ticketRow.ticket, engine.Where("hash = ?", engine.Blob(hash[:])))
}

func (r tickets) Take(ctx context.Context, secret access.SessionToken) (t access.Ticket, err error) {
	hash := secret.Hash()
	err = r.Whole(ctx, "tickets.take", func(db *gorm.DB) error {
		var row ticketRow
		if err := engine.Locked("UPDATE", "")(db).Take(&row, "hash = ?", engine.Blob(hash[:])).Error; err != nil {
			return err
		}
		t = row.ticket()
		return engine.OrNotFound(db.Delete(&ticketRow{}, "hash = ?", engine.Blob(hash[:])))
	})
	return t, err
}

func (r tickets) Drop(ctx context.Context, memberID string, kind access.TicketKind) error {
	return r.Exec(ctx, "tickets.drop", func(db *gorm.DB) error {
		return db.Delete(&ticketRow{}, "member_id = ? AND kind = ?", memberID, string(kind)).Error
	})
}

func (r tickets) Forget(ctx context.Context, before time.Time) (int, error) {
	return r.ForgetSome(ctx, "tickets.forget", ticketRow{}, engine.Where("expires_at < ?", engine.Stamp(before)))
}

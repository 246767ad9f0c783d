package gormstore

import (
	"context"
	"time"

	"gorm.io/gorm"

	"fichario/domain/lookup"
)

type leaseRow struct {
	DocIndex  []byte    `gorm:"primaryKey"`
	CallID    uid       `gorm:"not null"`
	ExpiresAt time.Time `gorm:"not null"`
}

func (leaseRow) TableName() string { return "leases" }

type leases struct {
	conn
	vault *vault
}

// takeLease takes a lease that is free or has expired in one step, so that no two calls hold it.
const takeLease = `INSERT INTO leases (doc_index, call_id, expires_at) VALUES (?, ?, ?)
	ON CONFLICT (doc_index) DO UPDATE SET call_id = excluded.call_id, expires_at = excluded.expires_at
	WHERE leases.expires_at <= ?`

func (r leases) Acquire(ctx context.Context, l lookup.Lease, now time.Time) (holder string, err error) {
	index := r.vault.indexes(indexText(l.OrgID, l.Product, l.Document))[0]
	err = r.inside(ctx, "leases.acquire", func(db *gorm.DB) error {
		taken := db.Exec(takeLease, blob(index), l.CallID, stamp(l.ExpiresAt), stamp(now))
		if taken.Error != nil || taken.RowsAffected > 0 {
			return taken.Error
		}
		var row leaseRow
		err := db.Take(&row, "doc_index = ?", index).Error
		holder = string(row.CallID)
		return err
	})
	return holder, err
}

func (r leases) Free(ctx context.Context, callID string) error {
	_, err := r.changed(ctx, "leases.free", func(db *gorm.DB) *gorm.DB {
		return db.Delete(&leaseRow{}, "call_id = ?", callID)
	})
	return err
}

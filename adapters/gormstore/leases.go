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

func (r leases) Acquire(ctx context.Context, l lookup.Lease, now time.Time) (string, error) {
	index := r.vault.indexes(indexText(l.OrgID, l.Product, l.Document))[0]
	n, err := r.affected(ctx, `INSERT INTO leases (doc_index, call_id, expires_at) VALUES (?, ?, ?)
		ON CONFLICT (doc_index) DO UPDATE SET call_id = excluded.call_id, expires_at = excluded.expires_at
		WHERE leases.expires_at <= ?`, blob(index), l.CallID, stamp(l.ExpiresAt), stamp(now))
	if err != nil || n > 0 {
		return "", err
	}
	var row leaseRow
	err = r.query(ctx, func(db *gorm.DB) error { return db.Take(&row, "doc_index = ?", index).Error })
	return string(row.CallID), err
}

func (r leases) Free(ctx context.Context, callID string) error {
	_, err := r.affected(ctx, "DELETE FROM leases WHERE call_id = ?", callID)
	return err
}

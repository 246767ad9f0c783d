package gormstore

import (
	"context"

	"gorm.io/gorm"
)

// conn is where a repository's statements go: the pools, or one transaction.
type conn struct {
	read, write *gorm.DB
	tx          bool
}

// query runs a reading operation, bounded in time, and translates its error.
func (c conn) query(ctx context.Context, f func(*gorm.DB) error) error { return c.run(ctx, c.read, f) }

// exec runs a writing operation, bounded in time, and translates its error.
func (c conn) exec(ctx context.Context, f func(*gorm.DB) error) error { return c.run(ctx, c.write, f) }

// changing is exec for a change that posts to the organisation's webhooks must see.
func (c conn) changing(ctx context.Context, orgID string, f func(*gorm.DB) error) error {
	return c.exec(ctx, func(db *gorm.DB) error {
		return db.Transaction(func(tx *gorm.DB) error {
			if err := f(tx); err != nil {
				return err
			}
			return tx.Exec("UPDATE organisations SET epoch = epoch + 1 WHERE id = ?", orgID).Error
		})
	})
}

func (c conn) run(ctx context.Context, db *gorm.DB, f func(*gorm.DB) error) error {
	if c.tx {
		return classify(f(db)) // InTx bounds the whole transaction
	}
	ctx, cancel := context.WithTimeout(ctx, opTimeout)
	defer cancel()
	return classify(f(db.WithContext(ctx)))
}

// affected runs a statement and returns how many rows it changed.
func (c conn) affected(ctx context.Context, statement string, args ...any) (n int64, err error) {
	err = c.exec(ctx, func(db *gorm.DB) error {
		r := db.Exec(statement, args...)
		n = r.RowsAffected
		return r.Error
	})
	return n, err
}

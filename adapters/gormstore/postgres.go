package gormstore

import (
	"context"
	"errors"
	"fichario/ports"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"gorm.io/driver/postgres"
	"gorm.io/gorm"
)

func (s *Engine) openPostgres(databaseURL string) error {
	d, err := newDialer("FICHARIO_DATABASE_URL", databaseURL)
	if err != nil {
		return err
	}
	if s.ways.dial != nil {
		d.config.DialFunc = s.ways.dial
	}
	s.dialer, s.migrating = d, d.patient()
	if s.write, err = d.gorm(); err != nil {
		return err
	}
	if s.pages.read, err = d.gorm(); err != nil {
		return err
	}
	s.read, s.pages.write = s.write, s.pages.read
	s.dialect = goose.DialectPostgres
	return s.LimitConnections(poolSize)
}

// gorm opens a pool.
func (d *dialer) gorm() (*gorm.DB, error) {
	c := config()
	// Otherwise opening would require the database to be up.
	c.DisableAutomaticPing = true
	// PrepareStmt stays off: pgx caches statements itself, and GORM's cache prepares them again in every transaction.
	return gorm.Open(postgres.New(postgres.Config{Conn: d.open()}), c)
}

// pastGORM runs f on a raw connection of the driver, for what most requests do: GORM and database/sql would copy each
// value once or twice more.
func (s *Engine) pastGORM(ctx context.Context, f func(*pgx.Conn) error) error {
	pool, err := s.write.DB()
	if err != nil {
		return err
	}
	conn, err := pool.Conn(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }() // gives it back
	return s.dialer.standby.holds(func() error {
		return conn.Raw(func(driver any) error {
			return f(driver.(*stdlib.Conn).Conn()) //nolint:forcetypeassert // the pool is stdlib's
		})
	})
}

// transaction runs f in a transaction on PostgreSQL, bypassing GORM, and retries it after a collision with another one.
func (s *Engine) transaction(ctx context.Context, f func(pgx.Tx) error) error {
	const tries = 3
	for try := 1; ; try++ {
		err := s.pastGORM(ctx, func(db *pgx.Conn) error {
			tx, err := db.Begin(ctx)
			if err != nil {
				return err
			}
			defer func() { _ = tx.Rollback(context.WithoutCancel(ctx)) }()
			if err := f(tx); err != nil {
				return err
			}
			err = tx.Commit(ctx)
			var refused *pgconn.PgError
			if err != nil && !errors.As(err, &refused) {
				return fmt.Errorf("%w: %w", ports.ErrUncertain, err)
			}
			return err
		})
		if try == tries || !collided(err) {
			return err
		}
	}
}

package engine

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"gorm.io/driver/postgres"
	"gorm.io/gorm"

	"fichario/ports"
)

func (s *Engine) openPostgres(databaseURL string) error {
	d, err := NewDialer(databaseVariable, databaseURL)
	if err != nil {
		return err
	}
	if s.ways.dial != nil {
		d.config.DialFunc = s.ways.dial
	}
	s.dialer, s.Migrating = d, d.Patient()
	if s.Writer, err = d.gorm(&s.Distributed); err != nil {
		return err
	}
	if s.Pages.Read, err = d.gorm(&s.Distributed); err != nil {
		return err
	}
	s.Reader, s.Pages.Write = s.Writer, s.Pages.Read
	s.Dialect = goose.DialectPostgres
	return s.LimitConnections(poolSize)
}

// gorm opens a pool.
func (d *dialer) gorm(distributed *atomic.Bool) (*gorm.DB, error) {
	c := config()
	// Otherwise opening would require the database to be up.
	c.DisableAutomaticPing = true
	// PrepareStmt stays off: pgx caches statements itself, and GORM's cache prepares them again in every transaction.
	return gorm.Open(dialect{postgres.Dialector{Config: &postgres.Config{Conn: d.Open()}}, distributed}, c)
}

// PastGORM runs f on a raw connection of the driver, for what most requests do: GORM and database/sql would copy each
// value once or twice more.
func (s *Engine) PastGORM(ctx context.Context, f func(*pgx.Conn) error) error {
	pool, err := s.Writer.DB()
	if err != nil {
		return err
	}
	conn, err := pool.Conn(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }() // gives it back
	return s.dialer.standby.Holds(func() error {
		return conn.Raw(func(driver any) error {
			return f(driver.(*stdlib.Conn).Conn()) //nolint:forcetypeassert // the pool is stdlib's
		})
	})
}

// rollBack ends a transaction that has not been committed, also for whoever has gone away, and within Timeout: the
// connection is closed where the database does not say so by then.
func rollBack(ctx context.Context, tx pgx.Tx) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), Timeout())
	defer cancel()
	_ = tx.Rollback(ctx)
}

// OnPostgres runs f in a transaction on PostgreSQL, bypassing GORM, and retries it after a collision with another one.
func (s *Engine) OnPostgres(ctx context.Context, f func(pgx.Tx) error) error {
	const tries = 3
	for try := 1; ; try++ {
		err := s.PastGORM(ctx, func(db *pgx.Conn) error {
			tx, err := db.Begin(ctx)
			if err != nil {
				return err
			}
			defer rollBack(ctx, tx)
			if err := f(tx); err != nil {
				return err
			}
			err = tx.Commit(ctx)
			var refused *pgconn.PgError
			if err != nil && (!errors.As(err, &refused) || Severed(err)) { // a pooler says so that it lost the server
				return fmt.Errorf("%w: %w", ports.ErrUncertain, err)
			}
			return err
		})
		if try == tries || !Collided(err) {
			return err
		}
	}
}

package engine

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"regexp"

	"github.com/jackc/pgx/v5/stdlib"
)

// OpenBriefly is Open for statements that are not ours to wrap in Briefly: each transaction, and each change of a table
// outside one, fails with LockedOut where it waits longer for a lock than others may queue behind it. What builds or
// drops an index concurrently waits as long as it must, since nobody queues for that.
func (d *dialer) OpenBriefly() *sql.DB { return sql.OpenDB(briefly{d.connector()}) }

type briefly struct{ driver.Connector }

func (c briefly) Connect(ctx context.Context) (driver.Conn, error) {
	conn, err := c.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return briefConn{conn.(*stdlib.Conn)}, nil //nolint:forcetypeassert // the connector is stdlib's
}

type briefConn struct{ *stdlib.Conn }

func (c briefConn) BeginTx(ctx context.Context, options driver.TxOptions) (driver.Tx, error) {
	tx, err := c.Conn.BeginTx(ctx, options)
	if err != nil {
		return nil, err
	}
	if _, err := c.Conn.ExecContext(ctx, waitBriefly, nil); err != nil {
		_ = tx.Rollback()
		return nil, err
	}
	return tx, nil
}

// changes are statements that everybody who uses a table may have to queue for; ends are those among them that are no
// part of a transaction.
var (
	changes = regexp.MustCompile(`^(?:\s|--.*\n)*(?:ALTER|DROP|DO)\b`)
	ends    = regexp.MustCompile(`\b(?:CONCURRENTLY|COMMIT)\b`)
)

func (c briefConn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	const idle = 'I' // outside a transaction
	if c.Conn.Conn().PgConn().TxStatus() != idle || !changes.MatchString(query) || ends.MatchString(query) {
		return c.Conn.ExecContext(ctx, query, args)
	}
	tx, err := c.BeginTx(ctx, driver.TxOptions{})
	if err != nil {
		return nil, err
	}
	result, err := c.Conn.ExecContext(ctx, query, args)
	if err != nil {
		_ = tx.Rollback()
		return nil, err
	}
	return result, tx.Commit()
}

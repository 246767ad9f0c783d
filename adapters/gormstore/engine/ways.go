package engine

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"net"

	"github.com/jackc/pgx/v5/pgconn"
)

// ways are how a store reaches its database.
type ways struct {
	lite driver.Driver
	// driven says that the driver is a caller's, who keeps writers apart.
	driven bool
	dial   pgconn.DialFunc // nil for the ordinary one
}

// Option changes how Open reaches the database.
type Option func(*ways)

// Dialing makes the connections to PostgreSQL, and the requests to cancel a statement, in place of a plain dial.
func Dialing(dial func(ctx context.Context, network, address string) (net.Conn, error)) Option {
	return func(w *ways) { w.dial = dial }
}

// Driving puts a driver of the caller's around SQLite's. It lets one at a time write.
func Driving(around func(driver.Driver) driver.Driver) Option {
	return func(w *ways) { w.lite, w.driven = around(w.lite), true }
}

// connector opens connections of a driver to one database.
type connector struct {
	driver driver.Driver
	dsn    string
}

func (c connector) Connect(context.Context) (driver.Conn, error) { return c.driver.Open(c.dsn) }
func (c connector) Driver() driver.Driver                        { return c.driver }

func (w ways) open(dsn string) *sql.DB { return sql.OpenDB(connector{w.lite, dsn}) }

// pool is how many connections to SQLite a pool has: with a driver of the caller's, so many that database/sql, which
// takes any of those who wait for a connection, decides nothing.
func (w ways) pool(ordinary int) int {
	if w.driven {
		return 64
	}
	return ordinary
}

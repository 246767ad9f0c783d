package engine

import (
	"context"
	"database/sql/driver"
	"strings"

	"modernc.org/sqlite"
)

const (
	// mostKept is how many statements a connection to SQLite keeps: several times what one has in use, as the texts of
	// some differ by the length of a list.
	mostKept = 256
	// longestKept is the length of the longest: one that inserts a thousand rows takes two megabytes, and there would be
	// one for each number of rows.
	longestKept = 3 << 10
)

// Kept is SQLite's driver, whose connections keep the statements that GORM runs: preparing them takes up to a quarter
// of the processor's time of a use case. SQLite itself prepares one again whose table has changed meanwhile.
type Kept struct{ driver.Driver }

// LiteConn is all that SQLite's connections can do. Tests fill a database in memory by NewRestore.
type LiteConn interface {
	driver.Conn
	driver.ConnBeginTx
	driver.ConnPrepareContext
	driver.ExecerContext
	driver.QueryerContext
	driver.SessionResetter
	driver.Validator
	driver.Pinger
	NewRestore(url string) (*sqlite.Backup, error)
}

// liteStmt and liteRows are all that its statements and rows can do.
type (
	liteStmt interface {
		driver.Stmt
		driver.StmtExecContext
		driver.StmtQueryContext
	}
	liteRows interface {
		driver.Rows
		driver.RowsColumnTypeDatabaseTypeName
		driver.RowsColumnTypeLength
		driver.RowsColumnTypeNullable
		driver.RowsColumnTypePrecisionScale
		driver.RowsColumnTypeScanType
	}
)

type keptConn struct {
	LiteConn
	known map[string]liteStmt // that nobody uses
}

// Open opens a connection.
func (k Kept) Open(dsn string) (driver.Conn, error) {
	conn, err := k.Driver.Open(dsn)
	if err != nil {
		return nil, err
	}
	return &keptConn{conn.(LiteConn), map[string]liteStmt{}}, nil
}

// Close closes the connection with its statements.
func (c *keptConn) Close() error {
	c.forget()
	return c.LiteConn.Close()
}

func (c *keptConn) forget() {
	for _, s := range c.known {
		_ = s.Close()
	}
	clear(c.known)
}

// keeps reports whether a statement is kept. A pragma is not: some do their work while they are prepared.
func keeps(statement string) bool {
	if len(statement) > longestKept {
		return false
	}
	switch verb, _, _ := strings.Cut(statement, " "); verb {
	case "SELECT", "INSERT", "UPDATE", "DELETE", "WITH":
		return true
	}
	return false
}

// take prepares a statement, or takes one that was kept.
func (c *keptConn) take(ctx context.Context, text string) (liteStmt, error) {
	if s := c.known[text]; s != nil {
		delete(c.known, text)
		return s, nil
	}
	s, err := c.PrepareContext(ctx, text)
	if err != nil {
		return nil, err
	}
	return s.(liteStmt), nil
}

// keep keeps a statement that nobody uses any more.
func (c *keptConn) keep(text string, s liteStmt) {
	if c.known[text] != nil { // it was used twice at once
		_ = s.Close()
		return
	}
	if len(c.known) == mostKept {
		c.forget()
	}
	c.known[text] = s
}

// ExecContext is the connection's own, with a statement that is kept.
func (c *keptConn) ExecContext(ctx context.Context, text string, args []driver.NamedValue) (driver.Result, error) {
	if !keeps(text) {
		return c.LiteConn.ExecContext(ctx, text, args)
	}
	s, err := c.take(ctx, text)
	if err != nil {
		return nil, err
	}
	defer c.keep(text, s)
	return s.ExecContext(ctx, args)
}

// QueryContext is the connection's own, with a statement that is kept.
func (c *keptConn) QueryContext(ctx context.Context, text string, args []driver.NamedValue) (driver.Rows, error) {
	if !keeps(text) {
		return c.LiteConn.QueryContext(ctx, text, args)
	}
	s, err := c.take(ctx, text)
	if err != nil {
		return nil, err
	}
	rows, err := s.QueryContext(ctx, args)
	if err != nil {
		c.keep(text, s)
		return nil, err
	}
	return &keptRows{liteRows: rows.(liteRows), on: c, text: text, stmt: s}, nil
}

// keptRows give their statement back.
type keptRows struct {
	liteRows
	on   *keptConn
	text string
	stmt liteStmt // nil once they are closed
}

// Close closes the rows.
func (r *keptRows) Close() error {
	err := r.liteRows.Close()
	if r.stmt != nil {
		r.on.keep(r.text, r.stmt)
		r.stmt = nil
	}
	return err
}

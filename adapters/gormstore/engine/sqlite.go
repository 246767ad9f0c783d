package engine

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"
	"sync/atomic"

	"github.com/pressly/goose/v3"
	"gorm.io/gorm"
	"modernc.org/sqlite"
)

// SQLitePath returns the file path in a database URL of the form sqlite://PATH, and whether it has that form.
func SQLitePath(databaseURL string) (string, bool) {
	return strings.CutPrefix(databaseURL, "sqlite://")
}

// InMemory is the path that stands for a database without a file.
const InMemory = ":memory:"

// memories counts the in-memory databases, so that each has its own name.
var memories atomic.Int64

// openMemory opens an empty database that ends with the store. A single connection reads and writes, so that nothing
// waits for a lock, and a read outside a running transaction, which InTx forbids, does not go unnoticed. A second
// connection only keeps the database alive when database/sql discards the first, as it does where the context of a
// transaction ends.
func (s *Engine) openMemory() (err error) {
	dsn := fmt.Sprintf("file:/fichario-%d?vfs=memdb&_time_format=sqlite&_pragma=foreign_keys(1)", memories.Add(1))
	if s.Writer, err = gorm.Open(sqliteDialect{s.ways, dsn}, config()); err != nil {
		return err
	}
	s.Reader, s.Dialect = s.Writer, goose.DialectSQLite3
	pool, err := s.Writer.DB()
	if err != nil {
		return err
	}
	if s.Keeper, err = pool.Conn(context.Background()); err != nil {
		return err
	}
	return errors.Join(s.Keeper.PingContext(context.Background()), setPool(s.Writer, 2))
}

// BusyTimeout is how long one connection waits for another's lock, in milliseconds.
func BusyTimeout() int64 { return (Timeout() / 2).Milliseconds() }

func (s *Engine) openSQLite(path string) error {
	if path == InMemory {
		return s.openMemory()
	}
	if path == "" || strings.ContainsAny(path, "?#") {
		return errors.New("FICHARIO_DATABASE_URL: sqlite:// needs the path of a file, without ? or #")
	}
	s.Path = path
	dsn := "file:" + (&url.URL{Path: path}).EscapedPath() +
		"?_time_format=sqlite&_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)&_pragma=foreign_keys(1)" +
		fmt.Sprintf("&_pragma=busy_timeout(%d)", BusyTimeout())
	// The file holds names and phone numbers: it is created for its owner alone, and SQLite gives its companion files the
	// same mode. Closing any descriptor of a file drops all of the process's locks on it, and without SQLite's lock
	// another process that ends would remove this one's write-ahead log: so it is closed after the pools, and never opened
	// again.
	var err error
	if s.File, err = os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600); err != nil {
		return notOpened(path, err)
	}
	// One connection writes, and takes the write lock when its transaction begins: a transaction that reads first and then
	// writes would fail at once when another process wrote in between. It overwrites what it removes, so that no data of
	// erased people stays in free space. Its cache is larger than the default 2 MB, because names and amounts enter their
	// indexes at random places.
	writing := dsn + "&_txlock=immediate&_pragma=cache_size(-65536)&_pragma=secure_delete(1)"
	s.Writer, err = gorm.Open(sqliteDialect{s.ways, writing}, config())
	if err != nil {
		return notOpened(path, err)
	}
	for _, read := range []**gorm.DB{&s.Reader, &s.Pages.Read} {
		reading := config()
		// The writer's connection has shown that the file can be opened. Each connection reads the whole schema, which is a
		// tenth of what a command costs, and most commands never read through these.
		reading.DisableAutomaticPing = true
		if *read, err = gorm.Open(sqliteDialect{s.ways, dsn + "&_pragma=query_only(1)"}, reading); err != nil {
			return notOpened(path, err)
		}
		if err := setPool(*read, s.ways.pool(4)); err != nil {
			return err
		}
	}
	s.Pages.Write, s.Dialect = s.Writer, goose.DialectSQLite3
	return setPool(s.Writer, s.ways.pool(1))
}

// notOpened says why a file cannot be opened. Where the disk has no room for the companion files, SQLite only reports
// an I/O error.
func notOpened(path string, err error) error {
	err = fmt.Errorf("FICHARIO_DATABASE_URL: open %s: %w", path, err)
	if lite := new(sqlite.Error); errors.As(err, &lite) && lite.Code()&0xff == sqliteIOErr {
		err = fmt.Errorf("%w; is the disk full?", err)
	}
	return err
}

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

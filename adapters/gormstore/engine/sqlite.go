package engine

import (
	"context"
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
	err = fmt.Errorf("open %s: %w", path, err)
	if lite := new(sqlite.Error); errors.As(err, &lite) && lite.Code()&0xff == sqliteIOErr {
		err = fmt.Errorf("%w; is the disk full?", err)
	}
	return err
}

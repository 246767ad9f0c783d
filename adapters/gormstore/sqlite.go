package gormstore

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

// SQLitePath returns the path of the file that a database URL of the form
// sqlite://PATH names, and whether it has that form.
func SQLitePath(databaseURL string) (string, bool) {
	return strings.CutPrefix(databaseURL, "sqlite://")
}

// InMemory is the path that stands for a database without a file.
const InMemory = ":memory:"

// memories counts the databases in memory, so that each has a name of its own.
var memories atomic.Int64

// openMemory opens an empty database that ends with the store. One connection reads and writes, so that nothing waits
// for a lock, and a reading beside a transaction, which InTx forbids, does not pass unseen. A second one does nothing
// but keep the database when the first is given up, as database/sql does with that of a transaction whose context
// ended.
func (s *Store) openMemory() (err error) {
	dsn := fmt.Sprintf("file:/fichario-%d?vfs=memdb&_time_format=sqlite&_pragma=foreign_keys(1)", memories.Add(1))
	if s.write, err = gorm.Open(sqliteDialect{dsn}, config()); err != nil {
		return err
	}
	s.read, s.dialect = s.write, goose.DialectSQLite3
	pool, err := s.write.DB()
	if err != nil {
		return err
	}
	if s.keeper, err = pool.Conn(context.Background()); err != nil {
		return err
	}
	return errors.Join(s.keeper.PingContext(context.Background()), setPool(s.write, 2))
}

// busyTimeout is how long one connection waits for another's lock, in milliseconds.
const busyTimeout = 2500

func (s *Store) openSQLite(path string) error {
	if path == InMemory {
		return s.openMemory()
	}
	if path == "" || strings.ContainsAny(path, "?#") {
		return errors.New("FICHARIO_DATABASE_URL: sqlite:// needs the path of a file, without ? or #")
	}
	s.path = path
	dsn := "file:" + (&url.URL{Path: path}).EscapedPath() +
		"?_time_format=sqlite&_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)&_pragma=foreign_keys(1)" +
		fmt.Sprintf("&_pragma=busy_timeout(%d)", busyTimeout)
	// It holds names and phones: a new file is for its owner alone, and SQLite makes the files beside it alike. Closing
	// any descriptor of a file gives up every lock that the process has on it, and without SQLite's another process that
	// ends would remove the write-ahead log of this one: it is closed after the pools, and nobody opens it again.
	var err error
	if s.file, err = os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600); err != nil {
		return notOpened(path, err)
	}
	// One connection writes, and takes the write lock when its transaction begins:
	// a transaction that reads first and then writes would fail at once when
	// another process wrote in between.
	// What it removes it overwrites, so that nothing of whom somebody erased stays in free space.
	// Its cache holds more pages than the default 2 MB, because names and amounts enter their indexes anywhere.
	writing := dsn + "&_txlock=immediate&_pragma=cache_size(-65536)&_pragma=secure_delete(1)"
	s.write, err = gorm.Open(sqliteDialect{writing}, config())
	if err != nil {
		return notOpened(path, err)
	}
	for _, read := range []**gorm.DB{&s.read, &s.pages.read} {
		reading := config()
		reading.PrepareStmt = true
		if *read, err = gorm.Open(sqliteDialect{dsn + "&_pragma=query_only(1)"}, reading); err != nil {
			return notOpened(path, err)
		}
		if err := setPool(*read, 4); err != nil {
			return err
		}
	}
	s.pages.write, s.dialect = s.write, goose.DialectSQLite3
	return setPool(s.write, 1)
}

// notOpened says why a file cannot be opened. Of a disk without room for what SQLite keeps beside it, SQLite says no
// more than that it does not work.
func notOpened(path string, err error) error {
	err = fmt.Errorf("open %s: %w", path, err)
	if lite := new(sqlite.Error); errors.As(err, &lite) && lite.Code()&0xff == sqliteIOErr {
		err = fmt.Errorf("%w; is the disk full?", err)
	}
	return err
}

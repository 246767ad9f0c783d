package gormstore

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"

	"github.com/glebarez/sqlite"
	"github.com/pressly/goose/v3"
	"gorm.io/gorm"
)

// SQLitePath returns the path of the file that a database URL of the form
// sqlite://PATH names, and whether it has that form.
func SQLitePath(databaseURL string) (string, bool) {
	return strings.CutPrefix(databaseURL, "sqlite://")
}

func (s *Store) openSQLite(path string) error {
	if path == "" || strings.ContainsAny(path, "?#") {
		return errors.New("FICHARIO_DATABASE_URL: sqlite:// needs the path of a file, without ? or #")
	}
	dsn := "file:" + (&url.URL{Path: path}).EscapedPath() +
		"?_pragma=busy_timeout(2500)&_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)&_pragma=foreign_keys(1)"
	// It holds names and phones: a new file is for its owner alone, and SQLite makes the
	// files beside it alike.
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return fmt.Errorf("open %s: %w", path, err)
	}
	if err := file.Close(); err != nil {
		return fmt.Errorf("open %s: %w", path, err)
	}
	// One connection writes, and takes the write lock when its transaction begins:
	// a transaction that reads first and then writes would fail at once when
	// another process wrote in between.
	if s.write, err = gorm.Open(sqlite.Open(dsn+"&_txlock=immediate"), config()); err != nil {
		return fmt.Errorf("open %s: %w", path, err)
	}
	reading := config()
	reading.PrepareStmt = true
	if s.read, err = gorm.Open(sqlite.Open(dsn+"&_pragma=query_only(1)"), reading); err != nil {
		return fmt.Errorf("open %s: %w", path, err)
	}
	if err := setPool(s.write, 1); err != nil {
		return err
	}
	s.dialect = goose.DialectSQLite3
	return setPool(s.read, 4)
}

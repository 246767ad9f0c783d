package engine

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// errTaken says that another process holds the lock.
var errTaken = errors.New("taken")

// Alone locks a SQLite file against other services for as long as this process lives. The lock is the operating
// system's, so it ends with the process, however that ends. Commands take no lock and run beside the service. For
// PostgreSQL and for a database in memory it does nothing. release unlocks the file.
func Alone(databaseURL string) (release func(), err error) {
	path, sqlite := SQLitePath(databaseURL)
	if !sqlite || path == "" || path == InMemory {
		return func() {}, nil
	}
	if whole, err := filepath.EvalSymlinks(path); err == nil {
		path = whole // one lock, whichever name the file is opened by
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil { // the database may not exist yet
		return nil, err
	}
	file, err := lockFile(path + ".lock")
	switch {
	case errors.Is(err, errTaken):
		return nil,
			fmt.Errorf("another fichario serve%s runs on %s: stop it first, or set another FICHARIO_DATABASE_URL for this one; a SQLite file serves one service", holder(path+".lock"), path)
	case err != nil:
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
	if err := file.Truncate(0); err == nil {
		_, _ = fmt.Fprintln(file, os.Getpid()) // only for the message of another process
	}
	return func() { _ = file.Close() }, nil // the file stays, lest two processes lock one each
}

// holder names the process that has the lock, where that can be read.
func holder(lock string) string {
	file, err := os.Open(lock)
	if err != nil {
		return ""
	}
	defer func() { _ = file.Close() }()
	text, _ := io.ReadAll(io.LimitReader(file, 20))
	if pid, err := strconv.Atoi(strings.TrimSpace(string(text))); err == nil {
		return fmt.Sprintf(" (process %d)", pid)
	}
	return ""
}

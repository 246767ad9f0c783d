package gormstore

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// errTaken says that another process holds a lock.
var errTaken = errors.New("taken")

// Alone keeps other services from a SQLite file for as long as this process lives, by a lock of the operating system,
// which ends with the process however that ends. Commands ask for none and go on beside the service. There is nothing
// to keep for PostgreSQL, nor for a database in memory. release gives the file back.
func Alone(databaseURL string) (release func(), err error) {
	path, sqlite := SQLitePath(databaseURL)
	if !sqlite || path == "" || path == InMemory {
		return func() {}, nil
	}
	if whole, err := filepath.EvalSymlinks(path); err == nil {
		path = whole // whatever name it goes by
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil { // of a database that is yet to be made
		return nil, err
	}
	file, err := lockFile(path + ".lock")
	switch {
	case errors.Is(err, errTaken):
		return nil, fmt.Errorf("another fichario serve%s runs on %s: stop it first, or give this one a database of its own in FICHARIO_DATABASE_URL; one SQLite file is for one service", holder(path+".lock"), path)
	case err != nil:
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
	if err := file.Truncate(0); err == nil {
		_, _ = fmt.Fprintln(file, os.Getpid()) // for the other one's message, and not needed
	}
	return func() { _ = file.Close() }, nil // the file stays: without it two could each lock one of their own
}

// holder is which process has the lock, where that can be read.
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

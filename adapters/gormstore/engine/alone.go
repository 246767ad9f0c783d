package engine

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
)

var (
	// errTaken says that another process holds the lock.
	errTaken = errors.New("taken")
	// alone are the files that this process has locked.
	alone sync.Map
)

// Alone locks a SQLite file against other services for as long as this process lives. The lock is the operating
// system's, so it ends with the process, however that ends. Commands run beside the service, without the lock, but for
// one that changes the schema: see Unserved. For PostgreSQL and for a database in memory it does nothing. release
// unlocks the file.
func Alone(databaseURL string) (release func(), err error) {
	path, sqlite := SQLitePath(databaseURL)
	if !sqlite || path == "" || path == InMemory {
		return func() {}, nil
	}
	path = lockOf(path)
	release, err = lockAlone(path)
	if errors.Is(err, errTaken) {
		err = fmt.Errorf("another fichario serve%s runs on %s: stop it first, or set another FICHARIO_DATABASE_URL for "+
			"this one; a SQLite file serves one service", holder(path), strings.TrimSuffix(path, ".lock"))
	}
	return release, err
}

// Unserved locks the SQLite file as Alone does while its schema is changed, unless this process has locked it: a
// service of the version before would write rows without what the schema of before did for them. The error says what
// to do where one runs.
func (s *Engine) Unserved() (release func(), err error) {
	if s.Path == "" {
		return func() {}, nil
	}
	path := lockOf(s.Path)
	if _, mine := alone.Load(path); mine {
		return func() {}, nil
	}
	release, err = lockAlone(path)
	if errors.Is(err, errTaken) {
		err = fmt.Errorf("fichario serve%s runs on %s, whose schema is not the newest: stop it first, or wait until it has "+
			"started if it is of this version", holder(path), s.Path)
	}
	return release, err
}

// lockOf is the file that is locked for a database: one, whichever name that is opened by. Links are followed one by
// one, because the database at their end may not exist yet.
func lockOf(path string) string {
	const mostLinks = 40 // as many as the operating system follows
	for range mostLinks {
		dir, name := filepath.Split(path)
		if whole, err := filepath.EvalSymlinks(cmp.Or(dir, ".")); err == nil {
			path = filepath.Join(whole, name)
		}
		target, err := os.Readlink(path)
		if err != nil {
			break
		}
		if !filepath.IsAbs(target) {
			dir, _ = filepath.Split(path)
			target = dir + target // not joined, which would take back a link where it goes up from it
		}
		path = target
	}
	return path + ".lock"
}

func lockAlone(path string) (release func(), err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil { // the database may not exist yet
		return nil, fmt.Errorf("FICHARIO_DATABASE_URL: %w", err)
	}
	file, err := lockFile(path)
	if err != nil {
		return nil, fmt.Errorf("FICHARIO_DATABASE_URL: lock %s: %w", path, err)
	}
	if err := file.Truncate(0); err == nil {
		_, _ = fmt.Fprintln(file, os.Getpid()) // only for the message of another process
	}
	alone.Store(path, true)
	return func() { alone.Delete(path); _ = file.Close() }, nil // the file stays, lest two processes lock one each
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

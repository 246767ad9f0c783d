package gormstore

import (
	"context"
	"regexp"
	"testing"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/logger"

	"fichario/adapters/gormstore/engine"
	"fichario/ports"
	"fichario/ports/portstest"
)

// watch is GORM's log, and fails at a statement that selects *.
type watch struct {
	logger.Interface
	t *testing.T
}

var (
	everyColumn = regexp.MustCompile("(?i)^SELECT \\* FROM [\"`\\w]|RETURNING \\*$|\\b\\w+\\.\\*")
	written     = regexp.MustCompile(`(?s)"(?:[^"]|"")*"`)
)

func (w watch) Trace(_ context.Context, _ time.Time, f func() (string, int64), _ error) {
	// What is written may look like anything.
	if text, _ := f(); everyColumn.MatchString(written.ReplaceAllString(text, `""`)) {
		w.t.Errorf("a migration that adds a column would break it where a connection has prepared it: %.80s", text)
	}
}

// TestSlowNoStatementHasEveryColumn: nothing in the whole store suite selects *. The store is one in memory, on which
// tests of use cases rely.
func TestSlowNoStatementHasEveryColumn(t *testing.T) {
	t.Parallel()
	portstest.Store(t, func(t *testing.T) ports.Store {
		t.Helper()
		s, err := Open("sqlite://"+engine.InMemory, [][]byte{eachKey})
		if err == nil {
			t.Cleanup(func() { _ = s.Close() })
			err = s.Migrate(t.Context())
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, db := range []*gorm.DB{s.Reader, s.Writer, s.Pages.Read, s.Pages.Write} {
			if db != nil {
				db.Logger = watch{logger.Discard, t}
			}
		}
		return s
	})
}

package gormstore

import (
	"context"
	"errors"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/logger"
	"gorm.io/gorm/schema"

	"fichario/adapters/gormstore/engine"
)

// TestRowsHaveNotDrifted asks GORM what it would change to make PostgreSQL's migrated schema fit the rows: nothing.
// SQLite, for which there is no GORM migrator here, must have the same columns.
func TestRowsHaveNotDrifted(t *testing.T) {
	t.Parallel()
	stores := each(t)
	for _, row := range stores[0].tables() {
		parsed := &gorm.Statement{DB: stores[0].Writer}
		if err := parsed.Parse(row); err != nil {
			t.Fatal(err)
		}
		var there []string
		err := stores[0].Reader.Raw("SELECT name FROM pragma_table_info(?)", parsed.Table).Scan(&there).Error
		slices.Sort(there)
		wanted := slices.Sorted(slices.Values(parsed.Schema.DBNames))
		if err != nil || !slices.Equal(there, wanted) {
			t.Errorf("%s on SQLite has %s, the row has %s (%v)", parsed.Table, there, wanted, err)
		}
	}
	log := &capture{}
	undo := errors.New("undo")
	err := stores[1].Writer.Session(&gorm.Session{Logger: log}).Transaction(func(tx *gorm.DB) error {
		if err := tx.AutoMigrate(engine.Mapped(stores[1].tables(),
			func(row schema.Tabler) any { return row })...); err != nil {
			return err
		}
		return undo
	})
	if !errors.Is(err, undo) {
		t.Fatal(err)
	}
	for _, change := range log.changes {
		t.Errorf("GORM would run %s", change)
	}
	if log.seen == 0 {
		t.Error("nothing was captured")
	}
}

// TestEveryRowCanBeSent: a column of a type unknown to the statements that bypass GORM would panic at start-up.
func TestEveryRowCanBeSent(t *testing.T) {
	t.Parallel()
	for _, row := range each(t)[0].tables() {
		if got, fields := strings.Count(engine.TableOf(row).Insert(), "?"), reflect.TypeOf(row).NumField(); got != fields {
			t.Errorf("%T has %d fields and %d columns", row, fields, got)
		}
	}
}

// TestEveryTableIsInTheRecord: docs/privacy.md says of each table what is personal in it, and that it is sealed where
// it is.
func TestEveryTableIsInTheRecord(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/privacy.md")
	if err != nil {
		t.Fatal(err)
	}
	said := map[string]string{}
	of := ""
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(line, "|")
		if len(cells) < 5 {
			continue
		}
		if strings.TrimSpace(cells[1]) != "" { // otherwise it says more of the tables before
			of = cells[1]
		}
		for _, name := range regexp.MustCompile("`([a-z_]+)`").FindAllStringSubmatch(of, -1) {
			said[name[1]] += cells[2] + cells[3]
		}
	}
	s := each(t)[0]
	for _, row := range s.tables() {
		if said[row.TableName()] == "" {
			t.Errorf("docs/privacy.md does not say what is personal in %s", row.TableName())
		}
	}
	for _, c := range s.sealed() {
		if !strings.Contains(said[c.Table], "sealed") {
			t.Errorf("docs/privacy.md does not say that %s.%s is sealed", c.Table, c.Column)
		}
	}
}

type capture struct {
	mu      sync.Mutex
	changes []string
	seen    int
}

func (c *capture) LogMode(logger.LogLevel) logger.Interface      { return c }
func (c *capture) Info(context.Context, string, ...interface{})  {}
func (c *capture) Warn(context.Context, string, ...interface{})  {}
func (c *capture) Error(context.Context, string, ...interface{}) {}

var change = regexp.MustCompile(`(?i)^\s*(create|alter|drop)\b`)

func (c *capture) Trace(_ context.Context, _ time.Time, f func() (string, int64), _ error) {
	sql, _ := f()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.seen++
	if change.MatchString(sql) {
		c.changes = append(c.changes, sql)
	}
}
